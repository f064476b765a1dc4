#!/usr/bin/env bash
# The page of web/ builds, is the one that is part of the source, and works in a browser. Run by scripts/test.sh.
# Needs target/release/tcpwhy.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

page=crates/tcpwhy-report/src/page/page.html
if ! command -v npm >/dev/null || [ "$(node --version | tr -d v | cut -d. -f1)" -lt 20 ]; then
    skip "Node 20 with npm is not installed: the built page is taken as it is"
    exit 0
fi
before=$(cksum <"$page")
(cd web && npm ci --silent --no-fund --no-audit && npm run --silent build >/dev/null)
[ "$before" = "$(cksum <"$page")" ] || fail "$page is not what web/ builds: run make web and commit it"
if command -v chromium >/dev/null; then
    node web/test/page.mjs
else
    skip "chromium is not installed: nobody looks at the page"
fi
