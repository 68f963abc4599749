# SPDX-License-Identifier: Apache-2.0
"""The steps of `make test`: what a change can break, once, on the programs of one build."""

import re
from pathlib import Path

import targets

from testing.step import Step

BUILT = ("build",)
BIN = ".build/debug"
# What the programs of the tests in Python share.
PYTHON = ("Tests/Interop", "Protos")
DAEMON = ("atrest-syncd",)
BOTH = ("atrest-syncd", "atrest")
# Tests of a browser's core: all, those beside the companion, and those without it.
CORE = sorted((targets.ROOT / "Tests/Browser/core").glob("*.test.mjs"))
CORE_BESIDE = [path for path in CORE if re.search(r"terminal\(|'(atrest|trunk)'\)", path.read_text())]
CORE_ALONE = [path for path in CORE if path not in CORE_BESIDE]
# What the web app is made of, beside its sources in Swift, and how.
WEB_APP = ("Client/web", "Scripts/embedded.mk", "Scripts/embedded-swift", "Scripts/build-web")
BROWSER = (*WEB_APP, "Tests/Browser", "Tests/Chaos", *PYTHON)
# The tests in Python that run the companion: an edit of it runs no others of them.
COMPANIONS = "test_companion.py test_example_clients.py"

# Tests that wait for programs, or for a server with five-minute codes, run apart from those that
# compute: a test must not wait behind hundreds of others until its code has ended. Foundation's
# Process, which they use, reads beyond a buffer once some 1,365 descriptors are open, which all
# tests together have.
PROGRAMS = r"^(AtrestTests|Integration)\.|OpenSSLCommandTests"
DATABASE = (
    r"^AtrestPostgreSQLTests\.|^AtrestServerTests\.(StoreContract|Archives|Postgres)"
    r"|^Integration\.NodesTests"
)
SERVER = r"^AtrestServerTests\."
SIMULATION = r"^AtrestSimulationTests\."


def swift_tests(only: str = "", skip: tuple[str, ...] = ()) -> str:
    """Runs tests of the built test program; every fifth case of those that draw at random."""
    words = [f"SYNC_SHARE=${{SYNC_SHARE:-5}} Scripts/run-tests"]
    words += [f"--filter '{only}'"] if only else []
    words += [f"--skip '{one}'" for one in skip]
    return " ".join(words)


def without(files: str) -> str:
    """What has pytest leave these files out."""
    return " ".join(f"--ignore={name}" for name in files.split())


def core_tests(web: str, tests: list[Path]) -> str:
    """Tests the core of the app in this folder in node."""
    files = " ".join(str(path.relative_to(targets.ROOT)) for path in tests)
    return f"WEB={web} CORE={web}/files/atrest-core.wasm node --test {files}"


STEPS = [
    Step(
        "format", "Code is formatted as swift format does; comments, words, links and types of pages hold",
        "Scripts/lint", 300, 45, paths=("Sources", "Server", "Client", "Lab", "Examples", "Tests",
        "Adapters", "Benchmarks", "Scripts", "docs", "Protos", "README.md", "ARCHITECTURE.md",
        "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Makefile", "Packaging"),
    ),
    Step(
        "mutations-fit", "Every mutation that make soak makes still fits the sources",
        "Tests/Mutation/run --check", 60, 1, paths=("Sources", "Server", "Client", "Tests/Mutation"),
    ),
    Step(
        "build", "Everything compiles without a warning",
        "FATAL_WARNINGS=1 Scripts/build --build-tests", 3000, 550, memory=3, always=True,
    ),
    Step(
        "wasm", "The portable core compiles as Embedded Swift, for browsers",
        "UNOPTIMIZED=1 Scripts/build-web .build/test/web", 1500, 130, memory=2, programs=("AtrestWeb",),
        paths=WEB_APP,
    ),
    Step(
        "unit", "Every rule of every module, in process",
        swift_tests(skip=(PROGRAMS, DATABASE, SERVER, SIMULATION)), 1200, 130, after=BUILT, cores=1.5, memory=2,
        programs=("AtrestClientTests", "AtrestLabTests", "AtrestFuzzTests", "AtrestWebTests",
                  "AtrestTLSTests", "TrunkTests", "AtrestSyncdTests", "AtrestCompanionTests"),
        paths=("Tests", "docs", "Examples"),
    ),
    Step(
        "server", "Every rule of the server, on SQLite",
        swift_tests(SERVER, (DATABASE,)), 1200, 60, after=BUILT, memory=2,
        programs=("AtrestServerTests",), paths=("docs",),
    ),
    Step(
        "simulator", "One seed, one thread, every fault: sixty histories that no earlier tree had",
        f"SIMULATION_SEEDS=$(Scripts/fresh-seeds --first) {swift_tests(SIMULATION)}", 1200, 60,
        after=BUILT, programs=("AtrestSimulationTests",),
    ),
    Step(
        "programs", "The real programs do and say what is promised",
        swift_tests(PROGRAMS, (DATABASE,)), 1800, 130, after=BUILT, cores=1.5, memory=2,
        programs=("AtrestTests", "Integration", "AtrestTLSTests", "atrest-syncd", "trunk"),
        paths=("Examples/Import",),
    ),
    Step(
        "postgresql", "Both engines of the store keep one contract; servers share a database",
        swift_tests(DATABASE), 900, 140, after=BUILT, cores=0.5, memory=2,
        programs=("AtrestPostgreSQLTests", "AtrestServerTests", "Integration"),
    ),
    Step(
        "examples", "The code that pages show runs",
        f"{BIN}/examples && Examples/Mood/run {BIN} | grep -x 'Byte-identical: true.'", 120, 5,
        after=BUILT, cores=0.5, programs=("examples", "mood", *DAEMON), paths=("Examples",),
    ),
    Step(
        "reference", "The library products export what their API shows, and every symbol is described",
        f"Scripts/reference {BIN}", 600, 40, after=BUILT,
        programs=("AtrestCompanion", "AtrestPresentation", "AtrestRPC", "AtrestTLS"), paths=("Scripts/reference",),
    ),
    Step(
        "heap", "What a peer makes the heap hold is charged to it",
        f"{BIN}/heap --seeds 15", 300, 12, after=BUILT, programs=("heap",),
    ),
    Step(
        "demo", "The demonstration ends with equal replicas",
        f"Scripts/demo {BIN}", 120, 5, after=BUILT, cores=0.5, programs=BOTH, paths=("Scripts/demo",),
    ),
    Step(
        "install", "What is installed is whole, and goes again",
        f"Tests/Install/run {BIN}", 300, 15, after=BUILT,
        programs=(*BOTH, "trunk", "atrest-lab"), paths=("Tests/Install", "Scripts", "Packaging", "docs/operate/examples"),
    ),
    Step(
        "pictures", "The pictures of the pages are what the programs draw",
        f"Scripts/gallery --check {BIN}", 300, 15, after=BUILT, needs="chromium",
        programs=("gallery", "atrest", "trunk"), paths=("docs/use/gallery", "Scripts/gallery"),
    ),
    Step(
        "web-core", "A browser's core, as WebAssembly, computes and syncs like any device, from any step",
        f"UNOPTIMIZED=1 {core_tests('.build/test/web', CORE_ALONE)}",
        600, 45, after=(*BUILT, "wasm"), needs="node", programs=(*DAEMON, "AtrestWeb"),
        paths=(*WEB_APP, "Tests/Browser"),
    ),
    Step(
        "web-core-beside", "What the companion and a browser's core write, each reads, draws and changes",
        f"UNOPTIMIZED=1 {core_tests('.build/test/web', CORE_BESIDE)}",
        600, 30, after=(*BUILT, "wasm"), needs="node", programs=(*BOTH, "trunk", "AtrestWeb"),
        paths=(*WEB_APP, "Tests/Browser"),
    ),
    Step(
        "browser", "The app in a browser keeps what it shows as kept, and can be read and touched",
        f"Tests/Browser/run {BIN} .build/test/web --brief --alone", 1200, 180, cores=1.5, memory=3,
        after=(*BUILT, "wasm"), needs="chromium", programs=(*DAEMON, "AtrestWeb"), paths=BROWSER,
    ),
    Step(
        "browser-beside", "A browser, the companion and a foreign client of one account hold the same after cuts, kills and copies",
        f"Tests/Browser/run {BIN} .build/test/web --brief --beside", 1200, 150, memory=2,
        after=(*BUILT, "wasm"), needs="chromium", programs=(*BOTH, "trunk", "AtrestWeb"), paths=BROWSER,
    ),
    Step(
        "metrics", "A Prometheus reads the metrics",
        f"Tests/Metrics/run {BIN}", 300, 15, after=BUILT, cores=0.5, needs="prometheus",
        programs=BOTH, paths=("Tests/Metrics", "docs/operate"),
    ),
    Step(
        "interop", "A foreign gRPC client and an independent model of the merge agree with us",
        f"ATREST_INTEROP_SECONDS=850 SYNC_CASES=10 Tests/Interop/run {BIN} {without(COMPANIONS)}", 900, 190,
        after=BUILT, cores=0.5, programs=DAEMON, paths=(*PYTHON, "docs", "Examples/python-client", "Scripts/find-proxy"),
    ),
    Step(
        "companions", "The companion and the example clients agree with a foreign client of their account",
        f"ATREST_INTEROP_SECONDS=250 Tests/Interop/run {BIN} {COMPANIONS}", 300, 40, after=BUILT,
        cores=0.5, programs=BOTH, paths=(*PYTHON, "Examples", "Scripts/find-proxy"),
    ),
    Step(
        "proxy", "nginx, Caddy, systemd and backups work as the pages say",
        f"Tests/Proxy/run {BIN}", 600, 25, after=BUILT, cores=0.5, programs=BOTH,
        paths=("Tests/Proxy", "docs/operate/examples", "Scripts/find-proxy"),
    ),
    Step(
        "nodes", "The PostgreSQL servers and the proxy that tests of several nodes use do what they say",
        "Tests/Nodes/cluster.py --check && Tests/Nodes/proxy.py --check", 300, 70, cores=0.5,
        paths=("Tests/Nodes",),
    ),
    Step(
        "chaos", "Nothing acknowledged is lost under full disks, cut connections, damaged files, restores",
        f"Tests/Chaos/run {BIN} --brief --no-kills", 1200, 200, after=BUILT, cores=0.5, memory=2, programs=BOTH,
        paths=("Tests/Chaos", "Tests/Nodes", *PYTHON),
    ),
    Step(
        "kill", "Nothing acknowledged is lost under kill -9, at any system call, of old formats, of one of several nodes",
        f"Tests/Chaos/run {BIN} --brief --kills", 1200, 240, after=BUILT, cores=0.5, memory=2, programs=BOTH,
        paths=("Tests/Chaos", "Tests/Nodes", *PYTHON),
    ),
    Step(
        "attack", "Floods, bombs and stalls leave others' calls quick, and memory bounded",
        f"Tests/Attack/run {BIN} --short --relative --sample 6 --offset $(Scripts/fresh-seeds --first)", 1200, 70, after=BUILT, cores=1.5, memory=2,
        programs=DAEMON, paths=("Tests/Attack", *PYTHON),
    ),
]
