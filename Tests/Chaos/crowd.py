# SPDX-License-Identifier: Apache-2.0
"""Who writes while things break: devices of gRPC's own client in processes that may be killed, and
companions whose commands may be. Judges what came of it, as it grows."""

import itertools
import multiprocessing
import signal
import time

import grpc
import writer
from checker import differences
from companion_log import Commands
from harness import open_channel
from ledger import Ledger
from states import from_dump
from stranger import encoded
from typist import Typist
from world import LIMIT_SECONDS, Companion, device_of

PAUSE_SECONDS = 0.05
# The share of writes to existing records. A store that grows slowly restarts quickly after each
# kill, because it is read completely. A replica that grows slowly keeps commands fast.
CHANGES = 0.85

# Shared: four devices make conflicting writes to some keys. The bulk accounts have one writer each,
# for large numbers.
SHARED = "shared"
STRANGERS = {"alpha": SHARED, "beta": SHARED, "bulk-one": "bulk-one", "bulk-two": "bulk-two"}
COMPANIONS = ("phone", "tablet")
ACCOUNTS = sorted(set(STRANGERS.values()))


class Crowd:
    """Outlives every kill but its own process's, and that one too, if its owner keeps `progress`.

    - servers: at least one. Writers go from one to another as they please.
    - may_go_back: whether the server may lose what it acknowledged, and has to be given it back.
      Then writers remember everything since the last check, and none forgets what waits. To be
      changed while nobody writes.
    """

    def __init__(self, binaries, folder, servers, seed, batch, progress):
        self.servers, self.seed, self.batch, self.progress = servers, seed, batch, progress
        self.may_go_back = False
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        for name in ("writers", "commands", "lives", "checks"):
            progress.setdefault(name, 0)
        progress.setdefault("cursors", {})
        # Writers are forked from a process that has already loaded gRPC, so that many can be
        # killed.
        self.forks = multiprocessing.get_context("forkserver")
        self.forks.set_forkserver_preload(["tether", "writer"])
        self.writers, self.typists = {}, []
        self.companions = {n: Companion(binaries, folder / n) for n in COMPANIONS}
        self.commands = [Commands(name) for name in COMPANIONS]
        self.ledgers = {a: Ledger(self.commands if a == SHARED else ()) for a in ACCOUNTS}

    def settle_in(self):
        """Pairs everybody, the first time."""
        if "devices" in self.progress:
            return
        servers = itertools.cycle(self.servers)
        for name, companion in self.companions.items():
            companion.pair(next(servers), SHARED, name)
        devices = {n: next(servers).pair(account, n) for n, account in STRANGERS.items()}
        self.progress["devices"] = {n: [d.replica, d.token] for n, d in devices.items()}
        for device in devices.values():
            device.channel.close()

    # Writing.

    def start(self):
        for name in STRANGERS:
            self._start_writer(name)
        for number, (name, companion) in enumerate(self.companions.items()):
            seed = f"{self.seed}/{name}/{self.progress['lives']}"
            typist = Typist(companion, self.logs, name, number, seed, kill_share=0.4)
            typist.start()
            self.typists.append(typist)

    def _start_writer(self, name):
        self.progress["lives"] += 1
        account = STRANGERS[name]
        is_shared = account == SHARED
        knows_all = is_shared or self.may_go_back
        replica, token = self.progress["devices"][name]
        config = {
            "addresses": [server.listen for server in self.servers],
            "replica": replica,
            "token": token,
            "folder": str(self.logs),
            "name": name,
            "seed": f"{self.seed}/{name}/{self.progress['lives']}",
            "batch": max(1, self.batch // 5) if is_shared else self.batch,
            "pause": 0.25 if is_shared else 0.02,
            "recent": None if knows_all else 300,
            # Conflicting records are new after each check. So nobody has to know the whole past,
            # and the checker need not examine it again.
            "since": self.progress["cursors"].get(account) if knows_all else None,
            "shared_keys": 20 if is_shared else 0,
            "theme": f"shared.{self.progress['checks']}",
            "changes": CHANGES,
            "keeps_all": self.may_go_back,
        }
        process = self.forks.Process(target=writer.run, args=(config,))
        process.start()
        self.writers[name] = process

    def kill_a_writer(self, rng):
        """Kills one. Its next life begins at once."""
        name = rng.choice(list(STRANGERS))
        self.writers[name].kill()
        self.writers[name].join()
        self._start_writer(name)
        self.progress["writers"] += 1

    def expect_alive(self):
        for name, process in self.writers.items():
            assert process.is_alive(), f"the writer {name} ended with {process.exitcode}"

    def command_kills(self):
        return self.progress["commands"] + sum(typist.kills for typist in self.typists)

    def pause(self):
        """Ends the writers kindly. Returns what surprised them."""
        surprises = []
        for process in self.writers.values():
            process.terminate()
        for name, process in self.writers.items():
            process.join(LIMIT_SECONDS)
            if process.is_alive():
                surprises.append(f"the writer {name} ran on for {LIMIT_SECONDS} s")
                process.kill()
            elif process.exitcode not in (0, -signal.SIGTERM):  # -SIGTERM if it had hardly begun.
                surprises.append(f"the writer {name} ended with {process.exitcode}")
        return surprises + self._pause_typists()

    def stop(self):
        """Ends everybody at once, so that nobody brings anything back. Returns what surprised
        them."""
        for process in self.writers.values():
            process.kill()
            process.join()
            self.progress["writers"] += 1
        return self._pause_typists()

    def _pause_typists(self):
        surprises = []
        for typist in self.typists:
            typist.stop()
            self.progress["commands"] += typist.kills
            surprises += typist.surprises
        self.writers, self.typists = {}, []
        return surprises

    def end(self):
        for process in self.writers.values():
            process.kill()
        for typist in self.typists:
            typist.stopping.set()
            typist.join(LIMIT_SECONDS)

    # Judging.

    def check(self, result, of_all=False):
        """Judges what is new once every device has synced, and at times all there is. Nobody writes
        meanwhile."""
        for companion in self.companions.values():
            companion.say("sync")
        for account in ACCOUNTS:
            self._read(account)
            result.take(self.ledgers[account].judge())
        if not self._agree():
            result.wrong("the companions' replicas are not equal")
        audited = [a for a in ACCOUNTS if of_all or self.ledgers[a].wants_audit]
        for account in audited:
            self._read(account, audits=True)
        if SHARED in audited:
            states = {n: from_dump(c.dump()) for n, c in self.companions.items()}
            server = self.ledgers[SHARED].state()
            result.problems += differences({"server": server, **states})
        for account in audited:
            result.take(self.ledgers[account].judge())
        self.progress["checks"] += 1

    def await_service(self):
        """Returns once every server answers out of its store."""
        replica, token = self.progress["devices"]["alpha"]
        until = time.monotonic() + LIMIT_SECONDS
        for server in self.servers:
            with open_channel(server.listen) as channel:
                device = device_of(replica, token, channel)
                while True:
                    try:
                        device.exchange()
                        break
                    except grpc.RpcError:
                        if time.monotonic() > until:
                            raise
                        time.sleep(PAUSE_SECONDS)

    def check_loss(self, result):
        """Judges whether the server has what it acknowledged, before any device syncs again."""
        for account in ACCOUNTS:
            self._read(account)
            verdict = self.ledgers[account].lost_now()
            result.lost += verdict.lost
            result.problems += verdict.problems

    def _read(self, account, audits=False):
        """Takes in the logs, and then what the server holds."""
        ledger = self.ledgers[account]
        ledger.may_go_back = self.may_go_back
        names = [n for n, a in STRANGERS.items() if a == account]
        ledger.read(self.logs, *names)
        if account == SHARED:
            for commands in self.commands:
                commands.read(self.logs)
        with open_channel(self.servers[0].listen) as channel:
            device = device_of(*self.progress["devices"][names[0]], channel)
            ledger.follow(device)
            if audits:
                ledger.audit(device)
        self.progress["cursors"][account] = encoded(ledger.cursor)

    def _agree(self):
        """Whether the companions' replicas become equal. A daemon that has not heard yet of what
        another one committed does not know that there is more."""
        until = time.monotonic() + LIMIT_SECONDS
        while True:
            for companion in self.companions.values():
                companion.say("sync")
            digests = {each.say("replica", "digest") for each in self.companions.values()}
            if len(digests) == 1 or time.monotonic() > until:
                return len(digests) == 1
