# Everything one does with the code. `make help` lists it.

BIN := bin
GO_FILES := $(shell git ls-files '*.go')

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

.PHONY: build
build: ## the program, as bin/matrix
	CGO_ENABLED=0 go build -o $(BIN)/matrix ./cmd/matrix

.PHONY: test
test: $(BIN)/gotestsum $(BIN)/benchstat ## the tests; what a missing tool makes them skip is named at the end
	$(BIN)/gotestsum --format pkgname-and-test-fails --hide-summary=output -- -timeout 20m ./...

.PHONY: race
race: $(BIN)/gotestsum $(BIN)/benchstat ## the tests under the race detector
	CGO_ENABLED=1 $(BIN)/gotestsum --format pkgname-and-test-fails --hide-summary=output -- -race -timeout 25m ./...

.PHONY: lint
lint: $(BIN)/staticcheck ## gofmt, vet, staticcheck, go fix
	@out=$$(gofmt -l $(GO_FILES)); test -z "$$out" || { echo "gofmt: $$out"; exit 1; }
	go vet ./...
	go fix -diff ./...
	$(BIN)/staticcheck ./...

# The database of vulnerabilities comes as a module, since its server may be out of
# reach. VULNDB=latest asks for the newest.
VULNDB ?= v0.0.0-20261105234957-e22db6528018
.PHONY: vuln
vuln: $(BIN)/govulncheck ## known vulnerabilities in what the program calls
	@db=$$(go mod download -json golang.org/x/vulndb@$(VULNDB) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') && test -n "$$db" && \
	$(BIN)/govulncheck -db "file://$$db/data/osv" ./...

.PHONY: bench-test
bench-test: ## the tests of the program that compares load generators
	cd bench && go vet ./... && go test ./...

browser/node_modules/axe-core: browser/package-lock.json
	cd browser && npm ci --no-audit --no-fund --silent && touch node_modules/axe-core

.PHONY: browser-test
browser-test: browser/node_modules/axe-core ## the tests of result pages in a real browser (chromium; npm for axe-core)
	cd browser && go vet ./... && go test -timeout 20m ./...

.PHONY: bench-page
bench-page: browser/node_modules/axe-core ## what the page of 10,000 cells costs, to write and in a browser
	go test ./internal/export -run '^$$' -bench LargePage -benchtime 5x
	cd browser && go test -run '^$$' -bench Large -benchtime 5x .

.PHONY: bench-history
bench-history: ## what a history of 1000 nights of 300 cells costs: its indexes, the list, the report; some minutes
	go test ./internal/history -run '^$$' -bench Load -benchtime 3x -timeout 60m

RUN ?= latest
.PHONY: screenshots
screenshots: build ## docs/pages anew: the published comparisons and a sweep, RUN=latest
	@pages=$$(mktemp -d); for run in results/published/*/; do \
		$(BIN)/matrix report $$run --format html -o $$pages/$$(basename $$run).html || exit 1; done; \
	$(BIN)/matrix report $(RUN) --format html -o $$pages/sweep.html && cp $$pages/sweep.html $$pages/sweep-dark.html && \
	mkdir -p docs/pages && cd browser && go run ./cmd/screenshots -o ../docs/pages $$(ls $$pages/*.html | grep -v sweep-dark) && \
	go run ./cmd/screenshots -dark -o ../docs/pages $$pages/sweep-dark.html && rm -r $$pages

.PHONY: check
check: lint vuln test race bench-test browser-test ## all that CI checks

.PHONY: golden
golden: ## write the golden files anew
	go test ./internal/scenario ./internal/table ./internal/export ./cmd/matrix -update

.PHONY: statistics
statistics: ## docs/statistics.md anew: how far the verdicts of compare can be trusted; some minutes
	go run ./internal/compare/simulate

.PHONY: planted
planted: ## a slowdown planted in one of 200 cells on real servers, and found; some five minutes
	.ci/planted

.PHONY: published
published: ## the published comparisons anew, as runs and reports, from their data files
	go run ./cmd/matrix published results/published/*/

$(BIN)/gotestsum: tools/go.mod
	cd tools && go build -o ../$@ gotest.tools/gotestsum

$(BIN)/benchstat: tools/go.mod
	cd tools && go build -o ../$@ golang.org/x/perf/cmd/benchstat

$(BIN)/govulncheck: tools/go.mod
	cd tools && go build -o ../$@ golang.org/x/vuln/cmd/govulncheck

$(BIN)/staticcheck: tools/go.mod
	cd tools && go build -o ../$@ honnef.co/go/tools/cmd/staticcheck

.PHONY: quickstart
quickstart: ## the first run of the README
	go run ./cmd/matrix run scenarios/quickstart.yaml

.PHONY: comparison
comparison: build ## docs/servers.md anew: 27 points on real servers, with ab and the built-in engine; 15 to 40 minutes
	$(BIN)/matrix run scenarios/nginx-apache-lighttpd.yaml
	{ echo '<!-- made by: make comparison -->'; $(BIN)/matrix report nginx-apache-lighttpd --format markdown; } > docs/servers.md

.PHONY: bench-peers
bench-peers: build $(BIN)/hey $(BIN)/bombardier ## docs/performance.md anew, beside other load generators; PEERS='-only REGEXP' and such
	cd bench && go run . -o ../docs/performance.md -json ../$(BIN)/peers.json $(PEERS)

$(BIN)/hey: bench/go.mod
	cd bench && go build -o ../$@ github.com/rakyll/hey

$(BIN)/bombardier: bench/go.mod
	cd bench && go build -o ../$@ github.com/codesenberg/bombardier
