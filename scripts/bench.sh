#!/usr/bin/env bash
# Speed and memory of the full analysis, beside tcptrace and tshark, files in the page cache.
# BENCH_PACKETS (4,000,000) and BENCH_CONNECTIONS (100,000) set the sizes.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

DIR=target/bench
TCPWHY=target/release/tcpwhy

make_captures() {
    heading "Making the captures (in $DIR)"
    mkdir -p "$DIR"
    cargo build --release --locked --quiet -p tcpwhy-bench --bin traffic
    cargo build --release --locked --quiet -p tcpwhy-capture --example read
    target/release/traffic one "${BENCH_PACKETS:-4000000}" >"$DIR/one.pcap"
    target/release/traffic many "${BENCH_CONNECTIONS:-100000}" >"$DIR/many.pcap"
    # tshark needs minutes for the long ones; rates can be compared all the same.
    target/release/traffic one 300000 >"$DIR/one-short.pcap"
    target/release/traffic many 6000 >"$DIR/many-short.pcap"
}

# Runs a command; prints one row with its rate for the packets of the capture, the best of three runs.
measure() {
    local name=$1 capture=$2 runs=$3
    shift 3
    local packets best="" memory="" run seconds kilobytes
    packets=$(packets_of "$capture")
    for ((run = 0; run < runs; run++)); do
        /usr/bin/time -o "$DIR/time" -f '%e %M' "$@" >/dev/null 2>"$DIR/stderr" || true
        read -r seconds kilobytes < <(tail -n 1 "$DIR/time")
        if [ -z "$best" ] || awk "BEGIN { exit !($seconds < $best) }"; then best=$seconds memory=$kilobytes; fi
    done
    awk -v n="$name" -v c="$(basename "$capture")" -v p="$packets" -v s="$best" -v m="$memory" \
        'BEGIN { if (s < 0.01) s = 0.01; printf "%-28s %-16s %10d %9.2f %12.3f %9.1f\n", n, c, p, s, p / s / 1e6, m / 1024 }'
}

packets_of() { target/release/examples/read "$1" | sed -n 's/^\([0-9]*\) frames.*/\1/p'; }

make_captures
heading "Results"
lscpu 2>/dev/null | sed -n 's/^Model name: */processor: /p' || true
printf '%-28s %-16s %10s %9s %12s %9s\n' command capture packets seconds "Mpackets/s" MB
for capture in one many; do
    file="$DIR/$capture.pcap"
    cat "$file" >/dev/null
    measure "cat (reading the bytes)" "$file" 3 cat "$file"
    measure "containers alone" "$file" 3 target/release/examples/read "$file"
    measure "tcpwhy" "$file" 3 "$TCPWHY" "$file"
    measure "tcpwhy --json" "$file" 3 "$TCPWHY" --json "$file"
    measure "tcpwhy --ndjson" "$file" 3 "$TCPWHY" --ndjson "$file"
    # -n: without it, tcptrace asks the name server for every address.
    measure "tcptrace -n -l" "$file" 1 tcptrace -n -l "$file"
    measure "tshark -z conv,tcp" "$DIR/$capture-short.pcap" 1 tshark -q -z conv,tcp -r "$DIR/$capture-short.pcap"
done
