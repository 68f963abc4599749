# SPDX-License-Identifier: Apache-2.0
"""Makes a system call of a process fail, or its last, by strace. Counts are strace's: for each thread and call on its own."""

import re
import shutil
import subprocess
from typing import NamedTuple

# Whatever changes a file, a folder or another process.
CALLS = (
    "write writev pwrite64 pwritev pwritev2 fsync fdatasync sync_file_range fallocate ftruncate "
    "rename renameat renameat2 unlink unlinkat mkdir mkdirat link linkat symlinkat chmod fchmod "
    "fchmodat sendto sendmsg"
).split()
# What touches the disk, and may report that it failed.
STORAGE = (
    "pwrite64 pwritev fsync fdatasync fallocate ftruncate rename renameat renameat2 unlink unlinkat"
).split()
KILL = "signal=SIGKILL"


class Fault(NamedTuple):
    """What happens at which occurrence of which call."""

    call: str
    what: str
    nth: int
    forever: bool = False

    def prefix(self, trace):
        when = f"{self.nth}{'+' if self.forever else ''}"
        return strace(trace) + ["-e", f"inject={self.call}:{self.what}:when={when}"]

    def __str__(self):
        return f"{self.call} {self.what} at {self.nth}{' and after' if self.forever else ''}"


def strace(trace):
    # -D: the traced program stays this process's child, so its signals and its exit status are its own.
    calls = ",".join("?" + call for call in CALLS)
    return ["strace", "-D", "-f", "-qq", "--seccomp-bpf", "-o", str(trace), "-e", f"trace={calls}"]


def reason_not_to():
    """Why strace cannot be used here; empty if it can."""
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run(
        ["strace", "-f", "--seccomp-bpf", "-e", "inject=write:error=EIO:when=1", "true"],
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else f"strace does not work here: {done.stderr.strip()}"


LINE = re.compile(r"^(\d+) +(\w+)\(")


def counts(trace):
    """How often each call occurs in the thread that makes it most."""
    seen = {}
    for line in trace.read_text(errors="replace").splitlines():
        match = LINE.match(line)
        if match:
            seen[match.groups()] = seen.get(match.groups(), 0) + 1
    most = {}
    for (_, call), count in seen.items():
        most[call] = max(most.get(call, 0), count)
    return most


def was_injected(trace):
    return "(INJECTED)" in trace.read_text(errors="replace")


def faults(counted, *, calls, whats, forevers=(False,), step=1, offset=0):
    """Every fault there is within what was counted; every `step`th of them, from `offset` on."""
    every = [
        Fault(call, what, nth, forever)
        for what in whats
        for forever in forevers
        for call in calls
        for nth in range(1, counted.get(call, 0) + 1)
    ]
    return every[offset % step :: step]
