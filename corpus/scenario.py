"""What a scenario is, and the two usual shapes of one."""

import dataclasses
import socket
from typing import Callable

from apps import receive, send

MB = 1_000_000
MBIT = 1_000_000
SNDBUF = (socket.SOL_SOCKET, socket.SO_SNDBUF)
RCVBUF = (socket.SOL_SOCKET, socket.SO_RCVBUF)
# The sender gives up after this many retransmissions; the usual 15 would take a quarter of an hour.
GIVES_UP_SOON = {"net/ipv4/tcp_retries2": "4"}


@dataclasses.dataclass
class Scenario:
    """One transfer. RTT in ms, rate in bit/s each way, queue in bytes, times in s.

    `expect` maps the sending side to (limit, cause); `*` is "not fixed by the construction", `a|b` is
    "either". The sides that are not listed carry nothing worth a verdict. `receiver_expect` replaces
    it for the capture at the receiver, where that end cannot see the cause.
    """

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
    return Scenario(
        name,
        {"server": (limit, cause)},
        note,
        client=receive(total, **(reading or {})),
        server=send(total, **(sending or {})),
        **rest,
    )


def upload(name, limit, cause, note, total=2 * MB, sending=None, reading=None, **rest):
    """The client sends `total` bytes to the server."""
    return Scenario(
        name,
        {"client": (limit, cause)},
        note,
        client=send(total, **(sending or {})),
        server=receive(total, **(reading or {})),
        sender="client",
        **rest,
    )
