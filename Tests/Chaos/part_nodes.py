# SPDX-License-Identifier: Apache-2.0
"""Three daemons on PostgreSQL, while a crowd writes: daemons, sessions, servers and the connections
between them are killed; the standby takes over, in sync or behind; two primaries take writes."""

import collections
import random
import time

from crowd import Crowd
from fleet import DAEMONS, Fleet
from Nodes.cluster import Cluster, ClusterError, await_that, programs_folder
from Nodes.proxy import Action, Moment
from result import Result

BATCH = 40
# What a daemon says more than a notice about when its database goes away.
EXPECTED = (
    "the database cannot be ",
    "a commit's outcome is unknown",
    "other daemons are not heard",
)
# Faults and how often each is chosen. What costs a recovery of the server is rarer.
ANY_TIME = {
    "kill_daemon": 40,
    "break_connection": 20,
    "end_sessions": 8,
    "slow_down": 3,
    "kill_session": 5,
    "kill_primary": 4,
}
# Not while the standby lags: writers that died would not know any more what it lacks.
IN_SYNC = ANY_TIME | {"kill_writer": 8, "kill_standby": 3, "cancel_commits": 3}


def run(binaries, folder, *, seed, kills, acknowledged=0, faults, say=print):
    """Rounds of each kind, with so many faults each, until so many processes were killed and so
    much was acknowledged."""
    result = Result("nodes")
    try:
        programs_folder()
    except ClusterError as error:
        return result.skip(str(error)).done()
    with Cluster() as cluster:
        world = World(binaries, folder, cluster, seed, faults)
        tallies = {kind: Result(kind) for kind in ROUNDS}
        try:
            world.begin()
            is_last = False
            while not is_last:
                for kind, play in ROUNDS.items():
                    attempt(world, play, tallies[kind])
                    if tallies[kind].problems:
                        break
                add_up(result, tallies)
                is_enough = result.cycles >= kills and result.acknowledged >= acknowledged
                is_last = is_enough or bool(result.problems)
                if not is_last:
                    say(f"{time.strftime('%H:%M:%S')} {summary(result)}", flush=True)
            if not result.problems:
                world.crowd.check(result, of_all=True)
                weaken(world, result)
        finally:
            world.end()
        result.notes += [f"{kind:<16} {summary(tally)}" for kind, tally in tallies.items()]
        result.notes += world.counts()
    return result.done()


def attempt(world, play, tally):
    """One round. Whatever goes wrong belongs to it."""
    before = world.kills()
    try:
        play(world, tally)
        tally.problems += world.crowd.pause()
        world.crowd.await_service()
        world.crowd.check(tally)
    except Exception as error:
        tally.wrong(f"{type(error).__name__}: {error}")
    tally.problems += world.surprises()
    tally.cycles += world.kills() - before


def add_up(result, tallies):
    for name in ("cycles", "acknowledged", "lost"):
        setattr(result, name, sum(getattr(tally, name) for tally in tallies.values()))
    result.problems = [f"{t.part}: {each}" for t in tallies.values() for each in t.problems]


def summary(tally):
    return f"{tally.cycles:>6,} killed {tally.acknowledged:>9,} acknowledged {tally.lost:>4,} lost"


# Rounds


def restarts(world, _):
    """Whatever is killed comes back as it was. Nobody may be told of a loss."""
    world.crowd.may_go_back = False
    world.crowd.start()
    world.suffer(IN_SYNC)


def in_sync(world, tally):
    """The synchronous standby takes over in the middle of commits. Nothing acknowledged is missing
    there, before anybody can have brought it back."""
    fleet, crowd = world.fleet, world.crowd
    crowd.may_go_back = False
    crowd.start()
    world.suffer(IN_SYNC)
    old = fleet.primary
    if world.rng.random() < 0.5:
        # Their commits are on the primary only, and who reads may see them.
        fleet.let_commits_wait()
        world.happened["commits that waited in vain"] += fleet.cancel_commits()
    if world.rng.random() < 0.5:
        world.kill_server(old)
    else:
        fleet.cut_off(old)
    tally.problems += crowd.stop()
    fleet.promote()
    if old.is_running():
        world.kill_server(old)
    fleet.clear()
    crowd.await_service()
    crowd.check_loss(tally)
    # Who read a commit that only the old primary had is told so.
    crowd.may_go_back = True
    crowd.start()
    fleet.replace_standby()


def returns(world, tally):
    """The primary hangs while its standby takes over, then comes back and would take writes. It
    gets none, also of a daemon that starts by then: the newer primary is the one to use."""
    fleet, crowd = world.fleet, world.crowd
    crowd.may_go_back = False
    crowd.start()
    world.suffer(IN_SYNC)
    old = fleet.primary
    old.freeze()
    tally.problems += crowd.stop()
    fleet.promote()
    hung = time.monotonic()
    crowd.await_service()
    world.happened["seconds until the frozen primary was left"] += round(time.monotonic() - hung)
    crowd.check_loss(tally)
    old.thaw()
    old.configure(synchronous_standby_names=None)
    before = written(old)
    crowd.may_go_back = True
    crowd.start()
    world.suffer({"kill_daemon": 1, "end_sessions": 1})
    await_changes(fleet.primary, written(fleet.primary))
    if written(old) != before:
        tally.wrong(f"the old primary took {written(old) - before} changes")
    world.kill_server(old)
    fleet.replace_standby()


def behind(world, tally):
    """A standby that lags takes over. All is back once each device has synced."""
    fleet = world.fleet
    world.crowd.may_go_back = True
    world.crowd.start()
    world.suffer(IN_SYNC)
    fleet.trail()
    world.suffer(ANY_TIME)
    await_changes(fleet.primary, written(fleet.standby))
    lacking = written(fleet.primary) - written(fleet.standby)
    if lacking <= 0:
        tally.wrong("the standby did not lag")
    world.happened["changes that a standby lacked"] += lacking
    world.kill_server(fleet.primary)
    fleet.promote()
    world.suffer({"kill_daemon": 1})
    fleet.replace_standby()


def both(world, tally):
    """The standby is promoted while the primary goes on. One daemon stays with that, and the others
    do not know of it. Devices call any of the three. Then the old primary is dropped."""
    fleet = world.fleet
    world.crowd.may_go_back = True
    world.crowd.start()
    world.suffer(IN_SYNC)
    fleet.trail()
    old, new = fleet.primary, fleet.standby
    fleet.cut_off(new, [0])
    fleet.cut_off(old, range(1, DAEMONS))
    fleet.promote()
    before = [written(node) for node in (old, new)]
    world.suffer({"kill_daemon": 1})
    for name, node, count in zip(("old", "new"), (old, new), before):
        world.happened[f"changes that only the {name} primary took"] += await_changes(node, count)
    world.kill_server(old)
    fleet.clear()
    fleet.replace_standby()


def written(node):
    """How many changes a server's accounts have seen."""
    return int(node.sql("SELECT sum(head) FROM atrest.account"))


def await_changes(node, count):
    """Waits until its accounts have seen more changes than that, and returns how many more."""
    return await_that(lambda: max(0, written(node) - count), "a server takes writes")


ROUNDS = {
    "restarts": restarts,
    "standby in sync": in_sync,
    "old primary back": returns,
    "standby behind": behind,
    "two primaries": both,
}


def weaken(world, result):
    """Commits that wait for no standby, which daemons accept only if they are told to: a failover
    then loses what was acknowledged. If that is not found, none of the above means anything."""
    fleet, crowd = world.fleet, world.crowd
    crowd.may_go_back = False
    for server in fleet.servers:
        server.options.append("--allow-weak-commits")
        server.kill()
    fleet.primary.configure(synchronous_commit="local")
    fleet.up()
    fleet.standby.cut_stream()
    crowd.start()
    world.suffer({"kill_daemon": 1})
    world.kill_server(fleet.primary)
    crowd.stop()
    fleet.promote()
    crowd.await_service()
    found = Result("weak commits")
    crowd.check_loss(found)
    if not found.lost:
        result.wrong("synchronous_commit was local, and the checker found nothing missing")
    result.notes.append(f"synchronous_commit = local: {found.lost} found missing, as they must be")


class World:
    """The fleet, the crowd, and one fault after another."""

    def __init__(self, binaries, folder, cluster, seed, faults):
        self.rng = random.Random(f"{seed}/nodes")
        self.faults = faults
        self.fleet = Fleet(binaries, folder, cluster)
        self.crowd = Crowd(binaries, folder, self.fleet.servers, seed, BATCH, {})
        self.killed, self.happened = collections.Counter(), collections.Counter()
        self.read_lines = collections.Counter()

    def begin(self):
        self.fleet.up()
        self.crowd.settle_in()

    def end(self):
        self.crowd.end()
        self.fleet.end()

    def kills(self):
        """Of processes, with SIGKILL."""
        return (
            self.killed.total() + self.crowd.progress["writers"] + self.crowd.command_kills()
        )

    def counts(self):
        """All that happened, in words."""
        progress = self.crowd.progress
        killed = self.killed | {"writers": progress["writers"], "commands": progress["commands"]}
        for title, counter in (("killed", killed), ("besides", self.happened)):
            words = ", ".join(f"{count:,} {name}" for name, count in sorted(counter.items()))
            yield f"{title}: {words or 'nothing'}"

    def surprises(self):
        """Which daemon ended by itself, and what its log says that nobody expects."""
        found = []
        for server in self.fleet.servers:
            if server.process is None or server.process.poll() is not None:
                found.append(f"a daemon ended: {server.log_tail()[-300:]}")
            lines = server.complaints()
            fresh = lines[self.read_lines[server.listen] :]
            self.read_lines[server.listen] = len(lines)
            unexpected = [each for each in fresh if not any(word in each for word in EXPECTED)]
            found += [f"a daemon's log: {each}" for each in unexpected]
        return found

    # Faults

    def suffer(self, weights):
        for _ in range(self.faults):
            time.sleep(self.rng.uniform(0, 0.15))
            (name,) = self.rng.choices(list(weights), list(weights.values()))
            getattr(self, name)()
        self.crowd.expect_alive()

    def kill_daemon(self, number=None):
        server = self.fleet.servers[self.rng.randrange(DAEMONS) if number is None else number]
        if server.process.poll() is not None:
            raise RuntimeError(f"a daemon ended by itself: {server.log_tail()[-300:]}")
        server.kill()
        while self.rng.random() < 0.15:
            server.kill_at_start(self.rng.uniform(0, 0.06))
            self.killed["daemons"] += 1
        server.up()
        self.killed["daemons"] += 1

    def kill_writer(self):
        self.crowd.kill_a_writer(self.rng)

    def kill_session(self):
        """PostgreSQL ends all others, too, and recovers."""
        if self.fleet.kill_a_session(self.rng):
            self.killed["sessions"] += 1

    def kill_primary(self):
        self.kill_server(self.fleet.primary)
        self.fleet.primary.start()

    def kill_standby(self):
        """No commit returns until it is back."""
        self.kill_server(self.fleet.standby)
        self.fleet.standby.start()

    def kill_server(self, node):
        node.kill(everything=self.rng.random() < 0.5)
        self.killed["servers"] += 1

    def end_sessions(self):
        share = self.rng.choice((0.1, 0.5, 1))
        self.happened["sessions ended"] += self.fleet.end_sessions(share)

    def cancel_commits(self):
        """Commits are there, on the primary, and nobody may have been told that they are safe."""
        self.fleet.let_commits_wait()
        self.happened["commits that waited in vain"] += self.fleet.cancel_commits()
        self.fleet.standby.join_stream()

    def slow_down(self):
        for way in self.fleet.ways_to(self.fleet.primary):
            way.delay(0.01, jitter=0.04)
        time.sleep(self.rng.uniform(0, 1))
        for way in self.fleet.ways_to(self.fleet.primary):
            way.delay(0)
        self.happened["slow moments"] += 1

    def break_connection(self):
        """At a moment of the protocol. One that is stalled may be all that is left of a daemon."""
        number = self.rng.randrange(DAEMONS)
        way = self.fleet.ways_to(self.fleet.primary)[number]
        action = self.rng.choice(list(Action))
        moment, nth = self.rng.choice(list(Moment)), self.rng.randint(1, 5)
        rule = way.at(moment, nth=nth, action=action)
        try:
            rule.wait(0.5)
        except TimeoutError:
            way.disarm()  # That daemon had nothing to do.
        else:
            self.happened[f"connections: {action.name.lower()}"] += 1
        if action is Action.STALL:
            if self.rng.random() < 0.5:
                self.kill_daemon(number)
            else:
                time.sleep(self.rng.uniform(0, 0.5))
            way.release()
