"""Limits that the applications make."""

import socket

from apps import answer, ask, at_once, idle, in_turn, receive, send
from losses import lose_between
from scenario import GIVES_UP_SOON, MB, MBIT, Scenario, download

KEEPALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1),
)
CORK = ((socket.IPPROTO_TCP, socket.TCP_CORK, 1),)


def applications():
    """Its scenarios."""
    return [
        download(
            "slow-reader-stops-20ms",
            "receive_window",
            "*",
            "the reader stops at 0.5 s and goes on at 3 s",
            total=3 * MB,
            rate=20 * MBIT,
            reading={"stop_at": 0.5, "go_on_at": 3.0},
        ),
        download(
            "slow-reader-200k-20ms",
            "receive_window",
            "slow reader",
            "the reader takes 200 kB/s",
            total=1 * MB,
            reading={"rate": 200_000, "chunk": 8192},
            middle=True,
        ),
        download(
            "writer-pauses-30ms-20ms",
            "application",
            "sender application",
            "64 KiB, then 30 ms of pause",
            sending={"pause": 0.03},
            middle=True,
        ),
        download(
            "writer-pauses-100ms-10ms",
            "application",
            "sender application",
            "16 KiB, then 100 ms of pause",
            total=400_000,
            rtt=10,
            sending={"write": 16384, "pause": 0.1},
        ),
        Scenario(
            "chatty-50x-20ms",
            {
                "client": ("application", "waiting for the peer"),
                "server": ("application", "waiting for the peer"),
            },
            "50 small requests and answers, one after the other",
            client=ask(50),
            server=answer(50),
        ),
        Scenario(
            "corked-answers-20ms",
            {
                "client": ("application", "waiting for the peer"),
                "server": ("application", "sender application"),
            },
            "TCP_CORK: the end of each answer waits for the kernel's timer, 200 ms and a round trip",
            client=ask(10, reply=3300),
            server=answer(10, reply=3300),
            server_options=CORK,
        ),
        Scenario(
            "slow-server-20ms",
            {
                "client": ("application", "waiting for the peer"),
                "server": ("application", "sender application"),
            },
            "20 requests; the server thinks 150 ms before each answer",
            client=ask(20),
            server=answer(20, think=0.15),
        ),
        Scenario(
            "nagle-delayed-ack-10ms",
            {"client": ("delayed_ack", "Nagle")},
            "60 rounds of write, write, read without TCP_NODELAY",
            client=ask(60, writes=(50, 150)),
            server=answer(60, request=200),
            rtt=10,
            sender="client",
        ),
        Scenario(
            "both-directions-20ms",
            {"server": ("path_bandwidth", "*"), "client": ("application", "sender application")},
            "download at 10 Mbit/s while the client writes 8 KiB every 60 ms",
            client=at_once(receive(2 * MB), send(250_000, write=8192, pause=0.06)),
            server=at_once(send(2 * MB), receive(250_000)),
            rate=10 * MBIT,
            queue=300_000,
        ),
        Scenario(
            "idle-then-again-100ms",
            {"server": ("application", "sender application")},
            "300 kB, 3 s of nothing, 300 kB",
            client=receive(600_000),
            server=in_turn(send(300_000), idle(3), send(300_000)),
            rtt=100,
        ),
        Scenario(
            "zero-window-death-20ms",
            {"server": ("silent_path", "probes unanswered")},
            "the reader stops for good, then its packets are lost; tcp_retries2=4",
            client=idle(14),
            server=send(1 * MB),
            server_sysctls=GIVES_UP_SOON,
            give_up_after=16,
            drop_up=lose_between(1.5),
            receiver_expect={"server": ("receive_window|silent_path", "*")},
        ),
        Scenario(
            "zero-window-late-reset-20ms",
            {"server": ("silent_path|receive_window", "*")},
            "as zero-window-death, but the path heals and the reader reads at 14 s: a RST answers",
            client=in_turn(idle(14), receive(1 * MB)),
            server=send(1 * MB),
            server_sysctls=GIVES_UP_SOON,
            give_up_after=20,
            drop_up=lose_between(1.5, 12),
        ),
        Scenario(
            "keep-alive-20ms",
            {"client": ("application", "keep-alive")},
            "one exchange, then 6 s of keep-alives, one a second",
            client=in_turn(ask(1), idle(6)),
            server=answer(1),
            client_options=KEEPALIVE,
            sender="client",
        ),
    ]
