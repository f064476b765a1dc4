"""One end of a transfer with a known limit: flow.py server|client KIND. The client runs until it is killed.

After a second of transfer, when congestion window and buffers have settled, it makes the file READY, with the descriptor of its socket.
"""
import os
import select
import socket
import subprocess
import sys
import time

TCP_NOTSENT_LOWAT = 25
SO_MAX_PACING_RATE = 47
PORT = 8000
SERVER = os.environ.get("TCPWHY_SERVER")
# Of whole packets, so that none waits for an ACK to go with more. An application that is slow writes so little that what its writes of
# two round trips keep in flight fits the first windows: how soon a receiver widens its window hangs on when it reads.
WRITES = {"sndbuf": 1448, "sndbuf-epoll": 1448, "application": 4 * 1448}


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


def clamp():
    """Holds the congestion window at 20 packets, whatever the congestion control makes of its ACKs.

    It is a metric of the route (RTAX_CWND); since Linux 6.10 it holds for connections to hosts of which there is something in the
    cache of metrics, so one that ends comes first. That needs tcp_no_metrics_save=0.
    """
    route = subprocess.check_output(["ip", "-o", "route", "get", SERVER], text=True).split()
    told = lambda word: [word, route[route.index(word) + 1]] if word in route else []
    change = ["ip", "route", "replace", SERVER, *told("dev"), *told("congctl")]
    subprocess.check_call([*change, "cwnd", "lock", "20"])
    with socket.create_connection((SERVER, PORT)) as first:
        first.shutdown(socket.SHUT_WR)
        first.recv(1)


def prepare(s, kind):
    if kind in ("cwnd", "lowat"):
        clamp()
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
    s.connect((SERVER, PORT))
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
            say_ready(s)


def say_ready(s):
    ready = os.environ["READY"]
    with open(ready + ".new", "w") as file:
        file.write(str(s.fileno()))
    os.rename(ready + ".new", ready)


def receive(s, _):
    s.recv(1 << 20)


def send(s, kind):
    data = bytes(WRITES.get(kind, 65536))
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
