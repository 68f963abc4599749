# SPDX-License-Identifier: Apache-2.0
"""`kill -9`, again and again, of the daemon, of writers and of commands, while they write."""

import json
import random
import time

from crowd import Crowd
from result import Result
from world import Server, free_port


class KillRun:
    """A world that outlives every kill, and this process too: run again on its folder, it goes
    on. What a check found is kept in this process only, so the first one is of all there is."""

    def __init__(self, binaries, folder, seed, batch):
        folder.mkdir(parents=True, exist_ok=True)
        self.progress_file = folder / "progress.json"
        self.progress = self._load()
        self.rng = random.Random(f"{seed}/{self.progress['cycles']}")
        self.server = Server(binaries, folder, self.progress["port"])
        self.crowd = Crowd(binaries, folder, [self.server], seed, batch, self.progress)
        self.log_read = 0

    def _load(self):
        progress = {"port": 0, "cycles": 0, "daemon": 0}
        if self.progress_file.exists():
            progress |= json.loads(self.progress_file.read_text())
        progress["port"] = progress["port"] or free_port()
        return progress

    def save(self):
        part = self.progress_file.with_suffix(".part")
        part.write_text(json.dumps(self.progress))
        part.replace(self.progress_file)

    def settle_in(self):
        self.server.up()
        self.crowd.settle_in()
        self.save()

    def cycle(self):
        """One kill of the daemon, or of a writer. Commands are killed meanwhile by who types
        them."""
        time.sleep(self.rng.uniform(0, 0.15))
        if self.rng.random() < 0.1:
            self.crowd.kill_a_writer(self.rng)
            return
        self.server.kill()
        while self.rng.random() < 0.15:
            self.server.kill_at_start(self.rng.uniform(0, 0.06))
            self.progress["daemon"] += 1
        self.server.up()
        self.progress["daemon"] += 1

    def run_until(self, cycles):
        """Kills until so many were killed. Raises what went wrong on the way."""
        while self.kills() < cycles:
            for _ in range(20):
                self.cycle()
            self.crowd.expect_alive()

    def kills(self):
        p = self.progress
        p["cycles"] = p["daemon"] + p["writers"] + self.crowd.command_kills()
        return p["cycles"]

    def pause(self):
        """Ends the writers kindly; the daemon once more not. Returns what surprised them."""
        surprises = self.crowd.pause()
        self.kills()
        self.save()
        return surprises

    def check(self, result, of_all=False):
        self.server.kill()
        self.server.up()
        self.complain(result)
        self.crowd.check(result, of_all)
        self.save()

    def complain(self, result):
        """What the daemon's log says that is more than a notice, as far as it is new."""
        complaints = self.server.complaints()
        for complaint in complaints[self.log_read :]:
            result.wrong(f"the daemon's log: {complaint}")
        self.log_read = len(complaints)

    def end(self):
        self.crowd.end()
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
            world.crowd.start()
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
