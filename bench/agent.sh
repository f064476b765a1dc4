#!/bin/sh
# What `tcpwhy agent` costs: processor time over SECONDS (30) and memory, with SOCKETS (10000) established sockets in a network namespace of
# their own. Needs target/release/tcpwhy (TCPWHY) and target/release/sockets (HOLDER); arguments go to the agent.
set -eu
if [ -z "${TCPWHY_BENCH_AGENT:-}" ]; then
    cd "$(dirname "$0")/.."
    TCPWHY_BENCH_AGENT=1 exec unshare -rn -- "$0" "$@"
fi
sockets="${SOCKETS:-10000}"
seconds="${SECONDS_MEASURED:-30}"
tcpwhy="${TCPWHY:-target/release/tcpwhy}"
holder="${HOLDER:-target/release/sockets}"
ip link set lo up
directory=$(mktemp -d)
holders=""
agent=""
# shellcheck disable=SC2086 # A list of numbers.
trap 'kill $agent $holders 2>/dev/null || true; rm -rf "$directory"' EXIT
# A signal ends the shell without that.
trap 'exit 130' INT TERM HUP

mkfifo "$directory/hold"
left="$sockets"
while [ "$left" -gt 0 ]; do
    some=$((left < 10000 ? left : 10000))
    TCPWHY_BENCH_INSIDE=hold "$holder" "$some" <>"$directory/hold" >"$directory/ready.$left" &
    holders="$holders $!"
    until [ -s "$directory/ready.$left" ]; do sleep 0.1; done
    left=$((left - some))
done

"$tcpwhy" agent --listen 127.0.0.1:0 "$@" >/dev/null 2>"$directory/said" &
agent=$!
until [ -s "$directory/said" ]; do sleep 0.1; done
address=$(sed -n 's/.*http:\/\/\(.*\)\/metrics.*/\1/p' "$directory/said")
scrape() { curl -s "http://$address/metrics" | sed -n "s/^$1 //p"; }
# Ticks of a hundredth of a second, in user and in kernel mode.
used() { awk '{ print $14 + $15 }' "/proc/$agent/stat"; }
# The first rounds find out whose sockets they are, and what a round costs.
sleep 10
samples=$(scrape tcpwhy_agent_samples_total)
before=$(used)
sleep "$seconds"
after=$(used)
samples=$(($(scrape tcpwhy_agent_samples_total) - samples))
awk -v sockets="$sockets" -v ticks=$((after - before)) -v s="$seconds" -v n="$samples" \
    -v rss="$(awk '/VmRSS/ { print $2 }' "/proc/$agent/status")" -v most="$(awk '/VmHWM/ { print $2 }' "/proc/$agent/status")" \
    'BEGIN { printf "%d sockets: %.2f %% of a core over %d s, %.2f samples a second, %.1f MB (most: %.1f MB)\n", sockets, ticks / s, s, n / s, rss / 1024, most / 1024 }'
