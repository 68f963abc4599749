# SPDX-License-Identifier: Apache-2.0
"""A bit turns over in a database file, where SQLite keeps no checksums. Nobody can promise that it
is noticed; but nobody may crash over it, hang, stay silent about a failure, or take damage for
emptiness and delete."""

import contextlib
import random
import signal

import grpc

from model import DELETED_FIELD
from part_wal import flip, starts
from result import Result
from scene import Scene
from states import from_feed

STOP_SECONDS = 25


def run(binaries, folder, *, flips, seed):
    """So many bits of the server's database, and as many of a replica's."""
    result = Result("damaged databases")
    original = Scene.prepare(binaries, folder / "original")
    rng = random.Random(seed)
    refused = noticed = 0
    for number in range(flips):
        scene = original.copy(folder / "copy")
        try:
            what = turn(scene.folder / "data" / "atrest.db", rng, number)
            refused += not server_copes(scene, f"the server's {what}", result)
            scene.end()
            scene = original.copy(folder / "copy")
            what = turn(scene.folder / "phone" / "replica.sqlite", rng, number)
            noticed += not companion_copes(scene, f"the phone's {what}", result)
        except Exception as error:
            result.wrong(f"{what}: {type(error).__name__}: {error}")
        finally:
            scene.end()
        result.cycles += 2
    result.notes.append(
        f"the daemon refused to start {refused} times, commands said {noticed} times that the "
        "replica is damaged"
    )
    return result.done()


def turn(file, rng, number):
    """Turns one bit over: in the first hundred bytes, the header, every fifth time."""
    data = file.read_bytes()
    reach = 100 if number % 5 == 0 else len(data)
    what, damaged = flip(data, rng.randrange(reach), rng.randrange(8))
    file.write_bytes(damaged)
    return what


def server_copes(scene, what, result):
    """Returns whether it started."""
    if not starts(scene, what, result):
        return False
    scene.meet()
    for _ in range(2):
        scene.stranger_writes()
        # A record may be undecodable, because stored bytes are sent as they are.
        with contextlib.suppress(grpc.RpcError, AssertionError, ValueError):
            scene.stranger.sync()
        if scene.server.process.poll() is None:
            spoken(scene.companions["tablet"].run("sync"), what, result)
    process = scene.server.process
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    code = process.wait(STOP_SECONDS)
    if code < 0:
        result.wrong(f"{what}: the daemon crashed with {-code}: {scene.server.log_tail()[-300:]}")
    return True


def companion_copes(scene, what, result):
    """Returns whether no command complained."""
    scene.server.up()
    scene.meet()
    before = deleted(scene)
    commands = [("water", "list", "--all"), ("water", "add", "200"), ("sync",), ("status",)]
    ends = [scene.companions["phone"].run(*command) for command in commands]
    for done in ends:
        spoken(done, what, result)
    if deleted(scene) != before:
        result.lost += 1
        result.wrong(f"{what}: something was deleted")
    return all(done.returncode == 0 for done in ends)


def deleted(scene):
    feed = from_feed(scene.stranger.device)
    return {key for key, record in feed.items() if gone(record)}


def gone(record):
    return DELETED_FIELD in record and bool(record[DELETED_FIELD].value)


def spoken(done, what, result):
    """A command ends by itself, and says why if it did not do what was asked."""
    if done.returncode < 0 or (done.returncode and not done.stderr.strip()):
        words = done.stderr.strip()[-300:]
        result.wrong(f"{what}: a command ended with {done.returncode}: {words}")
