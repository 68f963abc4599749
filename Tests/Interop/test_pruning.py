# SPDX-License-Identifier: Apache-2.0
"""What the server took out of a deleted record stays out, and what was written without knowing that is listed.

A device that still holds a pruned record offers it to a server that lost it; from there on its floor must act as
docs/protocol/merge.md says. The independent model says what is right.
"""

import model
import pytest
import values
from atrest.sync.v1 import records_pb2, sync_pb2
from model import Register, Stamp

KIND = records_pb2.KIND_SESSION
PRUNE_FLOOR = records_pb2.Session(prune_floor=True).SerializeToString()
DELETED = records_pb2.Session(deleted=True).SerializeToString()
STARTED = records_pb2.Session.Span(start_ms=1_700_000_000_000)
SPAN = records_pb2.Session(span=STARTED).SerializeToString()
TARGET = records_pb2.Session(target_minutes=960).SerializeToString()


def offer(key, record, written):
    return sync_pb2.Offer(record=model.from_record(key, record), written_fields=sorted(written))


def pruned(phone, clock):
    stamp = Stamp(clock, phone.replica)
    return {1: Register(1, stamp, None, DELETED), 15: Register(15, stamp, None, PRUNE_FLOOR)}


def edit(device, clock, older):
    """An action that wrote the span; the target is older."""
    stamp = Stamp(clock, device.replica)
    return {
        1: Register(1, stamp, None, b""),
        2: Register(2, stamp, None, SPAN),
        3: Register(3, Stamp(older, device.replica), None, TARGET),
    }


def settle(phone, tablet, edit_at):
    """The phone offers a pruned record, the tablet an edit of it: what the account then holds, and the model."""
    key = (KIND, values.new_id())
    base = values.clock()
    account = model.Account()
    for device, record, written in [
        (phone, pruned(phone, base), {1}),
        (tablet, edit(tablet, base + edit_at, base - 100), {1, 2}),
    ]:
        answer = device.exchange(offers=[offer(key, record, written)])
        assert not answer.refusals
        account.take(key, record, frozenset(written))
    feed = [model.to_record(records_pb2.Record.FromString(r)) for r in phone.all_records()]
    held = dict(feed)
    journal = {id for (kind, id), _ in feed if kind == model.CONFLICT}
    return key, held[key], journal, account


@pytest.mark.parametrize("edit_at", [-50, +50], ids=["earlier", "later"])
def test_an_edit_comes_too_late_and_is_journalled_with_its_record(account, edit_at):
    phone, tablet = account, account.add_device("tablet")
    key, held, journal, expected = settle(phone, tablet, edit_at)
    assert held == expected.records[key] and set(held) == {1, 15}
    assert journal and journal == set(expected.journal)
    assert all([SPAN, TARGET] == [entry.record[f].value for f in (2, 3)] for entry in expected.journal.values())


def test_of_two_deletions_neither_lost_although_one_was_pruned(account):
    """There is nothing to choose, as there would be nothing if nothing had been pruned."""
    phone, tablet = account, account.add_device("tablet")
    key, base = (KIND, values.new_id()), values.clock()
    late = edit(tablet, base - 50, base - 100)
    late[1] = Register(1, Stamp(base - 10, tablet.replica), late[1].stamp, DELETED)
    for device, record, written in [(phone, pruned(phone, base), {1}), (tablet, late, {1})]:
        assert not device.exchange(offers=[offer(key, record, written)]).refusals
    feed = [records_pb2.Record.FromString(r) for r in phone.all_records()]
    assert [(r.kind, r.id) for r in feed] == [key]
