#!/usr/bin/env python3
"""Makes the first fuzz seeds: small files in every container, cut from the project's own captures.

Usage: scripts/fuzz-seeds.py    (writes fuzz/seeds)
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


def frames():
    """Name, link type and bytes of each decoder seed: one IPv4 segment behind many first headers."""
    packet = read_packets(ROOT / "corpus/send-buffer-16k-20ms.sender.pcap.gz")[0][3]
    macs = bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2])
    ethernet = macs + b"\x08\x00" + packet
    udp = lambda port, data: struct.pack("!HHHH", 40000, port, 8 + len(data), 0) + data
    ipv4 = (
        lambda protocol, data: struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), 1, 0, 64, protocol, 0)
        + bytes(8)
        + data
    )
    ipv6 = lambda header, data: struct.pack("!IHBB", 6 << 28, len(data), header, 64) + bytes(32) + data
    return {
        "raw": (RAW, packet),
        "ethernet": (1, ethernet),
        "vlan": (1, macs + b"\x81\x00\x00\x07\x08\x00" + packet),
        "qinq": (1, macs + b"\x88\xa8\x00\x05\x81\x00\x00\x07\x08\x00" + packet),
        "mpls": (1, macs + b"\x88\x47\x00\x01\x01\x40" + packet),
        "pppoe": (1, macs + b"\x88\x64\x11\x00\x00\x01" + struct.pack("!HH", 2 + len(packet), 0x21) + packet),
        "sll": (113, bytes(14) + b"\x08\x00" + packet),
        "sll2": (276, b"\x08\x00" + bytes(18) + packet),
        "null": (0, b"\x02\x00\x00\x00" + packet),
        "ppp": (9, b"\xff\x03\x00\x21" + packet),
        "frame-relay": (107, b"\x18\x41\x03\xcc" + packet),
        "c-hdlc": (104, b"\x0f\x00\x08\x00" + packet),
        "wlan": (105, b"\x08\x00" + bytes(22) + b"\xaa\xaa\x03\x00\x00\x00\x08\x00" + packet),
        "ipip": (RAW, ipv4(4, packet)),
        "ipv6-4in6": (RAW, ipv6(4, packet)),
        "ipv6-extension": (RAW, ipv6(0, b"\x06\x00" + bytes(6) + packet[20:])),
        "gre": (RAW, ipv4(47, b"\x00\x00\x08\x00" + packet)),
        "vxlan": (RAW, ipv4(17, udp(4789, b"\x08" + bytes(3) + b"\x00\x00\x07\x00" + ethernet))),
        "geneve": (RAW, ipv4(17, udp(6081, b"\x00\x00\x65\x58" + bytes(4) + ethernet))),
        "gtp-u": (RAW, ipv4(17, udp(2152, struct.pack("!BBHI", 0x30, 255, len(packet), 1) + packet))),
        "fragment": (RAW, packet[:6] + b"\x20\x00" + packet[8:]),
        "options-cut": (RAW, packet[:46]),
    }


def write(target, name, content):
    """One seed."""
    path = ROOT / "fuzz/seeds" / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def main():
    for name, content in containers().items():
        write("container", name, content)
    for name, (link, data) in frames().items():
        # As the target takes it apart: link type, length on the wire, bytes.
        write("decode", name, struct.pack("<HI", link, len(data)) + data)
    dice = random.Random(2)
    for size in (200, 1000, 4000):
        # Mostly zeros: a zero step is an in-order segment, so that connections get somewhere.
        noise = bytes(dice.choice((0, 0, 0, dice.randrange(256))) for _ in range(size))
        write("analysis", f"noise-{size}", noise)


if __name__ == "__main__":
    main()
