#!/usr/bin/env python3
"""A study on a terminal: where its table scrolls, the verdict stands behind it, else before it."""
import pathlib, sys, tempfile

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from terminal import printed_on_terminal


def printed(program, rows):
    """What the study prints on a terminal of so many rows."""
    with tempfile.TemporaryDirectory() as cache:
        return printed_on_terminal([program, "study", "box-sum", "--n", "64", "--r", "4,8", "--gpu", "h200", "--cache", cache], rows, 100)


def places(program, rows):
    text = printed(program, rows)
    verdict, table = text.find("The best "), text.find("study box-sum")
    if verdict < 0 or table < 0 or text.count("The best ") != 1:
        sys.exit(f"no verdict or no table on {rows} rows:\n{text}")
    return verdict, table


verdict, table = places(sys.argv[1], 200)
if verdict > table:
    sys.exit("the verdict stands behind a table that fits")
verdict, table = places(sys.argv[1], 20)
if verdict < table:
    sys.exit("the verdict scrolls away with a long table")
