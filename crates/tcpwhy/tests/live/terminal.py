"""A program on a terminal of its own: terminal.py SIGNAL PROGRAM... SIGNAL: a name (SIGTERM), "hangup", or "none".

Waits for the program's screen, sends the signal, and prints as JSON how it ended and in which state it left the terminal.
"""
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

LIMIT = 20


def flags(fd):
    local = termios.tcgetattr(fd)[3]
    return {"canonical": bool(local & termios.ICANON), "echo": bool(local & termios.ECHO)}


def read(fd, seen, until, end):
    """Reads into seen until its text has what is waited for, or the program closes the terminal."""
    while until not in seen:
        if time.monotonic() > end:
            sys.exit(f"no {until} within {LIMIT} s: {bytes(seen[:500])}")
        if select.select([fd], [], [], 0.1)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                data = b""
            if not data:
                return
            seen += data


def wait(pid, master, seen, end):
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        if master is not None and select.select([master], [], [], 0.02)[0]:
            try:
                seen += os.read(master, 65536)
            except OSError:
                pass
    os.kill(pid, signal.SIGKILL)
    sys.exit("it does not end")


def main():
    how, program = sys.argv[1], sys.argv[2:]
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    before = flags(slave)
    pid = os.fork()
    if pid == 0:
        os.close(master)
        login(slave)
        os.execvp(program[0], program)
    end, seen = time.monotonic() + LIMIT, bytearray()
    if how != "none":
        read(master, seen, b"quit", end)
    during = flags(slave)
    if how == "hangup":
        os.close(slave)
        os.close(master)
        master = None
    elif how != "none":
        os.kill(pid, getattr(signal, how))
    status = wait(pid, master, seen, end)
    answer = {"code": os.waitstatus_to_exitcode(status), "during": during, "before": before}
    if master is not None:
        os.set_blocking(master, False)
        try:
            seen += os.read(master, 65536)
        except OSError:
            pass
        answer["after"] = flags(slave)
        answer["text"] = seen.decode(errors="replace")
    print(json.dumps(answer))


def login(fd):
    os.setsid()
    fcntl.ioctl(fd, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(fd, number)


main()
