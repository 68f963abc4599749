# SPDX-License-Identifier: Apache-2.0
"""Runs steps beside each other, as far as processors and memory allow, each with its own log."""

import fcntl
import pathlib
import signal
import sys
import time

from testing.machine import memory_gib, processors
from testing.report import tell
from testing.running import Outcome, Running
from testing.step import Step


class Interruption:
    """Whether a signal asked the whole run to end. It installs the handlers: one per program."""

    def __init__(self):
        self.is_wanted = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note)

    def _note(self, *_):
        self.is_wanted = True


def lock(folder: pathlib.Path):
    """Keeps others that build in, or test, this folder's `.build` away until the program ends."""
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / "testing.lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("Another make check, test or soak uses this build. Wait for it, or use a clone of your own.")
    return file


class Schedule:
    """Steps that wait, run and have ended.

    Of several that can start, one that keeps more than one processor busy does, which would find no
    room among small ones later; then the one that takes longest. A step whose forerunner failed is
    not begun; all others run, so that one run names every failure.
    """

    def __init__(self, steps: list[Step], root: pathlib.Path, logs: pathlib.Path, stop: Interruption):
        self.steps, self.root, self.logs, self.stop = steps, root, logs, stop
        self.waiting, self.running = sorted(steps, key=lambda one: (one.cores <= 1, -one.seconds)), []
        self.outcomes: dict[str, Outcome] = {}
        self.began = time.monotonic()
        logs.mkdir(parents=True, exist_ok=True)

    def skips(self, step: Step) -> tuple[str, str] | None:
        """The verdict on a step that need not run, and why. For subclasses."""
        return None

    def begins(self, step: Step) -> None:
        """A step is about to begin. For subclasses."""

    def passes(self, step: Step) -> None:
        """A step has passed. For subclasses."""

    def run(self) -> list[Outcome]:
        """Runs all, and returns how each ended, in their order."""
        try:
            while self.waiting or self.running:
                self._collect()
                for step in list(self.waiting):
                    self._start(step)
                time.sleep(0.1)
        finally:
            for one in self.running:
                one.kill()
        return [self.outcomes[step.name] for step in self.steps]

    def _collect(self) -> None:
        """Takes in what has ended, and ends what is over its limit."""
        for one in list(self.running):
            outcome = one.outcome()
            if outcome:
                self.running.remove(one)
                outcome.began -= self.began
                if outcome.verdict == "passed":
                    self.passes(one.step)
                self._close(outcome)
            elif one.usage is None and self.stop.is_wanted:
                one.end("interrupted")
            elif one.usage is None and one.seconds > one.step.limit:
                one.end(f"hung: over its limit of {one.step.limit} s")

    def _start(self, step: Step) -> None:
        """Starts the step if it can start now; closes it if it never will."""
        names = {one.name for one in self.steps}
        before = [self.outcomes.get(name) for name in step.after if name in names]
        lost = [one for one in before if one and one.verdict in ("failed", "not begun", "left out")]
        if self.stop.is_wanted:
            return self._leave(step, "not begun", "interrupted")
        if lost:
            is_lacking = lost[0].verdict == "left out"
            verdict = "left out" if is_lacking else "not begun"
            return self._leave(step, verdict, f"{lost[0].step.name} {lost[0].verdict}")
        if not all(before) or not self._has_room(step):
            return
        if skipped := self.skips(step):
            return self._leave(step, *skipped)
        self.waiting.remove(step)
        self.begins(step)
        self.running.append(Running(step, self.logs / f"{step.name}.log", self.root))
        print(f"          {step.name} ...", flush=True)

    def _has_room(self, step: Step) -> bool:
        """Whether the step can run beside others. Alone it can, however small the machine."""
        busy = [one.step for one in self.running]
        return not busy or (
            sum(one.cores for one in busy) + step.cores <= processors() + 0.01
            and sum(one.memory for one in busy) + step.memory <= memory_gib() * 0.9
        )

    def _leave(self, step: Step, verdict: str, why: str) -> None:
        self.waiting.remove(step)
        self._close(Outcome(step, verdict, why))

    def _close(self, outcome: Outcome) -> None:
        self.outcomes[outcome.step.name] = outcome
        tell(outcome, self.logs / f"{outcome.step.name}.log", len(self.outcomes), len(self.steps))
