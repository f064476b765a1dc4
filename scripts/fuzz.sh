#!/usr/bin/env bash
# Runs every fuzz target for a bounded time from its seeds; without nightly, replays the seeds once.
# FUZZ_SECONDS: per target, 30 by default.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

TARGETS="container decode analysis"
SECONDS_EACH=${FUZZ_SECONDS:-30}
# None of our code is unsafe, for an address sanitizer to watch; without one ten times as many inputs are tried in the same time.
SANITIZER=none

fuzz() {
    local target=$1 log="fuzz/target/$1.log"
    mkdir -p "fuzz/corpus/$target"
    # -timeout: one input that takes longer is a bug; -rss_limit_mb: so is one that eats memory.
    if ! cargo +nightly fuzz run --sanitizer "$SANITIZER" "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$SECONDS_EACH" -timeout=10 -rss_limit_mb=1024 -max_len=16384 >"$log" 2>&1; then
        tail -n 60 "$log"
        fail "fuzzing $target failed; the input is in fuzz/artifacts/$target"
    fi
    printf '%s: %s\n' "$target" "$(grep '^Done' "$log")"
}

# All of them at the same time: each uses one processor. None is left running when another one fails.
fuzz_all() {
    local target pid failed=0 running=()
    heading "Fuzzing ${TARGETS// /, } for $SECONDS_EACH s"
    for target in $TARGETS; do
        fuzz "$target" &
        running+=($!)
    done
    for pid in "${running[@]}"; do wait "$pid" || failed=1; done
    return "$failed"
}

replay() {
    local target=$1 seeds log="fuzz/target/$1.log"
    heading "Replaying the seeds of $target"
    seeds=(fuzz/seeds/"$target"/*)
    if ! "fuzz/target/release/$target" "${seeds[@]}" >"$log" 2>&1; then
        tail -n 60 "$log"
        fail "replaying $target failed"
    fi
    echo "${#seeds[@]} inputs"
}

mkdir -p fuzz/target
if have_toolchain nightly && have_cargo_fuzz; then
    heading "Fuzz targets"
    cargo +nightly fuzz build --sanitizer "$SANITIZER" 2>fuzz/target/build.log || { tail -n 60 fuzz/target/build.log; fail "the fuzz targets do not build"; }
    fuzz_all
elif command -v c++ >/dev/null; then
    heading "Fuzzing"
    skip "no nightly compiler or no cargo-fuzz; the seeds are replayed with the stable compiler instead"
    cargo build --manifest-path fuzz/Cargo.toml --release --locked --quiet
    for target in $TARGETS; do replay "$target"; done
else
    heading "Fuzzing"
    skip "no nightly compiler, and no C++ compiler for a replay"
fi
