# SPDX-License-Identifier: Apache-2.0
"""What a part of the run found, and the table of all of them."""

import time
from dataclasses import dataclass, field
from typing import List


@dataclass
class Result:
    """One line of the table."""

    part: str
    cycles: int = 0
    acknowledged: int = 0
    lost: int = 0
    problems: List[str] = field(default_factory=list)
    skipped: str = ""
    notes: List[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0

    def take(self, verdict):
        self.acknowledged += verdict.acknowledged
        self.lost += verdict.lost
        self.problems += verdict.problems

    def wrong(self, sentence):
        self.problems.append(sentence)
        return self

    def skip(self, reason):
        self.skipped = reason
        return self

    def done(self):
        self.seconds = time.monotonic() - self.started
        return self

    @property
    def word(self):
        return "skipped" if self.skipped else "FAILED" if self.problems or self.lost else "ok"


HEAD = f"{'part':<18} {'cycles':>8} {'acknowledged':>13} {'lost':>6} {'seconds':>8}  "


def line(result):
    return (
        f"{result.part:<18} {result.cycles:>8,} {result.acknowledged:>13,} {result.lost:>6,} "
        f"{result.seconds:>8.1f}  {result.word}"
    )


def details(result, shown=12):
    yield from (f"    {note}" for note in result.notes)
    if result.skipped:
        yield f"    skipped: {result.skipped}"
    yield from (f"    {problem}" for problem in result.problems[:shown])
    if len(result.problems) > shown:
        yield f"    and {len(result.problems) - shown} more"
