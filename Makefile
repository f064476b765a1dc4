# `make demo` and `make test` are all that is needed to begin with; see README.md.

SHELL := /bin/bash
export PATH := $(HOME)/.cargo/bin:$(PATH)
export RUSTUP_AUTO_INSTALL := 0

PREFIX ?= $(HOME)/.local
.DEFAULT_GOAL := help
.PHONY: help build demo test score score-full validate bench bench-live bench-page netem web fuzz corpus install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name what; do printf '  make %-11s %s\n' "$$name" "$$what"; done

build: ## the release binary, target/release/tcpwhy
	@scripts/bootstrap.sh build
	@echo "== Building"
	@cargo build --release --locked -p tcpwhy

demo: build ## build, then reproduce a slow transfer in the lab and explain it
	@scripts/demo.sh

test: ## everything that must hold before a change is merged (under 15 minutes)
	@scripts/bootstrap.sh test
	@scripts/test.sh

score: build ## agreement with captures whose answer is known (rewrites bench/score.tsv)
	@cargo run -p tcpwhy-bench --bin score --locked --quiet -- target/release/tcpwhy

score-full: build ## the analysis against the lab's recorded truth, the whole matrix (half an hour; rewrites docs/score.md)
	@scripts/score.sh full

validate: ## the model's predictions against the lab's measurements (rewrites docs/validation.md)
	@cargo run --release --locked --quiet -p tcpwhy-lab --example validate -- target/validate

bench: build ## speed and memory, beside tcptrace and tshark
	@scripts/bootstrap.sh bench
	@bench/run.sh

bench-live: ## a sample of 10,000 and of 100,000 sockets, beside ss
	@bench/live.sh

bench-page: build ## the page with 1 and 10 million packets of one connection in a browser
	@cargo build --release --locked --quiet -p tcpwhy-bench
	@cd web && npm ci --silent --no-fund --no-audit && node bench/page.mjs 1000000 10000000

netem: build ## scenarios of the lab over the kernel's own netem, in a user-mode Linux
	@scripts/bootstrap.sh netem
	@scripts/netem.sh

web: ## the pages of report and serve (needs Node; the built pages are part of the source)
	@cd web && npm ci --silent --no-fund --no-audit && npm run --silent build

fuzz: ## every fuzz target for FUZZ_SECONDS (30) each
	@scripts/bootstrap.sh test
	@scripts/fuzz.sh

corpus: ## make the captures of corpus/ again (root, Linux)
	@scripts/bootstrap.sh corpus
	@if [ "$$(id -u)" -eq 0 ]; then corpus/make.py; else sudo corpus/make.py; fi

install: build ## the binary into PREFIX/bin (~/.local/bin)
	@install -D -m 755 target/release/tcpwhy $(DESTDIR)$(PREFIX)/bin/tcpwhy
	@echo "installed $(DESTDIR)$(PREFIX)/bin/tcpwhy"

clean: ## remove what was built
	@rm -rf target fuzz/target fuzz/corpus fuzz/artifacts
