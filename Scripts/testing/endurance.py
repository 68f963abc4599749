# SPDX-License-Identifier: Apache-2.0
"""The steps of `make soak`: the larger forms of those of `make test`, and what needs another build."""

from testing.plan import BIN, BUILT, CORE, STEPS, core_tests
from testing.step import Step

BUILD = next(step for step in STEPS if step.name == "build")
# The app as it is released.
WEB = ".build/soak/web"
# A build of the simulator, optimised, with every mutation behind a switch that is off.
MUTATED = "simulator=$(Tests/Mutation/simulator --build)"

SOAK = [
    Step(
        "seeds", "1,000 histories, and 150 of servers that share a database, that no earlier tree had; the small law, deeper",
        f"{MUTATED}; Scripts/fresh-seeds 1000 \"$simulator\""
        "; STORE=shared OPERATIONS=40 SEEDS=150 \"$simulator\""
        "; LAW=3 \"$simulator\"; ACTIONS=copies LAW=4 \"$simulator\"",
        3600, 700, cores=2, memory=3, extends="simulator",
    ),
    Step(
        "oracle", "The simulator finds every mutation that it is known to find",
        f"{MUTATED}; BUGS=found SEEDS=500 OPERATIONS=40 \"$simulator\"; BUGS=found LAW=4 \"$simulator\"",
        3600, 480, cores=2, memory=3, extends="simulator",
    ),
    Step(
        "portable", "The portable core computes the same bytes and merges as WebAssembly",
        "Scripts/portable-core", 3600, 240, cores=2, memory=3, needs="node", extends="web-core",
    ),
    Step(
        "laws", "Every case of the property tests, on new seeds",
        f"first=$RANDOM$RANDOM; echo \"SYNC_FIRST=$first\"; SYNC_FIRST=$first Scripts/run-tests --skip '^AtrestTests'",
        3600, 900, cores=2, memory=4, after=BUILT, extends="unit",
    ),
    Step(
        "chaos-short", "More kills, and every ninth system call",
        f"Tests/Chaos/run {BIN} --short", 3600, 480, cores=2, memory=3, after=BUILT, extends="kill",
    ),
    Step(
        "chaos-full", "Every system call, a thousand kills, a million records",
        f"Tests/Chaos/run {BIN} --full", 4 * 3600, 3600, cores=2, memory=4, after=BUILT, extends="chaos",
    ),
    Step(
        "attacks", "All attacks, two seconds each",
        f"Tests/Attack/run {BIN} --seconds 2 --relative", 3600, 300, cores=2, memory=3, after=BUILT,
        extends="attack",
    ),
    Step(
        "browsers", "The app as released, within its budget: Firefox beside Chromium, every frame, random fingers",
        f"Scripts/build-web {WEB} && {core_tests(WEB, CORE)} && Tests/Browser/run {BIN} {WEB}", 3600, 600,
        cores=2, memory=4, after=BUILT, needs="chromium", extends="browser",
    ),
    Step(
        "grpc-swift", "The client's calls on grpc-swift",
        f"Adapters/grpc-swift/run {BIN}", 3600, 360, cores=2, memory=3, after=BUILT, extends="unit",
    ),
    Step(
        "address", "Every test under AddressSanitizer",
        "Scripts/sanitize address", 2 * 3600, 2400, cores=2, memory=6, extends="unit",
    ),
    Step(
        "thread", "Every test under ThreadSanitizer",
        "Scripts/sanitize thread", 2 * 3600, 2700, cores=2, memory=6, extends="unit",
    ),
    Step(
        "fuzz", "Every decoder and connection under libFuzzer, a minute each",
        "FUZZ_JOBS=2 Tests/Fuzz/run --seconds 60", 2 * 3600, 1800, cores=2, memory=6, extends="unit",
    ),
    Step(
        "mutations", "The tests notice each of the planted mistakes",
        "Tests/Mutation/run", 8 * 3600, 4 * 3600, cores=2, memory=4, extends="mutations-fit",
    ),
    Step(
        "compatibility", "A daemon from before Trunk carries a garden",
        f"Tests/Compatibility/run {BIN}", 3600, 900, cores=2, memory=3, after=BUILT, extends="chaos",
    ),
]
