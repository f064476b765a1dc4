#!/usr/bin/env bash
# The pages of web/ build, are those that are part of the source, and work in a browser. Run by scripts/test.sh.
# Needs target/release/tcpwhy, or the binary that TCPWHY names.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

pages=(crates/tcpwhy-report/src/page/page.html crates/tcpwhy/src/serve/serve.html)
if ! command -v npm >/dev/null || [ "$(node --version | tr -d v | cut -d. -f1)" -lt 20 ]; then
    skip "Node 20 with npm is not installed: the built pages are taken as they are"
    exit 0
fi
before=$(cat "${pages[@]}" | cksum)
(cd web && npm ci --silent --no-fund --no-audit && npm run --silent build >/dev/null)
[ "$before" = "$(cat "${pages[@]}" | cksum)" ] || fail "${pages[*]} are not what web/ builds: run make web and commit them"
if command -v chromium >/dev/null; then
    node web/test/page.mjs
    node web/test/serve.mjs
else
    skip "chromium is not installed: nobody looks at the pages"
fi
