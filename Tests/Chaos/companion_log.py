# SPDX-License-Identifier: Apache-2.0
"""Decides what a person's water list must say, from the log of the commands that were typed.

Commands do not tell stamps, so each entry is known by its time, which nothing else in its account
has, and only its own device edits it. Then the last command that was answered decides, or any later
one that was killed.
"""

from collections import defaultdict

from atrest.sync.v1 import records_pb2
from checker import Verdict
from model import DELETED_FIELD, to_record
from oplog import FAILED, OK, OpLog, attempts

DELETED = "deleted"


class Entries:
    """What one account's commands may have made of each entry: time to its possible contents."""

    def __init__(self):
        self.possible = defaultdict(lambda: {None})
        self.ids = {}
        self.acknowledged = 0

    def read(self, path):
        """Adds a life of a device. Attempts of water commands carry `at` and `becomes` (millilitres
        or "deleted")."""
        for tried, end in sorted(attempts(path), key=lambda pair: pair[0]["try"]):
            if "becomes" not in tried or (end and end["as"] == FAILED):
                continue
            if "id" in tried:
                self.ids[tried["at"]] = bytes.fromhex(tried["id"])
            if end and end["as"] == OK:
                self.acknowledged += 1
                self.possible[tried["at"]] = {tried["becomes"]}
            else:
                self.possible[tried["at"]] |= {tried["becomes"]}
        return self


def check_entries(entries, state):
    """Returns the verdict, and the keys of the records that commands made."""
    verdict = Verdict()
    verdict.acknowledged = entries.acknowledged
    found, keys = {}, set()
    for key, record in state.items():
        if key[0] != records_pb2.KIND_WATER:
            continue
        water = records_pb2.Water.FromString(b"".join(record[f].value for f in sorted(record)))
        if water.intake.at_ms not in entries.possible:
            continue
        if water.intake.at_ms in found:
            verdict.wrong(f"doubled: the entry of {water.intake.at_ms}")
        found[water.intake.at_ms] = DELETED if water.deleted else water.intake.millilitres
        keys.add(key)
    for at, id in entries.ids.items():
        record = state.get((records_pb2.KIND_WATER, id), {})
        if at not in found and DELETED_FIELD in record and record[DELETED_FIELD].value:
            found[at] = DELETED  # And its contents were pruned.
            keys.add((records_pb2.KIND_WATER, id))
    for at, possible in entries.possible.items():
        if found.get(at) not in possible:
            verdict.lose(f"lost: the entry of {at} is not what the last command made it")
    return verdict, keys


class Commands:
    """All entries that one companion's commands made, judged as they change: see `Ledger`."""

    def __init__(self, name):
        self.name = name
        self._all = Entries()
        self._keys = defaultdict(set)  # Keyed by an entry's time: the records that may be it.
        self._time = {}  # The reverse mapping.
        self._lives = set()
        self._touched = set()
        self._counted = 0

    def read(self, folder):
        """Takes in the lives that ended since; before the feed that tells what came of them."""
        for path in OpLog.lives(folder, self.name):
            if path in self._lives:
                continue
            self._lives.add(path)
            self._all.read(path)
            self._touched |= {tried["at"] for tried, _ in attempts(path) if "at" in tried}
        for at in self._touched & self._all.ids.keys():
            self._is_one(at, (records_pb2.KIND_WATER, self._all.ids[at]))

    def _is_one(self, at, key):
        self._time[key] = at
        self._keys[at].add(key)

    def see(self, key, message):
        """A record of that key, or the journal about it, is no longer as it was."""
        if key == (message.kind, message.id) and key[0] == records_pb2.KIND_WATER:
            at = entry_time(message)
            if at in self._all.possible:
                self._is_one(at, key)
        if key in self._time:
            self._touched.add(self._time[key])

    def judge(self, state_of):
        """The verdict on what is new, and the keys that commands answer for."""
        new = Entries()
        new.acknowledged = self._all.acknowledged - self._counted
        self._counted = self._all.acknowledged
        keys = set()
        for at in self._touched:
            new.possible[at] = self._all.possible[at]
            if at in self._all.ids:
                new.ids[at] = self._all.ids[at]
            keys |= self._keys[at]
        self._touched = set()
        return check_entries(new, state_of(keys))


def entry_time(message):
    _, record = to_record(message)
    return records_pb2.Water.FromString(
        b"".join(register.value for _, register in sorted(record.items()))
    ).intake.at_ms
