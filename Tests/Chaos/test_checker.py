# SPDX-License-Identifier: Apache-2.0
"""The checkers can fail: each is fed what it must find, and what it must not."""

import base64

import pytest

import values
from atrest.sync.v1 import records_pb2, sync_pb2
from checker import History, check, differences, from_nowhere
from companion_log import DELETED, Entries, check_entries
from model import Entry, Register, Stamp, from_entry, from_record, to_record
from oplog import FAILED, OK, UNKNOWN, OpLog, attempts

KEY = (records_pb2.KIND_PREFERENCE, b"theme")
A, B = 0xA, 0xB


def write(clock, replica, value, replaced=None):
    return Register(2, Stamp(clock, replica), replaced and Stamp(*replaced), values.text(value))


def history(*writes):
    """Writes to one register, given as (register, was it acknowledged)."""
    result = History()
    for register, is_acknowledged in writes:
        record = from_record(KEY, {2: register})
        result.tried(sync_pb2.Offer(record=record, written_fields=[2]), is_acknowledged)
    return result


def state(visible=None, journalled=()):
    result = {KEY: {2: visible}} if visible else {}
    for lost, kept, *held in journalled:
        whole = {register.field: register for register in (lost, *held)}
        key, record = to_record(from_entry(Entry(KEY, lost, kept, whole), 1))
        result[key] = record
    return result


ONE = write(1, A, "dark")
KNEW = write(2, B, "light", replaced=(1, A))
DID_NOT = write(2, B, "light")


@pytest.mark.parametrize(
    "writes, final, lost",
    [
        ([(ONE, True)], state(ONE), 0),
        ([(ONE, True)], state(), 1),
        ([(ONE, False)], state(), 0),
        ([(ONE, True), (KNEW, True)], state(KNEW), 0),
        ([(ONE, True), (KNEW, True)], state(ONE), 1),
        ([(ONE, True), (KNEW, False)], state(ONE), 0),
        ([(ONE, True), (KNEW, False)], state(KNEW), 0),
        ([(ONE, True), (DID_NOT, True)], state(DID_NOT), 1),
        ([(ONE, True), (DID_NOT, True)], state(DID_NOT, [(ONE, DID_NOT)]), 0),
        ([(ONE, True), (write(3, A, "sepia"), True)], state(write(3, A, "sepia")), 0),
        ([(ONE, True), (write(2, B, "dark"), True)], state(write(2, B, "dark")), 0),
    ],
)
def test_an_acknowledged_write_is_visible_journalled_or_knowingly_superseded(writes, final, lost):
    verdict = check(history(*writes), final)
    assert verdict.lost == lost
    assert verdict.acknowledged == sum(known for _, known in writes)


def test_a_smaller_write_must_not_win():
    verdict = check(history((ONE, True), (DID_NOT, True)), state(ONE, [(DID_NOT, ONE)]))
    assert [p for p in verdict.problems if p.startswith("a smaller write")]


def test_a_chain_through_a_write_that_never_arrived_does_not_excuse_a_loss():
    never = write(2, B, "light", replaced=(1, A))
    verdict = check(history((ONE, True), (never, False)), state())
    assert verdict.lost == 1


def test_what_nobody_wrote_is_found():
    assert not from_nowhere(state(ONE), history((ONE, False)))
    assert from_nowhere(state(KNEW), history((ONE, True)))
    assert from_nowhere(state(ONE._replace(value=values.text("bright"))), history((ONE, True)))
    assert check(history((ONE, True)), state(ONE, [(KNEW, ONE)])).problems


def test_an_action_may_be_journalled_of_which_offers_show_only_what_it_wrote_besides():
    deletion = Register(1, Stamp(9, B), None, values.DELETED)
    action = Register(1, ONE.stamp, None, b"")
    told = history((ONE, False))
    assert not check(told, state(None, [(action, deletion)])).problems
    assert check(told, state(None, [(action._replace(stamp=Stamp(2, A)), deletion)])).problems
    assert check(told, state(None, [(action._replace(value=b"?"), deletion)])).problems


def test_an_action_in_the_journal_accounts_for_what_it_wrote_and_for_nothing_else():
    deletion = Register(1, Stamp(9, B), None, values.DELETED)
    action, told = Register(1, ONE.stamp, None, b""), history((ONE, True))
    assert not check(told, state(None, [(action, deletion, ONE)])).lost
    assert check(told, state(None, [(action, deletion)])).lost
    other = action._replace(stamp=Stamp(2, A))
    assert check(told, state(None, [(other, deletion, ONE)])).lost


def test_replicas_that_differ_are_found():
    assert not differences({"a": state(ONE), "b": state(ONE)})
    assert differences({"a": state(ONE), "b": state()})
    assert differences({"a": state(), "b": state(ONE), "c": state()})


def test_a_log_tells_what_was_tried_and_what_became_of_it(tmp_path):
    text = base64.b64encode(b"").decode()
    log = OpLog.next_life(tmp_path, "writer")
    for outcome in (OK, FAILED, UNKNOWN):
        log.ended(log.trying(offers=[text]), outcome)
    log.trying(offers=[text])
    log.close()
    with open(log.path, "ab") as torn:
        torn.write(b'{"try":5,"offers":["AAA')
    outcomes = {line["try"]: end and end["as"] for line, end in attempts(log.path)}
    assert outcomes == {1: OK, 2: FAILED, 3: UNKNOWN, 4: None}
    assert OpLog.next_life(tmp_path, "writer").path != log.path


def entries(tmp_path, *commands):
    log = OpLog.next_life(tmp_path, "phone")
    for becomes, outcome in commands:
        number = log.trying(at=7, becomes=becomes)
        if outcome:
            log.ended(number, outcome)
    log.close()
    return Entries().read(log.path)


def water(millilitres, deleted=False, id=b"1"):
    record = values.water(A, id=id, at=1, millilitres=millilitres)
    record.registers[1].value = values.intake(7, millilitres)
    if deleted:
        record.registers[0].value = values.DELETED
    return dict([to_record(record)])


@pytest.mark.parametrize(
    "commands, final, lost",
    [
        ([(250, OK)], water(250), 0),
        ([(250, OK)], {}, 1),
        ([(250, None)], {}, 0),
        ([(250, OK), (300, OK)], water(250), 1),
        ([(250, OK), (300, UNKNOWN)], water(250), 0),
        ([(250, OK), (300, UNKNOWN)], water(300), 0),
        ([(250, OK), (300, UNKNOWN), (400, OK)], water(300), 1),
        ([(250, OK), (300, FAILED)], water(300), 1),
        ([(250, OK), (DELETED, OK)], water(250), 1),
        ([(250, OK), (DELETED, OK)], water(250, deleted=True), 0),
        ([(250, OK)], {**water(250), **water(250, id=b"2")}, 0),
    ],
)
def test_the_last_command_that_answered_decides(tmp_path, commands, final, lost):
    verdict, keys = check_entries(entries(tmp_path, *commands), final)
    assert verdict.lost == lost
    assert keys == final.keys()
    assert bool(verdict.problems) == bool(lost or len(final) > 1)
