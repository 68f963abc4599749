# SPDX-License-Identifier: Apache-2.0
"""Runs the parts one after the other and prints what each found."""

import argparse
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile

import part_bits
import part_cut
import part_disk
import part_herd
import part_history
import part_huge
import part_kill
import part_nodes
import part_nodes_disk
import part_odd
import part_syscalls
import part_upgrade
import part_wal
from result import HEAD, Result, details, line

# The thoroughness of each mode. `brief` is for every change, `short` for `make soak`, `full` is
# `make chaos`, and `long` is `full` with more kills. A step of n takes every nth case. The seed
# determines which.
SHORT = {
    "cycles": 300,
    "acknowledged": 0,
    "kill_step": 9,
    "error_step": 17,
    "wal_step": 29,
    "flips": 8,
    "cut_step": 13,
    "big_cut_step": 61,
    "clients": 1_000,
    "records": 30_000,
    "node_kills": 0,
    "node_acknowledged": 0,
    "node_faults": 4,
    "way_step": 1,
    "room_step": 1,
}
# One of everything: half a minute of kills, and a few of each kind of fault.
BRIEF = SHORT | {
    "cycles": 40,
    "kill_step": 61,
    "error_step": 97,
    "wal_step": 149,
    "flips": 2,
    "cut_step": 61,
    "big_cut_step": 251,
    "clients": 200,
    "records": 5_000,
    "node_faults": 1,
    "way_step": 2,
    "room_step": 3,
}
FULL = dict.fromkeys(SHORT, 1) | {
    "cycles": 1_000,
    "acknowledged": 0,
    "flips": 300,
    "clients": 10_000,
    "records": 1_000_000,
    "node_kills": 300,
    "node_acknowledged": 0,
    "node_faults": 20,
}
LONG = FULL | {
    "cycles": 10_000,
    "acknowledged": 1_000_000,
    "node_kills": 2_000,
    "node_acknowledged": 200_000,
}
# The parts that kill processes, those of earlier formats included. `make test` runs them beside
# the others.
KILLS = (
    "daemon-syscalls",
    "command-syscalls",
    "daemon-upgrade",
    "command-upgrade",
    "daemon-first",
    "command-first",
    "nodes",
    "kill",
)
MODES = {"brief": BRIEF, "short": SHORT, "full": FULL, "long": LONG}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", type=pathlib.Path, required=True)
    mode = parser.add_mutually_exclusive_group()
    for name in MODES:
        mode.add_argument(f"--{name}", dest="mode", action="store_const", const=name)
    parser.add_argument("--only", action="append", metavar="PART", help="run only these parts")
    parser.add_argument(
        "--kills",
        action=argparse.BooleanOptionalAction,
        help="run only the parts that kill, or only the others",
    )
    parser.add_argument("--seed", help="of every random choice; printed at the start")
    parser.add_argument("--cycles", type=int, help="kills")
    parser.add_argument(
        "--acknowledged", type=int, help="acknowledged writes under kills, at least"
    )
    parser.add_argument(
        "--folder", type=pathlib.Path, help="keep the world here, and go on with it"
    )
    parser.set_defaults(mode="short")
    return parser.parse_args()


def parts(options, mode):
    """Name to what runs it: a function of the binaries and an empty folder."""
    cycles = options.cycles or mode["cycles"]
    acknowledged = mode["acknowledged"] if options.acknowledged is None else options.acknowledged
    offset = int(options.seed, 36) if options.mode in ("brief", "short") else 0
    binaries = options.binaries
    steps = {"kill_step": mode["kill_step"], "error_step": mode["error_step"], "offset": offset}
    first = {"version": part_upgrade.FIRST}
    return {
        "faults": lambda folder: part_odd.run(binaries, folder),
        "disk": lambda folder: part_disk.run(binaries, folder),
        "daemon-syscalls": lambda folder: part_syscalls.daemon(binaries, folder, **steps),
        "command-syscalls": lambda folder: part_syscalls.command(binaries, folder, **steps),
        "daemon-upgrade": lambda folder: part_upgrade.daemon(binaries, folder, **steps),
        "command-upgrade": lambda folder: part_upgrade.command(binaries, folder, **steps),
        "daemon-first": lambda folder: part_upgrade.daemon(binaries, folder, **steps, **first),
        "command-first": lambda folder: part_upgrade.command(binaries, folder, **steps, **first),
        "wal": lambda folder: part_wal.run(
            binaries,
            folder,
            step=mode["wal_step"],
            flips=mode["flips"],
            seed=options.seed,
            offset=offset,
        ),
        "bits": lambda folder: part_bits.run(
            binaries, folder, flips=mode["flips"], seed=options.seed
        ),
        "cut": lambda folder: part_cut.stranger(
            binaries, folder, step=mode["big_cut_step"], offset=offset
        ),
        "cut-command": lambda folder: part_cut.companion(
            binaries, folder, step=mode["cut_step"], offset=offset
        ),
        "herd": lambda folder: part_herd.run(binaries, folder, clients=mode["clients"]),
        "huge": lambda folder: part_huge.run(binaries, folder, records=mode["records"]),
        "history": lambda folder: part_history.run(
            binaries, folder, step=mode["way_step"], offset=offset
        ),
        "nodes-disk": lambda folder: part_nodes_disk.run(
            binaries, folder, step=mode["room_step"], offset=offset
        ),
        "nodes": lambda folder: part_nodes.run(
            binaries,
            folder,
            seed=options.seed,
            kills=options.cycles or mode["node_kills"],
            acknowledged=mode["node_acknowledged"]
            if options.acknowledged is None
            else options.acknowledged,
            faults=mode["node_faults"],
        ),
        "kill": lambda folder: part_kill.run(
            binaries,
            options.folder or folder,
            seed=options.seed,
            cycles=cycles,
            acknowledged=acknowledged,
            every=min(cycles, 500),
        ),
    }


def left_out(options, known):
    """What --kills leaves out; in `brief`, by the seed, one half of the upgrades, too."""
    others = {name for name in known if options.kills not in (None, name in KILLS)}
    if options.mode != "brief":
        return others
    halves = ("daemon-upgrade", "command-first"), ("daemon-first", "command-upgrade")
    return others | set(halves[int(options.seed, 36) % 2])


def main():
    options = arguments()
    options.seed = options.seed or f"{random.SystemRandom().randrange(1 << 32):x}"
    # Even if they were ignored before, so that running children are terminated and cleaned up.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    known = parts(options, MODES[options.mode])
    wanted = options.only or [name for name in known if name not in left_out(options, known)]
    for name in wanted:
        if name not in known:
            sys.exit(f"there is no part {name}; there are {', '.join(known)}")
    print(f"chaos: {options.mode}, --seed {options.seed}", HEAD, sep="\n", flush=True)
    results = []
    top = pathlib.Path(tempfile.mkdtemp(prefix="atrest-chaos-"))
    try:
        for name in wanted:
            folder = top / name
            folder.mkdir()
            result = attempt(name, known[name], folder)
            results.append(result)
            print(line(result), *details(result), sep="\n", flush=True)
            is_kept = result.problems and "ATREST_KEEP" in os.environ
            if not is_kept:
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        if not any(top.iterdir()):
            top.rmdir()
        elif "ATREST_KEEP" not in os.environ:
            shutil.rmtree(top, ignore_errors=True)
        else:
            print(f"kept in {top}")
    sys.exit(1 if any(r.problems or r.lost for r in results) else 0)


def attempt(name, run, folder):
    """A part that breaks is a part that failed; the others still run."""
    result = Result(name)
    try:
        return run(folder)
    except Exception as error:
        return result.wrong(f"{type(error).__name__}: {error}").done()


if __name__ == "__main__":
    main()
