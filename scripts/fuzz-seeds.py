#!/usr/bin/env python3
"""Makes the first fuzz seeds: small files in every container, cut from the project's own captures.

Usage: scripts/fuzz-seeds.py    (writes fuzz/seeds/container and fuzz/seeds/analysis)
"""

import gzip
import pathlib
import random
import struct

ROOT = pathlib.Path(__file__).resolve().parent.parent
RAW = 101
PACKETS = 8


def read_packets(path):
    """(seconds, microseconds, length on the wire, bytes) of the first packets of a little-endian pcap."""
    data = gzip.decompress(path.read_bytes())
    offset, packets = 24, []
    while len(packets) < PACKETS:
        seconds, micros, captured, length = struct.unpack_from("<IIII", data, offset)
        packets.append((seconds, micros, length, data[offset + 16 : offset + 16 + captured]))
        offset += 16 + captured
    return packets


def pcap(packets, order, magic, per_micro):
    """A classic pcap file in that byte order and resolution."""
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 96, RAW)
    for seconds, micros, length, data in packets:
        out += struct.pack(order + "IIII", seconds, micros * per_micro, len(data), length) + data
    return out


def block(order, kind, body):
    """A pcapng block."""
    body += bytes(-len(body) % 4)
    total = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + total + body + total


def option(order, code, value):
    """A pcapng option."""
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def pcapng(packets, order, resolution):
    """A pcapng section: one interface, its packets, a simple packet, statistics with drops."""
    ticks = 10 ** (resolution - 6)
    out = block(
        order,
        0x0A0D0D0A,
        struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)
        + option(order, 1, b"a comment")
        + option(order, 0, b""),
    )
    out += block(
        order,
        1,
        struct.pack(order + "HHI", RAW, 0, 96)
        + option(order, 9, bytes([resolution]))
        + option(order, 0, b""),
    )
    for seconds, micros, length, data in packets:
        stamp = (seconds * 10**6 + micros) * ticks
        out += block(
            order,
            6,
            struct.pack(order + "IIIII", 0, stamp >> 32, stamp & 0xFFFFFFFF, len(data), length) + data,
        )
    out += block(order, 3, struct.pack(order + "I", packets[0][2]) + packets[0][3])
    return out + block(
        order,
        5,
        struct.pack(order + "III", 0, 0, 0)
        + option(order, 5, struct.pack(order + "Q", 7))
        + option(order, 0, b""),
    )


def containers():
    """Name and content of each container seed."""
    packets = read_packets(ROOT / "corpus/send-buffer-16k-20ms.sender.pcap.gz")
    plain = pcap(packets, "<", 0xA1B2C3D4, 1)
    sections = pcapng(packets, "<", 9) + pcapng(packets, ">", 6)
    return {
        "pcap-us-le": plain,
        "pcap-ns-be": pcap(packets, ">", 0xA1B23C4D, 1000),
        "pcapng-two-sections": sections,
        "pcapng-cut": sections[:-57],
        "pcap-gzip": gzip.compress(plain, mtime=0),
        "pcap-cut": plain[:-31],
    }


def main():
    for name, content in containers().items():
        path = ROOT / "fuzz/seeds/container" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    dice = random.Random(2)
    for size in (200, 1000, 4000):
        path = ROOT / f"fuzz/seeds/analysis/noise-{size}"
        path.parent.mkdir(parents=True, exist_ok=True)
        # Mostly zeros: a zero step is an in-order segment, so that connections get somewhere.
        path.write_bytes(bytes(dice.choice((0, 0, 0, dice.randrange(256))) for _ in range(size)))


if __name__ == "__main__":
    main()
