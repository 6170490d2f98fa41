#!/usr/bin/env python3
"""The line of a long kernel on a terminal of 40 columns: it never fills the last one, where it would wrap."""
import pathlib, re, sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from terminal import printed_on_terminal

text = printed_on_terminal([sys.argv[1], "run", sys.argv[2]], 24, 40, {"WARPWRIGHT_ENGINE": "interpreter", "WARPWRIGHT_THREADS": "1"})
lines = re.findall(r"\r(warpwright: [^\r\x1b]*)\x1b\[K", text)
good = lines and all(len(l) <= 39 and re.match(r"warpwright: slow_bl\w*: \d+ of 64 blocks", l) for l in lines)
if not good or "no error 64" not in text:
    print(text)
    sys.exit(1)
