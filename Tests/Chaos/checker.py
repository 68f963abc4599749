# SPDX-License-Identifier: Apache-2.0
"""Decides from logs and final states alone whether the promise was kept. Knows nothing of how the
product works.

The promise: an acknowledged write is visible, or superseded by a greater one; and if the writer of
that one did not know it, it is in the journal. Nothing is there that nobody wrote. Replicas that
have exchanged everything are equal.
"""

import base64
from collections import defaultdict
from typing import Dict, List

from atrest.sync.v1 import records_pb2, sync_pb2
from model import CONFLICT, DELETED_FIELD, ENTRY_FIELD, Key, Record, Register
from model import rank, to_record, to_register
from oplog import FAILED, OK, attempts

PRUNE_FLOOR_FIELD = 15
SHOWN = 10
LOST = "lost: "


class Verdict:
    """How much was promised, and what was found wrong."""

    def __init__(self):
        self.acknowledged = 0
        self.lost = 0
        self.problems: List[str] = []

    def wrong(self, sentence):
        self.problems.append(sentence)

    def lose(self, sentence):
        self.lost += 1
        self.wrong(sentence)

    def add(self, other):
        self.acknowledged += other.acknowledged
        self.lost += other.lost
        self.problems += other.problems
        return self

    def report(self):
        more = len(self.problems) - SHOWN
        shown = self.problems[:SHOWN] + ([f"and {more} more"] if more > 0 else [])
        return "\n".join(f"  {line}" for line in shown)


class History:
    """All writes of an account that were tried by devices that log their offers."""

    def __init__(self):
        self.writes: Dict[tuple, Dict[Register, bool]] = defaultdict(dict)
        self.acknowledged = 0

    def read(self, path):
        """Adds a life of a writer."""
        for offer, is_acknowledged in offers(path):
            self.tried(offer, is_acknowledged)
        return self

    def tried(self, offer, is_acknowledged):
        key, record = to_record(offer.record)
        is_new = False
        for field in offer.written_fields:
            writes = self.writes[key, field]
            register = record[field]
            is_new |= is_acknowledged and not writes.get(register)
            writes[register] = writes.get(register, False) or is_acknowledged
        self.acknowledged += is_new


def offers(path):
    """The offers of a life that may have been taken, and whether each was acknowledged. Attempts
    carry `offers`, ends the indices of those `refused`."""
    for tried, end in attempts(path):
        outcome = end["as"] if end else None
        refused = set(end.get("refused", ())) if end else ()
        for index, encoded in enumerate(tried["offers"]):
            if outcome != FAILED and index not in refused:
                offer = sync_pb2.Offer.FromString(base64.b64decode(encoded))
                yield offer, outcome == OK


def check(history: History, state: Dict[Key, Record]) -> Verdict:
    """Holds the account's final state against everything that was tried."""
    verdict = Verdict()
    verdict.acknowledged = history.acknowledged
    journal = journalled(state)
    set_aside = {(key, register) for key, lost, wrote in journal.values() for register in (lost, *wrote)}
    for (key, field), writes in history.writes.items():
        record = state.get(key, {})
        visible = record.get(field)
        for register in unaccounted(key, writes, visible, set_aside):
            verdict.lose(f"{LOST}{name(key, field, register)}")
        greatest = max((w for w in writes if writes[w]), key=rank, default=None)
        if visible and greatest and rank(visible) < rank(greatest):
            verdict.wrong(f"a smaller write is visible than {name(key, field, greatest)}")
    for key, lost, _ in journal.values():
        if lost not in history.writes.get((key, lost.field), {}) and not is_action(
            history, key, lost
        ):
            verdict.wrong(f"in the journal, but never tried: {name(key, lost.field, lost)}")
    return verdict


def is_action(history, key, lost):
    """Whether this names an action by which a record was there, of which an offer shows only what
    it wrote besides: a later action of the same offer wrote over its `deleted`."""
    return (lost.field, lost.replaced, lost.value) == (DELETED_FIELD, None, b"") and any(
        register.stamp == lost.stamp
        for field in range(DELETED_FIELD + 1, PRUNE_FLOOR_FIELD)
        for register in history.writes.get((key, field), {})
    )


def unaccounted(key, writes, visible, set_aside):
    """The acknowledged writes of one register that are neither visible, nor journalled, nor
    knowingly superseded."""
    replicas, values, replaced = set(), set(), set()
    for register in sorted(writes, key=rank, reverse=True):
        is_accounted = (
            register == visible
            or (key, register) in set_aside
            # Some greater write that took effect knew this one: it replaced or held it, or came
            # from the same replica, or the values were equal.
            or register.stamp in replaced
            or register.stamp.replica in replicas
            or register.value in values
        )
        if is_accounted:
            replicas.add(register.stamp.replica)
            values.add(register.value)
            replaced.update((register.replaced, *register.held))
        elif writes[register]:
            yield register


def journalled(state):
    """What the journal holds: by its name, the key, the register that lost, and what its action wrote
    if that lost whole."""
    entries = {}
    for (kind, id), record in state.items():
        if kind == CONFLICT and ENTRY_FIELD in record:  # Otherwise it has expired.
            value = b"".join(record[f].value for f in sorted(record))
            message = records_pb2.Conflict.FromString(value)
            key, whole = to_record(message.record)
            lost = to_register(message.entry.lost)
            is_action = lost.field == DELETED_FIELD
            wrote = [r for r in whole.values() if is_action and r.stamp == lost.stamp]
            entries[id] = (key, lost, wrote)
    return entries


def from_nowhere(state: Dict[Key, Record], history: History, others=frozenset()) -> List[str]:
    """Registers of the state that no log knows. `others` are keys that somebody else answers
    for."""
    return [
        f"from nowhere: {name(key, field, register)}"
        for key, record in state.items()
        if key[0] != CONFLICT and key not in others
        for field, register in record.items()
        if not was_tried(history, key, field, register)
    ]


def was_tried(history, key, field, register):
    return register in history.writes.get((key, field), {})


def differences(states: Dict[str, Dict[Key, Record]]) -> List[str]:
    """What replicas that have exchanged everything hold differently."""
    (first, ours), *others = states.items()
    return [
        f"{first} and {second} differ in {title(key)}"
        for second, theirs in others
        for key in ours.keys() | theirs.keys()
        if ours.get(key) != theirs.get(key)
    ]


def name(key, field, register):
    """Names a write without its value."""
    clock, replica = register.stamp
    return f"{title(key)} field {field} of {replica:016x} at {clock >> 16}+{clock & 0xffff}"


def title(key):
    return f"{key[0]}/{key[1].hex()}"
