#!/bin/sh
# Speed and memory of tcpwhy beside tcptrace and tshark: `make bench`. Needs target/release/tcpwhy, GNU time,
# and, for the comparison, tcptrace and tshark (10 GB of memory for the captures made here). PACKETS, CONNECTIONS and ROUNDS change the sizes.
set -eu
cd "$(dirname "$0")/.."
export CONNECTIONS="${CONNECTIONS:-100000}"
PACKETS="${PACKETS:-8000000}"
DIRECTORY=target/bench
mkdir -p "$DIRECTORY"
cargo build --release -q -p tcpwhy-bench

make_capture() { # name kind size
    target/release/generate "$2" "$DIRECTORY/$1.pcap" "$3" >"$DIRECTORY/$1.packets"
}
make_capture one one "$PACKETS"
make_capture one-short one $((PACKETS / 8))
make_capture many many "$CONNECTIONS"
make_capture many-half many $((CONNECTIONS / 2))

exec target/release/compare "$DIRECTORY" "${ROUNDS:-3}"
