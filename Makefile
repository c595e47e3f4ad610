# fhirdeid: build, show, test. A fresh machine needs `make demo` and `make test` only.

BUILD   := $(CURDIR)/build
NATIVE  := $(BUILD)/native
export PATH := $(BUILD)/bin:$(BUILD)/go/bin:$(PATH)
export CGO_ENABLED := 1
export CGO_LDFLAGS := -L$(NATIVE)
export GOTOOLCHAIN := local

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)
BINARY  := $(BUILD)/fhirdeid
DATA    ?= ../shared/data

# Exact versions of what only checks the code.
GOLANGCI    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0

.PHONY: build native demo test test-training bench load lint fuzz gazetteer train packs image clean

build: $(BINARY)

.PHONY: $(BINARY)
$(BINARY): native
	@go build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)" -o $@ ./cmd/fhirdeid
	@cp -u $(NATIVE)/libonnxruntime.so.* $(BUILD)/

native: $(NATIVE)/.done
$(NATIVE)/.done: models/native/build.sh models/native/deps.sh models/native/onnxruntime.sha256 go.mod
	@models/native/deps.sh $(BUILD)
	@models/native/build.sh $(NATIVE)
	@touch $@

# The main job on bundled German and English documents: before, after, Provenance and risk.
demo: build
	@$(BINARY) demo --out demo-out

test: native
	go test -count=1 ./...

# The Python chain of the models; `make test` does without it.
test-training:
	models/training/test.sh $(BUILD)

# Go benchmarks, then the packs beside Python transformers and bare onnxruntime on the same windows.
bench: build
	go test -run '^$$' -bench . -benchmem ./...
	models/bench/compare.sh $(BUILD)

# Two hundred clients for a minute against a server on the loopback address.
load: native
	FHIRDEID_LOAD=60s go test -count=1 -v -timeout 10m -run '^TestLoad$$' ./cmd/fhirdeid

lint: native
	@GOBIN=$(BUILD)/bin sh models/native/tools.sh $(GOLANGCI) $(GOFUMPT) $(GOVULNCHECK)
	golangci-lint run ./...
	@govulncheck ./... || { code=$$?; test $$code -ne 3 || exit 1; echo "govulncheck: skipped, no vulnerability database can be reached" >&2; }
	@test -z "$$(gofumpt -l cmd config fhir models pipeline risk surrogate)" || { gofumpt -l cmd config fhir models pipeline risk surrogate; echo "gofumpt: the files above want formatting" >&2; exit 1; }

# Seconds a fuzz target; every target of the repository in turn.
FUZZTIME ?= 20s
fuzz: native
	@for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg 2>/dev/null | grep '^Fuzz'); do \
	    echo "== $$pkg $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done

# The allocator that hands memory back to the system least (Debian: libtcmalloc-minimal4), where there is one: a step of the
# training takes and frees hundreds of megabytes.
ALLOCATOR = LD_PRELOAD=$(firstword $(wildcard /usr/lib/*/libtcmalloc_minimal.so.4)) TCMALLOC_RELEASE_RATE=0

# From nothing to the model packs, with corpora from DATA; takes hours, may be stopped and called again.
packs:
	@cd models && $(ALLOCATOR) WORK=$(BUILD)/training "$$(training/venv.sh $(BUILD))" -m training packs

# One step of it: `make train RUN="sub --source warm --minutes 60"`, see `python -m training --help`.
train:
	@cd models && $(ALLOCATOR) WORK=$(BUILD)/training "$$(training/venv.sh $(BUILD))" -m training train $(RUN)

image:
	docker build -t fhirdeid .

# Compiles the gazetteers and name lists into the repository from the sources named in NOTICE.
gazetteer:
	go run ./pipeline/gazetteer/compile -data $(DATA)

clean:
	rm -rf $(BUILD) demo-out
