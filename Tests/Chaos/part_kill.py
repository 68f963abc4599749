# SPDX-License-Identifier: Apache-2.0
"""`kill -9`, again and again, of the daemon, of writers and of commands, while they write."""

import json
import multiprocessing
import random
import signal
import time

import writer
from checker import differences
from companion_log import Commands
from harness import open_channel
from ledger import Ledger
from result import Result
from states import from_dump
from stranger import encoded
from typist import Typist
from world import LIMIT_SECONDS, Companion, Server, device_of, free_port

# The share of writes to existing records. A store that grows slowly restarts quickly after each
# kill, because it is read completely. A replica that grows slowly keeps commands fast.
CHANGES = 0.85

# Shared: four devices make conflicting writes to some keys. The bulk accounts have one writer each,
# for large numbers.
SHARED = "shared"
STRANGERS = {"alpha": SHARED, "beta": SHARED, "bulk-one": "bulk-one", "bulk-two": "bulk-two"}
COMPANIONS = ("phone", "tablet")
ACCOUNTS = sorted(set(STRANGERS.values()))


class KillRun:
    """A world that outlives every kill, and this process too: run again on its folder, it goes
    on. What a check found is kept in this process only, so the first one is of all there is."""

    def __init__(self, binaries, folder, seed, batch):
        self.binaries, self.folder, self.seed, self.batch = binaries, folder, seed, batch
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.progress_file = folder / "progress.json"
        self.progress = self._load()
        self.rng = random.Random(f"{seed}/{self.progress['cycles']}")
        self.server = Server(binaries, folder, self.progress["port"])
        # Writers are forked from a process that has already loaded gRPC, so that many can be
        # killed.
        self.forks = multiprocessing.get_context("forkserver")
        self.forks.set_forkserver_preload(["tether", "writer"])
        self.writers, self.typists = {}, []
        self.companions = {n: Companion(binaries, folder / n) for n in COMPANIONS}
        self.commands = [Commands(name) for name in COMPANIONS]
        self.ledgers = {a: Ledger(self.commands if a == SHARED else ()) for a in ACCOUNTS}
        self.log_read = 0

    def _load(self):
        progress = {
            "port": 0,
            "cycles": 0,
            "daemon": 0,
            "writers": 0,
            "commands": 0,
            "lives": 0,
            "checks": 0,
            "cursors": {},
        }
        if self.progress_file.exists():
            progress |= json.loads(self.progress_file.read_text())
        progress["port"] = progress["port"] or free_port()
        return progress

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
        account = STRANGERS[name]
        is_shared = account == SHARED
        replica, token = self.progress["devices"][name]
        config = {
            "address": self.server.listen,
            "replica": replica,
            "token": token,
            "folder": str(self.logs),
            "name": name,
            "seed": f"{self.seed}/{name}/{self.progress['lives']}",
            "batch": max(1, self.batch // 5) if is_shared else self.batch,
            "pause": 0.25 if is_shared else 0.02,
            "recent": None if is_shared else 300,
            # Conflicting records are new after each check. So nobody has to know the whole past,
            # and the checker need not examine it again.
            "since": self.progress["cursors"].get(account) if is_shared else None,
            "shared_keys": 20 if is_shared else 0,
            "theme": f"shared.{self.progress['checks']}",
            "changes": CHANGES,
        }
        process = self.forks.Process(target=writer.run, args=(config,))
        process.start()
        self.writers[name] = process

    def start(self):
        for name in STRANGERS:
            self.start_writer(name)
        for number, (name, companion) in enumerate(self.companions.items()):
            seed = f"{self.seed}/{name}/{self.progress['cycles']}"
            typist = Typist(companion, self.logs, name, number, seed, kill_share=0.4)
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
            # Sometimes it is killed before it listens.
            with open(self.server.log, "ab") as log:
                infant = self.server.spawn(log=log)
            time.sleep(self.rng.uniform(0, 0.06))
            infant.kill()
            infant.communicate()
            self.progress["daemon"] += 1
        self.server.up()
        self.progress["daemon"] += 1

    def run_until(self, cycles):
        """Kills until so many were killed. Raises what went wrong on the way."""
        while self.kills() < cycles:
            for _ in range(20):
                self.cycle()
            for name, process in self.writers.items():
                assert process.is_alive(), f"the writer {name} ended with {process.exitcode}"

    def kills(self):
        commands = sum(t.kills for t in self.typists)
        p = self.progress
        p["cycles"] = p["daemon"] + p["writers"] + p["commands"] + commands
        return p["cycles"]

    def pause(self):
        """Ends the writers kindly; the daemon once more not. Returns what surprised them."""
        surprises = []
        for process in self.writers.values():
            process.terminate()
        for name, process in self.writers.items():
            process.join(20)
            if process.exitcode not in (0, -signal.SIGTERM):  # -SIGTERM if it had hardly begun.
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

    def check(self, result, of_all=False):
        """Everybody syncs twice; then what is new is judged, and at times all there is."""
        self.server.kill()
        self.server.up()
        for _ in range(2):
            for companion in self.companions.values():
                companion.say("sync")
        digests = {c.say("replica", "digest") for c in self.companions.values()}
        if len(digests) > 1:
            result.wrong("the companions' replicas are not equal")
        self.complain(result)
        for commands in self.commands:
            commands.read(self.logs)
        with open_channel(self.server.listen) as channel:
            for account, ledger in self.ledgers.items():
                names = [n for n, a in STRANGERS.items() if a == account]
                device = device_of(*self.progress["devices"][names[0]], channel)
                ledger.read(self.logs, *names)
                ledger.follow(device)
                if of_all or ledger.wants_audit:
                    ledger.audit(device)
                    if account == SHARED:
                        states = {n: from_dump(c.dump()) for n, c in self.companions.items()}
                        result.problems += differences({"server": ledger.state(), **states})
                result.take(ledger.judge())
                self.progress["cursors"][account] = encoded(ledger.cursor)
        self.progress["checks"] += 1
        self.save()

    def complain(self, result):
        """What the daemon's log says that is more than a notice, as far as it is new."""
        complaints = self.server.complaints()
        for complaint in complaints[self.log_read :]:
            result.wrong(f"the daemon's log: {complaint}")
        self.log_read = len(complaints)

    def end(self):
        for process in self.writers.values():
            process.kill()
        for typist in self.typists:
            typist.stopping.set()
            typist.join(LIMIT_SECONDS)
        self.server.kill()


class Pace:
    """What to tell who watches a long run: how far it is, and how fast since it told last."""

    def __init__(self, kills):
        self.kills, self.acknowledged, self.begun = kills, 0, time.monotonic()

    def line(self, kills, result, check_seconds):
        now = time.monotonic()
        minutes = (now - self.begun) / 60
        line = (
            f"{time.strftime('%H:%M:%S')} {kills:,} kills, {result.acknowledged:,} acknowledged, "
            f"{result.lost} lost, {len(result.problems)} problems; a minute: "
            f"{(kills - self.kills) / minutes:,.0f} kills, "
            f"{(result.acknowledged - self.acknowledged) / minutes:,.0f} acknowledged; "
            f"checked in {check_seconds:.1f} s"
        )
        self.kills, self.acknowledged, self.begun = kills, result.acknowledged, now
        return line


def run(binaries, folder, *, seed, cycles, acknowledged=0, every=None, batch=40, say=print):
    """Kills at least so many times, until at least so much was acknowledged; checks every so many
    kills, and in the end all there is."""
    result = Result("kill -9")
    world = KillRun(binaries, folder, seed, batch)
    every = every or cycles
    try:
        world.settle_in()
        pace = Pace(world.kills())
        while True:
            if world.kills():
                begun = time.monotonic()
                world.check(result)
                if every < cycles:
                    line = pace.line(world.kills(), result, time.monotonic() - begun)
                    say(line, flush=True)
                is_enough = world.kills() >= cycles and result.acknowledged >= acknowledged
                if is_enough or result.problems:
                    break
            world.start()
            world.run_until(world.kills() + every)
            result.problems += world.pause()
        world.check(result, of_all=True)
    finally:
        world.end()
        p = world.progress
        result.cycles = p["cycles"]
        result.notes.append(
            f"{p['daemon']:,} of the daemon, {p['commands']:,} of commands, "
            f"{p['writers']:,} of writers"
        )
    return result.done()
