"""Two network namespaces, a path between them, and a capture at each end.

The path is a loop in user space that reads IP packets from one TUN device and writes them to the
other after a delay, so nothing beyond a plain kernel is needed (no sch_netem). The namespaces have
no names: they vanish with the processes that live in them, whatever happens.
"""

import collections
import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
import subprocess
import time

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
IFF_TUN, IFF_NO_PI, IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
TUN_F_CSUM, TUN_F_TSO4 = 0x01, 0x02
VNET_HEADER = 10
DEVICE = "tun0"
ADDRESSES = {"client": "10.7.0.1", "server": "10.7.0.2"}
ADDRESSES_V6 = {"client": "fd00:7::1", "server": "fd00:7::2"}
# What the distributions ship; set, because machines differ.
SYSCTLS = {
    "net/ipv4/tcp_rmem": "4096 131072 6291456",
    "net/ipv4/tcp_wmem": "4096 16384 4194304",
    "net/ipv4/tcp_no_metrics_save": "1",
}

libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    """Raises OSError when a libc call failed."""
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def spawn(function):
    """Runs `function` in a child that dies with its parent; returns the child's pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        function()
        status = 0
    except OSError as error:
        # Broken connections are what some scenarios are about.
        status = 0 if error.errno else 1
    finally:
        os._exit(status)


class Host:
    """One end: a network namespace with one TUN device."""

    def __init__(self, role, sysctls, ipv6=False, tso=False, gso=True):
        check(libc.unshare(CLONE_NEWNET))
        self.namespace = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        flags = IFF_TUN | IFF_NO_PI | (IFF_VNET_HDR if tso else 0)
        fcntl.ioctl(self.tun, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), flags))
        if tso:
            fcntl.ioctl(self.tun, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4)
        for key, value in (
            {"net/ipv6/conf/all/disable_ipv6": str(int(not ipv6))} | SYSCTLS | sysctls
        ).items():
            with open(f"/proc/sys/{key}", "w", encoding="ascii") as file:
                file.write(value)
        address = f"{ADDRESSES_V6[role]}/64" if ipv6 else f"{ADDRESSES[role]}/24"
        nodad = ["nodad"] if ipv6 else []
        one_segment = [] if gso else ["gso_max_segs", "1", "gso_max_size", "1500"]
        for command in (
            ["link", "set", "lo", "up"],
            ["link", "set", DEVICE, "up", "mtu", "1500", "txqueuelen", "20000", *one_segment],
            ["addr", "add", address, "dev", DEVICE, *nodad],
        ):
            subprocess.run(["ip", *command], check=True)

    def enter(self):
        """Moves the calling process into this namespace."""
        check(libc.setns(self.namespace, CLONE_NEWNET))


class Packet:
    """What the loss rules may look at: the TCP header of an IP packet."""

    def __init__(self, data):
        if data[0] >> 4 == 6:
            offset, end = 40, 40 + struct.unpack_from("!H", data, 4)[0]
        else:
            offset, end = (data[0] & 15) * 4, struct.unpack_from("!H", data, 2)[0]
        self.tcp = data[9 if data[0] >> 4 == 4 else 6] == socket.IPPROTO_TCP
        self.size = len(data)
        self.payload = self.seq = self.flags = 0
        if self.tcp and len(data) >= offset + 20:
            (self.seq,) = struct.unpack_from("!I", data, offset + 4)
            self.flags = data[offset + 13]
            self.payload = end - offset - (data[offset + 12] >> 4) * 4


class Pipe:
    """One direction of the path: loss, then a drop-tail queue before a link, then a delay."""

    def __init__(self, delay, rate, queue, drop):
        self.delay, self.rate, self.queue, self.drop = delay, rate, queue, drop
        self.free_at = 0.0
        self.flying = collections.deque()
        self.tap, self.tap_after = None, 0.0

    def push(self, data, size, now, since_start):
        """A packet enters at `now`; `since_start` is the loss rule's clock, in seconds."""
        if self.drop and self.drop(Packet(data[-size:]), since_start):
            return
        leave = now
        if self.rate:
            backlog = max(0.0, self.free_at - now) * self.rate / 8
            if backlog + size > self.queue:
                return
            leave = self.free_at = max(self.free_at, now) + size * 8 / self.rate
        if self.tap:
            self.tap.seen.append((leave + self.tap_after, data[-size:]))
        self.flying.append((leave + self.delay, data))


class Tap:
    """A capture in the middle of the path, 30 % of the way from the client: what a switch would see."""

    POSITION = 0.3

    def __init__(self, path, pipes):
        self.path, self.seen = path, []
        self.offset = time.time() - time.monotonic()
        for pipe, share in zip(pipes, (self.POSITION, 1 - self.POSITION)):
            pipe.tap, pipe.tap_after = self, share * pipe.delay

    def write(self, *_signal):
        """Writes the file (nanoseconds, raw IP) and ends the process."""
        with open(self.path, "wb") as file:
            file.write(struct.pack("=IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 96, 101))
            for moment, data in sorted(self.seen):
                nanos = int((moment + self.offset) * 1e9)
                file.write(struct.pack("=IIII", nanos // 10**9, nanos % 10**9, min(96, len(data)), len(data)))
                file.write(data[:96])
        os._exit(0)


def carry(hosts, pipes, header, middle=None):
    """The path's loop: client's packets through pipes[0], server's through pipes[1]. Never returns.

    With `middle`, SIGTERM writes a capture there.
    """
    start = None
    if middle:
        signal.signal(signal.SIGTERM, Tap(middle, pipes).write)
    ends = [(hosts[0].tun, hosts[1].tun, pipes[0]), (hosts[1].tun, hosts[0].tun, pipes[1])]
    while True:
        now = time.monotonic()
        for source, target, pipe in ends:
            while pipe.flying and pipe.flying[0][0] <= now:
                os.write(target, pipe.flying.popleft()[1])
        due = min((pipe.flying[0][0] for pipe in pipes if pipe.flying), default=now + 1)
        readable, _, _ = select.select([hosts[0].tun, hosts[1].tun], [], [], max(0, due - time.monotonic()))
        for source, target, pipe in ends:
            if source in readable:
                now = time.monotonic()
                start = start or now
                for data in read_some(source):
                    pipe.push(data, len(data) - header, now, now - start)


def read_some(tun):
    """A few packets that wait in the TUN device, so that a burst cannot delay what is due."""
    for _ in range(32):
        try:
            yield os.read(tun, 70000)
        except BlockingIOError:
            return


class Tcpdump:
    """A capture of one host's device: headers only."""

    def __init__(self, host, path):
        self.path = path
        self.process = subprocess.Popen(
            [
                "tcpdump",
                "-i",
                DEVICE,
                "-n",
                "-s",
                "96",
                "-B",
                "16384",
                "--immediate-mode",
                "-Z",
                "root",
                "-w",
                path,
                "tcp",
            ],
            preexec_fn=lambda: (host.enter(), libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)),
            stderr=subprocess.PIPE,
            text=True,
        )
        for line in self.process.stderr:
            if "listening on" in line:
                return
        raise RuntimeError("tcpdump did not start")

    def stop(self):
        """Ends the capture; raises RuntimeError when it missed packets."""
        self.process.send_signal(signal.SIGINT)
        said = self.process.stderr.read()
        self.process.wait()
        if "\n0 packets dropped by kernel" not in said:
            raise RuntimeError(f"{self.path}: {said}")
