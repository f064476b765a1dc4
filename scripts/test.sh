#!/usr/bin/env bash
# Everything that must hold before a change is merged. Run by `make test`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
export STARTED=$EPOCHSECONDS

# What is built once from a clean checkout is not built again: no need to keep what a second build would reuse, to name the lines of a
# backtrace, or to optimise the fuzz targets for the few seconds that they run; the long fuzzing is `make fuzz`. But the emulated links
# and the analysis, which most tests wait for, are in the core. Two processors have no use for sixteen parts of a crate (of a macro's 256),
# each of which costs time of its own: a twelfth of all that the tests' build takes.
core=()
if [ -n "${CI:-}" ]; then
    export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none
    export CARGO_PROFILE_DEV_CODEGEN_UNITS=4 CARGO_PROFILE_DEV_BUILD_OVERRIDE_CODEGEN_UNITS=4
    export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    export FUZZ_SECONDS="${FUZZ_SECONDS:-6}"
    core=(--config profile.dev.package.tcpwhy-core.opt-level=1)
fi

heading "Format"
if cargo fmt --version >/dev/null 2>&1; then
    cargo fmt --all --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check
else
    skip "rustfmt is not installed"
fi

# All is built with the oldest Rust that is supported, in a directory of its own, and in one go with the lints and the documentation.
oldest=()
if have_toolchain "$(msrv)"; then oldest=("+$(msrv)"); else skip "Rust $(msrv) is not installed: the newest builds instead of the oldest"; fi
cargo "${oldest[@]}" clippy --version >/dev/null 2>&1 || skip "clippy is not installed: nothing is linted"
export CARGO_TARGET_DIR=$PWD/target/oldest RUSTC_WORKSPACE_WRAPPER=$PWD/scripts/rustc.sh
# From 1.90 on Rust links with its own lld here. The oldest has it, too, and a hundred things to link take a minute longer with GNU's.
lld=$(rustc "${oldest[@]}" --print sysroot)/lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld
if [ -d "$lld" ]; then export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C link-arg=-fuse-ld=lld -C link-arg=-B$lld"; fi

heading "Lints, documentation, and what the tests need; $(cargo "${oldest[@]}" --version)"
cargo "${oldest[@]}" test --no-run --workspace --locked --quiet "${core[@]}"

# Tests wait for networks and a browser much of their time: the other builds have what is left of the processor.
log=$(mktemp)
nice -n 19 scripts/elsewhere.sh "${oldest[@]}" >"$log" 2>&1 &
elsewhere=$!
trap 'pkill -P "$elsewhere" || true; rm -f "$log"' EXIT

heading "Tests"
[ -d ../shared/captures ] || skip "../shared/captures is not here: tests on captures made by others pass without looking"
cargo "${oldest[@]}" test --workspace --locked --quiet "${core[@]}"

heading "Kernel programs"
scripts/bpf.sh --check

heading "Score"
# What the tests have tried: to optimise it would take as long as everything that follows. With --tests, as they built it: what they
# depend on chooses features of libraries.
export TCPWHY=$CARGO_TARGET_DIR/debug/tcpwhy
cargo "${oldest[@]}" build --workspace --tests --bin tcpwhy --bin score --locked --quiet "${core[@]}"
"$CARGO_TARGET_DIR/debug/score" "$TCPWHY" --check

heading "Page"
scripts/web.sh

# Links are late on processors that build, and such runs do not count.
wait "$elsewhere" || { cat "$log"; fail "a build for elsewhere, or fuzzing"; }
cat "$log"

heading "Score against the lab's truth"
scripts/score.sh quick

heading "All is well"
