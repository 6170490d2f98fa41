#!/usr/bin/env python3
"""The line of a long kernel on a terminal of 40 columns: it never fills the last one, where it would wrap."""
import fcntl, os, pty, re, struct, sys, termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    os.environ.update(WARPWRIGHT_ENGINE="interpreter", WARPWRIGHT_THREADS="1")
    os.execv(sys.argv[1], [sys.argv[1], "run", sys.argv[2]])
text = b""
while True:
    try:
        got = os.read(terminal, 4096)
    except OSError:  # the program has ended
        break
    if not got:
        break
    text += got
lines = re.findall(r"\r(warpwright: [^\r\x1b]*)\x1b\[K", text.decode())
good = lines and all(len(l) <= 39 and re.match(r"warpwright: slow_bl\w*: \d+ of 64 blocks", l) for l in lines)
if not good or b"no error 64" not in text:
    print(text)
    sys.exit(1)
