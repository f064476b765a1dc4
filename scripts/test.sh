#!/usr/bin/env bash
# Everything that must hold before a change is merged. Run by `make test`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

# What is built once from a clean checkout is not built again: no need to keep what a second build would reuse, nor to optimise and link
# for the last of its speed. The long fuzzing is `make fuzz`.
if [ -n "${CI:-}" ]; then
    export CARGO_INCREMENTAL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        CARGO_PROFILE_RELEASE_OPT_LEVEL=1
    export FUZZ_SECONDS="${FUZZ_SECONDS:-10}"
fi

heading "Format"
if cargo fmt --version >/dev/null 2>&1; then
    cargo fmt --all --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check
else
    skip "rustfmt is not installed"
fi

heading "Lints"
if cargo clippy --version >/dev/null 2>&1; then
    cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
else
    skip "clippy is not installed"
fi

heading "Documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

heading "Tests"
[ -d ../shared/captures ] || skip "../shared/captures is not here: tests on captures made by others pass without looking"
cargo test --workspace --locked --quiet

heading "Kernel programs"
scripts/bpf.sh --check

heading "Core for $CORE_TARGET"
if have_target "$CORE_TARGET"; then
    cargo build -p tcpwhy-core --target "$CORE_TARGET" --locked --quiet
else
    skip "the target is not installed"
fi

for target in $CLI_TARGETS; do
    heading "Command line for $target"
    if have_target "$target"; then
        cargo check -p tcpwhy --target "$target" --locked --quiet
    else
        skip "the target is not installed"
    fi
done

heading "Oldest supported Rust: $(msrv)"
if have_toolchain "$(msrv)"; then
    cargo "+$(msrv)" check --workspace --locked --quiet
else
    skip "Rust $(msrv) is not installed"
fi

scripts/fuzz.sh

heading "Score"
cargo build --release -p tcpwhy --locked --quiet
cargo run -p tcpwhy-bench --bin score --locked --quiet -- target/release/tcpwhy --check

heading "Page"
scripts/web.sh

heading "Score against the lab's truth"
scripts/score.sh quick

heading "All is well"
