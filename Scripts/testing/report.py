# SPDX-License-Identifier: Apache-2.0
"""What a person, and CI's log, see of the steps: how each ended, the table of times, the count."""

import os
import pathlib
import sys

from testing.machine import processors
from testing.running import Outcome

# Lines of a failed step's log that are shown; the file has all of them.
SHOWN_LINES = 200
# Those that are shown again below the table: a reader of a long log reads its end.
REPEATED_LINES = 8
# How runners begin a line that names what failed.
NAMING = ("✘", "FAIL", "ERROR", "error:")
INDENT = " " * 10


def tell(outcome: Outcome, log: pathlib.Path, done: int, total: int) -> None:
    """Prints how a step ended: the last line of one that passed, the log of one that failed."""
    head = f"[{done:2}/{total}]   {outcome.step.name}: {outcome.verdict}"
    if outcome.seconds:
        head += f" in {outcome.seconds:.0f} s"
    print(f"{head}, {outcome.why}" if outcome.why else head)
    if outcome.seconds:
        lines = log.read_text(errors="replace").splitlines()
        if outcome.verdict != "failed":
            lines = [line for line in lines if line.strip()][-1:]
        elif len(lines) > SHOWN_LINES:
            print(f"{INDENT}(the last {SHOWN_LINES} of {len(lines)} lines; all are in {log})")
            # A runner of tests names what failed where it failed.
            lines = [line for line in lines[:-SHOWN_LINES] if line.startswith("✘")] + lines[-SHOWN_LINES:]
        for line in lines:
            print(f"{INDENT}{line}")
    sys.stdout.flush()


def whole(outcomes: list[Outcome], seconds: float, logs: pathlib.Path) -> str:
    """What a run ends with: the times, what failed, the count."""
    parts = [table(outcomes, seconds), failures(outcomes, logs), summary(outcomes)]
    return "\n\n".join(part for part in parts if part)


def table(outcomes: list[Outcome], seconds: float) -> str:
    """The times of all steps, the longest first; of processes that a step waited for."""
    rows = [f"{'step':24} {'began':>6} {'seconds':>8} {'processor':>10}  "]
    for one in sorted(outcomes, key=lambda one: -one.seconds):
        figures = f"{one.began:6.0f} {one.seconds:8.1f} {one.processor_seconds:10.1f}"
        rows.append(f"{one.step.name:24} {figures if one.seconds else ' ' * 26}  {one.verdict}")
    processor = sum(one.processor_seconds for one in outcomes)
    rows.append(f"{'all':24} {'':6} {seconds:8.1f} {processor:10.1f}")
    rows.append(f"{processors():g} processors, load of the last five minutes {os.getloadavg()[1]:.1f}")
    return "\n".join(rows)


def failures(outcomes: list[Outcome], logs: pathlib.Path) -> str:
    """What failed in each failed step, or how its log ends; empty if none failed."""
    shown = []
    for one in outcomes:
        if one.is_good:
            continue
        shown.append(f"{one.step.name}: {one.verdict}" + (f", {one.why}" if one.why else ""))
        log = logs / f"{one.step.name}.log"
        if one.seconds and log.exists():
            lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
            told = [line for line in lines if line.startswith(NAMING) or ": error:" in line] or lines
            shown += [f"{INDENT}{line[:200]}" for line in told[-REPEATED_LINES:]]
    return "\n".join(shown)


def summary(outcomes: list[Outcome]) -> str:
    """One line, as runners of tests end with it."""
    passed = sum(one.verdict == "passed" for one in outcomes)
    failed = sum(not one.is_good for one in outcomes)
    skipped = len(outcomes) - passed - failed
    return f"Steps: {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
