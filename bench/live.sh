#!/bin/sh
# A full sample of established sockets beside `ss -tinmH`, in turns: `make bench-live`. Needs iproute2; no privileges where user
# namespaces are allowed. SOCKETS changes the numbers of sockets.
set -eu
cd "$(dirname "$0")/.."
cargo build --release --locked -q -p tcpwhy-bench --bin sockets
for sockets in ${SOCKETS:-10000 100000}; do
    target/release/sockets "$sockets"
done
