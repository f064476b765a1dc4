#!/usr/bin/env bash
# Builds the kernel programs of crates/tcpwhy-live/bpf (needs clang and llvm-strip); the objects are part of the source.
# With --check, run by scripts/test.sh: the objects are those that were built from these sources.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

cd crates/tcpwhy-live/bpf
sources="*.bpf.c *.h"
objects="events live"
has_clang() { command -v clang >/dev/null && command -v llvm-strip >/dev/null; }
compiler() { clang --version | sed -n '1s/.*version \([0-9]*\).*/clang \1/p'; }
build() { # object folder
    # The same bytes wherever the checkout lies.
    clang -g -O2 -Wall -Werror -target bpf -mcpu=v3 "-ffile-prefix-map=$PWD=." -fdebug-compilation-dir=. -c "$1.bpf.c" -o "$2/$1.bpf.o"
    llvm-strip -g "$2/$1.bpf.o" # DWARF only: the loader needs the BTF
}

if [ "${1:-}" != --check ]; then
    has_clang || fail "clang and llvm-strip are needed to build $PWD/*.bpf.o: install them (Debian: apt install clang llvm)"
    for object in $objects; do build "$object" .; done
    # shellcheck disable=SC2086
    { echo "# $(compiler)"; sha256sum $sources *.bpf.o; } >bpf.sum
    exit 0
fi

sha256sum --check --quiet bpf.sum 2>/dev/null ||
    fail "the objects were not built from the sources beside them: run scripts/bpf.sh and commit what it writes"
if ! has_clang; then
    skip "clang or llvm-strip is not installed: the objects are taken as they are, their sources by their hashes"
    exit 0
fi
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
for object in $objects; do build "$object" "$built"; done
if [ "# $(compiler)" != "$(head -n 1 bpf.sum)" ]; then
    skip "this is $(compiler), the objects were built by another: the sources build, the objects are not compared"
    exit 0
fi
for object in $objects; do
    cmp -s "$built/$object.bpf.o" "$object.bpf.o" ||
        fail "$object.bpf.o is not what its sources build: run scripts/bpf.sh and commit it"
done
