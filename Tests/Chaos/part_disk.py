# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up, stays full, has room again, and becomes read-only."""

import grpc

from result import Result
from scene import Scene
from small_disk import Disk, report, run_inside
from states import from_feed

SIZE = "100m"
LOW_WATER = 48 << 20


def run(binaries, folder):
    return run_inside(Result("full disk"), __file__, binaries, folder)


def inside(binaries, folder):
    result = Result("full disk")
    disk = Disk(folder / "disk", SIZE)
    original = Scene.prepare(binaries, folder / "original")
    scene = original.copy(disk.folder / "scene")
    # Only the product meets the full disk. Our own logs do not.
    scene.logs = original.logs
    scene.server.log = folder / "log.txt"
    try:
        scene.server.up()
        scene.meet()
        scene.stranger_writes()
        scene.stranger.sync()
        for free in (LOW_WATER - (1 << 20), 64 << 10, 0):
            full(scene, disk, free, result)
            restarted_while_full(scene, disk, free, result)
        companion_full(scene, disk, result)
        read_only(scene, disk, result)
        disk.make_room()
        scene.settle()
        result.take(scene.verdict())
    except Exception as error:
        result.wrong(f"{type(error).__name__}: {error} {scene.server.log_tail()[-300:]}")
    finally:
        scene.end()
    return result


def full(scene, disk, free, result):
    """Writes are refused by name, reads are served, and both go on once there is room."""
    disk.leave(free)
    held = from_feed(scene.stranger.device)
    for _ in range(3):
        scene.stranger_writes()
    code = refused(scene.stranger)
    if code != grpc.StatusCode.RESOURCE_EXHAUSTED:
        result.wrong(f"with {free} bytes left a write was answered with {code}")
    if scene.server.admin("device", "list").returncode != 0:
        result.wrong(f"with {free} bytes left the owner cannot list the devices")
    if from_feed(scene.stranger.device) != held:
        result.wrong(f"with {free} bytes left the refused write was taken")
    disk.make_room()
    scene.stranger.sync()
    result.cycles += 1


def refused(stranger):
    try:
        stranger.sync()
    except grpc.RpcError as error:
        return error.code()
    return None


def restarted_while_full(scene, disk, free, result):
    """It starts and serves reads, or ends with a sentence; with room it is as before."""
    disk.leave(free)
    scene.server.kill()
    log = scene.logs.parent / "starts.txt"
    with open(log, "wb") as file:
        scene.server.process = process = scene.server.spawn(log=file)
    if "listening" in scene.server._first_line(30):
        scene.stranger.connect()
        scene.stranger.exchange(0)
    else:
        code = process.wait(30)
        result.notes.append(
            f"with {free:,} bytes left it does not start: {log.read_text().strip()}"
        )
        if code != 74:
            result.wrong(f"with {free} bytes left it ended with {code}")
    disk.make_room()
    scene.server.kill()
    scene.server.up()
    scene.stranger.connect()
    scene.stranger.sync()
    result.cycles += 1


def companion_full(scene, disk, result):
    """A write that has no room fails in words; what was there is still there, and the next one
    works."""
    phone = scene.companions["phone"]
    before = phone.dump()
    disk.leave(0)
    outcomes = [scene.write("phone") for _ in range(5)]
    for done in outcomes:
        if done.returncode not in (0, 74) or (done.returncode and not done.stderr.strip()):
            result.wrong(f"atrest on a full disk: {done.returncode}: {done.stderr.strip()}")
    reading = phone.run("water", "list", "--all")
    if reading.returncode:
        result.notes.append(f"a replica on a full disk cannot be read: {reading.stderr.strip()}")
    disk.make_room()
    if all(done.returncode == 0 for done in outcomes):
        result.notes.append("the replica had room left: its full disk was not reached")
    elif all(done.returncode for done in outcomes) and phone.dump() != before:
        result.wrong("a write that failed for want of room is there")
    if scene.write("phone").returncode:
        result.wrong("a write fails although there is room again")
    result.cycles += 1


def read_only(scene, disk, result):
    """Neither program writes there, and each says so."""
    scene.server.kill()
    disk.remount("ro")
    try:
        starts = scene.logs.parent / "starts.txt"
        with open(starts, "wb") as log:
            process = scene.server.spawn(log=log)
            said, _ = process.communicate(timeout=30)
        words = starts.read_text().strip()
        if process.returncode not in (73, 74) or said or not words:
            result.wrong(f"read-only folder: the daemon ended with {process.returncode}: {words}")
        done = scene.companions["tablet"].run("water", "add", "100")
        if done.returncode not in (65, 73, 74) or not done.stderr.strip():
            result.wrong(f"read-only replica: {done.returncode}: {done.stderr.strip()}")
        done = scene.companions["tablet"].run("water", "list", "--all")
        if done.returncode:
            result.notes.append(f"a read-only replica cannot be read: {done.stderr.strip()}")
    finally:
        disk.remount("rw")
    result.cycles += 1


if __name__ == "__main__":
    report(inside)
