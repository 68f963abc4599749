# SPDX-License-Identifier: Apache-2.0
"""Random histories of three devices, in step with the model: answers, records, journal, bytes.

Among their offers are pruned records, restored ones, and ones in which nothing is new.

`SYNC_SEED=0x2a Tests/Interop/run` replays the history of a failure; SYNC_CASES asks for more.
"""

import os
import random

import grpc
import pytest

import model
from atrest.internal.v1 import pages_pb2
from atrest.sync.v1 import records_pb2, sync_pb2
from clocks import COMPILER, Clocks
from harness import Daemon, open_channel
from model import CONFLICT
from values import DELETED, canonical, now_ms, intake, span, target, text

REPLAY = os.environ.get("SYNC_SEED")
SEEDS = [int(REPLAY, 0)] if REPLAY else range(1, 1 + int(os.environ.get("SYNC_CASES", "30")))
STEPS = 120
UNKNOWN_KIND = 4711
SKEW = sync_pb2.Refusal.REASON_CLOCK_SKEW
COMPRESSIONS = [grpc.Compression.NoCompression, grpc.Compression.Gzip, grpc.Compression.Deflate]


class Simulated:
    """A device: the model's replica, its wrong wall clock, and what the network did to it."""

    def __init__(self, device, source, start_ms):
        self.device = device
        self.replica = model.Replica(device.replica)
        # Behind by up to a day, or ahead by less than the server's 60 seconds. Coarse, so that
        # several devices write in the same millisecond.
        self.wall_ms = start_ms + source.choice([-86_400_000, -5, -1, 0, 0, 0, 1, 45_000])
        self.version = 0  # The model account's version when the replica was at its cursor.
        self.late_requests = []
        # The server's position in its outbox, if it sends segments.
        self.position = None


class History:
    def __init__(self, account, seed):
        self.random = random.Random(seed)
        self.is_odd = seed % 2 == 1
        self.account = model.Account()
        self.start_ms = now_ms()
        devices = [account, account.add_device("second"), account.add_device("third")]
        if seed % 3 == 0:
            # A copied database: two devices write with one identity, and sometimes with one stamp.
            devices.append(account)
        self.devices = [Simulated(d, self.random, self.start_ms) for d in devices]
        for device in self.devices[1:3]:
            device.position = model.Position()
        # Keys of records that were pruned or offered as restored.
        self.odd_keys = set()
        self.keys = [
            *((records_pb2.KIND_SESSION, bytes([n]) * 16) for n in range(2)),
            *((records_pb2.KIND_WATER, bytes([n]) * 16) for n in range(2)),
            (records_pb2.KIND_PREFERENCE, b"theme"),
            (UNKNOWN_KIND, b"\0\xff"),
        ]
        self.acknowledged = []  # Every written register that the server accepted.
        self.noticed = {}

    # People's actions.

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
            # A pruned record shows no other fields, so an edit writes all of them.
            if set(fields) <= device.replica.view[key].keys():
                fields = self.random.sample(fields, self.random.randint(1, len(fields)))
        values = {field: self.value(key[0], field) for field in fields}
        device.replica.act(key, values, device.wall_ms)

    def restore_or_dismiss(self, device):
        """Deals with a journal entry as people do."""
        entries = [key for key in device.replica.view if key[0] == CONFLICT]
        if entries:
            device.replica.act(self.random.choice(sorted(entries)), {1: DELETED}, device.wall_ms)

    def offer_again(self, device):
        """Offers a record that is held, as a replica does that was told of a restart, or that compared. At times as if the
        server that took it had lost it, or had pruned it before it was put back.
        """
        pick = self.random
        replica = device.replica
        if pick.randrange(3) == 0 and replica.outbox:
            last = replica.outbox[-1]
            if not last.number and not last.restored:
                replica.outbox[-1] = model.Pending(last.key, last.record, frozenset(), restored=True)
                self.odd_keys.add(last.key)
            return
        waiting = {p.key for p in replica.outbox}
        held = sorted(key for key in replica.view if key not in waiting)
        if not held:
            return
        deleted = [k for k in held if model.is_deleted(replica.view[k]) and k[0] != CONFLICT]
        key = pick.choice(deleted if deleted and pick.randrange(2) else held)
        if key in deleted and pick.randrange(2):
            replica.view[key] = model.pruned(replica.view[key])
        self.odd_keys.add(key)
        restored = bool(pick.randrange(2))
        replica.outbox.append(model.Pending(key, replica.view[key], frozenset(), restored))

    # The network's faults.

    def sync(self, device):
        """Pushes some or all of the outbox and pulls a page."""
        limit = self.random.choice([0, 1, 2, 1000])
        replica, segment = device.replica, None
        request = sync_pb2.ExchangeRequest(cursor=replica.cursor)
        if device.position:
            offered = replica.number(limit, self.random.getrandbits(63) + 1)
            segment = replica.segment(offered)
            if offered:
                request.segment.CopyFrom(model.from_segment(segment))
        else:
            offered = replica.outbox[:limit]
            for p in offered:
                p.number = 1  # The server may have accepted it.
        for pending in offered:
            request.offers.append(model.from_pending(pending))
        request = request.SerializeToString()
        fate = self.random.randrange(8)
        if fate == 0:  # The request is lost, or arrives later.
            device.late_requests.append((request, offered, segment, device.version))
            return
        answer = self.deliver(device, request, offered, segment, device.version)
        if fate == 1:  # The response is lost.
            device.late_requests.append((request, offered, segment, device.version))
            return
        if fate == 2:  # It arrives twice, and the second response counts.
            again = self.deliver(device, request, offered, segment, device.version)
            assert again.cursor == answer.cursor
            answer = again
        if segment and offered:
            position = answer.taken_through
            assert replica.hear(position.number, position.token, offered), "no copy of this replica ran"
            offered = [p for p in offered if p.number <= position.number]
        replica.acknowledge(offered)
        for bytes in answer.records:
            key, record = model.to_record(records_pb2.Record.FromString(bytes))
            replica.learn(key, record)
        replica.cursor = answer.cursor
        device.version = self.account.version

    def deliver_late(self, device):
        """A request of the past arrives (again); nobody hears the answer."""
        if device.late_requests:
            late = self.random.choice(device.late_requests)
            self.deliver(device, *late)

    def deliver(self, device, request, offered, segment, version):
        """Gives a request to the server and to the model, and compares what they say."""
        before = now_ms()
        compression = self.random.choice(COMPRESSIONS)
        answer = pages_pb2.ExchangeResponsePage.FromString(
            device.device.exchange_bytes(request, compression)
        )
        assert not answer.refusals and not answer.restarted and not answer.more
        judged = frozenset(range(len(offered)))
        if segment and offered:
            judged = device.position.unjudged(segment)
            told = (answer.taken_through.number, answer.taken_through.token)
            assert told == (device.position.number, device.position.token)

        superseded = []
        for index, pending in enumerate(offered):
            if index not in judged:
                continue
            if self.account.take(pending.key, pending.record, pending.written, pending.restored):
                superseded.append(index)
            for field in pending.written:
                self.acknowledged.append((pending.key, pending.record[field]))
        assert list(answer.superseded_offers) == superseded

        got = {}
        for bytes in answer.records:
            key, _ = model.to_record(records_pb2.Record.FromString(bytes))
            assert key not in got, "a record came twice in one feed"
            got[key] = bytes
        expected = self.account.changed_after(version)
        # A record that the request offered and the merge left unchanged is not sent back. If it was
        # offered twice, the last offer counts: it is what the replica holds.
        offered = [p for index, p in enumerate(offered) if index in judged]
        echoes = {p.key for p in offered if self.account.records.get(p.key, p.record) == p.record}
        assert got.keys() - expected == set()
        assert expected - got.keys() <= echoes
        last = {p.key: p.record for p in offered}
        for key in got.keys() & last.keys():
            assert self.account.records.get(key) != last[key], "an echo"
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

    # The end of a history.

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
            if key[0] == CONFLICT or key in self.odd_keys:
                continue
            if self.account.records[key][mine.field] == mine:
                continue
            later = [
                other
                for where, other in self.acknowledged
                if where == key
                and other.field == mine.field
                and model.rank(other) > model.rank(mine)
            ]
            listed = {e.lost.stamp for e in self.account.journal.values() if e.record.get(mine.field) == mine}
            assert mine.stamp in listed or model.journal_id(key, mine) in self.account.journal or any(
                other.stamp.replica == mine.stamp.replica
                or other.replaced == mine.stamp
                or mine.stamp in other.held
                or other.value == mine.value
                for other in later
            ), (key, mine)


    # The whole history.

    def live(self):
        for _ in range(STEPS):
            device = self.random.choice(self.devices)
            if self.random.randrange(3) == 0:
                device.wall_ms += self.random.choice([0, 0, 1, 500, -2000])
            steps = {
                self.act: 10,
                self.restore_or_dismiss: 1,
                self.offer_again: 2 if self.is_odd else 0,
                self.sync: 7,
                self.deliver_late: 1,
            }
            (step,) = self.random.choices([*steps], [*steps.values()])
            step(device)
        self.settle()
        self.check()

    def prune(self):
        """The server has pruned; the model does, and every device hears of it."""
        deleted = [k for k, record in self.account.records.items() if model.is_deleted(record)]
        for key in deleted:
            self.account.prune(key)
            self.odd_keys.add(key)
        for device in self.devices:
            device.late_requests.clear()
            while device.version != self.account.version:
                self.sync(device)
        self.check()


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"SYNC_SEED={seed:#x}")
def test_the_server_does_what_the_model_does(account, seed):
    history = History(account, seed)
    history.live()
    assert history.account.journal, "a history without any conflict shows little"


@pytest.mark.limit(120)
@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_the_server_prunes_as_the_model_does(binaries, tmp_path):
    """The daemon prunes after a month of its own clock. Histories go on with what is left."""
    clocks, daemon = Clocks(tmp_path), Daemon(binaries, tmp_path)
    daemon.start(env=clocks.environment)
    try:
        with open_channel(daemon.address) as channel:
            cases = 2 * len(SEEDS) if REPLAY is None else 1
            seeds = range(1, 1 + cases) if REPLAY is None else SEEDS
            histories = [History(daemon.new_account(channel), seed) for seed in seeds]
            for history in histories:
                history.live()
            clocks.hurry(8, days=31)
            for history in histories:
                history.prune()
            floors = [r for h in histories for r in h.account.records.values() if 15 in r]
            assert REPLAY or len(floors) > len(histories) / 2
            for history in histories:
                history.live()
    finally:
        assert daemon.stop() == 0, daemon.log_tail()


@pytest.mark.parametrize("seed", range(3), ids=lambda seed: f"SYNC_SEED={seed:#x}")
def test_stamps_ahead_of_the_servers_clock_are_judged_as_the_model_judges_them(account, seed):
    """Each is on one side of the 60 seconds for certain, but may follow what the account took by a step more or less."""
    pick = random.Random(seed)
    expected = model.Account()
    taken = refused = 0
    for number in range(150):
        key = (records_pb2.KIND_WATER, bytes([pick.randrange(6)]) * 16)
        steps = pick.choice([-5, 0, 1, 1023, 1024, 1025, 5000])
        # Sometimes years ahead, as after a restore. Then only stamps that follow it are accepted.
        near = now_ms() + pick.choice([-86_400_000, 0, 30_000, 90_000, 86_400_000]) << 16
        restored = pick.randrange(12) == 0
        clock = max(1, expected.latest + steps) if pick.randrange(2) else near
        is_write = not restored or pick.randrange(2) == 0
        if restored:
            clock = now_ms() + pick.choice([10, 99, 101]) * 365 * 86_400_000 << 16
            if number < 100:
                clock = now_ms() + 101 * 365 * 86_400_000 << 16
        stamp = model.Stamp(clock, account.replica)
        record = dict(expected.records.get(key, {}))
        values = {1: b"", 2: intake(1_700_000_000_000, 1 + number)}
        for field in values if not record else [pick.choice([1, 2])]:
            # In a restored offer replaced stamps count as much as accepted ones.
            over = pick.choice([None, None, model.Stamp(max(1, clock - pick.choice([1, 1024, 1025])), 1)])
            record[field] = model.Register(field, stamp, over, values[field])
        changed = frozenset(f for f, r in record.items() if r.stamp == stamp)
        pending = model.Pending(key, record, changed if is_write else frozenset(), restored)
        answer = account.exchange(offers=[model.from_pending(pending)])
        is_borne = expected.bears(record, pending.written, now_ms(), restored)
        assert [r.reason for r in answer.refusals] == ([] if is_borne else [SKEW]), (number, steps)
        taken, refused = taken + is_borne, refused + (not is_borne)
        if is_borne:
            expected.take(key, record, pending.written, restored)
    assert taken > 30 and refused > 30
    held = dict(model.to_record(records_pb2.Record.FromString(r)) for r in account.all_records())
    assert {k: r for k, r in held.items() if k[0] != CONFLICT} == expected.records
