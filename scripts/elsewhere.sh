#!/usr/bin/env bash
# What the tests of cargo do not build: the core without an operating system, the command line for other systems, and the fuzz targets,
# which run, too. Run by scripts/test.sh beside all that waits, in a directory of its own, for cargo builds in one directory by turns.
#
# Usage: scripts/elsewhere.sh [+TOOLCHAIN]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
export CARGO_TARGET_DIR=$PWD/target/elsewhere

heading "Core for $CORE_TARGET"
if have_target "$CORE_TARGET" "$@"; then
    cargo "$@" build -p tcpwhy-core --target "$CORE_TARGET" --locked --quiet
else
    skip "the target is not installed"
fi

for target in $CLI_TARGETS; do
    heading "Command line for $target"
    if have_target "$target" "$@"; then
        cargo "$@" check -p tcpwhy --target "$target" --locked --quiet
    else
        skip "the target is not installed"
    fi
done

# Another compiler, and no lints.
unset CARGO_TARGET_DIR RUSTC_WORKSPACE_WRAPPER
scripts/fuzz.sh
