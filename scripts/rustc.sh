#!/usr/bin/env bash
# What cargo runs for the crates of this workspace in place of rustc (RUSTC_WORKSPACE_WRAPPER): the compiler with the lints and, where what
# it makes is no test, the documentation; warnings are errors in both. One build does for tests, lints and documentation then, where
# `cargo clippy` and `cargo doc` would check all libraries that are depended on once more, for longer than it takes to compile what is here.
#
# Usage: scripts/rustc.sh RUSTC ARGUMENT...
set -euo pipefail

rustc=$1
shift
# Cargo also asks for the version, and for what the compiler would do.
case " $* " in *" --emit="*) ;; *) exec "$rustc" "$@" ;; esac

if clippy-driver --version >/dev/null 2>&1; then clippy-driver "$rustc" "$@" -D warnings; else "$rustc" "$@" -D warnings; fi

case " $* " in
    *" --test "* | *" build_script_build "*) exit 0 ;;
    *" --emit="*link*) ;;
    *) exit 0 ;; # A check, for another system.
esac
# The rest of the compiler's arguments say where libraries are, and which features are chosen.
documented=(-D warnings --out-dir "${CARGO_TARGET_DIR:-target}/doc")
while [ $# -gt 0 ]; do
    case $1 in
        --emit=*) ;;
        --out-dir) shift ;;
        *) documented+=("$1") ;;
    esac
    shift
done
exec rustdoc "${documented[@]}"
