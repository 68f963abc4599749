# SPDX-License-Identifier: Apache-2.0
"""Damage to the write-ahead log: cut anywhere, or a bit turned over. The server may have lost what
it acknowledged; its devices, which hold it, must notice and bring it back. Or the server says that
it cannot start."""

import random
import struct

from result import Result
from scene import Scene
from world import LIMIT_SECONDS

WAL_HEADER, FRAME_HEADER = 32, 24


def run(binaries, folder, *, step, flips, seed, offset=0):
    """Every `step`th cut at, before and after the end of a frame, and so many bits."""
    result = Result("damaged WAL")
    original, memory = prepare(binaries, folder / "original")
    wal = (folder / "original" / "data" / "atrest.db-wal").read_bytes()
    rng = random.Random(seed)
    damages = [cut(wal, at) for at in cuts(wal)[offset % step :: step]]
    damages += [flip(wal, rng.randrange(len(wal)), rng.randrange(8)) for _ in range(flips)]
    restarted = refused = 0
    for what, damaged in damages:
        scene = original.copy(folder / "copy")
        (scene.folder / "data" / "atrest.db-wal").write_bytes(damaged)
        try:
            if not starts(scene, what, result):
                refused += 1
                continue
            scene.meet().remember(memory)
            scene.settle()
            if scene.stranger.restarts:
                restarted += 1
                if not scene.server.complaints():
                    result.wrong(f"{what}: the owner was not told that something is lost")
            verdict = scene.verdict()
            result.acknowledged += verdict.acknowledged
            result.lost += verdict.lost
            result.problems += [f"{what}: {problem}" for problem in verdict.problems]
        except Exception as error:
            result.wrong(
                f"{what}: {type(error).__name__}: {error} {scene.server.log_tail()[-300:]}"
            )
        finally:
            scene.end()
        result.cycles += 1
    result.notes.append(
        f"{len(wal):,} bytes of log; the stranger was told of a loss {restarted} times, "
        f"the daemon refused to start {refused} times"
    )
    return result.done()


def prepare(binaries, folder):
    """A server that was killed with everything in its log; each device holds something that nobody
    else does."""
    scene = Scene.prepare(binaries, folder)
    try:
        scene.server.up()
        scene.meet()
        for _ in range(4):
            for _ in range(3):
                scene.stranger_writes()
            scene.stranger.sync()
            for name in scene.companions:
                scene.write(name)
                scene.companions[name].say("sync")
        for _ in range(3):
            scene.stranger_writes()
        scene.stranger.sync()
        memory = scene.stranger.memory()
    finally:
        scene.end()
    scene.server.log.write_text("")
    return scene, memory


def cuts(wal):
    """Lengths to cut to: around the end of every frame, and of the header."""
    page = struct.unpack(">I", wal[8:12])[0]
    ends = range(WAL_HEADER, len(wal) + 1, FRAME_HEADER + page)
    wanted = {0, 1} | {end + more for end in ends for more in (-1, 0, 1)}
    return sorted(length for length in wanted if length < len(wal))


def cut(wal, at):
    return f"cut to {at} of {len(wal)}", wal[:at]


def flip(wal, at, bit):
    damaged = bytearray(wal)
    damaged[at] ^= 1 << bit
    return f"bit {bit} of byte {at}", bytes(damaged)


def starts(scene, what, result):
    """Whether it starts. If it does not, it has to say why, and to end."""
    with open(scene.server.log, "ab") as log:
        scene.server.process = process = scene.server.spawn(log=log)
    if "listening" in scene.server._first_line(LIMIT_SECONDS):
        return True
    code = process.wait(LIMIT_SECONDS)
    if code <= 0 or not scene.server.log_tail().strip():
        result.wrong(f"{what}: ended with {code}: {scene.server.log_tail()[-300:]}")
    return False
