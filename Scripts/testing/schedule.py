# SPDX-License-Identifier: Apache-2.0
"""Runs steps beside each other, as far as processors and memory allow, each with its own log."""

import os
import pathlib
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

from testing.step import Step

# How long a step that is told to end may take to stop what it started.
GRACE_SECONDS = 20
# Lines of a failed step's log that are shown; the file has all of them.
SHOWN_LINES = 200
# What a step starts carries this variable, by which it is found if it outlives the step.
MARK = "ATREST_STEP"


@dataclass
class Outcome:
    """How a step ended: `passed`, `failed`, `unchanged`, `left out` or `not begun`."""

    step: Step
    verdict: str
    why: str = ""
    began: float = 0
    seconds: float = 0
    processor_seconds: float = 0

    @property
    def is_good(self) -> bool:
        return self.verdict not in ("failed", "not begun")


class Machine:
    """The processors and the memory that running steps share."""

    def __init__(self):
        self.cores = float(len(os.sched_getaffinity(0)))
        self.memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)

    def has_room(self, step: Step, running: list[Step]) -> bool:
        """Whether the step can run beside others. Alone it always can, however small the machine."""
        return not running or (
            sum(one.cores for one in running) + step.cores <= self.cores + 0.01
            and sum(one.memory for one in running) + step.memory <= self.memory * 0.9
        )


class Running:
    """A step that was started: a session of its own, so that its end is the end of all of it."""

    def __init__(self, step: Step, log: pathlib.Path, root: pathlib.Path):
        self.step, self.log, self.began = step, log, time.monotonic()
        self.mark = f"{step.name}-{os.getpid()}"
        self.why, self.ended = "", 0.0
        self.usage, self.duration = None, 0.0
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", step.command],
                cwd=root, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True, env=os.environ | {MARK: self.mark},
            )

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def end(self, why: str) -> None:
        """Asks it to stop, and makes it stop when it has had time to. Waits for neither."""
        if not self.why:
            self.why, self.ended = why, self.seconds
            self._signal(signal.SIGTERM)
        elif self.seconds > self.ended + GRACE_SECONDS:
            self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass  # It ended by itself.

    def outcome(self) -> Outcome | None:
        """How it ended; nothing while it, or what it started, still runs."""
        if self.usage is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid == 0:
                return None
            self.usage, self.duration = usage, self.seconds
            self.process.returncode = os.waitstatus_to_exitcode(status)
            if not self.why and self.process.returncode != 0:
                self.why = f"status {self.process.returncode}"
        # A server that follows its test's end is given time for it.
        left = _marked(self.mark)
        if left and self.seconds < self.duration + GRACE_SECONDS:
            return None
        for number in left:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if left and not self.why:
            self.why = f"left processes behind: {', '.join(left.values())}"
        return Outcome(
            self.step, "failed" if self.why else "passed", self.why, self.began, self.duration,
            self.usage.ru_utime + self.usage.ru_stime,
        )


def _marked(mark: str) -> dict[int, str]:
    """The processes that carry the mark: their numbers and programs."""
    wanted, found = f"{MARK}={mark}".encode(), {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                name = (folder / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
                found[int(folder.name)] = name or "a process that is ending"
        except OSError:
            continue  # It ended meanwhile, or is somebody else's.
    return found


def run(steps: list[Step], root: pathlib.Path, logs: pathlib.Path, is_done, note) -> list[Outcome]:
    """Runs the steps, and what they have to follow first, and reports each as it ends.

    Of several that can start, the one that takes longest does. A step whose forerunner failed is
    not begun; all others run, so that one run names every failure.

    Parameters:
      is_done: says of a step why it need not run, or nothing.
      note: is called with a step that is about to begin, and returns what is called with its
        outcome.
    """
    logs.mkdir(parents=True, exist_ok=True)
    machine, began = Machine(), time.monotonic()
    waiting, running, outcomes = list(steps), [], {}
    afterwards = {}
    stop = _Stop()

    def close(outcome: Outcome) -> None:
        outcomes[outcome.step.name] = outcome
        _tell(outcome, logs / f"{outcome.step.name}.log", len(outcomes), len(steps))

    while waiting or running:
        for one in list(running):
            outcome = one.outcome()
            if outcome:
                running.remove(one)
                outcome.began -= began
                if outcome.verdict == "passed":
                    afterwards[one.step.name](outcome)
                close(outcome)
            elif one.usage is None and (stop.signal or one.seconds > one.step.limit):
                one.end("interrupted" if stop.signal else f"hung: over its limit of {one.step.limit} s")
        for step in sorted(waiting, key=lambda one: -one.seconds):
            before = [outcomes.get(name) for name in step.after if any(s.name == name for s in steps)]
            if stop.signal or any(one and one.verdict in ("failed", "not begun") for one in before):
                waiting.remove(step)
                close(Outcome(step, "not begun", "interrupted" if stop.signal else "what it needs failed"))
                continue
            if not all(before) or not machine.has_room(step, [one.step for one in running]):
                continue
            waiting.remove(step)
            verdict = is_done(step)
            if verdict:
                close(Outcome(step, *verdict))
                continue
            afterwards[step.name] = note(step)
            running.append(Running(step, logs / f"{step.name}.log", root))
            print(f"          {step.name} ...", flush=True)
        time.sleep(0.1)
    return [outcomes[step.name] for step in steps]


class _Stop:
    """Whether somebody wants the whole run to end."""

    def __init__(self):
        self.signal = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note)

    def _note(self, number, _):
        self.signal = number


def _tell(outcome: Outcome, log: pathlib.Path, done: int, total: int) -> None:
    """Prints how a step ended: the last line of one that passed, the log of one that failed."""
    head = f"[{done:2}/{total}]   {outcome.step.name}: {outcome.verdict}"
    if outcome.seconds:
        head += f" in {outcome.seconds:.0f} s"
    print(f"{head}, {outcome.why}" if outcome.why else head)
    if outcome.verdict in ("passed", "failed"):
        lines = log.read_text(errors="replace").splitlines()
        if outcome.verdict == "passed":
            lines = [line for line in lines if line.strip()][-1:]
        elif len(lines) > SHOWN_LINES:
            print(f"          (the last {SHOWN_LINES} of {len(lines)} lines; all are in {log})")
            lines = lines[-SHOWN_LINES:]
        for line in lines:
            print(f"          {line}")
    sys.stdout.flush()


def table(outcomes: list[Outcome], seconds: float) -> str:
    """The times of all steps, the longest first."""
    rows = [f"{'step':24} {'began':>6} {'seconds':>8} {'processor':>10}  "]
    for one in sorted(outcomes, key=lambda one: -one.seconds):
        figures = f"{one.began:6.0f} {one.seconds:8.1f} {one.processor_seconds:10.1f}"
        rows.append(f"{one.step.name:24} {figures if one.seconds else ' ' * 26}  {one.verdict}")
    processor = sum(one.processor_seconds for one in outcomes)
    rows.append(f"{'all':24} {'':6} {seconds:8.1f} {processor:10.1f}")
    load, cores = os.getloadavg()[1], len(os.sched_getaffinity(0))
    rows.append(f"{cores} processors, load of the last five minutes {load:.1f}")
    return "\n".join(rows)


def summary(outcomes: list[Outcome]) -> str:
    """One line, as runners of tests end with it."""
    count = {verdict: 0 for verdict in ("passed", "failed", "not begun")}
    for one in outcomes:
        count[one.verdict] = count.get(one.verdict, 0) + 1
    failed = count["failed"] + count["not begun"]
    skipped = len(outcomes) - count["passed"] - failed
    return f"Steps: {count['passed']} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
