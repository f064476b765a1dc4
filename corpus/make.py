#!/usr/bin/env python3
"""Makes the captures of this directory again: real transfers between two network namespaces.

Usage (as root): corpus/make.py [--out DIR] [--jobs N] [NAME ...]
Needs Linux with TUN, ip and tcpdump. See README.md.
"""

import argparse
import gzip
import os
import signal
import socket
import sys
import tempfile
import time

import apps
import lab
import scenarios

ROLES = ("client", "server")
HEADER = "# file\tdirection\tlimit\tcause\tnote\n"


def run_side(scenario, host, role, ready, gate):
    """One end's process: opens, runs its application, closes; prints what the kernel saw."""
    host.enter()
    family = socket.AF_INET6 if scenario.ipv6 else socket.AF_INET
    server = (lab.ADDRESSES_V6 if scenario.ipv6 else lab.ADDRESSES)["server"]
    options = scenario.server_options if role == "server" else scenario.client_options
    if role == "server":
        listener = apps.open_server(family, server, scenario.port, options, scenario.congestion)
        os.write(ready, b"!")
        sock, _ = listener.accept()
    else:
        os.read(gate, 1)
        sock = apps.open_client(family, server, scenario.port, options, scenario.congestion)
    watch = apps.Watch()
    watch.start(sock)
    try:
        (scenario.server if role == "server" else scenario.client)(sock, watch)
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(apps.CHUNK):
            pass
    finally:
        sock.close()
        if role == scenario.sender:
            total = sum(watch.seen.values()) or 1
            shares = ", ".join(f"{name} {100 * n / total:.0f} %" for name, n in watch.seen.most_common())
            print(f"{scenario.name}: the kernel says: {shares}", flush=True)


def wait_for(pids, seconds):
    """Waits for the two applications; after that time they are ended."""
    deadline = time.monotonic() + seconds
    left = set(pids)
    while left:
        for pid in list(left):
            if os.waitpid(pid, os.WNOHANG)[0]:
                left.discard(pid)
        if time.monotonic() > deadline:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            deadline = float("inf")
        time.sleep(0.02)


def reproduce(scenario, out):
    """Runs one scenario and leaves its two captures in `out`."""
    hosts = [
        lab.Host(role, sysctls, scenario.ipv6, scenario.tso, scenario.gso)
        for role, sysctls in (("client", scenario.client_sysctls), ("server", scenario.server_sysctls))
    ]
    delay = scenario.rtt / 2000
    pipes = [
        lab.Pipe(delay, scenario.rate, scenario.queue, drop)
        for drop in (scenario.drop_up, scenario.drop_down)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        files = {role: os.path.join(scratch, role) for role in ROLES}
        dumps = [lab.Tcpdump(host, files[role]) for host, role in zip(hosts, ROLES)]
        if scenario.middle:
            files["middle"] = os.path.join(scratch, "middle")
        header = lab.VNET_HEADER if scenario.tso else 0
        path = lab.spawn(lambda: lab.carry(hosts, pipes, header, files.get("middle")))
        gate, ready = os.pipe()
        sides = [
            lab.spawn(lambda: run_side(scenario, host, role, ready, gate)) for host, role in zip(hosts, ROLES)
        ]
        wait_for(sides, scenario.give_up_after)
        time.sleep(0.3 + scenario.rtt / 500)
        for dump in dumps:
            dump.stop()
        os.kill(path, signal.SIGTERM)
        os.waitpid(path, 0)
        for role, file in files.items():
            compress(file, os.path.join(out, capture_name(scenario, role)))


def capture_name(scenario, role):
    """The file name of the capture taken at that end."""
    place = role if role == "middle" else "sender" if role == scenario.sender else "receiver"
    return f"{scenario.name}.{place}.pcap.gz"


def compress(source, target):
    """gzip without a name or a time inside, so that equal input gives an equal file."""
    with open(source, "rb") as plain, open(target, "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(plain.read())


def write_expected(chosen, out):
    """The table of right answers."""
    with open(os.path.join(out, "expected.tsv"), "w", encoding="utf-8") as table:
        table.write(HEADER)
        for scenario in chosen:
            for role in (*ROLES, "middle") if scenario.middle else ROLES:
                expect = scenario.expect
                if role != scenario.sender and scenario.receiver_expect is not None:
                    expect = scenario.receiver_expect
                for side, (limit, cause) in expect.items():
                    table.write(
                        "\t".join((capture_name(scenario, role), side, limit, cause, scenario.note)) + "\n"
                    )


def make(chosen, out, jobs):
    """Runs the scenarios, `jobs` at a time; returns the names of those that failed."""
    os.makedirs(out, exist_ok=True)
    running, failed, waiting = {}, [], list(chosen)
    while waiting or running:
        while waiting and len(running) < jobs:
            scenario = waiting.pop(0)
            running[lab.spawn(lambda: reproduce_or_raise(scenario, out))] = scenario.name
        pid, status = os.wait()
        name = running.pop(pid, None)
        if name and status:
            failed.append(name)
    return failed


def reproduce_or_raise(scenario, out):
    """`reproduce`, with its error printed: a child has nobody else to tell."""
    try:
        reproduce(scenario, out)
    except Exception as error:
        print(f"{scenario.name}: {error!r}", file=sys.stderr)
        raise SystemExit(1) from error


def become_punctual():
    """Real-time scheduling for us and our children, so that a busy machine does not bend the delays."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        print("no real-time scheduling: delays are less exact", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if os.geteuid() != 0:
        sys.exit("corpus/make.py: needs root (it makes network namespaces)")
    chosen = [s for s in scenarios.all_scenarios() if not given.names or s.name in given.names]
    become_punctual()
    failed = make(chosen, given.out, given.jobs)
    write_expected(scenarios.all_scenarios(), given.out)
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
