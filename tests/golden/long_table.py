#!/usr/bin/env python3
"""A study on a terminal: where its table scrolls, the verdict stands behind it, else before it."""
import fcntl, os, pty, struct, sys, tempfile, termios


def printed(program, rows):
    """What the study prints on a terminal of so many rows."""
    with tempfile.TemporaryDirectory() as cache:
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
            os.execv(program, [program, "study", "box-sum", "--n", "64", "--r", "4,8", "--gpu", "h200", "--cache", cache])
        text = b""
        while True:
            try:
                got = os.read(terminal, 4096)
            except OSError:  # the program has ended
                break
            if not got:
                break
            text += got
        os.waitpid(pid, 0)
    return text.decode()


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
