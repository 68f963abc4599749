# SPDX-License-Identifier: Apache-2.0
"""Records go up, come down, and are the same bytes everywhere."""

import os

import grpc
import pytest

from atrest.internal.v1 import pages_pb2
from atrest.sync.v1 import records_pb2, sync_pb2
from harness import open_channel
from values import (
    DELETED,
    canonical,
    clock,
    entitlement,
    new_id,
    now_ms,
    offer,
    preference,
    record,
    register,
    session,
    water,
)

GZIP, DEFLATE, PLAIN = (
    grpc.Compression.Gzip,
    grpc.Compression.Deflate,
    grpc.Compression.NoCompression,
)
UNKNOWN_KIND = 4711


def push(device, *records, cursor=None, compression=None):
    """Offers records; all must be taken."""
    answer = device.exchange(cursor, [offer(r) for r in records], compression)
    assert list(answer.refusals) == []
    return answer


def test_an_empty_account_has_nothing_and_says_where_it_is(account):
    before = now_ms()
    answer = account.exchange()
    assert not answer.records and not answer.more and not answer.restarted
    assert answer.cursor == sync_pb2.Cursor() == account.exchange(answer.cursor).cursor
    assert before - 1000 <= answer.server_time_ms <= now_ms() + 1000


@pytest.mark.parametrize("compression", [PLAIN, GZIP, DEFLATE], ids=["plain", "gzip", "deflate"])
def test_what_one_device_writes_the_other_reads(account, compression):
    other = account.add_device("tablet")
    written = [
        session(account.replica),
        water(account.replica),
        preference(account.replica, value="später \N{DECIDUOUS TREE}" * 40),
        entitlement(transaction="20000001"),
    ]
    answer = push(account, *written, compression=compression)
    read = other.exchange(compression=compression)
    assert list(read.records) == written
    assert read.cursor == answer.cursor
    assert [canonical(r) for r in written] == account.all_records()


def test_a_channel_that_compresses_everything_works(daemon, account):
    with open_channel(daemon.address, GZIP) as channel:
        account.on(channel)
        push(account, *(water(account.replica) for _ in range(50)))
        pages = list(account.pages(compression=GZIP))
    assert sum(len(page.records) for page in pages) == 50


def test_a_page_of_1000_records_goes_up_and_comes_down_in_one_call(account):
    at = clock()
    records = [water(account.replica, at=at + n) for n in range(1000)]
    push(account, *records, compression=GZIP)
    (page,) = account.pages()
    assert list(page.records) == [canonical(r) for r in records]


def test_a_feed_comes_in_pages_and_resumes_anywhere(account):
    at = clock()
    records = [canonical(water(account.replica, at=at + n)) for n in range(2500)]
    for start in range(0, 2500, 1000):
        chunk = [records_pb2.Record.FromString(r) for r in records[start : start + 1000]]
        push(account, *chunk, compression=GZIP)
    pages = list(account.pages())
    assert [page.more for page in pages] == [True] * (len(pages) - 1) + [False]
    assert max(len(page.records) for page in pages) <= 1000
    assert [r for page in pages for r in page.records] == records
    for index, page in enumerate(pages):
        rest = [r for later in pages[index + 1 :] for r in later.records]
        assert account.all_records(page.cursor) == rest


def test_a_page_is_bounded_in_bytes_too(account):
    big = [
        record(UNKNOWN_KIND, new_id(), {2: os.urandom(16_000)}, (clock() + n, account.replica))
        for n in range(40)
    ]
    for start in range(0, 40, 10):
        push(account, *big[start : start + 10])
    pages = list(account.pages())
    assert len(pages) > 2
    for page in pages:
        assert sum(len(r) for r in page.records) <= 240 * 1024
    assert [r for page in pages for r in page.records] == [canonical(r) for r in big]


def test_a_changed_record_comes_again_and_only_it(account):
    other = account.add_device("tablet")
    first, second = water(account.replica), water(account.replica)
    stood = push(account, first, second).cursor
    at = first.registers[0].stamp.clock
    replaced = (at, account.replica)
    edited = water(other.replica, id=first.id, at=at + 1, millilitres=300, replaced=replaced)
    push(other, edited)
    answer = account.exchange(stood)
    assert list(answer.records) == [edited]
    assert answer.cursor.commit != stood.commit and answer.cursor.sequence > stood.sequence
    again = account.exchange(answer.cursor)
    assert not again.records and again.cursor == answer.cursor


def test_a_request_that_comes_twice_changes_nothing(account):
    other = account.add_device("tablet")
    mine, theirs = water(account.replica), water(other.replica)
    push(other, theirs)
    request = sync_pb2.ExchangeRequest(offers=[offer(mine)]).SerializeToString()
    answers = [
        sync_pb2.ExchangeResponse.FromString(account.exchange_bytes(request)) for _ in range(3)
    ]
    for answer in answers:
        answer.ClearField("server_time_ms")
    assert answers[0] == answers[1] == answers[2]
    assert list(answers[0].records) == [theirs]
    assert sorted(account.all_records()) == sorted([canonical(mine), canonical(theirs)])


def test_what_a_request_offers_is_not_sent_back(account):
    other = account.add_device("tablet")
    theirs = push(other, water(other.replica), water(other.replica))
    mine = water(account.replica)
    answer = account.exchange(offers=[offer(mine)])
    assert mine not in answer.records and len(answer.records) == 2
    assert answer.cursor.sequence > theirs.cursor.sequence
    assert not account.exchange(answer.cursor).records
    assert list(other.exchange(theirs.cursor).records) == [mine]


def test_what_the_merge_changed_is_sent_back(account):
    other = account.add_device("tablet")
    id, at = new_id(), clock()
    theirs = session(other.replica, id=id, at=at)
    push(other, theirs)
    mine = session(account.replica, id=id, at=at - 1, values={4000: b"\x82\xfa\x01\x00"})
    answer = account.exchange(offers=[offer(mine)])
    (merged,) = [r for r in answer.records if r.kind == records_pb2.KIND_SESSION]
    assert list(answer.superseded_offers) == [0]
    assert list(merged.registers) == [*theirs.registers, mine.registers[3]]


def test_unknown_kinds_and_fields_stay_as_they_are(account):
    at = clock()
    everything = bytes(range(256))
    strange = [
        record(UNKNOWN_KIND, everything[:64], {2: everything}, (at, account.replica)),
        record(2**31 - 1, b"\0", {536870911: b"\0\0", 7: b""}, (at, account.replica)),
        session(account.replica, values={9: b"\x4a\x80\x02" + everything, 10: b"\x50\xff\x01"}),
        water(account.replica),
    ]
    # Written by a replica that is unknown to this account.
    strange[3].registers.append(register(77, b"\xe8\x04\x05", (at, 1)))
    push(account, *strange)
    other = account.add_device("tablet")
    assert other.all_records() == [canonical(r) for r in strange]


def test_an_id_may_have_96_bytes(account):
    longest = record(UNKNOWN_KIND, os.urandom(96), {2: b"\x10\x01"}, (clock(), account.replica))
    push(account, longest)
    assert account.all_records() == [canonical(longest)]


def test_a_value_may_have_16_KiB_and_a_record_64_registers(account):
    at = (clock(), account.replica)
    large = record(UNKNOWN_KIND, new_id(), {2: os.urandom(16 * 1024)}, at)
    wide = record(UNKNOWN_KIND, new_id(), {n: b"x" for n in range(2, 66)}, at)
    push(account, large, wide)
    assert account.all_records() == [canonical(large), canonical(wide)]


def test_a_deletion_travels_and_a_later_edit_brings_the_record_back(account):
    other = account.add_device("tablet")
    at, id = clock() - 100, new_id()
    drunk = water(account.replica, id=id, at=at)
    push(account, drunk)
    gone = records_pb2.Record()
    gone.CopyFrom(drunk)
    gone.registers[0].CopyFrom(
        register(1, DELETED, (at + 1, account.replica), (at, account.replica))
    )
    account.exchange(offers=[offer(gone, [1])])
    assert other.all_records() == [canonical(gone)]
    back = water(other.replica, id=id, at=at + 2, replaced=(at + 1, account.replica))
    push(other, back)
    assert canonical(back) in account.all_records()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_equal_stamps_the_greater_value_stays(account, order):
    """A copied database makes two writes carry one stamp. Every order of arrival ends alike, and the other is journalled."""
    at, id = clock(), b"key-of-a-setting"
    small, great = (preference(account.replica, id, at, value) for value in ("a", "b"))
    pair = [small, great]
    for index in order:
        push(account, pair[index])
    held = [records_pb2.Record.FromString(record) for record in account.all_records()]
    assert [record for record in held if record.kind == great.kind] == [great]
    (entry,) = [record for record in held if record.kind == records_pb2.KIND_CONFLICT]
    assert small.id in entry.id


def test_one_request_may_offer_a_record_twice(account):
    at, id = clock() - 10, new_id()
    early = water(account.replica, id=id, at=at)
    stamp = (at, account.replica)
    late = water(account.replica, id=id, at=at + 1, millilitres=300, replaced=stamp)
    push(account, early, late)
    assert account.all_records() == [canonical(late)]


@pytest.mark.parametrize(
    "foreign, sequence",
    [(0, 2), (1, 0), (1, 1), (0, 2**63 - 1), (0, 2**63), (0, 2**64 - 1), (7, 2**64 - 1)],
)
def test_a_cursor_that_no_commit_gave_starts_over(account, foreign, sequence):
    mine = water(account.replica)
    cursor = push(account, mine).cursor
    assert cursor.sequence == 1
    answer = account.exchange(sync_pb2.Cursor(commit=cursor.commit ^ foreign, sequence=sequence))
    assert answer.restarted
    assert list(answer.records) == [mine]
    assert answer.cursor == cursor
    assert not account.exchange(cursor).restarted


def exchange(device, **fields):
    request = sync_pb2.ExchangeRequest(**fields)
    return device.sync.Exchange(request, metadata=device.metadata, timeout=10)


def test_every_commit_has_a_name_and_each_is_known(account):
    cursors = [push(account, water(account.replica)).cursor for _ in range(5)]
    assert [cursor.sequence for cursor in cursors] == [1, 2, 3, 4, 5]
    assert len({cursor.commit for cursor in cursors}) == 5 and 0 not in {c.commit for c in cursors}
    for index, cursor in enumerate(cursors):
        answer = account.exchange(cursor)
        assert not answer.restarted and len(answer.records) == 4 - index
        other = sync_pb2.Cursor(commit=cursors[index - 1].commit, sequence=cursor.sequence)
        assert account.exchange(other).restarted, "a name belongs to its sequence"


def test_a_sequence_within_a_commit_is_no_position(account):
    """Of the commits' own: pages end within them, with the name that was given to the sequence."""
    cursor = push(account, water(account.replica), water(account.replica)).cursor
    assert cursor.sequence == 2
    within = account.exchange(sync_pb2.Cursor(commit=cursor.commit, sequence=1))
    assert not within.restarted and len(within.records) == 1
    assert account.exchange(sync_pb2.Cursor(commit=cursor.commit, sequence=3)).restarted


def test_the_head_is_told_where_the_cursor_is_not_there(account):
    at = clock()
    for start in range(0, 2000, 1000):
        records = [water(account.replica, at=at + start + n) for n in range(1000)]
        push(account, *records)
    first, *_, last = account.pages()
    assert first.more and first.head.sequence == 2000 and first.cursor.sequence < 2000
    assert not last.more and not last.HasField("head") and last.cursor.sequence == 2000
    # The head is a position like any other.
    assert not exchange(account, cursor=first.head).restarted


def test_a_peek_reads_like_any_request(account):
    cursor = push(account, water(account.replica)).cursor
    answer = exchange(account, peek=True)
    assert len(answer.records) == 1 and answer.cursor == cursor


def test_no_answer_doubts_the_clock_of_a_server_that_is_right(account):
    assert not exchange(account, device_time_ms=now_ms()).clock_doubtful


def test_an_offer_beside_a_foreign_cursor_is_taken(account):
    cursor = account.exchange().cursor
    mine = water(account.replica)
    answer = account.exchange(
        sync_pb2.Cursor(commit=cursor.commit ^ 1, sequence=3), [offer(mine, written=[])]
    )
    assert answer.restarted and not answer.refusals
    assert account.all_records() == [canonical(mine)]


def test_fields_a_newer_client_adds_to_a_request_are_ignored(account):
    """Protobuf's rule for unknown fields of the messages around the records."""
    mine = water(account.replica)
    request = sync_pb2.ExchangeRequest(offers=[offer(mine)]).SerializeToString()
    answer = account.exchange_bytes(request + b"\xfa\x3e\x03abc\xf8\x3e\x07")
    assert not pages_pb2.ExchangeResponsePage.FromString(answer).refusals
    assert account.all_records() == [canonical(mine)]
