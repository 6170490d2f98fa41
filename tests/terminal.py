"""Programs on a terminal of a known size, for tests."""
import fcntl, os, pty, struct, termios


def printed_on_terminal(command, rows, columns, environment=None):
    """What the command writes to a terminal of so many rows and columns, as text. `environment`: added to ours."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.environ.update(environment or {})
        os.execv(command[0], command)
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
