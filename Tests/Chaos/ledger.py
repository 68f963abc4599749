# SPDX-License-Identifier: Apache-2.0
"""Judges a history that grows: what was judged is looked at again only when something about its
record is new.

A ledger keeps what was tried and what the server holds, by record, in as few bytes as they take.
`judge` costs what came since it was asked last. It believes that a record is as it was if the feed
is silent about it. `audit` believes nothing: it reads the feed from its beginning, and whatever is
not as the feed had told is judged again. To audit whenever there is twice as much as the last time,
and at the end, costs as much as reading all of it a few times, however often it is judged.
"""

from collections import defaultdict

import checker
from atrest.sync.v1 import records_pb2, sync_pb2
from checker import LOST, History, Verdict, check
from model import CONFLICT, to_record
from oplog import OpLog, lines

JOURNAL_TAIL = 24


class Ledger:
    """All that is known of one account.

    - commands: they answer for the records that no offer made.
    - may_go_back: whether the server may lose something, and say so. Whatever it acknowledged has to
      be there again when it is judged.
    """

    def __init__(self, commands=()):
        self.commands = commands
        self.may_go_back = False
        self.cursor = None
        self.acknowledged = 0
        self._tries = defaultdict(dict)  # Offers by key, and whether acknowledged.
        self._records = {}  # Keyed by record: its encoding in the latest feed.
        self._journal = defaultdict(set)  # Keyed by record: the keys of its journal entries.
        self._counted = {}  # Keyed by record: its part of `acknowledged`.
        self._touched = set()
        self._audited = 0
        self._lives = set()
        self._problems = []

    # Updates.

    def read(self, folder, *names):
        """Takes in the lives of writers that ended since. Nobody may be living one meanwhile."""
        for path in (path for name in names for path in OpLog.lives(folder, name)):
            if path in self._lives:
                continue
            self._lives.add(path)
            for offer, is_acknowledged in checker.offers(path):
                self.tried(offer, is_acknowledged)
            if not self.may_go_back and any(line.get("restarted") for line in lines(path)):
                self._problems.append("the server said that it lost something")

    def tried(self, offer, is_acknowledged):
        if not offer.written_fields:
            return  # Given back: somebody's write, which was offered as one before.
        key, encoded = (offer.record.kind, offer.record.id), offer.SerializeToString()
        self._tries[key][encoded] = self._tries[key].get(encoded, False) or is_acknowledged
        self._touched.add(key)

    def follow(self, device):
        """Takes in what the feed has brought since."""
        told, is_whole = set(), False
        for page in device.pages(self.cursor):
            if page.restarted:
                is_whole = True
                if not self.may_go_back:
                    self._problems.append("the server said that it lost something")
            for encoded in page.records:
                key = key_of(encoded)
                if self._records.get(key) != encoded:
                    self._see(key, encoded)
                if key in told:
                    self._problems.append(f"the feed brings {checker.title(key)} twice")
                told.add(key)
            self.cursor = page.cursor
        if is_whole:
            self._forget(self._records.keys() - told)

    def _see(self, key, encoded):
        self._records[key] = encoded
        about = subject(key)
        if about != key:
            self._journal[about].add(key)
        self._touch(about, encoded)

    def _forget(self, keys):
        for key in keys:
            self._touch(subject(key), self._records.pop(key))

    def _touch(self, key, encoded):
        self._touched.add(key)
        message = records_pb2.Record.FromString(encoded)
        for commands in self.commands:
            commands.see(key, message)

    # Results.

    @property
    def wants_audit(self):
        return len(self._records) >= 2 * self._audited

    def audit(self, device):
        """Reads all there is again."""
        found = set()
        for encoded in device.all_records():
            key = key_of(encoded)
            found.add(key)
            if self._records.get(key) != encoded:
                self._problems.append(f"{checker.title(key)} changed, and the feed did not tell")
                self._see(key, encoded)
        gone = self._records.keys() - found
        for key in gone:
            self._problems.append(f"{checker.title(key)} is gone, and the feed did not tell")
        self._forget(gone)
        self._audited = len(self._records)

    def state(self):
        """What the server holds, as the feed told."""
        return {key: self._record(key) for key in self._records}

    def judge(self):
        """What is wrong about what is new; `acknowledged` counts what came since."""
        verdict, known = Verdict(), set()
        verdict.problems, self._problems = self._problems, []
        for commands in self.commands:
            more, keys = commands.judge(self._state_of)
            verdict.add(more)
            known |= keys
        for key in self._touched:
            more, history, state = self._check(key)
            more.problems += checker.from_nowhere(state, history, known)
            more.acknowledged -= self._counted.get(key, 0)
            self._counted[key] = history.acknowledged
            verdict.add(more)
        self._touched = set()
        self.acknowledged += verdict.acknowledged
        return verdict

    def lost_now(self):
        """What was acknowledged and is not there, however it might come back; only of what is new.
        `judge` looks at all of it again."""
        verdict = Verdict()
        for key in self._touched:
            verdict.add(self._check(key)[0])
        verdict.problems = [each for each in verdict.problems if each.startswith(LOST)]
        return verdict

    def _check(self, key):
        """The verdict on one record, with what was tried and what is there."""
        history = History()
        for encoded, is_acknowledged in self._tries.get(key, {}).items():
            history.tried(sync_pb2.Offer.FromString(encoded), is_acknowledged)
        state = self._state_of({key, *self._journal.get(key, ())})
        return check(history, state), history, state

    def _state_of(self, keys):
        return {key: self._record(key) for key in keys if key in self._records}

    def _record(self, key):
        return to_record(records_pb2.Record.FromString(self._records[key]))[1]


def key_of(encoded):
    message = records_pb2.Record.FromString(encoded)
    return (message.kind, message.id)


def subject(key):
    """The key of the record that this one tells about: itself, but for the journal's, whose ids
    begin with the record's and go on with its kind, the field and the stamp."""
    if key[0] != CONFLICT:
        return key
    id, rest = key[1][:-JOURNAL_TAIL], key[1][-JOURNAL_TAIL:]
    return (int.from_bytes(rest[:4], "big"), id)
