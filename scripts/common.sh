# What the scripts share: headings, and questions about the installed tools. Sourced, not run.
# shellcheck shell=bash

# A toolchain is only ever installed by scripts/bootstrap.sh, never by the way.
export RUSTUP_AUTO_INSTALL=0
export PATH="$HOME/.cargo/bin:$PATH"

# The core must build without an operating system's help; the capture side must build everywhere.
CORE_TARGET=wasm32-unknown-unknown
CLI_TARGETS="x86_64-apple-darwin x86_64-pc-windows-msvc"
CROSS_TARGETS="$CORE_TARGET $CLI_TARGETS"

# With the minutes and seconds since STARTED, where that is set.
heading() {
    local after=""
    [ -z "${STARTED:-}" ] || after=$(printf ' (after %d:%02d)' $(((EPOCHSECONDS - STARTED) / 60)) $(((EPOCHSECONDS - STARTED) % 60)))
    printf '\n== %s%s\n' "$*" "$after"
}
skip() { printf -- '-- skipped: %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The oldest Rust that is supported, from Cargo.toml.
msrv() { sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml; }

have_rustup() { command -v rustup >/dev/null; }
have_toolchain() { have_rustup && rustup toolchain list 2>/dev/null | grep -q "^$1[-.]"; }
have_cargo_fuzz() { cargo fuzz --version >/dev/null 2>&1; }

# Whether the libraries for that target are installed, of the active compiler or of a +TOOLCHAIN, with or without rustup.
have_target() { [ -d "$(rustc "${@:2}" --print sysroot)/lib/rustlib/$1/lib" ]; }

rust_is_at_least() {
    local version
    version=$(rustc --version | cut -d' ' -f2)
    [ "$(printf '%s\n%s\n' "$1" "$version" | sort -V | head -n 1)" = "$1" ]
}
