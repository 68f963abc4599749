# SPDX-License-Identifier: Apache-2.0
"""A step that runs: its process, its log, its end, and the end of all that it started."""

import os
import pathlib
import signal
import subprocess
import time
from dataclasses import dataclass

from testing.step import Step

# How long a step that is told to end, and what a step that has ended leaves, may take to stop.
GRACE_SECONDS = 20
# What a step starts carries this variable, by which it is found if it outlives the step.
MARK = "ATREST_STEP"
# sysexits.h: the machine lacks something, as a toolchain for WebAssembly. The step says what.
UNAVAILABLE = 69


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


class Running:
    """A started step, in its own session."""

    def __init__(self, step: Step, log: pathlib.Path, root: pathlib.Path):
        self.step, self.log, self.began = step, log, time.monotonic()
        self.mark = f"{step.name}-{os.getpid()}"
        self.why, self.told_after = "", 0.0
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
        """Asks all of it to stop, and makes it stop when it has had time to. Waits for neither."""
        if not self.why:
            self.why, self.told_after = why, self.seconds
            self._signal(signal.SIGTERM)
        elif self.seconds > self.told_after + GRACE_SECONDS:
            self._signal(signal.SIGKILL)

    def kill(self) -> None:
        """Ends all of it at once."""
        self._signal(signal.SIGKILL)
        if self.usage is None:
            self.process.wait()

    def outcome(self) -> Outcome | None:
        """How it ended; nothing while it, or what it started, still runs."""
        if self.usage is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid == 0:
                return None
            self.usage, self.duration = usage, self.seconds
            self.process.returncode = os.waitstatus_to_exitcode(status)
        # A server that follows its test's end is given time for it.
        left = _marked(self.mark)
        if left and self.seconds < self.duration + GRACE_SECONDS:
            return None
        self._signal(signal.SIGKILL)
        return Outcome(
            self.step, *self._verdict(left), self.began, self.duration,
            self.usage.ru_utime + self.usage.ru_stime,
        )

    def _verdict(self, left: dict[int, str]) -> tuple[str, str]:
        status = self.process.returncode
        if self.why:
            return "failed", self.why
        if left:
            return "failed", f"left processes behind: {', '.join(left.values())}"
        if status == UNAVAILABLE:
            return "left out", "this machine cannot run it; its log says why"
        return ("passed", "") if status == 0 else ("failed", f"status {status}")

    def _signal(self, number: signal.Signals) -> None:
        """Signals every process of the step, in any process group; repeats while new ones appear."""
        seen = set()
        while found := set(_marked(self.mark)) - seen:
            seen |= found
            for process in found:
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass  # It ended by itself.


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
            continue  # It ended meanwhile, or belongs to another user.
    return found
