"""The two applications: how they open, write and read. Times in seconds, sizes in bytes."""

import collections
import select
import socket
import struct
import threading
import time

CHUNK = 65536


def open_server(family, address, port, options, congestion):
    """A listening socket; options before listen(), as they must be."""
    listener = socket.socket(family, socket.SOCK_STREAM)
    prepare(listener, options, congestion)
    listener.bind((address, port))
    listener.listen(1)
    return listener


def open_client(family, address, port, options, congestion):
    """A connected socket; options before connect(), as they must be."""
    sock = socket.socket(family, socket.SOCK_STREAM)
    prepare(sock, options, congestion)
    sock.connect((address, port))
    return sock


def prepare(sock, options, congestion):
    """Sets the congestion control and the socket options `(level, name, value)`."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    for level, name, value in options:
        sock.setsockopt(level, name, value)


def send(total, write=CHUNK, pause=0.0, nonblocking=False):
    """Writes `total` bytes, `write` at a time, with a pause after each write."""

    def run(sock, watch):
        left, block = total, bytes(write)
        if nonblocking:
            sock.setblocking(False)
        while left:
            watch.blocked = True
            if nonblocking:
                select.select([], [sock], [])
            left -= sock.send(block[: min(left, write)])
            watch.blocked = False
            if pause:
                time.sleep(pause)
        sock.setblocking(True)

    return run


def receive(total, rate=None, stop_at=None, go_on_at=None, chunk=CHUNK):
    """Reads `total` bytes: at `rate` bytes/s, or with one long stop, or as fast as it can."""

    def run(sock, _watch):
        got, start = 0, time.monotonic()
        while got < total:
            passed = time.monotonic() - start
            if stop_at is not None and stop_at <= passed < go_on_at:
                time.sleep(go_on_at - passed)
            if rate:
                time.sleep(max(0.0, (got + chunk) / rate - passed))
            data = sock.recv(chunk)
            if not data:
                return
            got += len(data)

    return run


def receive_exactly(sock, count):
    """Reads `count` bytes; raises ConnectionError at an early end."""
    while count:
        data = sock.recv(min(count, CHUNK))
        if not data:
            raise ConnectionError(0, "ended early")
        count -= len(data)


def ask(rounds, writes=(100,), reply=400, think=0.0):
    """A client: each round writes `writes` one by one, waits for `reply` bytes, then thinks."""

    def run(sock, _watch):
        for _ in range(rounds):
            for size in writes:
                sock.send(bytes(size))
            receive_exactly(sock, reply)
            time.sleep(think)

    return run


def answer(rounds, request=100, reply=400, think=0.0):
    """The server of `ask`."""

    def run(sock, _watch):
        for _ in range(rounds):
            receive_exactly(sock, request)
            time.sleep(think)
            sock.sendall(bytes(reply))

    return run


def in_turn(*parts):
    """One application after the other on the same connection."""

    def run(sock, watch):
        for part in parts:
            part(sock, watch)

    return run


def at_once(*parts):
    """Several applications at the same time on the same connection."""

    def run(sock, watch):
        threads = [threading.Thread(target=part, args=(sock, watch)) for part in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return run


def idle(seconds):
    """Does nothing."""
    return lambda _sock, _watch: time.sleep(seconds)


class Watch:
    """Asks the kernel every 2 ms what holds the sender: the check on what a scenario promises."""

    def __init__(self):
        self.blocked = False
        self.seen = collections.Counter()

    def start(self, sock):
        """Samples until the socket is closed."""
        threading.Thread(target=self._run, args=(sock,), daemon=True).start()

    def _run(self, sock):
        try:
            while True:
                info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                self.seen[self._judge(info)] += 1
                time.sleep(0.002)
        except OSError:
            return

    def _judge(self, info):
        """One sample; field offsets of struct tcp_info (include/uapi/linux/tcp.h)."""

        def u32(offset):
            return struct.unpack_from("=I", info, offset)[0]

        mss, unacked, lost, cwnd, unsent, window = u32(16), u32(24), u32(32), u32(80), u32(144), u32(228)
        if info[1] >= 3 or lost:
            return "recovery"
        if unsent == 0:
            return "sndbuf" if self.blocked else "application"
        if window < (unacked + 1) * mss:
            return "rwnd"
        return "cwnd" if unacked >= cwnd else "pacing or local queue"
