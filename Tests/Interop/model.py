# SPDX-License-Identifier: Apache-2.0
"""Merging, the journal and a replica, from the words of the protos and docs/protocol/merge.md alone.

Slow and plain on purpose: this is what the server is compared with.
"""

import dataclasses
import struct
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from atrest.sync.v1 import records_pb2, sync_pb2

CONFLICT, ENTITLEMENT = records_pb2.KIND_CONFLICT, records_pb2.KIND_ENTITLEMENT
DELETED_FIELD = 1
ENTRY_FIELD, RECORD_FIELD = 2, 3
PRUNE_FLOOR_FIELD = 15
DELETED = records_pb2.Water(deleted=True).SerializeToString()
PRUNE_FLOOR = records_pb2.Water(prune_floor=True).SerializeToString()
HUNDRED_YEARS_MS = 100 * 365 * 86_400_000


class Stamp(NamedTuple):
    """Compares as the contract orders writes: by clock, then by replica."""

    clock: int
    replica: int


class Register(NamedTuple):
    field: int
    stamp: Stamp
    replaced: Optional[Stamp]
    value: bytes
    held: Tuple[Stamp, ...] = ()  # Of a deletion: what its writer held in the record.


Key = Tuple[int, bytes]
Record = Dict[int, Register]


def rank(register):
    """Of two registers of a field the one of greater (clock, replica, value, replaced, held) survives."""
    had = register.replaced
    return (register.stamp, register.value, had is not None, had or Stamp(0, 0), register.held)


def floor(record: Record) -> Optional[Register]:
    return record.get(PRUNE_FLOOR_FIELD)


def is_outlived(record: Record, other: Record) -> bool:
    """Whether the other copy was pruned since: its floor is greater."""
    mine, theirs = floor(record), floor(other)
    return theirs is not None and (mine is None or rank(mine) < rank(theirs))


def merge(a: Record, b: Record) -> Record:
    """The copy with the greater floor; of one floor, the greater register of each field."""
    if floor(a) != floor(b):
        return b if is_outlived(a, b) else a
    return {
        field: max((side[field] for side in (a, b) if field in side), key=rank)
        for field in a.keys() | b.keys()
    }


def is_deleted(record: Record) -> bool:
    return DELETED_FIELD in record and record[DELETED_FIELD].value == DELETED


def pruned(record: Record) -> Record:
    """A deleted record without what the deletion made unreachable."""
    deletion = record[DELETED_FIELD]
    rest = {f: r for f, r in record.items() if f != PRUNE_FLOOR_FIELD}
    left = {f: r for f, r in rest.items() if r.stamp >= deletion.stamp}
    if left == rest:
        return record
    floor = deletion._replace(field=PRUNE_FLOOR_FIELD, value=PRUNE_FLOOR)
    return left | {PRUNE_FLOOR_FIELD: floor}


def held(record: Record) -> Tuple[Stamp, ...]:
    """What a deletion of the record holds: the newest 64 stamps that it has anywhere."""
    stamps = {register.stamp for register in record.values()}
    stamps |= {register.replaced for register in record.values() if register.replaced is not None}
    stamps |= {stamp for register in record.values() for stamp in register.held}
    return tuple(sorted(stamps)[-64:])


def knew(register: Register, stamp: Stamp) -> bool:
    """Whether the writer knew a write: what it replaced or held, and what its own replica wrote before that."""
    over = register.replaced
    if over == stamp or stamp in register.held:
        return True
    return over is not None and over.replica == register.stamp.replica == stamp.replica and over > stamp


def journal_id(key: Key, lost: Register) -> bytes:
    """Names the losing write: the record's id, then kind, field, clock and replica, big-endian."""
    kind, id = key
    return id + struct.pack(">IIQQ", kind, lost.field, *lost.stamp)


class Entry(NamedTuple):
    key: Key
    lost: Register
    kept: Register
    record: Record


Identity = Tuple[int, Stamp, bytes]


def identity(register: Register) -> Identity:
    return (register.field, register.stamp, register.value)


class History:
    """The registers that the server has judged, so that each is judged once."""

    LIMIT = 64

    def __init__(self):
        self.judged: List[Identity] = []

    def note(self, stored: Record, judged: Record, result: Record):
        left = {identity(register) for register in result.values()}
        for copy in (stored, judged):
            for field, register in sorted(copy.items()):
                name = identity(register)
                if field != PRUNE_FLOOR_FIELD and name not in left and name not in self.judged:
                    self.judged.append(name)
        self.judged = self.judged[-self.LIMIT :]

    def note_actions(self, lost: List[Register]):
        actions = [r for r in lost if r.field == DELETED_FIELD and r.value == b""]
        for register in sorted(actions, key=lambda r: r.stamp):
            if identity(register) not in self.judged:
                self.judged.append(identity(register))
        self.judged = self.judged[-self.LIMIT :]


# The losing and the kept register, and the record as the side that lost had it.
Loss = Tuple[Register, Register, Record]


class Meeting:
    """An offer and the account's copy: what becomes of them, and what that makes of each write."""

    def __init__(
        self,
        stored: Record,
        offered: Record,
        written: FrozenSet[int],
        restored: bool,
        history: History,
    ):
        self.stored, self.offered, self.history = stored, offered, history
        self.written = written & offered.keys()
        self.restored = restored
        self.result = merge(stored, offered)

    def conflicts(self) -> List[Loss]:
        if floor(self.stored) != floor(self.offered):
            return self._outlived_actions()
        losses = self._fields() + self._deleted_actions()
        return [loss for loss in losses if not any(self._holds(other, loss) for other in losses)]

    def judged(self) -> Record:
        """The offered registers that are judged if they lose."""
        return {field: r for field, r in self.offered.items() if self._can_lose(field)}

    def _holds(self, entry: Loss, other: Loss) -> bool:
        """Whether the entry stands for an action, is new, and holds the other's value."""
        action, value = entry[0], other[0]
        is_new = action.field == DELETED_FIELD and identity(action) not in self.history.judged
        is_part = value.field != DELETED_FIELD and value.stamp == action.stamp
        return is_new and is_part and entry[2].get(value.field) == value

    def _pairs(self):
        """Each register that lost in its field and was not judged before, what was kept, and whose it was."""
        for field in self.offered.keys() & self.stored.keys():
            mine, theirs, kept = self.offered[field], self.stored[field], self.result[field]
            if mine != kept and identity(mine) not in self.history.judged:
                yield mine, kept, self.offered
            if theirs != kept:
                yield theirs, kept, self.stored

    def _fields(self):
        return [
            (lost, kept, record)
            for lost, kept, record in self._pairs()
            if (self._can_lose(lost.field) or record is self.stored)
            and not (is_deleted(self.result) and lost.field == DELETED_FIELD)
            and kept.value != lost.value
            and not knew(kept, lost.stamp)
            and not self._is_floor(lost.stamp)
        ]

    def _can_lose(self, field: int) -> bool:
        return self.restored or field in self.written

    def _is_floor(self, stamp: Stamp) -> bool:
        """Whether it is that of a copy's floor, which every writer above it knew."""
        return any(r is not None and r.stamp == stamp for r in (floor(self.stored), floor(self.offered)))

    def _deleted_actions(self):
        """The actions of the copy that does not have the deletion, where that did not know them."""
        if not is_deleted(self.result):
            return []
        deletion = self.result[DELETED_FIELD]
        if self.stored.get(DELETED_FIELD) == deletion:
            copy, registers = self.offered, self._brought()
        elif not is_deleted(self.stored):
            copy, registers = self.stored, list(self.stored.values())
        else:
            return []
        lost_in_field = [lost for lost, _, _ in self._pairs()]
        beaten = [
            register
            for register in registers
            if register.stamp < deletion.stamp
            and (register.field == DELETED_FIELD or register not in lost_in_field)
            and not self._is_known_to_offered_deletion(register.stamp)
        ]
        return self._actions(beaten, copy, deletion)

    def _outlived_actions(self):
        """The actions that are gone with a copy, because the other one was pruned since."""
        if is_outlived(self.offered, self.stored):
            copy, registers = self.offered, self._brought()
        elif is_deleted(self.stored):
            copy, registers = self.stored, [self.stored[DELETED_FIELD]]
        else:
            copy, registers = self.stored, list(self.stored.values())
        return self._actions(registers, copy, floor(self.result))

    def _actions(self, registers: List[Register], copy: Record, deletion: Register):
        """The actions that wrote these registers of a copy, where the deletion did not know them."""
        last = copy.get(DELETED_FIELD)
        is_gone_twice = is_deleted(copy) and is_deleted(self.result)
        stamps = {
            register.stamp
            for register in registers
            if register.field != PRUNE_FLOOR_FIELD
            and not self._is_floor(register.stamp)
            and not self._is_known(register.stamp, deletion)
            and not (is_gone_twice and register.stamp == last.stamp)
        }
        losses = []
        for stamp in stamps:
            if last is None or last.stamp != stamp:
                losses.append((action(stamp), deletion, copy))
            else:
                kept = self.result.get(DELETED_FIELD) if is_deleted(copy) else None
                losses.append((last, kept or deletion, copy))
        return losses

    def _brought(self) -> List[Register]:
        """What the offer writes, or gives back to a server that lost it, and was not judged before."""

        def is_brought(field: int, register: Register) -> bool:
            is_back = self.restored or self.result.get(field) == register
            is_lost = self.stored.get(field) != register
            is_open = field in self.written or is_back and is_lost
            return is_open and identity(register) not in self.history.judged

        return [register for field, register in self.offered.items() if is_brought(field, register)]

    def _is_known_to_offered_deletion(self, stamp: Stamp) -> bool:
        return is_deleted(self.offered) and self._is_known(stamp, self.offered[DELETED_FIELD])

    def _is_known(self, stamp: Stamp, deletion: Register) -> bool:
        """Whether the deletion's writer knew an action. One that lists nothing held what its own offer has."""
        if knew(deletion, stamp):
            return True
        is_its_offer = self.offered.get(DELETED_FIELD) == deletion and DELETED_FIELD in self.written
        has_it = any(register.stamp == stamp for register in self.offered.values())
        return not deletion.held and is_its_offer and has_it and stamp != deletion.stamp


def action(stamp: Stamp) -> Register:
    """What is left of an action whose own `deleted` register another one wrote over."""
    return Register(DELETED_FIELD, stamp, None, b"")


class Account:
    """What the server holds for one account, and the order in which it changed."""

    def __init__(self):
        self.records: Dict[Key, Record] = {}
        self.journal: Dict[bytes, Entry] = {}
        self.histories: Dict[Key, History] = {}
        self.version = 0
        self.changed: Dict[Key, int] = {}
        self.latest = 0  # The greatest clock of any accepted stamp.

    def _touch(self, key):
        self.version += 1
        self.changed[key] = self.version

    def bears(
        self, record: Record, written: FrozenSet[int], now_ms: int, restored: bool = False
    ) -> bool:
        """Whether no stamp is too far ahead of a server whose clock shows this."""
        far = now_ms + HUNDRED_YEARS_MS << 16
        over = [record[field].replaced for field in written if restored and field in record]
        known = [self.latest, *(r.clock for r in over if r is not None and r.clock <= far)]
        for field, register in record.items():
            clock = register.stamp.clock
            was_acknowledged = field not in written and (restored or not written)
            is_near = clock >> 16 <= now_ms + 60_000
            if not is_near and clock > (far if was_acknowledged else max(known) + 1024):
                return False
        return True

    def take(
        self, key: Key, offered: Record, written: FrozenSet[int], restored: bool = False
    ) -> bool:
        """Merges one offer. Returns whether some register of it lost."""
        if key[0] != ENTITLEMENT:
            self.latest = max([self.latest, *(r.stamp.clock for r in offered.values())])
        stored = self.records.get(key)
        if stored is None and key[0] == CONFLICT and key[1] in self.journal:
            # The server wrote this entry, as it came from there.
            stored = {field: offered[field] for field in (ENTRY_FIELD, RECORD_FIELD)}
        if stored is None:
            self.records[key] = offered
            self._touch(key)
            return False
        history = self.histories.setdefault(key, History())
        meeting = Meeting(stored, offered, written, restored, history)
        if meeting.result != stored:
            self.records[key] = meeting.result
            self._touch(key)
        if key[0] not in (CONFLICT, ENTITLEMENT):
            conflicts = meeting.conflicts()
            for lost, kept, record in conflicts:
                self._note(key, lost, kept, record)
            history.note(stored, meeting.judged(), meeting.result)
            history.note_actions([lost for lost, _, _ in conflicts])
        return any(meeting.result.get(f) != register for f, register in offered.items())

    def _note(self, key, lost, kept, record):
        name = journal_id(key, lost)
        if name not in self.journal and (CONFLICT, name) not in self.records:
            self.journal[name] = Entry(key, lost, kept, record)
            self._touch((CONFLICT, name))

    def prune(self, key: Key):
        """Takes out what a deletion made unreachable."""
        before = self.records[key]
        after = pruned(before)
        if after == before:
            return
        if key[0] != CONFLICT:
            self.histories.setdefault(key, History()).note(before, {}, after)
        self.records[key] = after
        self._touch(key)

    def changed_after(self, version) -> FrozenSet[Key]:
        return frozenset(key for key, at in self.changed.items() if at > version)


@dataclasses.dataclass(eq=False)
class Pending:
    """An entry of a replica's outbox."""

    key: Key
    record: Record
    written: FrozenSet[int]
    restored: bool = False
    number: int = 0  # Assigned when it is first sent.


class Replica:
    """A device: what it shows, and what it has yet to push. Its caller reads the wall clock."""

    def __init__(self, replica: int):
        self.replica = replica
        self.clock = 0
        self.view: Dict[Key, Record] = {}
        self.outbox: List[Pending] = []
        self.cursor = None
        self.log = Log()

    def act(self, key: Key, values: Dict[int, bytes], wall_ms: int):
        """One action of a person. All but a deletion also say that the record is there."""
        self.clock = max(self.clock + 1, wall_ms << 16)
        stamp = Stamp(self.clock, self.replica)
        before = self.view.get(key, {})
        unsent = next((p for p in reversed(self.outbox) if p.key == key), None)
        if unsent and (unsent.number or unsent.restored or unsent.record != before):
            # The server may have accepted it, or it lost to a later write and belongs in the
            # journal.
            unsent = None
        record = dict(before)
        for field, value in ({DELETED_FIELD: b""} | values).items():
            over = before.get(field)
            is_unsent = unsent is not None and field in unsent.written
            replaced = over and (over.replaced if is_unsent else over.stamp)
            record[field] = Register(field, stamp, replaced, value)
            if record[field].value == DELETED and field == DELETED_FIELD:
                record[field] = record[field]._replace(held=held(before))
        written = frozenset(values) | {DELETED_FIELD}
        if unsent:
            self.outbox.remove(unsent)
            written |= unsent.written
        self.outbox.append(Pending(key, record, written))
        self.view[key] = record

    def number(self, limit: int, token: int) -> List[Pending]:
        """The oldest entries of the outbox. Those that are sent for the first time get numbers, under a new token."""
        batch = self.outbox[:limit]
        new = [p for p in batch if not p.number]
        for p in new:
            self.log.last += 1
            p.number = self.log.last
        if new:
            self.log.tokens[token] = self.log.last
            self.log.token = token
        return batch

    def segment(self, offered: List[Pending]) -> "Segment":
        """Where these offers lie in the outbox, for a request."""
        log, numbers = self.log, tuple(p.number for p in offered)
        return Segment(log.confirmed, log.token, log.confirmed_number, numbers, log.confirmed_number)

    def hear(self, number: int, token: int, offered: List[Pending]) -> bool:
        """Takes in how far the server has gone through the outbox. False: this replica is a copy.

        Of offers beyond those that this answer is about, no verdict is known.
        """
        if token and self.log.tokens.get(token, -1) < number:
            return False
        last = offered[-1].number if offered else self.log.confirmed_number
        self.log.confirmed, self.log.confirmed_number = token, min(number, last)
        return True

    def acknowledge(self, offered: List[Pending]):
        """Only what was acknowledged leaves the outbox; what was written since stays."""
        self.outbox = [p for p in self.outbox if not any(p is o for o in offered)]

    def learn(self, key: Key, record: Record):
        """Takes in a record of the feed."""
        self.view[key] = merge(self.view.get(key, {}), record)
        self.clock = max([self.clock, *(r.stamp.clock for r in record.values())])


class Log:
    """The numbers that a replica gave, and each token with the greatest number given by then."""

    def __init__(self):
        self.last = 0
        self.token = 0
        self.confirmed, self.confirmed_number = 0, 0
        self.tokens: Dict[int, int] = {}


class Segment(NamedTuple):
    """Where the offers of a request lie in the outbox of the replica that sent it."""

    confirmed: int
    token: int
    settled_through: int
    numbers: Tuple[int, ...]
    confirmed_number: int


class Position:
    """How far the server has gone through a device's outbox."""

    def __init__(self):
        self.number, self.token = 0, 0

    def unjudged(self, segment: Segment) -> FrozenSet[int]:
        """The indices of the offers that are judged now. Moves on."""
        if self.token not in (0, segment.token, segment.confirmed) or not segment.numbers:
            return frozenset()
        if self.number < segment.confirmed_number:
            return frozenset()
        new = frozenset(i for i, n in enumerate(segment.numbers) if n > self.number)
        self.number, self.token = max(self.number, segment.numbers[-1]), segment.token
        return new


# Conversion from and to messages.


def to_stamp(message):
    return Stamp(message.clock, message.replica)


def to_register(message):
    replaced = to_stamp(message.replaced) if message.HasField("replaced") else None
    held = tuple(to_stamp(stamp) for stamp in message.held_stamps)
    return Register(message.field, to_stamp(message.stamp), replaced, message.value, held)


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
    for stamp in register.held:
        message.held_stamps.add(clock=stamp.clock, replica=stamp.replica)
    return message


def from_record(key: Key, record: Record):
    return records_pb2.Record(
        kind=key[0], id=key[1], registers=[from_register(record[f]) for f in sorted(record)]
    )


def from_pending(pending: Pending):
    """The offer that is made of an entry of the outbox."""
    return sync_pb2.Offer(
        record=from_record(pending.key, pending.record),
        written_fields=sorted(pending.written),
        restored=pending.restored,
    )


def from_segment(segment: Segment):
    before = (segment.settled_through, *segment.numbers)
    return sync_pb2.OutboxSegment(
        confirmed=segment.confirmed,
        token=segment.token,
        settled_through=segment.settled_through,
        steps=[number - last for last, number in zip(before, segment.numbers)],
        confirmed_number=segment.confirmed_number,
    )


def from_entry(entry: Entry, noticed_ms: int):
    """The record that carries a journal entry; its registers' stamp is the losing write's."""
    inner = records_pb2.Conflict.Entry(
        kind=entry.key[0],
        id=entry.key[1],
        field=entry.lost.field,
        lost=from_register(entry.lost),
        kept=from_register(entry.kept),
        noticed_ms=noticed_ms,
    )
    whole = from_record(entry.key, entry.record)
    values = {
        ENTRY_FIELD: records_pb2.Conflict(entry=inner).SerializeToString(),
        RECORD_FIELD: records_pb2.Conflict(record=whole).SerializeToString(),
    }
    registers = {f: Register(f, entry.lost.stamp, None, value) for f, value in values.items()}
    return from_record((CONFLICT, journal_id(entry.key, entry.lost)), registers)
