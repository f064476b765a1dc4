#!/bin/sh
# What the kernel programs of `tcpwhy live` cost: iperf3 over loopback with and without them, taking turns, and the time of each run.
# Needs root, iperf3 and python3. PAIRS, SECONDS_EACH and STACKS=--stacks change what is done; ATTACH names a program that is built.
set -eu
cd "$(dirname "$0")/.."
PAIRS="${PAIRS:-7}"
LENGTH="${SECONDS_EACH:-2}"
DIRECTORY=$(mktemp -d)
if [ -z "${ATTACH:-}" ]; then
    cargo build --release -q -p tcpwhy-live --example attach_causes
    ATTACH="$PWD/target/release/examples/attach_causes"
fi
iperf3 -s -p 5299 >"$DIRECTORY/server" 2>&1 &
SERVER=$!
STATS=$(cat /proc/sys/kernel/bpf_stats_enabled)
trap 'kill $SERVER; echo "$STATS" >/proc/sys/kernel/bpf_stats_enabled; rm -rf "$DIRECTORY"' EXIT
# A signal ends the shell without that.
trap 'exit 130' INT TERM HUP
mkfifo "$DIRECTORY/stop"
sleep 0.5

stream() { iperf3 -c 127.0.0.1 -p 5299 -t "$LENGTH" -J >"$DIRECTORY/$1"; }
attached() { # file
    "$ATTACH" ${STACKS:-} <"$DIRECTORY/stop" >"$DIRECTORY/costs" &
    exec 3>"$DIRECTORY/stop"
    until grep -q attached "$DIRECTORY/costs"; do kill -0 $! || exit 1; sleep 0.1; done
    stream "$1"
    exec 3>&-
    wait $!
}
pair=0
while [ $pair -lt "$PAIRS" ]; do
    # Every second pair in the other order: what drifts falls out.
    if [ $((pair % 2)) = 0 ]; then
        stream "without.$pair" && attached "with.$pair"
    else
        attached "with.$pair" && stream "without.$pair"
    fi
    pair=$((pair + 1))
done
echo 1 >/proc/sys/kernel/bpf_stats_enabled
attached measured
cat "$DIRECTORY/costs"
python3 - "$DIRECTORY" "$PAIRS" <<'PYTHON'
import json, statistics, sys
folder, pairs = sys.argv[1], int(sys.argv[2])
def run(name):
    end = json.load(open(f"{folder}/{name}"))["end"]
    rate, cpu = end["sum_received"]["bits_per_second"], end["cpu_utilization_percent"]
    return rate, rate / (cpu["host_total"] + cpu["remote_total"])
both = [(run(f"without.{n}"), run(f"with.{n}")) for n in range(pairs)]
for place, what in enumerate(["rate", "rate per processor time"]):
    costs = [100 * (1 - b[place] / a[place]) for a, b in both]
    print(f"{what}: {statistics.median(costs):+.2f} % (median of {pairs} pairs; {min(costs):+.1f} to {max(costs):+.1f})")
print(f"without: {statistics.median(a[0] for a, _ in both) / 1e9:.1f} Gbit/s")
PYTHON
