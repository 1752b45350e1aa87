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

.PHONY: bench-test
bench-test: ## the tests of the program that compares load generators
	cd bench && go vet ./... && go test ./...

.PHONY: check
check: lint test race bench-test ## all that CI checks

.PHONY: golden
golden: ## write the golden files anew
	go test ./internal/scenario ./internal/table ./internal/export ./cmd/matrix -update

.PHONY: published
published: ## the published comparisons anew, as runs and reports, from their data files
	go run ./cmd/matrix published results/published/*/

$(BIN)/gotestsum: tools/go.mod
	cd tools && go build -o ../$@ gotest.tools/gotestsum

$(BIN)/benchstat: tools/go.mod
	cd tools && go build -o ../$@ golang.org/x/perf/cmd/benchstat

$(BIN)/staticcheck: tools/go.mod
	cd tools && go build -o ../$@ honnef.co/go/tools/cmd/staticcheck

.PHONY: quickstart
quickstart: ## the first run of the README
	go run ./cmd/matrix run scenarios/quickstart.yaml

.PHONY: comparison
comparison: ## the tables of the README anew: 27 points on real servers, with ab and the built-in engine; some 15 minutes
	go run ./cmd/matrix run scenarios/nginx-apache-lighttpd.yaml
	go run ./cmd/matrix report nginx-apache-lighttpd --format markdown

.PHONY: bench-peers
bench-peers: build $(BIN)/hey $(BIN)/bombardier ## docs/performance.md anew, beside other load generators; PEERS='-only REGEXP' and such
	cd bench && go run . -o ../docs/performance.md -json ../$(BIN)/peers.json $(PEERS)

$(BIN)/hey: bench/go.mod
	cd bench && go build -o ../$@ github.com/rakyll/hey

$(BIN)/bombardier: bench/go.mod
	cd bench && go build -o ../$@ github.com/codesenberg/bombardier
