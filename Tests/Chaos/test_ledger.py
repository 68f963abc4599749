# SPDX-License-Identifier: Apache-2.0
"""What a ledger judged once it still watches: a loss is found wherever it is, and what was judged
is not judged again."""

import types

import pytest

import ledger
import values
from atrest.sync.v1 import records_pb2, sync_pb2
from companion_log import DELETED, Commands
from ledger import Ledger
from model import Entry, Register, Stamp, from_entry, from_record, to_record
from oplog import OK, OpLog

A, B = 0xA, 0xB


def note(name, clock, replica=A, value="dark", replaced=None):
    """A record of one write."""
    key = (records_pb2.KIND_PREFERENCE, name)
    stamp = replaced and Stamp(*replaced)
    return from_record(key, {2: Register(2, Stamp(clock, replica), stamp, values.text(value))})


class Feed:
    """A server that takes what it is given, and can lose it."""

    def __init__(self):
        self.rows = []  # (key, record) in order of change; None: moved on.
        self.has_restarted = False

    def put(self, *records):
        for record in records:
            self.lose(record)
            self.rows.append(((record.kind, record.id), record.SerializeToString()))
        return self

    def lose(self, record):
        """Without a word."""
        key = (record.kind, record.id)
        self.rows = [None if row and row[0] == key else row for row in self.rows]

    def alter(self, record):
        """Without a word: it stays where it was."""
        key = (record.kind, record.id)
        changed = (key, record.SerializeToString())
        self.rows = [changed if row and row[0] == key else row for row in self.rows]

    def go_back(self):
        """Any cursor that was given is unknown from now on."""
        self.has_restarted = True

    def pages(self, cursor=None):
        restarted = cursor is not None and self.has_restarted
        held = [row[1] for row in self.rows[0 if restarted else cursor or 0 :] if row]
        yield types.SimpleNamespace(records=held, cursor=len(self.rows), restarted=restarted)

    def all_records(self):
        return [record for page in self.pages() for record in page.records]


def wrote(ledger, feed, *records, is_stored=True):
    for record in records:
        fields = [register.field for register in record.registers]
        ledger.tried(sync_pb2.Offer(record=record, written_fields=fields), True)
        if is_stored:
            feed.put(record)


@pytest.fixture
def past():
    """A ledger that has judged a hundred writes, and the feed that it follows."""
    ledger, feed = Ledger(), Feed()
    wrote(ledger, feed, *(note(b"%d" % n, n + 1) for n in range(100)))
    ledger.follow(feed)
    ledger.audit(feed)
    verdict = ledger.judge()
    assert not verdict.problems and verdict.acknowledged == ledger.acknowledged == 100
    return ledger, feed


def next_verdict(ledger, feed, is_audit=False):
    ledger.follow(feed)
    if is_audit:
        ledger.audit(feed)
    return ledger.judge()


def test_a_loss_among_what_is_new_is_found_by_the_next_look(past):
    ledger, feed = past
    wrote(ledger, feed, note(b"new", 200), note(b"newer", 201))
    wrote(ledger, feed, note(b"lost", 202), is_stored=False)
    verdict = next_verdict(ledger, feed)
    assert (verdict.lost, verdict.acknowledged) == (1, 3)


def test_a_loss_among_what_was_judged_long_ago_is_found_by_an_audit(past):
    ledger, feed = past
    feed.lose(note(b"7", 8))
    wrote(ledger, feed, note(b"new", 200))
    assert next_verdict(ledger, feed).lost == 0
    verdict = next_verdict(ledger, feed, is_audit=True)
    assert verdict.lost == 1
    assert any("is gone" in problem for problem in verdict.problems)


def test_an_old_record_that_changes_without_a_word_is_found_by_an_audit(past):
    ledger, feed = past
    feed.alter(note(b"7", 8, value="light"))
    verdict = next_verdict(ledger, feed, is_audit=True)
    assert verdict.lost == 1
    assert any("feed did not tell" in problem for problem in verdict.problems)
    assert any("from nowhere" in problem for problem in verdict.problems)


def test_an_old_write_that_is_overwritten_unknowingly_is_found_by_the_next_look(past):
    ledger, feed = past
    careless = note(b"7", 200, B, "light")
    wrote(ledger, feed, careless)
    assert next_verdict(ledger, feed).lost == 1


def test_an_old_write_that_is_overwritten_is_well_where_that_was_known_or_is_journalled(past):
    ledger, feed = past
    wrote(ledger, feed, note(b"7", 200, B, "light", replaced=(8, A)), note(b"8", 201, B, "light"))
    lost, kept = (to_record(r)[1][2] for r in (note(b"8", 9), note(b"8", 201, B, "light")))
    entry = from_entry(Entry((records_pb2.KIND_PREFERENCE, b"8"), lost, kept, {2: lost}), 1)
    feed.put(entry)
    assert not next_verdict(ledger, feed).problems
    feed.lose(entry)
    assert next_verdict(ledger, feed, is_audit=True).lost == 1


def test_what_nobody_wrote_is_found_by_the_next_look(past):
    ledger, feed = past
    feed.put(note(b"strange", 300))
    assert any("from nowhere" in problem for problem in next_verdict(ledger, feed).problems)


def test_a_second_offer_of_one_write_is_no_second_write(past):
    ledger, feed = past
    wrote(ledger, feed, note(b"7", 8))
    assert next_verdict(ledger, feed).acknowledged == 0 and ledger.acknowledged == 100


def test_a_look_costs_what_is_new(past, monkeypatch):
    ledger_of_past, feed = past
    judged = []
    check = ledger.check
    monkeypatch.setattr(ledger, "check", lambda *both: judged.append(both) or check(*both))
    wrote(ledger_of_past, feed, note(b"new", 200), note(b"7", 201))
    next_verdict(ledger_of_past, feed)
    assert len(judged) == 2
    next_verdict(ledger_of_past, feed)
    assert len(judged) == 2


def test_a_server_that_lost_something_says_so_only_where_it_may(past):
    ledger, feed = past
    feed.go_back()
    assert any("lost something" in problem for problem in next_verdict(ledger, feed).problems)
    ledger.may_go_back = True
    assert not next_verdict(ledger, feed).problems


def test_what_a_server_went_back_behind_has_to_be_there_again(past, monkeypatch):
    ledger_of_past, feed = past
    ledger_of_past.may_go_back = True
    judged = []
    check = ledger.check
    monkeypatch.setattr(ledger, "check", lambda *both: judged.append(both) or check(*both))
    feed.go_back()
    feed.put(note(b"7", 8))
    assert not next_verdict(ledger_of_past, feed).problems and not judged
    feed.lose(note(b"8", 9))
    assert next_verdict(ledger_of_past, feed).lost == 1 and len(judged) == 1


def test_a_loss_is_seen_before_anybody_mends_it(past):
    ledger, feed = past
    wrote(ledger, feed, note(b"new", 200))
    wrote(ledger, feed, note(b"late", 201), is_stored=False)
    ledger.follow(feed)
    assert ledger.lost_now().lost == 1
    feed.put(note(b"late", 201))
    ledger.follow(feed)
    assert ledger.lost_now().lost == 0
    verdict = ledger.judge()
    assert (verdict.lost, verdict.acknowledged) == (0, 2)


def test_what_is_given_back_is_no_write(past):
    ledger, feed = past
    ledger.tried(sync_pb2.Offer(record=note(b"whose", 300), restored=True), True)
    verdict = next_verdict(ledger, feed)
    assert (verdict.lost, verdict.acknowledged) == (0, 0)


def test_an_audit_is_wanted_when_there_is_twice_as_much(past):
    ledger, feed = past
    assert not ledger.wants_audit
    wrote(ledger, feed, *(note(b"new %d" % n, 200 + n) for n in range(100)))
    next_verdict(ledger, feed)
    assert ledger.wants_audit


# Writes of commands, which no offer reveals.


def typed(folder, *commands):
    """A life in which these were typed and answered: pairs of a time and what it becomes."""
    log = OpLog.next_life(folder, "phone")
    for at, becomes in commands:
        log.ended(log.trying(at=at, becomes=becomes, id=f"{at:04x}"), OK)
    log.close()


def water(at, millilitres, clock=1):
    record = values.water(A, id=bytes.fromhex(f"{at:04x}"), at=clock, millilitres=millilitres)
    record.registers[1].value = values.intake(at, millilitres)
    return record


@pytest.fixture
def typed_past(tmp_path):
    commands, feed = Commands("phone"), Feed()
    ledger = Ledger([commands])
    typed(tmp_path, *((at, 250) for at in range(1, 51)))
    feed.put(*(water(at, 250) for at in range(1, 51)))
    commands.read(tmp_path)
    verdict = next_verdict(ledger, feed, is_audit=True)
    assert not verdict.problems and verdict.acknowledged == 50
    return ledger, feed, commands, tmp_path


def test_entries_of_commands_are_judged_as_they_change(typed_past):
    ledger, feed, commands, folder = typed_past
    typed(folder, (7, 300), (8, DELETED), (51, 250))
    deleted = water(8, 250, clock=2)
    deleted.registers[0].value = values.DELETED
    feed.put(water(7, 300, clock=2), deleted, water(51, 250))
    commands.read(folder)
    verdict = next_verdict(ledger, feed)
    assert not verdict.problems and verdict.acknowledged == 3


@pytest.mark.parametrize("is_old", [True, False])
def test_a_lost_entry_is_found(typed_past, is_old):
    ledger, feed, commands, folder = typed_past
    typed(folder, (51, 250))
    if is_old:
        feed.put(water(51, 250)).lose(water(7, 250))
    commands.read(folder)
    assert next_verdict(ledger, feed, is_audit=is_old).lost == 1


def test_an_old_entry_that_an_edit_did_not_reach_or_nobody_edited_is_found(typed_past):
    ledger, feed, commands, folder = typed_past
    typed(folder, (7, 300))
    feed.put(water(9, 400, clock=2))
    commands.read(folder)
    assert next_verdict(ledger, feed).lost == 2
