"""Runs a program in a pseudo-terminal: what comes in goes to its keyboard, what it shows goes out."""
import fcntl, os, pty, select, struct, sys, termios

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])

fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
sources = [terminal, sys.stdin.fileno()]
while True:
    ready, _, _ = select.select(sources, [], [])
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:  # Linux says so when the program has ended
            shown = b""
        if not shown:
            break
        os.write(sys.stdout.fileno(), shown)
    if sys.stdin.fileno() in ready:
        typed = os.read(sys.stdin.fileno(), 65536)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(sys.stdin.fileno())

sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
