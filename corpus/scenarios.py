"""The scenarios: what is done, and which answer is therefore right.

`expect` maps the sending side to (limit, cause); `*` is "not fixed by the construction", `a|b` is
"either". The sides of a scenario that are not listed carry nothing worth a verdict.
"""

import dataclasses
import random
import socket
from typing import Callable

from apps import answer, ask, at_once, idle, in_turn, receive, send

SNDBUF = (socket.SOL_SOCKET, socket.SO_SNDBUF)
RCVBUF = (socket.SOL_SOCKET, socket.SO_RCVBUF)
NODELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
KEEPALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1),
)
MB = 1_000_000
MBIT = 1_000_000


@dataclasses.dataclass
class Scenario:
    """One transfer. RTT in ms, rate in bit/s each way, queue in bytes."""

    name: str
    expect: dict
    note: str
    client: Callable
    server: Callable
    rtt: float = 20
    rate: float = 100 * MBIT
    queue: int = 2 * MB
    congestion: str = "cubic"
    client_options: tuple = ()
    server_options: tuple = ()
    client_sysctls: dict = dataclasses.field(default_factory=dict)
    server_sysctls: dict = dataclasses.field(default_factory=dict)
    port: int = 8080
    drop_up: Callable = None
    drop_down: Callable = None
    ipv6: bool = False
    tso: bool = False
    gso: bool = True
    sender: str = "server"
    receiver_expect: dict = None
    give_up_after: float = 60
    middle: bool = False


def download(name, limit, cause, note, total=2 * MB, sending=None, reading=None, **rest):
    """The server sends `total` bytes to the client."""
    return Scenario(name, {"server": (limit, cause)}, note, client=receive(total, **(reading or {})),
                    server=send(total, **(sending or {})), **rest)


def upload(name, limit, cause, note, total=2 * MB, sending=None, reading=None, **rest):
    """The client sends `total` bytes to the server."""
    return Scenario(name, {"client": (limit, cause)}, note, client=send(total, **(sending or {})),
                    server=receive(total, **(reading or {})), sender="client", **rest)


def random_loss(share, seed):
    """Loses data packets independently, the same ones in every run."""
    dice = random.Random(seed)
    return lambda packet, _now: packet.payload > 0 and dice.random() < share


def lose_data_packets(*numbers):
    """Loses the n-th packets that carry data, from 1."""
    count = 0

    def drop(packet, _now):
        nonlocal count
        count += packet.payload > 0
        return packet.payload > 0 and count in numbers

    return drop


def lose_first_tails(response):
    """Loses the last segment of every response of that many bytes, the first time it passes."""
    first, seen = None, set()

    def drop(packet, _now):
        nonlocal first
        if packet.flags & 2:
            first = packet.seq + 1
        end = (packet.seq + packet.payload - (first or 0)) % 2**32
        if packet.payload and end % response == 0 and end not in seen:
            seen.add(end)
            return True
        return False

    return drop


def lose_between(moment, end=float("inf")):
    """Loses everything from that moment on, in seconds after the first packet."""
    return lambda _packet, now: moment <= now < end


def lose_larger_than(size):
    """Loses packets above that IP length and says nothing: a PMTU black hole."""
    return lambda packet, _now: packet.size > size


def lose_first_syns(count):
    """Loses the first SYNs."""
    left = count

    def drop(packet, _now):
        nonlocal left
        if packet.flags & 2 and left:
            left -= 1
            return True
        return False

    return drop


def policer(rate, burst):
    """A token bucket that drops what is above `rate` bit/s and never queues."""
    tokens, last = burst, 0.0

    def drop(packet, now):
        nonlocal tokens, last
        tokens, last = min(burst, tokens + (now - last) * rate / 8), now
        if packet.size > tokens:
            return True
        tokens -= packet.size
        return False

    return drop


def buffers():
    """Limits that one setsockopt or sysctl makes."""
    small_send = dict(server_options=((*SNDBUF, 16384),), port=3306)
    small_receive = dict(client_options=((*RCVBUF, 8192),), rtt=40)
    return [
        download("send-buffer-16k-20ms", "send_buffer", "*", "SO_SNDBUF=16384, 1448-byte writes", sending={"write": 1448}, **small_send, middle=True),
        download("send-buffer-16k-20ms-64k-writes", "send_buffer|congestion_window", "*", "SO_SNDBUF=16384, 64 KiB writes: segmentation offload makes the limit soft (the kernel: 60 to 70 % send buffer)", total=4 * MB, sending={"write": 65536}, **small_send),
        download("send-buffer-16k-20ms-reno-epoll", "send_buffer", "*", "SO_SNDBUF=16384, reno, non-blocking writer", sending={"write": 1448, "nonblocking": True}, congestion="reno", **small_send),
        download("send-buffer-16k-20ms-bbr", "send_buffer", "*", "SO_SNDBUF=16384, bbr", sending={"write": 1448}, congestion="bbr", **small_send),
        download("send-buffer-16k-20ms-64k-writes-no-gso", "send_buffer", "*", "SO_SNDBUF=16384, 64 KiB writes, gso_max_segs 1 at the sender", sending={"write": 65536}, gso=False, **small_send),
        download("send-buffer-64k-60ms-tso", "send_buffer", "*", "SO_SNDBUF=65536, 60 ms, segmentation left to the device: large segments in the capture", total=4 * MB, rtt=60, sending={"write": 14480}, tso=True, server_options=((*SNDBUF, 65536),)),
        upload("send-buffer-16k-20ms-ipv6-upload", "send_buffer", "*", "SO_SNDBUF=16384 at a client, IPv6, 1428-byte writes", sending={"write": 1428}, client_options=((*SNDBUF, 16384),), ipv6=True),
        download("receive-buffer-8k-40ms", "receive_window", "small buffer", "SO_RCVBUF=8192 before connect", total=400_000, **small_receive, middle=True),
        download("receive-buffer-8k-40ms-reno", "receive_window", "small buffer", "SO_RCVBUF=8192 before connect, reno", total=400_000, congestion="reno", **small_receive),
        upload("receive-buffer-64k-40ms-upload", "receive_window", "small buffer", "SO_RCVBUF=65536 at a server before listen", server_options=((*RCVBUF, 65536),), rtt=40),
        download("no-window-scaling-60ms", "receive_window", "no window scaling", "tcp_window_scaling=0 at the client", rtt=60, client_sysctls={"net/ipv4/tcp_window_scaling": "0"}),
    ]


def applications():
    """Limits that the applications make."""
    dead = {"net/ipv4/tcp_retries2": "4"}
    return [
        download("slow-reader-stops-20ms", "receive_window", "*", "the reader stops at 0.5 s and goes on at 3 s", total=3 * MB, rate=20 * MBIT, reading={"stop_at": 0.5, "go_on_at": 3.0}),
        download("slow-reader-200k-20ms", "receive_window", "slow reader", "the reader takes 200 kB/s", total=1 * MB, reading={"rate": 200_000, "chunk": 8192}, middle=True),
        download("writer-pauses-30ms-20ms", "application", "sender application", "64 KiB, then 30 ms of pause", sending={"pause": 0.03}, middle=True),
        download("writer-pauses-100ms-10ms", "application", "sender application", "16 KiB, then 100 ms of pause", total=400_000, rtt=10, sending={"write": 16384, "pause": 0.1}),
        Scenario("chatty-50x-20ms", {"client": ("application", "waiting for the peer"), "server": ("application", "waiting for the peer")},
                 "50 small requests and answers, one after the other", client=ask(50), server=answer(50)),
        Scenario("slow-server-20ms", {"client": ("application", "waiting for the peer"), "server": ("application", "sender application")},
                 "20 requests; the server thinks 150 ms before each answer", client=ask(20), server=answer(20, think=0.15)),
        Scenario("nagle-delayed-ack-10ms", {"client": ("delayed_ack", "Nagle")},
                 "60 rounds of write, write, read without TCP_NODELAY", client=ask(60, writes=(50, 150)), server=answer(60, request=200), rtt=10, sender="client"),
        Scenario("both-directions-20ms", {"server": ("path_bandwidth", "*"), "client": ("application", "sender application")},
                 "download at 10 Mbit/s while the client writes 8 KiB every 60 ms",
                 client=at_once(receive(2 * MB), send(250_000, write=8192, pause=0.06)), server=at_once(send(2 * MB), receive(250_000)),
                 rate=10 * MBIT, queue=300_000),
        Scenario("idle-then-again-100ms", {"server": ("application", "sender application")}, "300 kB, 3 s of nothing, 300 kB",
                 client=receive(600_000), server=in_turn(send(300_000), idle(3), send(300_000)), rtt=100),
        Scenario("zero-window-death-20ms", {"server": ("silent_path", "probes unanswered")},
                 "the reader stops for good, then its packets are lost; tcp_retries2=4", client=idle(14), server=send(1 * MB),
                 server_sysctls=dead, give_up_after=16, drop_up=lose_between(1.5), receiver_expect={"server": ("receive_window|silent_path", "*")}),
        Scenario("zero-window-late-reset-20ms", {"server": ("silent_path|receive_window", "*")},
                 "as zero-window-death, but the path heals and the reader reads at 14 s: a RST answers", client=in_turn(idle(14), receive(1 * MB)), server=send(1 * MB),
                 server_sysctls=dead, give_up_after=20, drop_up=lose_between(1.5, 12)),
        Scenario("keep-alive-20ms", {"client": ("application", "keep-alive")}, "one exchange, then 6 s of keep-alives, one a second",
                 client=in_turn(ask(1), idle(6)), server=answer(1), client_options=KEEPALIVE, sender="client"),
    ]


def paths():
    """Limits that the network makes."""
    dead = {"net/ipv4/tcp_retries2": "4"}
    return [
        download("bandwidth-10m-40ms-big-queue", "path_bandwidth", "standing queue", "10 Mbit/s, queue of 500 kB", total=3 * MB, rtt=40, rate=10 * MBIT, queue=500_000, middle=True),
        download("bandwidth-10m-40ms-reno", "path_bandwidth", "standing queue", "10 Mbit/s, queue of 200 kB, reno", total=3 * MB, rtt=40, rate=10 * MBIT, queue=200_000, congestion="reno"),
        download("bandwidth-10m-40ms-small-queue", "path_bandwidth", "*", "10 Mbit/s, queue of 25 kB, drop-tail; the link is 96 % busy", total=3 * MB, rtt=40, rate=10 * MBIT, queue=25_000),
        download("bandwidth-20m-40ms-bbr", "path_bandwidth", "*", "20 Mbit/s, queue of 200 kB, bbr", total=4 * MB, rtt=40, rate=20 * MBIT, queue=200_000, congestion="bbr"),
        download("policer-4m-40ms", "path_bandwidth|loss_recovery", "*", "policed to 4 Mbit/s, bucket of 20 kB; 80 % of that rate is reached", total=2 * MB, rtt=40, drop_down=policer(4 * MBIT, 20_000)),
        download("random-loss-1pct-40ms", "congestion_window", "*", "1 % of the data packets lost at random", rtt=40, drop_down=random_loss(0.01, 7), middle=True),
        download("random-loss-3pct-40ms", "loss_recovery|congestion_window", "*", "3 % of the data packets lost at random, reno", total=1 * MB, rtt=40, congestion="reno", drop_down=random_loss(0.03, 7)),
        download("slow-start-300k-100ms", "congestion_window", "slow start", "300 kB over a path of 1 Gbit/s", total=300_000, rtt=100, rate=1000 * MBIT),
        download("default-buffers-4m-100ms", "congestion_window", "*", "4 MB, nothing set by anybody", total=4 * MB, rtt=100, rate=1000 * MBIT, queue=20 * MB),
        download("congestion-avoidance-60ms", "congestion_window", "congestion avoidance", "reno, one early loss, then growth by one MSS a round", rtt=60, congestion="reno", drop_down=lose_data_packets(25)),
        Scenario("tail-loss-10x-40ms", {"server": ("loss_recovery", "tail loss")}, "10 answers of 7240 bytes, the last segment of each lost once",
                 client=ask(10, reply=7240), server=answer(10, reply=7240), rtt=40, drop_down=lose_first_tails(7240)),
        download("tail-loss-once-40ms", "loss_recovery", "tail loss", "40 kB, the last segment lost", total=40_000, rtt=40, drop_down=lose_first_tails(40_000)),
        download("silent-death-20ms", "silent_path", "peer vanished", "from 1 s on the receiver's packets are lost; tcp_retries2=4", total=4 * MB, rate=10 * MBIT, queue=100_000,
                 server_sysctls=dead, give_up_after=12, drop_up=lose_between(1.0), receiver_expect={"server": ("silent_path|path_bandwidth|loss_recovery", "*")}),
        Scenario("pmtu-black-hole-20ms", {"server": ("silent_path", "PMTU black hole")}, "packets above 1400 bytes vanish on the way to the client",
                 client=ask(2, reply=50_000), server=answer(2, reply=50_000), drop_down=lose_larger_than(1400), server_sysctls=dead, give_up_after=12,
                 receiver_expect={"server": ("*", "*")}),
        Scenario("syn-retry-20ms", {"client": ("handshake", "SYN retry")}, "the first SYN is lost", client=ask(1), server=answer(1), drop_up=lose_first_syns(1), sender="client",
                 receiver_expect={}),
    ]


def all_scenarios():
    """Every scenario of the corpus."""
    return buffers() + applications() + paths()
