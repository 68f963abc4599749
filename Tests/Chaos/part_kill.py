# SPDX-License-Identifier: Apache-2.0
"""`kill -9`, again and again, of the daemon, of writers and of commands, while they write."""

import json
import multiprocessing
import random
import signal
import time

import writer
from checker import History, check, differences, from_nowhere
from companion_log import Entries, check_entries
from harness import open_channel
from oplog import OpLog, lines
from result import Result
from states import from_dump, from_feed
from typist import Typist
from world import LIMIT_SECONDS, Companion, Server, device_of, free_port

# Shared: four devices disagree about some keys. The bulk accounts have one writer each, for
# numbers.
SHARED = "shared"
STRANGERS = {"alpha": SHARED, "beta": SHARED, "bulk-one": "bulk-one", "bulk-two": "bulk-two"}
COMPANIONS = ("phone", "tablet")


class KillRun:
    """A world that outlives every kill, and this process too: run again on its folder, it goes
    on."""

    def __init__(self, binaries, folder, seed, batch):
        self.binaries, self.folder, self.seed, self.batch = binaries, folder, seed, batch
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.progress_file = folder / "progress.json"
        self.progress = self._load()
        self.rng = random.Random(f"{seed}/{self.progress['cycles']}")
        self.server = Server(binaries, folder, self.progress["port"])
        # Writers are forked from a process that has loaded gRPC already, so that many can be
        # killed.
        self.forks = multiprocessing.get_context("forkserver")
        self.forks.set_forkserver_preload(["tether", "writer"])
        self.writers, self.typists = {}, []
        self.companions = {n: Companion(binaries, folder / n) for n in COMPANIONS}

    def _load(self):
        if self.progress_file.exists():
            return json.loads(self.progress_file.read_text())
        return {
            "port": free_port(),
            "cycles": 0,
            "daemon": 0,
            "writers": 0,
            "commands": 0,
            "lives": 0,
        }

    def save(self):
        part = self.progress_file.with_suffix(".part")
        part.write_text(json.dumps(self.progress))
        part.replace(self.progress_file)

    def settle_in(self):
        """Pairs everybody, the first time."""
        self.server.up()
        if "devices" in self.progress:
            return
        for name, companion in self.companions.items():
            companion.pair(self.server, SHARED, name)
        devices = {n: self.server.pair(account, n) for n, account in STRANGERS.items()}
        self.progress["devices"] = {n: [d.replica, d.token] for n, d in devices.items()}
        for device in devices.values():
            device.channel.close()
        self.save()

    def start_writer(self, name):
        self.progress["lives"] += 1
        is_shared = STRANGERS[name] == SHARED
        replica, token = self.progress["devices"][name]
        config = {
            "address": self.server.listen,
            "replica": replica,
            "token": token,
            "folder": str(self.logs),
            "name": name,
            "seed": f"{self.seed}/{name}/{self.progress['lives']}",
            "batch": max(1, self.batch // 5) if is_shared else self.batch,
            "pause": 0.1 if is_shared else 0.02,
            "recent": None if is_shared else 300,
            "shared_keys": 20 if is_shared else 0,
        }
        process = self.forks.Process(target=writer.run, args=(config,))
        process.start()
        self.writers[name] = process

    def start(self):
        for name in STRANGERS:
            self.start_writer(name)
        for number, (name, companion) in enumerate(self.companions.items()):
            seed = f"{self.seed}/{name}/{self.progress['cycles']}"
            typist = Typist(companion, self.logs, name, number, seed, kill_share=0.25)
            typist.start()
            self.typists.append(typist)

    def cycle(self):
        """One kill of the daemon, or of a writer. Commands are killed meanwhile by who types
        them."""
        time.sleep(self.rng.uniform(0, 0.15))
        if self.rng.random() < 0.1:
            name = self.rng.choice(list(STRANGERS))
            self.writers[name].kill()
            self.writers[name].join()
            self.start_writer(name)
            self.progress["writers"] += 1
            return
        self.server.kill()
        while self.rng.random() < 0.15:
            # Sometimes it does not even live to listen.
            with open(self.server.log, "ab") as log:
                infant = self.server.spawn(log=log)
            time.sleep(self.rng.uniform(0, 0.06))
            infant.kill()
            infant.communicate()
            self.progress["daemon"] += 1
        self.server.up()
        self.progress["daemon"] += 1

    def run_until(self, cycles, acknowledged=0):
        """Kills until so many were killed and so much was acknowledged. Raises what went wrong on
        the way."""
        while self.kills() < cycles or (acknowledged and self.acknowledged_so_far() < acknowledged):
            for _ in range(20):
                self.cycle()
            for name, process in self.writers.items():
                assert process.is_alive(), f"the writer {name} ended with {process.exitcode}"

    def kills(self):
        commands = sum(t.kills for t in self.typists)
        p = self.progress
        p["cycles"] = p["daemon"] + p["writers"] + p["commands"] + commands
        return p["cycles"]

    def acknowledged_so_far(self):
        """About; cheap enough to ask often."""
        return sum(p.stat().st_size for p in self.logs.glob("bulk*.log")) // BYTES_A_WRITE

    def pause(self):
        """Ends the writers kindly; the daemon once more not. Returns what surprised them."""
        surprises = []
        for process in self.writers.values():
            process.terminate()
        for name, process in self.writers.items():
            process.join(20)
            if process.exitcode not in (0, -signal.SIGTERM):  # The latter if it had hardly begun.
                surprises.append(f"the writer {name} ended with {process.exitcode}")
                process.kill()
        for typist in self.typists:
            typist.stop()
            self.progress["commands"] += typist.kills
            surprises += typist.surprises
        self.writers, self.typists = {}, []
        self.kills()
        self.save()
        return surprises

    def check(self, result):
        """Everybody syncs twice; then logs and states are compared."""
        self.server.kill()
        self.server.up()
        for _ in range(2):
            for companion in self.companions.values():
                companion.say("sync")
        states = {n: from_dump(c.dump()) for n, c in self.companions.items()}
        result.acknowledged = result.lost = 0
        for complaint in self.server.complaints():
            result.wrong(f"the daemon's log: {complaint}")
        with open_channel(self.server.listen) as channel:
            for account in sorted(set(STRANGERS.values())):
                names = [n for n, a in STRANGERS.items() if a == account]
                device = device_of(*self.progress["devices"][names[0]], channel)
                feed = from_feed(device)
                history = History()
                for path in (p for n in names for p in OpLog.lives(self.logs, n)):
                    history.read(path)
                    if any(line.get("restarted") for line in lines(path)):
                        result.wrong(f"{account}: the server said that it lost something")
                result.take(check(history, feed))
                others = set()
                if account == SHARED:
                    result.problems += differences({"server": feed, **states})
                    for name in COMPANIONS:
                        entries = Entries()
                        for path in OpLog.lives(self.logs, name):
                            entries.read(path)
                        verdict, keys = check_entries(entries, feed)
                        result.take(verdict)
                        others |= keys
                result.problems += from_nowhere(feed, history, others)

    def end(self):
        for process in self.writers.values():
            process.kill()
        for typist in self.typists:
            typist.stopping.set()
            typist.join(LIMIT_SECONDS)
        self.server.kill()


BYTES_A_WRITE = 190


def run(binaries, folder, *, seed, cycles, acknowledged=0, every=None, batch=40, say=print):
    """Kills at least so many times, until at least so much was acknowledged; checks every so many
    kills, and at the end."""
    result = Result("kill -9")
    world = KillRun(binaries, folder, seed, batch)
    try:
        world.settle_in()
        every = every or cycles
        while True:
            begun = world.kills()
            if begun >= cycles and result.acknowledged >= acknowledged and result.cycles:
                break
            share = acknowledged * min(1, (begun + every) / cycles) if acknowledged else 0
            world.start()
            world.run_until(begun + every if begun < cycles else 0, share)
            result.problems += world.pause()
            world.check(result)
            p = world.progress
            result.cycles = p["cycles"]
            result.notes = [
                f"{p['daemon']:,} of the daemon, {p['commands']:,} of commands, "
                f"{p['writers']:,} of writers"
            ]
            if every < cycles:
                say(
                    f"{time.strftime('%H:%M:%S')} {p['cycles']:,} kills, "
                    f"{result.acknowledged:,} acknowledged, {result.lost} lost, "
                    f"{len(result.problems)} problems",
                    flush=True,
                )
            if result.problems:
                break
    finally:
        world.end()
    return result.done()
