# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL database that goes back to an earlier moment, in each of four ways, while its daemons
run on. Devices that know more have to be told, and to bring everything back by syncing once: also
what only a reader of theirs still holds, and although somebody wrote on in the meantime."""

import contextlib
import random
import time

from atrest.sync.v1 import records_pb2
from checker import differences
from harness import open_channel
from Nodes.cluster import Cluster, ClusterError, programs_folder
from result import Result
from scene import judged, note_water
from states import from_dump, from_feed
from stranger import Stranger
from values import text
from world import LIMIT_SECONDS, Companion, Server, device_of

ACCOUNT = "home"
# Each device with its daemon. One writes what is lost, and is gone for a while; the newcomer is
# away while that happens.
STRANGERS = {"author": 0, "gone": 1, "newcomer": 2}
COMPANIONS = {"phone": 0, "tablet": 1}
DAEMONS = 3
COMMITS = 6
SHARED = [(records_pb2.KIND_PREFERENCE, f"shared.{number}".encode()) for number in range(COMMITS)]
COMMITS_LIMIT = 1000


@contextlib.contextmanager
def promoted_standby(world):
    """An asynchronous standby that lags takes the place of the primary."""
    world.primary.await_standby(world.standby)
    world.standby.cut_stream()
    yield
    world.primary.kill(everything=True)
    world.standby.promote()
    world.primary = world.standby


@contextlib.contextmanager
def restored_dump(world):
    """A dump is loaded in place of the database."""
    dump = world.primary.dump("earlier")
    yield
    world.primary.load(dump)


@contextlib.contextmanager
def point_in_time(world):
    """A base backup is restored, and replayed up to a moment."""
    backup = world.primary.base_backup("base")
    world.primary.restore_point("earlier")
    yield
    world.primary.stop()
    world.primary = world.cluster.restore(
        backup, "restored", until="earlier", port=world.primary.port
    )


@contextlib.contextmanager
def copied_folder(world):
    """A copy of the data folder is started in place of it."""
    world.primary.stop()
    copy = world.cluster.copy(world.primary, "copied", port=world.primary.port)
    world.primary.start()
    yield
    world.primary.stop()
    copy.start()
    world.primary = copy


# The copy is last: it goes on in the same timeline, and so the archive refuses what it writes.
WAYS = (promoted_standby, restored_dump, point_in_time, copied_folder)


def run(binaries, folder, *, step=1, offset=0):
    """Every `step`th of the ways, beginning with the `offset`th."""
    result = Result("lost history")
    try:
        programs_folder()
    except ClusterError as error:
        return result.skip(str(error)).done()
    with Cluster(archive=True) as cluster:
        world = World(binaries, folder, cluster)
        try:
            world.begin()
            for way in WAYS[offset % step :: step]:
                title = way.__name__.replace("_", " ")
                tell(world, way, title, result)
                result.cycles += 1
        except Exception as error:
            result.wrong(f"{title}: {type(error).__name__}: {error}")
            result.notes += world.log_tails()
        finally:
            world.end()
    return result.done()


def tell(world, way, title, result):
    """The story of one loss. Raises Broken if it does not go on as it must."""
    world.write_before()
    with way(world):
        heads = lose_something(world)
        held = world.state()
    left = world.state()
    lost = sum(1 for key, record in held.items() if left.get(key) != record)
    expect(lost > 0, "nothing was lost")

    restarts = {name: stranger.restarts for name, stranger in world.strangers.items()}
    newcomer, author = world.strangers["newcomer"], world.strangers["author"]
    collisions = write_on(newcomer, heads)
    author.sync_persistently()
    told = {name: each.restarts - restarts[name] for name, each in world.strangers.items()}
    for name, companion in world.companions.items():
        told[name] = int(companion.json("sync")["restarted"])
    knew = {"author": 1, "phone": 1, "tablet": 1, "gone": 0, "newcomer": 0}
    expect(told == knew, f"who was told: {told}")
    # Those who know of it synced once. What is missing now is lost, whatever they do from here on.
    verdict = world.judge()

    verdict.problems += world.differences_in_the_end()
    result.lost += verdict.lost
    result.acknowledged = verdict.acknowledged
    result.problems += [f"{title}: {problem}" for problem in verdict.problems]
    result.notes.append(
        f"{title}: {lost} records had been as before, or gone; {collisions} new commits at "
        "sequences of lost ones"
    )


def lose_something(world):
    """What happens after the moment to which the database goes back. Returns the names of commits
    by their sequences."""
    author, gone = world.strangers["author"], world.strangers["gone"]
    heads = {}
    for key in SHARED:
        # Neither knows of the other's: one of each pair is in the journal.
        for stranger in (author, gone):
            stranger.act(key, {2: text(stranger.log.path.name)})
            stranger.act_somehow(world.rng)
        for stranger in (author, gone):
            stranger.sync_persistently()
            heads[stranger.cursor.sequence] = stranger.cursor.commit
        world.note("phone")
        world.companions["phone"].say("sync")
    for stranger in (author, gone):
        stranger.act_somehow(world.rng)
        stranger.sync_persistently()
        heads[stranger.cursor.sequence] = stranger.cursor.commit
    # It wrote nothing itself; and it alone has that last write, once its writer is gone.
    received = world.companions["tablet"].json("sync")["received"]
    expect(received > 0, "the tablet pulled nothing")
    return heads


def write_on(stranger, heads):
    """Writes until the account is beyond all that was lost. Returns how many commits came at a
    sequence that an earlier one had."""
    found = {}
    for number in range(COMMITS_LIMIT):
        stranger.act(SHARED[number % COMMITS], {2: text(f"new {number}")})
        stranger.sync_persistently()
        found[stranger.cursor.sequence] = stranger.cursor.commit
        if stranger.cursor.sequence >= max(heads):
            break
    same = heads.keys() & found.keys()
    expect(same, "no two commits have the same sequence")
    for sequence in same:
        expect(heads[sequence] != found[sequence], f"two commits at {sequence} have one name")
    return len(same)


class World:
    """Three daemons of one database, which run all along, and the devices of one account."""

    def __init__(self, binaries, folder, cluster):
        self.cluster, self.logs = cluster, folder / "logs"
        self.logs.mkdir()
        self.rng = random.Random(7)
        self.primary = cluster.primary()
        self.standby = cluster.standby(self.primary, synchronous=False)
        store = cluster.url(self.primary, self.standby)
        self.servers = []
        for number in range(1, DAEMONS + 1):
            (folder / f"node{number}").mkdir()
            self.servers.append(Server(binaries, folder / f"node{number}", store=store))
        self.companions = {name: Companion(binaries, folder / name) for name in COMPANIONS}
        self.strangers = {}

    def begin(self):
        """Starts the daemons, and pairs each device with the one that it calls."""
        for server in self.servers:
            server.up()
        for name, node in COMPANIONS.items():
            self.companions[name].pair(self.servers[node], ACCOUNT, name)
        for name, node in STRANGERS.items():
            device = self.servers[node].pair(ACCOUNT, name)
            device.channel.close()
            identity = (device.replica, device.token)
            self.strangers[name] = Stranger(self.servers[node].listen, *identity, self.logs, name)

    def write_before(self):
        """Everybody writes something that will not be lost, and knows of it all."""
        for stranger in self.strangers.values():
            stranger.act(SHARED[0], {2: text(f"before {self.rng.random()}")})
        self.note("phone")
        expect(not self.differences_in_the_end(), "they differ before anything is lost")

    def note(self, name):
        offset = 1_000_000 * list(COMPANIONS).index(name)
        note_water(self.companions[name], self.logs, name, offset)

    def sync_all(self):
        for stranger in self.strangers.values():
            stranger.sync_persistently()
        for companion in self.companions.values():
            companion.say("sync")

    def state(self):
        """What the account holds, as the newcomer's daemon shows it."""
        newcomer = self.strangers["newcomer"]
        with open_channel(newcomer.address) as channel:
            device = device_of(newcomer.replica.replica, newcomer.token, channel)
            return from_feed(device)

    def judge(self):
        return judged(self.logs, STRANGERS, COMPANIONS, self.state())

    def differences_in_the_end(self):
        """Between the database and the companions' replicas, once all have exchanged everything. A
        daemon that has not heard of another's commit yet does not know that there is more."""
        until = time.monotonic() + LIMIT_SECONDS
        while True:
            self.sync_all()
            found = self._differences()
            if not found or time.monotonic() > until:
                return found

    def _differences(self):
        states = {name: from_dump(each.dump()) for name, each in self.companions.items()}
        found = differences({"server": self.state(), **states})
        digests = {each.say("replica", "digest") for each in self.companions.values()}
        return found + (["the digests differ"] if len(digests) > 1 else [])

    def log_tails(self):
        return [f"{each.log.parent.name}: {each.log_tail()[-300:]}" for each in self.servers]

    def end(self):
        for stranger in self.strangers.values():
            stranger.close()
        for server in self.servers:
            server.kill()


class Broken(Exception):
    """What must hold does not."""


def expect(holds, words):
    if not holds:
        raise Broken(words)

