"""One end of a transfer with a known limit: flow.py server|client KIND."""
import os
import select
import socket
import subprocess
import sys
import time

TCP_NOTSENT_LOWAT = 25
SO_MAX_PACING_RATE = 47
PORT = 8000


def serve(kind):
    listener = socket.socket()
    if kind == "rcvbuf":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
    listener.bind(("", PORT))
    listener.listen()
    while True:
        peer, _ = listener.accept()
        while peer.recv(16384 if kind == "reader" else 1 << 20):
            if kind == "reader":
                time.sleep(0.03)
        peer.close()


def prepare(s, kind, server):
    if kind.startswith("sndbuf"):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
    elif kind == "lowat":
        s.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, 16384)
    elif kind == "pacing":
        s.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 1_000_000)
    elif kind == "cwnd":
        route = subprocess.check_output(["ip", "route", "get", server], text=True).split()
        device = route[route.index("dev") + 1]
        subprocess.check_call(
            ["ip", "route", "replace", server, "dev", device, "cwnd", "lock", "20"]
        )


def send(kind, seconds):
    server = os.environ["TCPWHY_SERVER"]
    s = socket.socket()
    prepare(s, kind, server)
    s.connect((server, PORT))
    data = bytes(1448 if kind.startswith("sndbuf") else 65536)
    if kind in ("sndbuf-epoll", "lowat"):
        s.setblocking(False)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if s.getblocking():
            s.sendall(data)
        else:
            select.select([], [s], [], 1)
            try:
                s.send(data)
            except BlockingIOError:
                pass
        if kind == "application":
            time.sleep(0.03)


if sys.argv[1] == "server":
    serve(sys.argv[2])
else:
    send(sys.argv[2], float(sys.argv[3]))
