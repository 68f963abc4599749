# SPDX-License-Identifier: Apache-2.0
"""Makes one of the system calls of a program its last one, or fail, or all from that one on."""

import collections
import pathlib
import platform
import subprocess
import sys
from typing import NamedTuple

import tracer

# Every call that changes a file, a directory or another process.
CALLS = tuple(tracer.NUMBERS)
# Calls that use the disk and may report its failure.
STORAGE = (
    *("pwrite64", "pwritev", "fsync", "fdatasync", "fallocate", "ftruncate"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat"),
)
SYNCS = {"fsync", "fdatasync"}
KILL = "KILL"


class Fault(NamedTuple):
    """What happens at which of these calls."""

    calls: tuple
    what: str
    nth: int
    forever: bool = False

    def prefix(self, trace):
        return traced(trace, self.calls, f"{self.what}:{self.nth}{'+' if self.forever else ''}")

    def __str__(self):
        which = "writing" if self.calls == CALLS else "storage"
        return f"{self.what} at {which} call {self.nth}{' and after' if self.forever else ''}"


def traced(trace, calls=CALLS, fault="none"):
    """What to put before a command."""
    return [sys.executable, "-I", "-S", tracer.__file__, str(trace), ",".join(calls), fault]


def reason_not_to():
    """Why this cannot be done here; empty if it can."""
    if platform.machine() != "x86_64":
        return "system calls are traced on x86-64 only"
    done = subprocess.run([*traced("/dev/null"), "true"], capture_output=True, text=True)
    return (
        "" if done.returncode == 0 else f"nothing can be traced here: {done.stderr[-200:].strip()}"
    )


def seen(trace: pathlib.Path):
    """How often each call was made, by name."""
    names = (line.split()[1] for line in trace.read_text().splitlines())
    return collections.Counter(name for name in names if name in tracer.NUMBERS)


def injected(trace: pathlib.Path, is_working=False):
    """The calls that met the fault: pairs of a name, and the name of the file it was for. Only
    those made before the program was asked to end, if wanted."""
    met = set()
    for line in trace.read_text().splitlines():
        words = line.split(maxsplit=3)
        if is_working and words[1] == "asked-to-end":
            break
        if len(words) > 3:
            met.add((words[1], pathlib.Path(words[3]).name))
    return met


def faults(counted, *, calls, whats, forevers=(False,), step=1, offset=0):
    """Every fault there is within what was counted; every `step`th of them, from `offset` on."""
    total = sum(counted[call] for call in calls)
    every = [
        Fault(calls, what, nth, forever)
        for what in whats
        for forever in forevers
        for nth in range(1, total + 1)
    ]
    return every[offset % step :: step]
