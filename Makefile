# What people do with this repository. Each target installs what it misses and says so first.

SWIFT ?= swift
RELEASE := .build/release

.PHONY: demo run test bench chaos build release deps format protos clean

## demo: a server, a phone and a tablet, conflicting edits, and how they agree
demo: release
	@Scripts/demo $(RELEASE)

## run: a server that stays; data in run/, on 127.0.0.1:7443
run: release
	@$(RELEASE)/atrest-syncd serve --data run --listen 127.0.0.1:7443

## test: everything CI checks
test: deps
	@Scripts/test

## bench: figures, with their peers, in one run
bench: release
	@Scripts/install-missing bench
	@Benchmarks/run

## chaos: the real programs killed at every system call, on full disks, over cut connections; about an hour
chaos: release
	@Scripts/install-missing chaos
	@Tests/Chaos/run $(RELEASE) --full

release: deps
	@$(SWIFT) build -c release --product atrest-syncd
	@$(SWIFT) build -c release --product atrest

build: deps
	@$(SWIFT) build

deps:
	@Scripts/install-missing

format:
	@$(SWIFT) format -i -r --parallel Package.swift Sources Server Client Lab Tests \
		Benchmarks/Package.swift Benchmarks/Sources

protos: deps
	@Scripts/generate-protos

clean:
	@rm -rf .build .venv run Benchmarks/.build
