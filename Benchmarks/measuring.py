# SPDX-License-Identifier: Apache-2.0
"""Runs programs and says what they took; replicas with years of fasts or of a garden in them."""

import contextlib
import datetime
import hashlib
import json
import os
import random
import statistics
import subprocess
import time
import uuid

HOUR = 3600
DAY = 24 * HOUR


class Series:
    """Runs of one command: how long a person waited, and what it cost the processor."""

    def __init__(self):
        self.wall = []
        self.processor = []

    @property
    def median(self):
        """Milliseconds."""
        return statistics.median(self.wall) * 1000

    def row(self, name):
        wall = sorted(self.wall)
        return "%-44s%12.1f%12.1f%12.1f" % (
            name,
            self.median,
            wall[min(len(wall) - 1, len(wall) * 95 // 100)] * 1000,
            statistics.median(self.processor) * 1000,
        )


def headings(title):
    print("\n" + title)
    print("%-44s%12s%12s%12s" % ("ms", "median", "p95", "processor"), flush=True)


def run(arguments, series, environment=None):
    """Starts a program, waits for its end, and fails if it failed. What it prints goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    start = time.perf_counter()
    process = os.posix_spawnp(
        arguments[0],
        arguments,
        environment or os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)],
    )
    _, status, usage = os.wait4(process, 0)
    elapsed = time.perf_counter() - start
    os.close(nowhere)
    if status != 0:
        raise SystemExit("%s failed: status %d" % (" ".join(arguments), status))
    series.wall.append(elapsed)
    series.processor.append(usage.ru_utime + usage.ru_stime)


def take_turns(commands, rounds):
    """Runs each command once a round, so that a noisy minute hits all alike. The first round warms the caches and does not count."""
    series = {name: Series() for name in commands}
    for name, arguments in commands.items():
        run(arguments, Series())
    for _ in range(rounds):
        for name, arguments in commands.items():
            run(arguments, series[name])
    return series


def instant(seconds):
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def export(path, fasts, waters, now, seed=1, day=DAY):
    """Writes a file in our own format: a fast a day, the last one yesterday, and ten glasses a day. A day shorter than 24 hours makes room for more fasts than there were days since 1970."""
    generator = random.Random(seed)

    def name():
        return str(uuid.UUID(int=generator.getrandbits(128), version=4))

    lines = [
        {
            "format": "atrest-sync",
            "version": 1,
            "made_at": instant(now),
            "program": "bench",
            "records": {"session": fasts, "water": waters},
        }
    ]
    for index in range(fasts):
        start = now - (index + 2) * day + generator.randrange(day // 6)
        end = start + day * 2 // 3 + generator.randrange(day // 8)
        span = {"start": instant(start), "end": instant(end), "outcome": "completed"}
        lines.append({"id": name(), "kind": "session", "span": span, "target_minutes": 960})
    for index in range(waters):
        at = now - index * DAY // 10 - generator.randrange(HOUR)
        intake = {"at": instant(at), "millilitres": generator.choice([150, 200, 250, 300, 500])}
        lines.append({"id": name(), "kind": "water", "intake": intake})
    text = "".join(json.dumps(line, separators=(",", ":"), sort_keys=True) + "\n" for line in lines)
    seal = {"count": fasts + waters, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + json.dumps(seal, separators=(",", ":")) + "\n")


def fill(program, folder, name, fasts, waters):
    """A replica with so much in it, and a fast that began five hours ago."""
    replica, file = os.path.join(folder, name), os.path.join(folder, name + ".jsonl")
    export(file, fasts, waters, int(time.time()))
    answer(program, "import", file, "--yes", "--replica", replica)
    answer(program, "fast", "start", "--at", "5h ago", "--replica", replica)
    return replica


def garden(path, sprouts, waterings, now, seed=1):
    """Writes a file in the format of Trunk's web app: sprouts that were planted over two years, most of them harvested after twenty days, and words about them."""
    generator = random.Random(seed)

    def name():
        return str(uuid.UUID(int=generator.getrandbits(128), version=4))

    events, planted = [], []
    for index in range(sprouts):
        at, sprout = now - 2 * 365 * DAY + index * 2 * 365 * DAY // (sprouts + 1), name()
        planted.append((sprout, at))
        twig = "branch-%d-twig-%d" % (generator.randrange(8), generator.randrange(8))
        events.append({
            "type": "sprout_planted", "timestamp": instant(at), "client_id": sprout,
            "sproutId": sprout, "twigId": twig, "title": "Goal number %d of the garden" % index,
            "season": generator.choice(["2w", "1m", "3m", "6m", "1y"]),
            "environment": generator.choice(["fertile", "firm", "barren"]),
        })
        if index % 10 and at + 20 * DAY < now:
            events.append({
                "type": "sprout_harvested", "timestamp": instant(at + 20 * DAY),
                "sproutId": sprout, "result": generator.randrange(1, 6),
            })
    for _ in range(waterings):
        sprout, at = generator.choice(planted)
        events.append({
            "type": "sprout_watered",
            "timestamp": instant(min(now, at + generator.randrange(20 * DAY))),
            "client_id": name(), "sproutId": sprout,
            "content": "A few words about how it went today, and why",
        })
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 4, "events": events}, file)


@contextlib.contextmanager
def serving(daemon, data):
    """A server with its data in a folder. It is gone afterwards."""
    server = subprocess.Popen(
        [daemon, "serve", "--data", data, "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    try:
        if "listening" not in server.stdout.readline():
            raise SystemExit("The server did not start.")
        yield
    finally:
        server.terminate()
        server.wait()


def link(daemon, data, what, account):
    """A pairing link: `what` is `add` for a new account, `invite` for another device of one."""
    printed = answer(daemon, "account", what, account, "--data", data)
    return next(word for word in printed.split() if word.startswith("atrest://"))


def answer(program, *arguments):
    """What a program prints; it has to succeed."""
    result = subprocess.run([program, *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit("%s failed: %s" % (" ".join([program, *arguments]), result.stderr))
    return result.stdout
