"""One end of a transfer with a known limit: flow.py server|client KIND. The client runs until it is killed.

It makes the file READY after a second of transfer, when congestion window and buffers have settled.
"""
import os
import select
import socket
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
        if kind.startswith("download"):
            download(peer)
            continue
        while peer.recv(16384 if kind == "reader" else 1 << 20):
            if kind == "reader":
                time.sleep(0.03)
        peer.close()


def download(peer):
    try:
        while True:
            peer.sendall(bytes(65536))
    except OSError:
        peer.close()


def prepare(s, kind):
    if kind.startswith("sndbuf"):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
    elif kind == "download-locked-before":
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
    elif kind == "lowat":
        s.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, 16384)
    elif kind == "pacing":
        s.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 1_000_000)


def run(kind):
    s = socket.socket()
    prepare(s, kind)
    s.connect((os.environ["TCPWHY_SERVER"], PORT))
    if kind == "download-locked-after":
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
    if kind in ("sndbuf-epoll", "lowat"):
        s.setblocking(False)
    step = receive if kind.startswith("download") else send
    settled = time.monotonic() + 1
    while True:
        step(s, kind)
        if settled is not None and time.monotonic() > settled:
            settled = None
            open(os.environ["READY"], "w").close()


def receive(s, _):
    s.recv(1 << 20)


def send(s, kind):
    data = bytes(1448 if kind.startswith("sndbuf") else 65536)
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
    run(sys.argv[2])
