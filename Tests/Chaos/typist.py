# SPDX-License-Identifier: Apache-2.0
"""Somebody who types `atrest` commands, some of which are killed while they run."""

import datetime
import json
import random
import subprocess
import threading
import time

from companion_log import DELETED
from oplog import FAILED, OK, UNKNOWN, OpLog, lines
from world import ENVIRONMENT, LIMIT_SECONDS, TETHER

FIRST = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
SECOND = datetime.timedelta(seconds=1)
EXPECTED = {0, 69}  # Success, or the server is down.


class Typist(threading.Thread):
    """Types until told to stop. `kills` says how many commands did not live to answer."""

    def __init__(self, companion, folder, name, number, seed, kill_share):
        super().__init__(daemon=True)
        self.companion, self.rng, self.kill_share = companion, random.Random(seed), kill_share
        self.stopping = threading.Event()
        self.kills = 0
        self.surprises = []
        self.entries = {}
        self.second = number * 100_000_000
        for life in reversed(OpLog.lives(folder, name)):
            used = [line["second"] for line in lines(life) if "second" in line]
            if used:  # They only grow.
                self.second = used[-1] + 1
                break
        self.log = OpLog.next_life(folder, name)

    def run(self):
        while not self.stopping.is_set():
            self.type_something()
            time.sleep(self.rng.uniform(0, 0.05))

    def stop(self):
        self.stopping.set()
        self.join(2 * LIMIT_SECONDS)
        self.log.close()

    def type_something(self):
        dice = self.rng.random()
        if dice < 0.35:
            self._run("sync")
        elif dice < 0.7 or not self.entries:
            self._add()
        else:
            self._change()

    def _add(self):
        # Each entry has a unique time that identifies it.
        self.second += 1
        at, ml = FIRST + self.second * SECOND, self.rng.randint(1, 5000)
        at_ms = int(at.timestamp() * 1000)
        number = self.log.trying(at=at_ms, becomes=ml, second=self.second)
        answer = self._run("water", "add", str(ml), "--at", at.isoformat(), number=number)
        if answer is not None:
            self.entries[json.loads(answer)["id"]] = at_ms

    def _change(self):
        id, at_ms = self.rng.choice(list(self.entries.items())[-30:])
        hexadecimal = id.replace("-", "")
        if self.rng.random() < 0.3:
            number = self.log.trying(at=at_ms, becomes=DELETED, id=hexadecimal)
            self._run("water", "delete", id, number=number)
            del self.entries[id]  # Deleted or undecided: it is left alone.
        else:
            ml = self.rng.randint(1, 5000)
            number = self.log.trying(at=at_ms, becomes=ml, id=hexadecimal)
            self._run("water", "edit", id, "--amount", str(ml), number=number)

    def _run(self, *words, number=None):
        """Returns what the command answered; None if it did not, or was killed."""
        process = subprocess.Popen(
            [*TETHER, *self.companion.command(*words, "--json")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        if self.rng.random() < self.kill_share:
            time.sleep(self.rng.uniform(0, 0.08))
            process.kill()
        try:
            answer, complaint = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            answer, complaint = process.communicate()
            self.surprises.append(f"atrest {words[0]} did not end within {LIMIT_SECONDS} s")
        code = process.returncode
        if code < 0:
            self.kills += 1
        elif code not in EXPECTED:
            self.surprises.append(f"atrest {words[0]} ended with {code}: {complaint.strip()}")
        if number is not None:
            outcome = OK if code == 0 else UNKNOWN if code < 0 else FAILED
            self.log.ended(number, outcome)
        return answer if code == 0 else None
