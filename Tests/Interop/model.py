# SPDX-License-Identifier: Apache-2.0
"""Merging, the journal and a replica, written from the words of the protos and docs/merge.md alone.

Slow and plain on purpose: this is what the server is compared with.
"""

import struct
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from atrest.sync.v1 import records_pb2

CONFLICT = records_pb2.KIND_CONFLICT
DELETED_FIELD = 1
ENTRY_FIELD = 2
FORGOTTEN_FIELD = 15


class Stamp(NamedTuple):
    """Compares as the contract orders writes: by clock, then by replica."""

    clock: int
    replica: int


class Register(NamedTuple):
    field: int
    stamp: Stamp
    replaced: Optional[Stamp]
    value: bytes


Key = Tuple[int, bytes]
Record = Dict[int, Register]


def rank(register):
    """Of two registers of a field the one of greater (clock, replica, value, replaced) survives."""
    had = register.replaced
    return (register.stamp, register.value, had is not None, had or Stamp(0, 0))


def merge(a: Record, b: Record) -> Record:
    """The greater register of each field; then what is older than the `forgotten` register goes."""
    greatest = {
        field: max((side[field] for side in (a, b) if field in side), key=rank)
        for field in a.keys() | b.keys()
    }
    floor = greatest.get(FORGOTTEN_FIELD)
    return {f: r for f, r in greatest.items() if floor is None or r.stamp >= floor.stamp}


def is_deleted(record: Record) -> bool:
    return DELETED_FIELD in record and record[DELETED_FIELD].value == b"\x08\x01"


def lifted(record: Record, other: Record) -> Record:
    """An action that brings back what the other copy forgot counts as having written what that one has no more."""
    floor, action = other.get(FORGOTTEN_FIELD), record.get(DELETED_FIELD)
    if floor is None or action is None or is_deleted(record):
        return record
    if DELETED_FIELD in other and rank(other[DELETED_FIELD]) >= rank(action):
        return record
    return {
        field: Register(field, action.stamp, None, register.value)
        if register.stamp < floor.stamp and field not in other
        else register
        for field, register in record.items()
    }


def conflicts(kept: Register, lost: Register) -> bool:
    """Whether the winner's writer did not know the value that lost.

    A replica knows its own writes. Two equal values leave nothing to choose.
    """
    return (
        kept.stamp.replica != lost.stamp.replica
        and kept.replaced != lost.stamp
        and kept.value != lost.value
    )


def journal_id(key: Key, lost: Register) -> bytes:
    """Names the losing write: the record's id, then kind, field, clock and replica, big-endian."""
    kind, id = key
    return id + struct.pack(">IIQQ", kind, lost.field, *lost.stamp)


class Entry(NamedTuple):
    key: Key
    lost: Register
    kept: Register


class Account:
    """What the server holds for one account, and the order in which it changed."""

    def __init__(self):
        self.records: Dict[Key, Record] = {}
        self.journal: Dict[bytes, Entry] = {}
        self.version = 0
        self.changed: Dict[Key, int] = {}

    def _touch(self, key):
        self.version += 1
        self.changed[key] = self.version

    def take(self, key: Key, offered: Record, written: FrozenSet[int]) -> bool:
        """Merges one offer. Returns whether some register of it lost."""
        stored = self.records.get(key, {})
        before, as_offered = stored, offered
        stored, offered = lifted(before, as_offered), lifted(as_offered, before)
        merged = merge(stored, offered)
        lost_fields = [f for f in offered if merged.get(f) != as_offered[f]]
        if merged != before:
            self.records[key] = merged
            self._touch(key)
        for field in sorted(written & offered.keys()):
            if field in merged and field not in stored:
                continue
            kept = merged.get(field, merged.get(FORGOTTEN_FIELD))
            lost = stored[field] if kept == offered[field] else offered[field]
            if lost == kept or key[0] == CONFLICT or not conflicts(kept, lost):
                continue
            name = journal_id(key, lost)
            if name not in self.journal:
                self.journal[name] = Entry(key, lost, kept)
                self._touch((CONFLICT, name))
        self._hidden(key, stored, offered, written, merged)
        self._earlier(key, stored, offered, written, merged)
        return bool(lost_fields)

    def _journal(self, key, lost, kept):
        name = journal_id(key, lost)
        if name not in self.journal:
            self.journal[name] = Entry(key, lost, kept)
            self._touch((CONFLICT, name))

    def _earlier(self, key, stored, offered, written, merged):
        """Earlier actions of an offer whose last one lost to a deletion that did not know it."""
        last, kept = offered.get(DELETED_FIELD), merged.get(DELETED_FIELD)
        if not (last and kept and stored.get(DELETED_FIELD) == kept and is_deleted(merged)):
            return
        if key[0] == CONFLICT or DELETED_FIELD not in written or not conflicts(kept, last):
            return
        for field in sorted(written & offered.keys()):
            stamp = offered[field].stamp
            if stamp != last.stamp and stamp < kept.stamp:
                self._journal(key, Register(DELETED_FIELD, stamp, None, b""), kept)

    def _hidden(self, key, stored, offered, written, merged):
        """A deletion that did not know an action journals it, even where another wrote over its `deleted`."""
        if not stored or is_deleted(stored) or key[0] == CONFLICT or DELETED_FIELD not in written:
            return
        if not is_deleted(offered) or not is_deleted(merged):
            return
        deletion = merged[DELETED_FIELD]
        for field, hidden in sorted(stored.items()):
            known = field in offered and rank(offered[field]) >= rank(hidden)
            if field in (DELETED_FIELD, FORGOTTEN_FIELD) or known or hidden.stamp >= deletion.stamp:
                continue
            if hidden.stamp.replica == deletion.stamp.replica:
                continue
            if hidden.stamp == stored.get(DELETED_FIELD, hidden).stamp and DELETED_FIELD in stored:
                continue
            lost = Register(DELETED_FIELD, hidden.stamp, None, b"")
            name = journal_id(key, lost)
            if name not in self.journal:
                self.journal[name] = Entry(key, lost, deletion)
                self._touch((CONFLICT, name))

    def changed_after(self, version) -> FrozenSet[Key]:
        return frozenset(key for key, at in self.changed.items() if at > version)


class Pending(NamedTuple):
    key: Key
    record: Record
    written: FrozenSet[int]


class Replica:
    """A device: what it shows, and what it has yet to push. Its caller reads the wall clock."""

    def __init__(self, replica: int):
        self.replica = replica
        self.clock = 0
        self.view: Dict[Key, Record] = {}
        self.outbox: List[Pending] = []
        self.cursor = None

    def act(self, key: Key, values: Dict[int, bytes], wall_ms: int):
        """One action of a person. All but a deletion also say that the record is there."""
        self.clock = max(self.clock + 1, wall_ms << 16)
        stamp = Stamp(self.clock, self.replica)
        before = self.view.get(key, {})
        record = dict(before)
        for field, value in ({DELETED_FIELD: b""} | values).items():
            record[field] = Register(field, stamp, self._replaced(key, before.get(field)), value)
        written = frozenset(values) | {DELETED_FIELD}
        last = next((p for p in reversed(self.outbox) if p.key == key), None)
        if last and last.record == before:
            # Nothing came in between, so one offer says it all. Otherwise the earlier one is still
            # pushed as it was: it may have lost to what came, and belongs in the journal then.
            self.outbox.remove(last)
            written |= last.written
        self.outbox.append(Pending(key, record, written))
        self.view[key] = record

    def _replaced(self, key, current):
        """The stamp of the acknowledged value under the one that is being replaced."""
        if current is None:
            return None
        pending = any(
            p.key == key and current.field in p.written and p.record[current.field] == current
            for p in self.outbox
        )
        return current.replaced if pending else current.stamp

    def acknowledge(self, offered: List[Pending]):
        """Only what was acknowledged leaves the outbox; what was written since stays."""
        self.outbox = [p for p in self.outbox if not any(p is o for o in offered)]

    def learn(self, key: Key, record: Record):
        """Takes in a record of the feed."""
        self.view[key] = merge(self.view.get(key, {}), record)
        self.clock = max([self.clock, *(r.stamp.clock for r in record.values())])


# To and from the messages.


def to_stamp(message):
    return Stamp(message.clock, message.replica)


def to_register(message):
    replaced = to_stamp(message.replaced) if message.HasField("replaced") else None
    return Register(message.field, to_stamp(message.stamp), replaced, message.value)


def to_record(message) -> Tuple[Key, Record]:
    registers = [to_register(r) for r in message.registers]
    fields = [r.field for r in registers]
    assert fields == sorted(set(fields)), "registers must ascend"
    return (message.kind, message.id), dict(zip(fields, registers))


def from_register(register):
    message = records_pb2.Register(field=register.field, value=register.value)
    message.stamp.clock, message.stamp.replica = register.stamp
    if register.replaced is not None:
        message.replaced.SetInParent()
        message.replaced.clock, message.replaced.replica = register.replaced
    return message


def from_record(key: Key, record: Record):
    return records_pb2.Record(
        kind=key[0], id=key[1], registers=[from_register(record[f]) for f in sorted(record)]
    )


def from_entry(entry: Entry, noticed_ms: int):
    """The record that carries a journal entry; its register's stamp is the losing write's."""
    inner = records_pb2.Conflict.Entry(
        kind=entry.key[0],
        id=entry.key[1],
        field=entry.lost.field,
        lost=from_register(entry.lost),
        kept=from_register(entry.kept),
        noticed_ms=noticed_ms,
    )
    value = records_pb2.Conflict(entry=inner).SerializeToString()
    register = Register(ENTRY_FIELD, entry.lost.stamp, None, value)
    key = (CONFLICT, journal_id(entry.key, entry.lost))
    return from_record(key, {ENTRY_FIELD: register})
