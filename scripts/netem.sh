#!/usr/bin/env bash
# Scenarios of the lab over the kernel's own netem, in a user-mode Linux (Debian's package user-mode-linux): many kernels have no netem.
# That Linux is a process which sees this machine's files and changes none of them but in a folder that is deleted: `make netem`.
#
# Usage: scripts/netem.sh [SCENARIO...]   (those that come with tcpwhy)
set -euo pipefail
export PATH="$PATH:/usr/sbin:/sbin"

# Its first process is this script once more.
inside() {
    mkdir -p /dev/shm
    mount -t tmpfs tmpfs /mnt
    mkdir -p /mnt/work /mnt/modules/lib
    mount -t hostfs -o "$NETEM_WORK" none /mnt/work
    exec >/mnt/work/said 2>&1
    mount -t proc proc /proc
    mount -t sysfs sysfs /sys
    cp "$TCPWHY" /mnt/tcpwhy
    ln -s /usr/lib/uml/modules /mnt/modules/lib/modules
    for place in /run /tmp /var/lib; do mount -t tmpfs tmpfs "$place"; done
    for module in tun veth sch_netem sch_tbf sch_codel sch_ingress act_mirred cls_matchall tcp_bbr; do
        modprobe --dirname /mnt/modules "$module"
    done
    ip link set lo up
    local failed=0 scenario
    while read -r scenario; do
        timeout 120 /mnt/tcpwhy lab run "$scenario" --set link.backend=netem </dev/null || failed=1
    done </mnt/work/scenarios
    echo "$failed" >/mnt/work/failed
    poweroff -ff >/dev/null 2>&1
}

# Only the command line below sets it.
if [ $$ -eq 1 ] && [ -n "${NETEM_WORK:-}" ]; then
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
timeout --foreground 900 linux.uml root=/dev/root rootfstype=hostfs rootflags=/ ro mem=2G init="$PWD/scripts/netem.sh" \
    NETEM_WORK="$work" TCPWHY="$PWD/target/release/tcpwhy" PATH="$PATH" HOME=/root \
    uml_dir="$work" con=null con0=null </dev/null >"$work/kernel" 2>&1 || true
[ ! -e "$work/said" ] || cat "$work/said"
[ -e "$work/failed" ] || { tail -n 5 "$work/kernel" >&2; fail "the user-mode Linux did not come to its end"; }
[ "$(cat "$work/failed")" -eq 0 ] || fail "a scenario over netem was not right"
