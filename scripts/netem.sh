#!/usr/bin/env bash
# Scenarios of the lab over the kernel's own netem, in a user-mode Linux (Debian's package user-mode-linux): many kernels have no netem.
# That Linux is a process which sees this machine's files and changes none of them but in a folder that is deleted: `make netem`.
#
# Usage: scripts/netem.sh [SCENARIO...]
set -euo pipefail

# Its first process is this script once more.
inside() {
    mount -t proc proc /proc && mount -t sysfs sysfs /sys
    for place in /run /tmp /mnt /var/lib; do mount -t tmpfs tmpfs "$place"; done
    mkdir -p /mnt/work /mnt/modules/lib /dev/shm
    mount -t hostfs -o "$WORK" none /mnt/work
    ln -s /usr/lib/uml/modules /mnt/modules/lib/modules
    for module in tun veth sch_netem sch_tbf sch_codel sch_ingress act_mirred cls_matchall tcp_bbr; do
        modprobe --dirname /mnt/modules "$module"
    done
    ip link set lo up
    local failed=0
    for scenario in $(tr '\n' ' ' </mnt/work/scenarios); do
        timeout 120 "$TCPWHY" lab run "$scenario" --set link.backend=netem || failed=1
    done >/mnt/work/said 2>&1
    echo "$failed" >/mnt/work/failed
    poweroff -ff
}

if [ $$ -eq 1 ]; then
    inside
fi
cd "$(dirname "$0")/.."
. scripts/common.sh

# What netem can do, in seconds.
if [ $# -eq 0 ]; then
    set -- send-buffer-16k-20ms receive-window-small-20ms bandwidth-10mbit codel-10mbit loss-2-percent slow-start-100ms
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\n' "$@" >"$work/scenarios"
heading "Scenarios over netem"
timeout 900 linux.uml root=/dev/root rootfstype=hostfs rootflags=/ ro mem=2G init="$PWD/scripts/netem.sh" \
    WORK="$work" TCPWHY="$PWD/target/release/tcpwhy" PATH="$PATH" HOME=/root uml_dir="$work" con=null con0=null </dev/null >"$work/kernel" 2>&1 || true
[ -e "$work/failed" ] || { tail -n 20 "$work/kernel" >&2; fail "the user-mode Linux did not come to its end"; }
cat "$work/said"
[ "$(cat "$work/failed")" -eq 0 ] || fail "a scenario over netem was not right"
