#!/usr/bin/env bash
# Builds the kernel programs of crates/tcpwhy-live/bpf (needs clang and llvm-strip); the object is part of the source.
# With --check, run by scripts/test.sh: the object is the one that was built from these sources.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

cd crates/tcpwhy-live/bpf
sources="events.bpf.c helpers.h vmlinux.h"
has_clang() { command -v clang >/dev/null && command -v llvm-strip >/dev/null; }
compiler() { clang --version | sed -n '1s/.*version \([0-9]*\).*/clang \1/p'; }
build() {
    # The same bytes wherever the checkout lies.
    clang -g -O2 -Wall -Werror -target bpf -mcpu=v3 "-ffile-prefix-map=$PWD=." -fdebug-compilation-dir=. -c events.bpf.c -o "$1"
    llvm-strip -g "$1" # DWARF only: the loader needs the BTF
}

if [ "${1:-}" != --check ]; then
    has_clang || fail "clang and llvm-strip are needed to build $PWD/events.bpf.o: install them (Debian: apt install clang llvm)"
    build events.bpf.o
    # shellcheck disable=SC2086
    { echo "# $(compiler)"; sha256sum $sources events.bpf.o; } >events.bpf.sum
    exit 0
fi

sha256sum --check --quiet events.bpf.sum 2>/dev/null ||
    fail "events.bpf.o was not built from the sources beside it: run scripts/bpf.sh and commit what it writes"
if ! has_clang; then
    skip "clang or llvm-strip is not installed: the object is taken as it is, its sources by their hashes"
    exit 0
fi
built=$(mktemp)
trap 'rm -f "$built"' EXIT
build "$built"
if [ "# $(compiler)" != "$(head -n 1 events.bpf.sum)" ]; then
    skip "this is $(compiler), the object was built by another: the sources build, the objects are not compared"
else
    cmp -s "$built" events.bpf.o || fail "events.bpf.o is not what its sources build: run scripts/bpf.sh and commit it"
fi
