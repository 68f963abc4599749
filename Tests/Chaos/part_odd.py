# SPDX-License-Identifier: Apache-2.0
"""Smaller faults: two daemons, a daemon that is stopped for a while, too few descriptors,
clocks ten years off, the devices' and the server's."""

import os
import pathlib
import signal
import socket
import threading
import time

from grpc_health.v1 import health_pb2, health_pb2_grpc

from clocks import Clocks
from harness import open_channel
from result import Result
from scene import Scene
from world import LIMIT_SECONDS, Server

DESCRIPTORS = 64
DECADE = 3652  # Days.
KEPT = 65  # The exit status of a sync when the server refused something, which stays pending.


def run(binaries, folder):
    result = Result("faults")
    original = Scene.prepare(binaries, folder / "original")
    for fault in FAULTS:
        scene = original.copy(folder / "copy")
        try:
            fault(scene, result)
            scene.settle()
            result.take(scene.verdict())
        except Exception as error:
            result.wrong(f"{fault.__name__}: {type(error).__name__}: {error}")
        finally:
            scene.end()
        result.cycles += 1
    return result.done()


def two_daemons(scene, result):
    """The second one says that the folder is in use, and the first one goes on."""
    scene.server.up()
    second = Server(scene.binaries, scene.folder)
    with open(scene.folder / "second.txt", "wb") as log:
        process = second.spawn(log=log)
        answer, _ = process.communicate(timeout=LIMIT_SECONDS)
    said = (scene.folder / "second.txt").read_text()
    if process.returncode != 69 or not said.strip() or answer:
        result.wrong(f"a second daemon ended with {process.returncode}: {said.strip()}")
    scene.meet()
    scene.stranger_writes()
    scene.stranger.sync()


def stopped(scene, result):
    """Five seconds without a daemon are a pause: the call that waits is answered."""
    scene.server.up()
    scene.meet()
    scene.stranger.sync()
    scene.stranger_writes()
    process = scene.server.process
    process.send_signal(signal.SIGSTOP)
    resume = threading.Timer(5, lambda: process.send_signal(signal.SIGCONT))
    resume.start()
    try:
        scene.stranger.sync()
    finally:
        resume.join()


def descriptors(scene, result):
    """More connections than descriptors: it waits without spinning, serves whom it has, and
    recovers."""
    server = scene.server
    with open(server.log, "ab") as log:
        server.process = server.spawn(prefix=["prlimit", f"--nofile={DESCRIPTORS}"], log=log)
    assert "listening" in server._first_line(LIMIT_SECONDS), server.log_tail()
    scene.meet()
    scene.stranger_writes()
    scene.stranger.sync()
    host, port = server.listen.split(":")
    storm = []
    try:
        for _ in range(2 * DESCRIPTORS):
            storm.append(socket.create_connection((host, int(port)), timeout=5))
        before = cpu_seconds(server.process.pid)
        scene.stranger_writes()
        scene.stranger.sync()
        time.sleep(1)
        spent = cpu_seconds(server.process.pid) - before
        if spent > 0.7:
            result.wrong(f"out of descriptors, it spent {spent:.1f} s of a second")
    finally:
        for connection in storm:
            connection.close()
    if server.process.poll() is not None:
        result.wrong(f"out of descriptors, it ended with {server.process.returncode}")
    scene.companions["phone"].say("sync")


def wrong_clocks(scene, result):
    """No write is refused to a person whose clock is wrong, and everybody agrees in the end."""
    clocks = Clocks(scene.folder)
    prefix = clocks.prefix
    scene.server.up()
    for shift in (DECADE, -DECADE, DECADE, 0):
        clocks.shift(shift)
        for name in scene.companions:
            done = scene.write(name, prefix=prefix)
            if done.returncode:
                result.wrong(f"a write {shift} days off was refused: {done.stderr.strip()}")
            done = scene.companions[name].run("sync", prefix=prefix)
            if done.returncode:
                result.wrong(
                    f"a sync {shift} days off ended with {done.returncode}: {done.stderr.strip()}"
                )
    scene.meet()
    scene.stranger_writes()
    for name, companion in scene.companions.items():
        companion.say("sync")
        waiting = companion.json("status")["sync"]
        if waiting["refused"] or waiting["waiting"]:
            result.wrong(f"{name} still has {len(waiting['refused'])} refused writes")


def servers_clock(scene, result):
    """The server's clock jumps by years while it runs, and is wrong when it starts. Nobody is kept
    from writing; what it does not take waits, and is taken when the clock is right again."""
    clocks, server = Clocks(scene.folder), scene.server
    clocks.shift(0)
    start_under(scene, clocks)
    took = refused = 0
    for days in (DECADE, -DECADE, 0, -DECADE, None, DECADE, None, 0):
        if days is None:
            start_under(scene, clocks)
        else:
            clocks.shift(days)
        scene.meet()
        for _ in range(5):
            scene.stranger_writes()
        scene.stranger.sync()
        took, refused = took + scene.stranger.acknowledged, refused + len(scene.stranger.refused)
        scene.stranger.close()
        scene.stranger = None
        for name in scene.companions:
            done = scene.write(name)
            if done.returncode:
                result.wrong(f"a write, the server {days} days off, was refused: {done.stderr.strip()}")
            done = scene.companions[name].run("sync")
            if done.returncode not in (0, KEPT):
                result.wrong(f"a sync, the server {days} days off, ended with {done.returncode}")
    before = cpu_seconds(server.process.pid)
    time.sleep(1)
    if cpu_seconds(server.process.pid) - before > 0.5:
        result.wrong("after its clock had jumped, the server did not come to rest")
    if not took or not refused:
        result.wrong(f"the jumps were not noticed: {took} taken, {refused} refused")
    for _ in range(2):
        for companion in scene.companions.values():
            companion.say("sync")
    for name, companion in scene.companions.items():
        sync = companion.json("status")["sync"]
        if sync["refused"] or sync["waiting"]:
            result.wrong(f"{name} still has {len(sync['refused'])} refused writes")


def written_ahead(scene, result):
    """The server's clock and a device's were ten years ahead, and agreed. Once they are right, everybody
    goes on with what was written then, and with all else. The server says that its clock is doubtful."""
    clocks = Clocks(scene.folder)
    prefix = clocks.prefix
    clocks.shift(DECADE)
    start_under(scene, clocks)
    for action in (lambda: scene.write("phone", prefix=prefix), lambda: sync(scene, "phone", prefix)):
        if action().returncode:
            result.wrong("a write that agreed with the server's clock was not taken")
    scene.meet()
    scene.stranger.sync()
    clocks.shift(0)
    start_under(scene, clocks)
    with open_channel(scene.server.listen) as channel:
        request = health_pb2.HealthCheckRequest(service="atrest.clock")
        answer = health_pb2_grpc.HealthStub(channel).Check(request, timeout=LIMIT_SECONDS)
        if answer.status != health_pb2.HealthCheckResponse.NOT_SERVING:
            result.wrong("a clock that shows ten years less than before is not doubted")
    scene.stranger.connect()
    for _ in range(20):
        scene.stranger_writes()
    scene.stranger.sync()
    if scene.stranger.refused:
        result.wrong(f"{len(scene.stranger.refused)} writes that follow one from ahead were refused")
    for name in ("tablet", "phone"):
        for _ in range(2):
            if scene.write(name).returncode or sync(scene, name).returncode:
                result.wrong(f"a write of the {name} that follows one from ahead was not taken")
        waiting = scene.companions[name].json("status")["sync"]
        if waiting["refused"] or waiting["waiting"]:
            result.wrong(f"{name} still has {len(waiting['refused'])} refused writes")


FAULTS = (two_daemons, stopped, descriptors, wrong_clocks, servers_clock, written_ahead)


def sync(scene, name, prefix=()):
    return scene.companions[name].run("sync", prefix=prefix)


def start_under(scene, clocks):
    """Starts the server anew, under a wall clock that the test sets."""
    server = scene.server
    server.kill()
    with open(server.log, "ab") as log:
        server.process = server.spawn(env=clocks.environment, log=log)
    assert "listening" in server._first_line(LIMIT_SECONDS), server.log_tail()


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
