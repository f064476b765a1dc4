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

# What is not run is checked with the oldest Rust that is supported, in one go with the lints: every check of all that is depended on takes a
# minute of a processor and more.
oldest=()
if have_toolchain "$(msrv)"; then oldest=("+$(msrv)"); else skip "Rust $(msrv) is not installed: the newest checks instead of the oldest"; fi

heading "Lints, $(cargo "${oldest[@]}" --version)"
if cargo "${oldest[@]}" clippy --version >/dev/null 2>&1; then
    CARGO_TARGET_DIR=$ELSEWHERE cargo "${oldest[@]}" clippy --workspace --all-targets --locked --quiet -- -D warnings
else
    skip "clippy is not installed"
fi

heading "Documentation"
# With an example, which chooses the same features of libraries as the lints of all targets: a third of the libraries is not checked again.
CARGO_TARGET_DIR=$ELSEWHERE RUSTDOCFLAGS="-D warnings" \
    cargo "${oldest[@]}" doc --workspace --no-deps --lib --bins --example read --locked --quiet

# Tests wait for networks and a browser much of their time, and a linker takes one core of two: the other builds have what is left of the
# processor.
log=$(mktemp)
nice -n 19 scripts/elsewhere.sh "${oldest[@]}" >"$log" 2>&1 &
elsewhere=$!
trap 'pkill -P "$elsewhere" || true; rm -f "$log"' EXIT

heading "Tests"
[ -d ../shared/captures ] || skip "../shared/captures is not here: tests on captures made by others pass without looking"
cargo test --workspace --locked --quiet "${core[@]}"

heading "Kernel programs"
scripts/bpf.sh --check

heading "Score"
# What the tests have tried: to optimise it would take as long as everything that follows. With --tests, as they built it: what they
# depend on chooses features of libraries.
export TCPWHY=$PWD/target/debug/tcpwhy
cargo build --workspace --tests --bin tcpwhy --bin score --locked --quiet "${core[@]}"
target/debug/score "$TCPWHY" --check

heading "Page"
scripts/web.sh

# Links are late on processors that build, and such runs do not count.
wait "$elsewhere" || { cat "$log"; fail "a build for elsewhere, or fuzzing"; }
cat "$log"

heading "Score against the lab's truth"
scripts/score.sh quick

heading "All is well"
