# Entry points for people. Each target first installs and names the packages that it lacks.

SWIFT ?= swift
RELEASE := .build/release
DEBUG := .build/debug
# With BUGS it is one that holds mutations, made from a copy of the sources.
SIMULATOR := $(if $(BUGS),Tests/Mutation/simulator,.build/simulation/release/simulate)

# The locations for `make install`.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: install uninstall dist dist-check dist-reproduce demo demo-web demo-nodes run check test soak bench browser browser-figures chaos chaos-nodes attack fuzz sanitize gallery reference simulate simulate-bugs simulator law mutations compatibility build release deps test-deps format protos clean

## demo: a server, a phone and a tablet, conflicting edits, and how they agree
demo: deps
	@echo "Building a server and a companion, unoptimised: some three minutes the first time."
	@Scripts/build --product atrest-syncd
	@Scripts/build --product atrest
	@Scripts/demo $(DEBUG)

## demo-web: the app for phones and browsers, under a certificate made for the run
demo-web: release
	@Scripts/install-missing
	@Scripts/demo-web $(RELEASE) .build/web

## demo-nodes: three daemons on PostgreSQL; one of them and the primary are killed; two minutes
demo-nodes: release
	@Scripts/install-missing nodes
	@Scripts/demo-nodes $(RELEASE)

## run: a server that stays; data in run/, on 127.0.0.1:7443; of the build that is there
run: PROGRAMS = $(or $(patsubst %/atrest-syncd,%,$(firstword $(wildcard $(RELEASE)/atrest-syncd $(DEBUG)/atrest-syncd))),$(DEBUG))
run:
	@[ -x $(PROGRAMS)/atrest-syncd ] && [ -x $(PROGRAMS)/atrest ] || $(MAKE) --no-print-directory programs
	@echo "The programs are in $(PROGRAMS). In another terminal: $(PROGRAMS)/atrest-syncd account add home --data run"
	@$(PROGRAMS)/atrest-syncd serve --data run --listen 127.0.0.1:7443

programs: deps
	@Scripts/build --product atrest-syncd
	@Scripts/build --product atrest

## check: after an edit: format, build, and the tests of what changed; BASE=COMMIT, WIDE=1
check: deps
	@Scripts/check $(if $(WIDE),--wide) $(if $(BASE),--base $(BASE))

## test: everything CI checks; ALL=1 also what did not change since it passed, ONLY=chaos
test: test-deps
	@Scripts/test $(if $(ALL),--all) $(ONLY:%=--only %)

## soak: what takes longer: many seeds, mutations, sanitizers, fuzzers, grpc-swift; MINUTES=60
soak: test-deps
	@Scripts/install-missing chaos
	@Scripts/soak $(if $(MINUTES),--minutes $(MINUTES)) $(ONLY:%=--only %)

## bench: figures, with their peers, in one run
bench: release
	@Scripts/install-missing bench
	@Benchmarks/run

## chaos: the real programs killed at every system call, disks full, connections cut; an hour
chaos: release
	@Scripts/install-missing chaos
	@Tests/Chaos/run $(RELEASE) --full

## chaos-nodes: the same of three daemons on PostgreSQL; KILLS=2000 ACKNOWLEDGED=200000
chaos-nodes: release
	@Scripts/install-missing chaos
	@Tests/Chaos/run $(RELEASE) --full --only history --only nodes-disk --only nodes \
		--cycles $(or $(KILLS),2000) --acknowledged $(or $(ACKNOWLEDGED),200000)

## attack: floods, bombs and stalls against the real daemon, while a client measures; two minutes
attack: release
	@Scripts/install-missing
	@Tests/Attack/run $(RELEASE) --short

## gallery: draws the pictures of docs/use/gallery anew, in a browser
gallery:
	@Scripts/install-missing gallery
	@Scripts/gallery

## browser: the app in headless Chromium and Firefox, with a daemon and the companion; minutes
browser: build .build/web/assets.json
	@Scripts/install-missing browser
	@Tests/Browser/run .build/debug .build/web

## browser-figures: how fast and how small the app is in a browser, beside its bounds; a minute
browser-figures: release
	@Scripts/install-missing browser
	@Tests/Browser/run $(RELEASE) .build/web --figures

## reference: the API of the library products with DocC, in .build/reference
reference: build
	@Scripts/reference .build/debug

## fuzz: every decoder and connection under AddressSanitizer; SECONDS=600 each, FUZZ_JOBS=2
fuzz: deps
	@Tests/Fuzz/run --seconds $(or $(SECONDS),60)

## sanitize: every test under AddressSanitizer, then under ThreadSanitizer
sanitize: test-deps
	@Scripts/sanitize

## simulate: years of devices and a server that fail; SEED=0x2a replays one, SEEDS=1000 runs many
simulate: $(if $(BUGS),deps,simulator)
	@$(SIMULATOR)

## simulate-bugs: switches on one mutation of a rule after another, and says how many seeds find it
simulate-bugs: deps
	@BUGS=all Tests/Mutation/simulator

## law: all that two devices and one record can go through; DEPTH=4, or ACTIONS=copies deeper
law: $(if $(BUGS),deps,simulator)
	@LAW=$(or $(DEPTH),4) $(SIMULATOR)

# A separate build directory: mutations are compiled in and must never get into a release.
simulator: deps
	@$(SWIFT) build -c release --scratch-path .build/simulation --product simulate

## mutations: makes one mistake after another in a copy, and says what tests miss; hours
mutations: test-deps
	@Tests/Mutation/run $(BUGS)

## compatibility: a daemon from before Trunk carries a garden; SERVER=COMMIT is another one; minutes
compatibility: build
	@Tests/Compatibility/run .build/debug $(if $(SERVER),--server $(SERVER))

## install: programs, completions, manual pages, systemd unit; PREFIX=/usr/local, DESTDIR=
install:
	@Scripts/install install $(RELEASE)

## dist: a tarball and Debian packages in dist/
dist: release
	@Scripts/install-missing dist
	@Scripts/dist $(RELEASE) dist

## dist-check: installs, upgrades and purges the packages in a bare Debian; needs root, a minute
dist-check:
	@Scripts/install-missing dist
	@Tests/Install/packages $(RELEASE)

## dist-reproduce: builds the last commit in two folders, and compares the packages; half an hour
dist-reproduce:
	@Scripts/install-missing dist
	@Tests/Install/reproduce

## uninstall: takes them away; replicas and the server's data stay
uninstall:
	@Scripts/install uninstall $(RELEASE)

# Link Swift's libraries statically: programs are copied to machines without a toolchain. Paths in
# messages of assertions begin at this folder, wherever it is: the same commit gives the same bytes.
RELEASE_FLAGS = -c release --static-swift-stdlib -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. \
	-Xcc -ffile-prefix-map=$(CURDIR)=. -Xcxx -ffile-prefix-map=$(CURDIR)=.
release: export ATREST_COMMIT = $(shell git rev-parse --short=12 HEAD 2> /dev/null)
release: deps .build/web/assets.json
	@Scripts/embed-web
	@for program in atrest-syncd atrest trunk atrest-lab; do \
		$(SWIFT) build $(RELEASE_FLAGS) --product $$program || exit; done

# The browser's app, for the daemon to serve. Two minutes; a toolchain without Embedded Swift for
# WebAssembly leaves it out.
.build/web/assets.json: $(addprefix Scripts/,build-web embedded-swift embedded.mk) $(shell find \
		Client/web $(addprefix Sources/Atrest,Replication Domain Presentation Wire Sync Transfer) \
		Sources/TrunkDomain Sources/TrunkPresentation -type f) | deps
	@echo "Building the browser's app takes two minutes."
	@Scripts/build-web .build/web || [ $$? -eq 69 ]

## build: everything, unoptimised and without debug information; `swift build` has it
build: deps
	@Scripts/build

deps:
	@Scripts/install-missing
	@Scripts/pin-packages

test-deps:
	@Scripts/install-missing test
	@Scripts/pin-packages

format:
	@$(SWIFT) format -i -r --parallel Package.swift Sources Server Client Lab Examples Tests \
		Adapters/*/Package.swift Adapters/*/Sources Benchmarks/Package.swift Benchmarks/Sources

protos: deps
	@Scripts/generate-protos

clean:
	@rm -rf .build .venv run dist Benchmarks/.build Adapters/*/.build

# Variables that people pass to `make install`, `make simulate` and `make law`.
export PREFIX DESTDIR SEED SEEDS FIRST DEVICES OPERATIONS FAULTS SURVEY BUGS ACTIONS
