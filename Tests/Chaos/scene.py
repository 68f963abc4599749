# SPDX-License-Identifier: Apache-2.0
"""A small world on disk, made once and copied for each fault: a server's folder, two companions,
and a stranger."""

import datetime
import random
import shutil

from checker import History, check, differences, from_nowhere
from companion_log import Entries, check_entries
from harness import open_channel
from oplog import OK, UNKNOWN, OpLog
from states import from_dump, from_feed
from stranger import Stranger
from world import Companion, Server, device_of, free_port

ACCOUNT = "home"
COMPANIONS = ("phone", "tablet")
FIRST_SECOND = 978_307_200  # 2001, so that it is past even for a clock that is ten years behind.


class Scene:
    """One copy, with its logs."""

    def __init__(self, binaries, folder, port, identity=None):
        self.binaries, self.folder, self.port, self.identity = binaries, folder, port, identity
        self.logs = folder / "logs"
        self.server = Server(binaries, folder, port)
        self.companions = {n: Companion(binaries, folder / n) for n in COMPANIONS}
        self.stranger = None
        self.rng = random.Random(7)  # Deterministic, so that counts are, too.

    @staticmethod
    def prepare(binaries, folder, port=None, phone_calls=None):
        """The original: all paired, with a few records, and a write that waits on each companion.
        The server is down.

        The phone may be told to call another address than the server's own.
        """
        folder.mkdir(parents=True)
        scene = Scene(binaries, folder, port or free_port())
        scene.logs.mkdir()
        try:
            scene.server.up()
            for name, companion in scene.companions.items():
                address = phone_calls if name == "phone" else None
                companion.pair(scene.server, ACCOUNT, name, address)
            device = scene.server.pair(ACCOUNT, "stranger")
            device.channel.close()
            scene.identity = (device.replica, device.token)
            scene.meet()
            for _ in range(5):
                scene.stranger_writes()
            scene.stranger.sync()
            scene.write("phone")
            scene.say_all("sync")
            scene.write("phone")
            scene.write("tablet")
            scene.stranger.close()
            scene.stranger = None
            assert scene.server.stop() == 0, scene.server.log_tail()
        finally:
            scene.server.kill()
        return scene

    def copy(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("admin.sock"))
        return Scene(self.binaries, folder, self.port, self.identity)

    # The participants.

    def meet(self):
        """The stranger comes up, with what its log remembers."""
        address = f"127.0.0.1:{self.port}"
        self.stranger = Stranger(address, *self.identity, self.logs, "stranger")
        return self.stranger

    def stranger_writes(self):
        self.stranger.act_somehow(self.rng, shared_keys=2)

    def write(self, name, **more):
        """A companion notes some water. Returns how the command ended."""
        offset = COMPANIONS.index(name) * 1_000_000
        return note_water(self.companions[name], self.logs, name, offset, **more)

    def say_all(self, *words):
        for companion in self.companions.values():
            companion.say(*words)

    # The results.

    def settle(self):
        """The faults are over: the server comes back, and everybody syncs twice."""
        self.server.kill()
        self.server.up()
        if self.stranger is None:
            self.meet()
        for _ in range(2):
            self.stranger.connect()
            self.stranger.sync_persistently()
            self.say_all("sync")
        self.stranger.sync_persistently()

    def verdict(self):
        """Of the logs and the states after `settle`."""
        with open_channel(self.server.listen) as channel:
            feed = from_feed(device_of(*self.identity, channel))
        verdict = judged(self.logs, ["stranger"], COMPANIONS, feed)
        states = {n: from_dump(c.dump()) for n, c in self.companions.items()}
        verdict.problems += differences({"server": feed, **states})
        return verdict

    def end(self):
        if self.stranger:
            self.stranger.close()
            self.stranger = None
        self.server.kill()


def note_water(companion, logs, name, offset, **more):
    """Has a companion note some water, at a second of its own; the answer goes into its log. Returns
    how the command ended.

    - offset: in seconds, of all entries of this companion. No other has the next million.
    """
    lives = OpLog.lives(logs, name)
    log = OpLog.next_life(logs, name)
    second = FIRST_SECOND + offset + len(lives)
    number = log.trying(at=second * 1000, becomes=100 + len(lives))
    done = companion.run("water", "add", str(100 + len(lives)), "--at", iso(second), **more)
    # A failed command may have taken effect: a disk failure during a commit leaves that open.
    log.ended(number, OK if done.returncode == 0 else UNKNOWN)
    log.close()
    return done


def judged(logs, strangers, companions, state):
    """Holds the account's state against the logs of everybody who wrote to it."""
    history = History()
    for path in (path for name in strangers for path in OpLog.lives(logs, name)):
        history.read(path)
    verdict, others = check(history, state), set()
    for name in companions:
        entries = Entries()
        for path in OpLog.lives(logs, name):
            entries.read(path)
        more, keys = check_entries(entries, state)
        verdict.add(more)
        others |= keys
    verdict.problems += from_nowhere(state, history, others)
    return verdict


def iso(second):
    return datetime.datetime.fromtimestamp(second, datetime.timezone.utc).isoformat()
