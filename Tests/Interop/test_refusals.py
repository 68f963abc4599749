# SPDX-License-Identifier: Apache-2.0
"""Single records the server does not take: each with its reason, and the others are taken."""

import os

import pytest

from atrest.internal.v1 import pages_pb2
from atrest.sync.v1 import records_pb2, sync_pb2
from values import (
    DELETED,
    HOUR,
    NOT_DELETED,
    canonical,
    clock,
    entitlement,
    intake,
    new_id,
    now_ms,
    offer,
    preference,
    record,
    register,
    session,
    span,
    target,
    text,
    water,
)

SKEW = sync_pb2.Refusal.REASON_CLOCK_SKEW
INVALID = sync_pb2.Refusal.REASON_INVALID
TOO_LARGE = sync_pb2.Refusal.REASON_TOO_LARGE
FAST, DRINK, SETTING = (
    records_pb2.KIND_SESSION,
    records_pb2.KIND_WATER,
    records_pb2.KIND_PREFERENCE,
)
ACTIVE, COMPLETED, ABANDONED = 0, 1, 2
DAY = 24 * HOUR
AHEAD = 60_000 << 16


def offers_between_good_ones(account, bad):
    """Offers something between two records that are in order. Returns its refusal, if any.

    The bytes of an offer are put into the request as they are, so that they may be anything.
    """
    before, after = water(account.replica), water(account.replica)
    offers = [offer(before).SerializeToString(), bad, offer(after).SerializeToString()]
    request = pages_pb2.ExchangeRequestPage(offers=offers)
    answer = sync_pb2.ExchangeResponse.FromString(
        account.exchange_bytes(request.SerializeToString())
    )
    stored = account.all_records()
    assert canonical(before) in stored and canonical(after) in stored
    if not answer.refusals:
        return None
    (refusal,) = answer.refusals
    assert refusal.index == 1
    assert 0 < len(refusal.message) <= 200
    assert len(stored) == 2, "what was refused was stored"
    return refusal


def refused(account, bad):
    message = bad if isinstance(bad, bytes) else offer(bad).SerializeToString()
    refusal = offers_between_good_ones(account, message)
    assert refusal is not None, "the record was taken"
    return refusal


# Stamps.


@pytest.mark.parametrize("milliseconds", [90_000, 86_400_000, 2**46])
def test_a_stamp_more_than_60_seconds_ahead_is_refused(account, milliseconds):
    late = water(account.replica, at=clock() + (milliseconds << 16))
    assert refused(account, late).reason == SKEW


def test_one_register_ahead_is_enough(account):
    late = session(account.replica)
    late.registers[2].stamp.clock = clock() + 2 * AHEAD
    assert refused(account, late).reason == SKEW


@pytest.mark.parametrize("offset", [-40 * 365 * DAY, -DAY, 45_000])
def test_a_clock_within_the_bound_or_behind_is_taken(account, offset):
    mine = water(account.replica, at=clock(now_ms() + offset))
    assert offers_between_good_ones(account, offer(mine).SerializeToString()) is None
    assert canonical(mine) in account.all_records()


def test_a_refused_record_leaves_what_was_there(account):
    mine = water(account.replica)
    account.exchange(offers=[offer(mine)])
    wrong = water(account.replica, id=mine.id, at=clock() + 2 * AHEAD, millilitres=999)
    answer = account.exchange(offers=[offer(wrong)])
    assert [r.reason for r in answer.refusals] == [SKEW]
    assert account.all_records() == [canonical(mine)]
    right = water(
        account.replica,
        id=mine.id,
        at=clock(answer.server_time_ms, 1),
        millilitres=999,
        replaced=(mine.registers[0].stamp.clock, account.replica),
    )
    assert not account.exchange(offers=[offer(right)]).refusals
    assert account.all_records() == [canonical(right)]


def test_a_stamp_beyond_the_clock_is_refused_one_way_or_another(account):
    assert refused(account, water(account.replica, at=2**64 - 1)).reason in (SKEW, INVALID)


# The structure of a record.


def shape(change):
    """A sound record of an unknown kind, then changed."""

    def make(replica):
        stamp = (clock(), replica)
        sound = record(4711, new_id(), {2: b"\x10\x01", 3: b"\x18\x01"}, stamp)
        change(sound)
        return sound

    return make


def swap(record):
    record.registers.reverse()


def repeat(record):
    record.registers[1].field = record.registers[0].field


SHAPES = {
    "no kind": shape(lambda r: r.ClearField("kind")),
    "no id": shape(lambda r: r.ClearField("id")),
    "no registers": shape(lambda r: r.ClearField("registers")),
    "registers not in order": shape(swap),
    "a field twice": shape(repeat),
    "field 0": shape(lambda r: r.registers[0].ClearField("field")),
    "a field number too great": shape(lambda r: setattr(r.registers[1], "field", 536870912)),
    "no stamp": shape(lambda r: r.registers[0].ClearField("stamp")),
}


@pytest.mark.parametrize("make", SHAPES.values(), ids=SHAPES)
def test_a_record_has_its_shape(account, make):
    assert refused(account, make(account.replica)).reason == INVALID


@pytest.mark.parametrize(
    "bytes",
    [
        b"",
        b"\xff",
        b"\x0a\x05ab",
        b"\x0a\x03\x12\x7fx",
        sync_pb2.Offer(written_fields=[1]).SerializeToString(),
    ],
    ids=["empty", "no protobuf", "cut short", "cut within", "no record"],
)
def test_an_offer_that_cannot_be_read_is_refused_alone(account, bytes):
    assert refused(account, bytes).reason == INVALID


def values_of(count, bytes):
    def make(replica):
        values = {n: os.urandom(bytes) for n in range(2, count + 2)}
        return record(4711, new_id(), values, (clock(), replica))

    return make


def test_a_value_too_large_is_refused(account):
    assert refused(account, values_of(1, 16 * 1024 + 1)(account.replica)).reason == TOO_LARGE


def test_a_record_too_large_is_refused(account):
    assert refused(account, values_of(5, 14 * 1024)(account.replica)).reason == TOO_LARGE


def test_a_record_with_too_many_registers_is_refused(account):
    assert refused(account, values_of(65, 1)(account.replica)).reason == TOO_LARGE


def test_an_id_too_long_is_refused(account):
    long = record(4711, os.urandom(97), {2: b"\x10\x01"}, (clock(), account.replica))
    assert refused(account, long).reason == TOO_LARGE


# Fasts, drinks, settings.


def fast(id=None, **values):
    values = {1: NOT_DELETED, 2: span(), 3: target()} | {int(k[1:]): v for k, v in values.items()}
    values = {field: value for field, value in values.items() if value is not None}
    return lambda replica: record(FAST, id or new_id(), values, (clock(), replica))


def drink(id=None, value=b"", **fields):
    value = value or intake(**fields)
    values = {1: NOT_DELETED, 2: value}
    return lambda replica: record(DRINK, id or new_id(), values, (clock(), replica))


def setting(key=b"theme", value=None):
    values = {1: NOT_DELETED, 2: text("dark") if value is None else value}
    return lambda replica: record(SETTING, key, values, (clock(), replica))


START = 1_700_000_000_000
KINDS = {
    "a fast whose id is no UUID": fast(id=b"fifteen bytes.."),
    "a fast without a span": fast(f2=None),
    "a fast without a target": fast(f3=None),
    "a fast that starts at 0": fast(f2=span(start=0)),
    "a fast that starts before 1970": fast(f2=span(start=-1)),
    "a fast that starts in 6430": fast(f2=span(start=2**47)),
    "a fast that ends in 6430": fast(f2=span(start=START, end=2**47, outcome=COMPLETED)),
    "a fast that ends before it starts": fast(f2=span(START, START - 1, COMPLETED)),
    "an active fast with an end": fast(f2=span(START, START + 1, ACTIVE)),
    "a completed fast without an end": fast(f2=span(START, 0, COMPLETED)),
    "an abandoned fast without an end": fast(f2=span(START, 0, ABANDONED)),
    "a fast with a strange outcome": fast(f2=span(START, START + 1, 3)),
    "a target of 0": fast(f3=b""),
    "a target over 14 days": fast(f3=target(20161)),
    "a span that is no span": fast(f2=b"\x12\x02\x08"),
    "a target in the span's register": fast(f2=target(), f3=span()),
    "two fields in one register": fast(f2=span() + target(30)),
    "a deletion that is neither true nor false": fast(f1=b"\x08\x02"),
    "a false that is written out": fast(f1=b"\x08\x00"),
    "water whose id is no UUID": drink(id=b"x" * 17),
    "water of 0 ml": drink(millilitres=0),
    "water of more than 20 litres": drink(millilitres=20001),
    "water drunk at 0": drink(at=0),
    "water drunk before 1970": drink(at=-5),
    "water drunk in 6430": drink(at=2**47),
    "water without an intake": drink(value=b"\x08\x00"),
    "water that no replica wrote": lambda _: drink()(0),
    "a setting that is no UTF-8": setting(value=b"\x12\x02\xc3\x28"),
    "a setting whose key is no UTF-8": setting(key=b"\xff\xfe"),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_a_record_keeps_the_rules_of_its_kind(account, make):
    assert refused(account, make(account.replica)).reason == INVALID


@pytest.mark.parametrize(
    "make",
    [
        fast(f3=target(1)),
        fast(f3=target(20160)),
        fast(f2=span(1)),
        fast(f2=span(2**47 - 1)),
        fast(f2=span(START, START, COMPLETED)),
        fast(f2=span(START, START + 1, ABANDONED)),
        drink(millilitres=1, at=1),
        drink(millilitres=20000, at=2**47 - 1),
        setting(value=text("x" * 4096)),
        setting(value=b""),
    ],
)
def test_the_edges_of_the_rules_are_inside(account, make):
    mine = make(account.replica)
    assert offers_between_good_ones(account, offer(mine).SerializeToString()) is None
    assert canonical(mine) in account.all_records()


def test_a_setting_too_long_is_refused(account):
    long = setting(value=text("x" * 4097))(account.replica)
    assert refused(account, long).reason in (INVALID, TOO_LARGE)


def test_a_deleted_record_may_come_without_its_payload(account):
    bare = record(FAST, new_id(), {1: DELETED}, (clock(), account.replica))
    assert offers_between_good_ones(account, offer(bare).SerializeToString()) is None


# Facts and the journal.


def fact(change):
    def make(replica):
        sound = entitlement()
        change(sound, replica)
        return sound

    return make


def restamp(fact, replica):
    fact.registers[0].stamp.clock += 1


def claim(fact, replica):
    fact.registers[0].stamp.replica = replica


def replace(fact, replica):
    fact.registers[0].replaced.clock = 1


def rename(fact, replica):
    fact.id = b"2000000000000001"


def spoil(fact, replica):
    fact.registers[0].value = records_pb2.Entitlement(
        signed_transaction=b"not.a.transaction"
    ).SerializeToString()


def delete(fact, replica):
    fact.registers.insert(0, register(1, DELETED, (clock(), replica)))


FACTS = {
    "stamped with another date": fact(restamp),
    "stamped by a device": fact(claim),
    "that replaces something": fact(replace),
    "under another id": fact(rename),
    "that is no transaction": fact(spoil),
    "deleted": fact(delete),
}


@pytest.mark.parametrize("make", FACTS.values(), ids=FACTS)
def test_no_device_makes_a_fact(account, make):
    assert refused(account, make(account.replica)).reason == INVALID


def test_a_journal_entry_names_its_losing_write(account):
    lost = register(2, intake(), (clock(), account.replica))
    entry = records_pb2.Conflict.Entry(kind=DRINK, id=new_id(), field=2, lost=lost, kept=lost)
    value = records_pb2.Conflict(entry=entry).SerializeToString()
    forged = record(records_pb2.KIND_CONFLICT, b"any name", {2: value}, (clock(), account.replica))
    assert refused(account, forged).reason == INVALID


def test_a_refusal_says_nothing_of_the_record(account):
    secret = "blood pressure"
    late = preference(account.replica, key=b"my-secret-key", at=clock() + 2 * AHEAD, value=secret)
    message = refused(account, late).message
    assert secret not in message and "my-secret-key" not in message
    assert late.registers[0].stamp.clock >> 16 != 0
    assert str(late.registers[0].stamp.clock >> 16) not in message
