#!/usr/bin/env bash
# Scores the analysis against what the lab records of its own runs.
#
# Usage: scripts/score.sh quick|full|held-out
# quick: a run or two of each limit, minutes, prints the tables, and fails where most verdicts are wrong. full: the whole matrix but its held-out part, about half an hour, ten
# minutes of it for two runs in five that are made again three times with the verdict's limit lifted; goes on where it was interrupted,
# writes docs/score.md. With more runs at once than processors links are late, and such runs do not count. held-out: all of it; only after
# all tuning.
# Needs target/release/tcpwhy (make build) or the binary that TCPWHY names, network namespaces and TUN; tshark if its flags shall be compared.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

TCPWHY=${TCPWHY:-target/release/tcpwhy}
# Results of another program are of no use: they are kept by what it is made of.
STATE=$(cksum "$TCPWHY" | cut -d' ' -f1)

if ! unshare --user --map-root-user --net true 2>/dev/null && [ "$(id -u)" -ne 0 ]; then
    skip "no network namespaces here: the score needs root or user namespaces"
    exit 0
fi
if [ ! -c /dev/net/tun ]; then
    skip "/dev/net/tun is not here: the score needs it"
    exit 0
fi
command -v tshark >/dev/null || skip "tshark is not installed: its flags are not compared"

case "${1:-}" in
    quick) "$TCPWHY" lab score --check --output "target/score/quick-$STATE" ;;
    full) "$TCPWHY" lab score --full --jobs "$(nproc)" --output "target/score/full-$STATE" --page docs/score.md ;;
    held-out) "$TCPWHY" lab score --full --held-out --jobs "$(nproc)" --output "target/score/full-$STATE" --page docs/score.md ;;
    *) fail "usage: $0 quick|full|held-out" ;;
esac
