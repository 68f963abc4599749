# SPDX-License-Identifier: Apache-2.0
"""Random histories of three devices, in step with the model: answers, records, journal, bytes.

`SYNC_SEED=0x2a Tests/Interop/run` replays the history of a failure; SYNC_CASES asks for more.
"""

import os
import random

import grpc
import pytest

import model
from atrest.internal.v1 import pages_pb2
from atrest.sync.v1 import records_pb2, sync_pb2
from model import CONFLICT
from values import DELETED, canonical, now_ms, intake, span, target, text

REPLAY = os.environ.get("SYNC_SEED")
SEEDS = [int(REPLAY, 0)] if REPLAY else range(1, 1 + int(os.environ.get("SYNC_CASES", "30")))
STEPS = 120
UNKNOWN_KIND = 4711
COMPRESSIONS = [grpc.Compression.NoCompression, grpc.Compression.Gzip, grpc.Compression.Deflate]


class Simulated:
    """A device: the model's replica, its wrong wall clock, and what the network did to it."""

    def __init__(self, device, source, start_ms):
        self.device = device
        self.replica = model.Replica(device.replica)
        # Behind by up to a day, or ahead by less than the server's 60 seconds. Coarse, so that
        # several devices write in the same millisecond.
        self.wall_ms = start_ms + source.choice([-86_400_000, -5, -1, 0, 0, 0, 1, 45_000])
        self.version = 0  # Of the model account, when the replica was at its cursor.
        self.late_requests = []


class History:
    def __init__(self, account, seed):
        self.random = random.Random(seed)
        self.account = model.Account()
        self.start_ms = now_ms()
        devices = [account, account.add_device("second"), account.add_device("third")]
        if seed % 3 == 0:
            # A copied database: two devices write under one identity, and at times with one stamp.
            devices.append(account)
        self.devices = [Simulated(d, self.random, self.start_ms) for d in devices]
        self.keys = [
            *((records_pb2.KIND_SESSION, bytes([n]) * 16) for n in range(2)),
            *((records_pb2.KIND_WATER, bytes([n]) * 16) for n in range(2)),
            (records_pb2.KIND_PREFERENCE, b"theme"),
            (UNKNOWN_KIND, b"\0\xff"),
        ]
        self.acknowledged = []  # Every written register that the server took.
        self.noticed = {}

    # What people do.

    def value(self, kind, field):
        pick = self.random
        if (kind, field) == (records_pb2.KIND_SESSION, 2):
            start = 1_700_000_000_000 + pick.randrange(3)
            outcome = pick.randrange(3)
            return span(start, start + 1 if outcome else 0, outcome)
        if (kind, field) == (records_pb2.KIND_SESSION, 3):
            return target(pick.randrange(1, 4))
        if kind == records_pb2.KIND_WATER:
            return intake(1_700_000_000_000, pick.randrange(1, 4))
        if kind == records_pb2.KIND_PREFERENCE:
            return text(pick.choice(["", "hell", "dunkel"]))
        return pick.choice([b"", b"\x12\x01\0", b"\x12\x02\xff\0"])

    def act(self, device):
        key = self.random.choice(self.keys)
        fields = {records_pb2.KIND_SESSION: [2, 3], UNKNOWN_KIND: [2, 7, 536870911]}.get(
            key[0], [2]
        )
        if key in device.replica.view:
            if self.random.randrange(5) == 0:
                device.replica.act(key, {1: DELETED}, device.wall_ms)
                return
            fields = self.random.sample(fields, self.random.randint(1, len(fields)))
        values = {field: self.value(key[0], field) for field in fields}
        device.replica.act(key, values, device.wall_ms)

    def restore_or_dismiss(self, device):
        """Deals with a journal entry as people do."""
        entries = [key for key in device.replica.view if key[0] == CONFLICT]
        if entries:
            device.replica.act(self.random.choice(sorted(entries)), {1: DELETED}, device.wall_ms)

    # What the network does.

    def sync(self, device):
        """Pushes some or all of the outbox and pulls a page."""
        limit = self.random.choice([0, 1, 2, 1000])
        offered = device.replica.outbox[:limit]
        request = sync_pb2.ExchangeRequest(cursor=device.replica.cursor)
        for pending in offered:
            record = model.from_record(pending.key, pending.record)
            request.offers.add(record=record, written=sorted(pending.written))
        request = request.SerializeToString()
        fate = self.random.randrange(8)
        if fate == 0:  # Lost on the way there; perhaps it comes later.
            device.late_requests.append((request, offered, device.version))
            return
        answer = self.deliver(device, request, offered, device.version)
        if fate == 1:  # The answer is lost.
            device.late_requests.append((request, offered, device.version))
            return
        if fate == 2:  # It arrives twice, and the second answer is the one that counts.
            again = self.deliver(device, request, offered, device.version)
            assert again.cursor == answer.cursor
            answer = again
        device.replica.acknowledge(offered)
        for bytes in answer.records:
            key, record = model.to_record(records_pb2.Record.FromString(bytes))
            device.replica.learn(key, record)
        device.replica.cursor = answer.cursor
        device.version = self.account.version

    def deliver_late(self, device):
        """A request of the past arrives (again); nobody hears the answer."""
        if device.late_requests:
            late = self.random.choice(device.late_requests)
            self.deliver(device, *late)

    def deliver(self, device, request, offered, version):
        """Gives a request to the server and to the model, and compares what they say."""
        before = now_ms()
        compression = self.random.choice(COMPRESSIONS)
        answer = pages_pb2.ExchangeResponsePage.FromString(
            device.device.exchange_bytes(request, compression)
        )
        assert not answer.refusals and not answer.restarted and not answer.more

        superseded = []
        for index, pending in enumerate(offered):
            if self.account.take(pending.key, pending.record, pending.written):
                superseded.append(index)
            for field in pending.written:
                self.acknowledged.append((pending.key, pending.record[field]))
        assert list(answer.superseded) == superseded

        got = {}
        for bytes in answer.records:
            key, _ = model.to_record(records_pb2.Record.FromString(bytes))
            assert key not in got, "a record came twice in one feed"
            got[key] = bytes
        expected = self.account.changed_after(version)
        # What the request offered, and the merge left as it came, is not sent back. If it offered a
        # record twice, the last one counts: it is what the replica holds.
        echoes = {p.key for p in offered if self.account.records[p.key] == p.record}
        assert got.keys() - expected == set()
        assert expected - got.keys() <= echoes
        last = {p.key: p.record for p in offered}
        for key in got.keys() & last.keys():
            assert self.account.records[key] != last[key], "an echo"
        for key, bytes in got.items():
            assert bytes == self.canonical(key, bytes, before)
        return answer

    def canonical(self, key, bytes, earliest_ms=0):
        """The bytes a record must have. When a conflict was noticed, the server says once."""
        if key[0] != CONFLICT or key in self.account.records:
            written = self.account.records[key]
            return canonical(model.from_record(key, written))
        assert key[1] in self.account.journal, "an entry nobody predicted"
        _, record = model.to_record(records_pb2.Record.FromString(bytes))
        fields = records_pb2.Conflict.FromString(b"".join(r.value for r in record.values()))
        noticed = self.noticed.setdefault(key, fields.entry.noticed_ms)
        assert self.start_ms - 1000 <= noticed <= now_ms() + 1000
        return canonical(model.from_entry(self.account.journal[key[1]], noticed))

    # How it ends.

    def settle(self):
        for device in self.devices:
            for _ in range(40):
                if not device.replica.outbox:
                    break
                self.sync(device)
            assert not device.replica.outbox
        for device in self.devices:
            while device.version != self.account.version:
                self.sync(device)

    def check(self):
        observer = self.devices[0].device
        stored = {}
        for bytes in observer.all_records():
            key, _ = model.to_record(records_pb2.Record.FromString(bytes))
            assert key not in stored
            stored[key] = bytes
        records = {key for key in stored if key[0] != CONFLICT}
        assert records == {key for key in self.account.records if key[0] != CONFLICT}
        assert {key[1] for key in stored if key[0] == CONFLICT} == set(self.account.journal)
        for key, bytes in stored.items():
            assert bytes == self.canonical(key, bytes), key
        for device in self.devices:
            view = {
                key: canonical(model.from_record(key, record))
                for key, record in device.replica.view.items()
            }
            assert view == stored
        self.check_that_nothing_vanished()

    def check_that_nothing_vanished(self):
        """The promise itself, without looking at how merging works.

        An acknowledged write is there, or a later one replaced it knowingly or with the same value,
        or it is in the journal.
        """
        for key, mine in self.acknowledged:
            if key[0] == CONFLICT or self.account.records[key][mine.field] == mine:
                continue
            later = [
                other
                for where, other in self.acknowledged
                if where == key
                and other.field == mine.field
                and model.rank(other) > model.rank(mine)
            ]
            assert model.journal_id(key, mine) in self.account.journal or any(
                other.stamp.replica == mine.stamp.replica
                or other.replaced == mine.stamp
                or other.value == mine.value
                for other in later
            ), (key, mine)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"SYNC_SEED={seed:#x}")
def test_the_server_does_what_the_model_does(account, seed):
    history = History(account, seed)
    for _ in range(STEPS):
        device = history.random.choice(history.devices)
        if history.random.randrange(3) == 0:
            device.wall_ms += history.random.choice([0, 0, 1, 500, -2000])
        step = history.random.choices(
            [history.act, history.restore_or_dismiss, history.sync, history.deliver_late],
            [10, 1, 7, 1],
        )[0]
        step(device)
    history.settle()
    history.check()
    assert history.account.journal, "a history without any conflict shows little"
