#!/usr/bin/env bash
# A slow transfer, reproduced in the lab and explained; where there can be no lab, a capture that comes with the source.
#
# Usage: scripts/demo.sh   (after `make build`; run by `make demo`)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

tcpwhy=target/release/tcpwhy
capture=corpus/send-buffer-16k-20ms.sender.pcap.gz
case=target/demo
rm -rf "$case"

heading "A server sets SO_SNDBUF to 16K and sends 8 MB over 100 Mbit/s at 20 ms"
if "$tcpwhy" lab run send-buffer-16k-20ms --set phase.0.bytes=8MB -o "$case"; then
    capture=$case/server.pcapng
else
    skip "no lab on this machine (network namespaces and /dev/net/tun); a capture of such a run is explained instead"
fi
heading "tcpwhy $capture"
"$tcpwhy" "$capture"
