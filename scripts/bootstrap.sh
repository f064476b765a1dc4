#!/usr/bin/env bash
# Installs what a make target needs and the machine lacks.
#
# Usage: scripts/bootstrap.sh build|test|bench|netem|corpus
# Needs Rust (or rustup) and a C compiler; root or sudo where a Debian package is missing.
# What cannot be had is said, and the step that needs it is skipped by the caller.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Debian packages, each given as command:package, that are missing.
need_commands() {
    local missing=() pair
    for pair in "$@"; do
        command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
    done
    [ ${#missing[@]} -eq 0 ] && return
    heading "Installing ${missing[*]}"
    command -v apt-get >/dev/null || fail "please install by hand: ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
}

need_rust() {
    if have_rustup && ! rustc --version >/dev/null 2>&1; then
        heading "Installing the stable Rust toolchain"
        rustup toolchain install stable --profile minimal --no-self-update
    fi
    command -v cargo >/dev/null || fail "Rust is missing: install it from https://rustup.rs"
    rust_is_at_least "$(msrv)" || fail "Rust $(msrv) or newer is needed, this is $(rustc --version)"
}

# Runs a rustup command; when it fails (no network, say), the caller goes on without.
try_rustup() {
    heading "Installing $1"
    shift
    rustup "$@" || skip "that failed; what needs it is skipped"
}

need_test_tools() {
    # libFuzzer is C++, whether it fuzzes or only replays.
    need_commands c++:g++
    if ! have_rustup; then
        skip "Rust was installed without rustup: no other targets, no Rust $(msrv), and the fuzz seeds are only replayed"
        return
    fi
    cargo fmt --version >/dev/null 2>&1 || try_rustup rustfmt component add rustfmt
    local oldest target
    oldest=$(msrv)
    if ! have_toolchain "$oldest" || ! cargo "+$oldest" clippy --version >/dev/null 2>&1; then
        try_rustup "Rust $oldest" toolchain install "$oldest" --profile minimal --component clippy --no-self-update
    fi
    for target in $CROSS_TARGETS; do
        have_target "$target" "+$oldest" || try_rustup "$target" target add --toolchain "$oldest" "$target"
    done
    # It compiles while packages are on their way.
    need_fuzzing &
    local fuzzing=$!
    need_prometheus
    # The page is looked at in a browser where it can be built at all.
    if command -v npm >/dev/null; then need_commands chromium:chromium; fi
    wait "$fuzzing"
}

# The agent is scraped by a real Prometheus. Debian's package starts one of its own, which nobody asked for.
need_prometheus() {
    if command -v prometheus >/dev/null; then return; fi
    if ! command -v apt-get >/dev/null; then
        skip "prometheus is not installed: nothing scrapes the agent, and its alerts are only read"
        return
    fi
    need_commands prometheus:prometheus
    if [ -d /run/systemd/system ]; then as_root systemctl disable --now --quiet prometheus; fi
}

need_fuzzing() {
    have_toolchain nightly || try_rustup "nightly Rust" toolchain install nightly --profile minimal --no-self-update
    if have_toolchain nightly && ! have_cargo_fuzz; then
        heading "Installing cargo-fuzz"
        # It only starts others: to optimise it takes as long again.
        cargo install --locked --quiet --debug cargo-fuzz || skip "that failed; fuzzing is replaced by a replay"
    fi
}

case "${1:-}" in
    build) need_rust ;;
    test) need_rust && need_test_tools ;;
    bench) need_rust && need_commands tcptrace:tcptrace tshark:tshark /usr/bin/time:time ;;
    netem) PATH="$PATH:/usr/sbin:/sbin" need_commands linux.uml:user-mode-linux modprobe:kmod ip:iproute2 ;;
    corpus) need_commands python3:python3 tcpdump:tcpdump ip:iproute2 ;;
    *) fail "usage: $0 build|test|bench|netem|corpus" ;;
esac
