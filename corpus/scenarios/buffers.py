"""Limits that one setsockopt or sysctl makes."""

from scenario import MB, RCVBUF, SNDBUF, download, upload


def buffers():
    """Its scenarios."""
    small_send = dict(server_options=((*SNDBUF, 16384),), port=3306)
    small_receive = dict(client_options=((*RCVBUF, 8192),), rtt=40)
    return [
        download(
            "send-buffer-16k-20ms",
            "send_buffer",
            "*",
            "SO_SNDBUF=16384, 1448-byte writes",
            sending={"write": 1448},
            **small_send,
            middle=True,
        ),
        download(
            "send-buffer-16k-20ms-64k-writes",
            "send_buffer|congestion_window",
            "*",
            "SO_SNDBUF=16384, 64 KiB writes: segmentation offload makes the limit soft (the kernel: 60 to 70 % send buffer)",
            total=4 * MB,
            sending={"write": 65536},
            **small_send,
        ),
        download(
            "send-buffer-16k-20ms-reno-epoll",
            "send_buffer",
            "*",
            "SO_SNDBUF=16384, reno, non-blocking writer",
            sending={"write": 1448, "nonblocking": True},
            congestion="reno",
            **small_send,
        ),
        download(
            "send-buffer-16k-20ms-bbr",
            "send_buffer",
            "*",
            "SO_SNDBUF=16384, bbr",
            sending={"write": 1448},
            congestion="bbr",
            **small_send,
        ),
        download(
            "send-buffer-16k-20ms-64k-writes-no-gso",
            "send_buffer",
            "*",
            "SO_SNDBUF=16384, 64 KiB writes, gso_max_segs 1 at the sender",
            sending={"write": 65536},
            gso=False,
            **small_send,
        ),
        download(
            "send-buffer-64k-60ms-tso",
            "send_buffer",
            "*",
            "SO_SNDBUF=65536, 60 ms, segmentation left to the device: large segments in the capture",
            total=4 * MB,
            rtt=60,
            sending={"write": 14480},
            tso=True,
            server_options=((*SNDBUF, 65536),),
        ),
        upload(
            "send-buffer-16k-20ms-ipv6-upload",
            "send_buffer",
            "*",
            "SO_SNDBUF=16384 at a client, IPv6, 1428-byte writes",
            sending={"write": 1428},
            client_options=((*SNDBUF, 16384),),
            ipv6=True,
        ),
        download(
            "receive-buffer-8k-40ms",
            "receive_window",
            "small buffer",
            "SO_RCVBUF=8192 before connect",
            total=400_000,
            **small_receive,
            middle=True,
        ),
        download(
            "receive-buffer-8k-40ms-reno",
            "receive_window",
            "small buffer",
            "SO_RCVBUF=8192 before connect, reno",
            total=400_000,
            congestion="reno",
            **small_receive,
        ),
        upload(
            "receive-buffer-64k-40ms-upload",
            "receive_window",
            "small buffer",
            "SO_RCVBUF=65536 at a server before listen",
            server_options=((*RCVBUF, 65536),),
            rtt=40,
        ),
        download(
            "no-window-scaling-60ms",
            "receive_window",
            "no window scaling",
            "tcp_window_scaling=0 at the client",
            rtt=60,
            client_sysctls={"net/ipv4/tcp_window_scaling": "0"},
        ),
    ]
