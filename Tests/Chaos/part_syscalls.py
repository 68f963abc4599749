# SPDX-License-Identifier: Apache-2.0
"""Every system call that writes is, in turn, the last one of the daemon or of a command, or fails:
once, or from then on."""

import contextlib
import signal
import subprocess

import grpc

import syscalls
from result import Result
from scene import Scene
from world import LIMIT_SECONDS

ERRORS = ("EIO", "ENOSPC")
STOP_SECONDS = 25
LOG = "atrest.db-wal"  # The file that a commit syncs.
CRASHES = {-signal.SIGILL, -signal.SIGTRAP, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS}


def daemon(binaries, folder, *, kill_step, error_step, offset=0):
    """A push and a pull by a stranger and two companions, from the daemon's start to its end."""
    return sweep("syscalls, daemon", DaemonRun, binaries, folder, kill_step, error_step, offset)


def command(binaries, folder, *, kill_step, error_step, offset=0):
    """A write and a sync of a companion that has something to push and something to pull."""
    return sweep("syscalls, atrest", CommandRun, binaries, folder, kill_step, error_step, offset)


def sweep(
    name, kind, binaries, folder, kill_step, error_step, offset, prepare=Scene.prepare
):
    """Counts what an attempt calls, on a copy of what `prepare` makes, and makes each call fail."""
    result = Result(name)
    reason = syscalls.reason_not_to()
    if reason:
        return result.skip(reason).done()
    original = prepare(binaries, folder / "original")
    attempt = kind(original, folder / "copy", folder / "trace")
    counts = []
    for _ in range(3):
        attempt.run(None, result)
        counts.append(syscalls.seen(attempt.trace))
    counted = max(counts, key=lambda counter: counter.total())
    result.notes.append(
        "calls: " + ", ".join(f"{count} {call}" for call, count in sorted(counted.items()))
    )
    wanted = syscalls.faults(
        counted, calls=syscalls.CALLS, whats=[syscalls.KILL], step=kill_step, offset=offset
    ) + syscalls.faults(
        counted,
        calls=syscalls.STORAGE,
        whats=ERRORS,
        forevers=(False, True),
        step=error_step,
        offset=offset,
    )
    # Thread wake-ups differ between runs, so the last few calls may not be reached.
    hits = sum(attempt.run(fault, result) for fault in wanted)
    result.notes.append(f"{hits} of {len(wanted)} faults met their call")
    if attempt.untold:
        result.notes.append(f"not synced, and ended with 0: {', '.join(sorted(attempt.untold))}")
    return result.done()


class Run:
    """One attempt after the other, each on a fresh copy of the scene."""

    def __init__(self, original, copy, trace):
        self.original, self.copy, self.trace = original, copy, trace
        self.untold = set()  # Files whose sync failed without a failing exit status.

    def run(self, fault, result):
        """Returns whether the fault came about."""
        scene = self.original.copy(self.copy)
        self.trace.write_text("")
        prefix = fault.prefix(self.trace) if fault else syscalls.traced(self.trace)
        try:
            is_hit, complaint = self.act(scene, fault, prefix)
            if complaint:
                result.wrong(f"{fault}: {complaint}")
            scene.settle()
            verdict = scene.verdict()
            result.acknowledged += verdict.acknowledged
            result.lost += verdict.lost
            result.problems += [f"{fault}: {problem}" for problem in verdict.problems]
        except Exception as error:
            is_hit = True
            log = scene.server.log_tail()[-300:] if scene.server.log.exists() else ""
            result.wrong(f"{fault}: {type(error).__name__}: {error} {log}")
        finally:
            scene.end()
        result.cycles += is_hit
        return is_hit


class DaemonRun(Run):
    def act(self, scene, fault, prefix):
        server = scene.server
        before = server.log.stat().st_size
        with open(server.log, "ab") as log:
            server.process = server.spawn(prefix=prefix, log=log)
        is_up = b"listening" in server._first_line(LIMIT_SECONDS).encode()
        scene.meet()
        if is_up:
            self.session(scene)
            with contextlib.suppress(ProcessLookupError):
                server.process.send_signal(signal.SIGTERM)
        try:
            code = server.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return True, "the daemon neither worked nor ended"
        said = server.log.read_bytes()[before:]
        return bool(syscalls.injected(self.trace)), self.complaint(fault, code, said)

    def session(self, scene):
        """Stops when the daemon does: commands would wait for it."""
        for _ in range(3):
            scene.stranger_writes()
        scene.write("phone")
        pushes = [scene.stranger.sync, lambda: scene.companions["phone"].run("sync")]
        pulls = [scene.stranger.sync, lambda: scene.companions["tablet"].run("sync")]
        for step in [*pushes, scene.stranger_writes, *pulls]:
            if scene.server.process.poll() is None:
                with contextlib.suppress(grpc.RpcError):
                    step()

    def complaint(self, fault, code, said):
        if fault is None:
            return None if code == 0 else f"ended with {code}"
        if fault.what == syscalls.KILL:
            return None if code in (0, -signal.SIGKILL) else f"ended with {code}"
        if code in CRASHES:
            return f"crashed with {-code}"
        if code > 0 and not said:
            return f"ended with {code} and said nothing"
        if code == 0 and fault.what == "EIO":
            self.untold |= unsynced(syscalls.injected(self.trace))
            if LOG in unsynced(syscalls.injected(self.trace, is_working=True)):
                return "a commit was not synced, and it ended as if nothing had been"
        return None


def unsynced(met):
    return {file for call, file in met if call in syscalls.SYNCS}


class CommandRun(Run):
    def act(self, scene, fault, prefix):
        scene.server.up()
        scene.meet()
        scene.stranger_writes()
        scene.stranger.sync()
        # Both commands meet the fault. The second one also meets the first one's leftovers.
        first = scene.write("phone", prefix=prefix)
        of_first = self.trace.read_text()
        is_hit = bool(syscalls.injected(self.trace))
        self.trace.write_text("")
        second = scene.companions["phone"].run("sync", prefix=prefix)
        is_hit |= bool(syscalls.injected(self.trace))
        # The longer trace determines the number of faults to try.
        self.trace.write_text(max(of_first, self.trace.read_text(), key=len))
        for done in (first, second):
            if done.returncode in CRASHES:
                return is_hit, f"crashed with {-done.returncode}: {done.stderr.strip()}"
            if done.returncode > 0 and not done.stderr.strip():
                return is_hit, f"ended with {done.returncode} and said nothing"
            if fault is None and done.returncode:
                return is_hit, f"ended with {done.returncode}: {done.stderr.strip()}"
        return is_hit, None
