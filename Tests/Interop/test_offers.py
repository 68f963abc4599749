# SPDX-License-Identifier: Apache-2.0
"""Any offers whatever, from a universe so small that everything meets everything: the server does what the model does.

No replica would make most of them. Stamps coincide, floors appear and grow, writes know of what never was.
"""

import os
import random

import pytest

import model
from atrest.sync.v1 import records_pb2, sync_pb2
from model import CONFLICT, Register, Stamp

REPLAY = os.environ.get("SYNC_SEED")
SEEDS = [int(REPLAY, 0)] if REPLAY else range(1, 1 + int(os.environ.get("SYNC_CASES", "30")))
KIND = 4711
KEYS = 100
ROUNDS = 5  # Offers of each record.
VALUES = {1: [b"", b"\x08\x01"], 2: [b"", b"\x10\x01", b"\x10\x02"], 3: [b"\x18\x01", b"\x18\x02"]}


def any_stamp(pick):
    return Stamp(pick.randrange(1, 7), pick.randrange(1, 4))


def any_record(pick):
    """Whatever may be offered: at least one register, none older than the floor."""
    while True:
        shared = any_stamp(pick)
        record = {}
        for field in pick.sample([1, 2, 3], pick.randint(1, 3)):
            stamp = shared if pick.randrange(2) else any_stamp(pick)
            replaced = pick.choice([None, any_stamp(pick)])
            value = pick.choice(VALUES[field])
            held = {any_stamp(pick) for _ in range(pick.randrange(4))} if value == model.DELETED else ()
            record[field] = Register(field, stamp, replaced, value, tuple(sorted(held)))
        if pick.randrange(3) == 0:
            # A floor is written by the server with the stamp of a deletion. Of few, so that equal
            # ones meet.
            floor = Register(15, Stamp(pick.choice([2, 4]), 1), None, model.PRUNE_FLOOR)
            record = {f: r for f, r in record.items() if r.stamp >= floor.stamp} | {15: floor}
        if set(record) - {15}:
            return record


class Sequence:
    """Offers of one record, and what the model makes of them."""

    def __init__(self, pick, number):
        self.key = (KIND, number.to_bytes(4, "big"))
        self.account = model.Account()
        self.offers = []
        for _ in range(ROUNDS):
            record = any_record(pick)
            restored = pick.randrange(4) == 0
            fields = sorted(record.keys() - {15})
            written = pick.sample(fields, pick.randint(0, len(fields)))
            self.offers.append(model.Pending(self.key, record, frozenset(written), restored))

    def story(self):
        """For who has to find out why the two differ."""
        lines, account = [], model.Account()
        for p in self.offers:
            lines.append(f"offer written={sorted(p.written)} restored={p.restored}")
            lines += [f"    {register}" for _, register in sorted(p.record.items())]
            account.take(p.key, p.record, p.written, p.restored)
            lines.append("  then the model holds")
            lines += [f"    {register}" for _, register in sorted(account.records[p.key].items())]
            lines += [f"    lost {e.lost} to {e.kept}" for e in account.journal.values()]
        return "\n".join(lines)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"SYNC_SEED={seed:#x}")
def test_the_server_takes_any_offers_as_the_model_does(account, seed):
    pick = random.Random(seed)
    sequences = [Sequence(pick, number) for number in range(KEYS)]
    for number in range(ROUNDS):
        batch = [sequence.offers[number] for sequence in sequences]
        request = sync_pb2.ExchangeRequest(offers=[model.from_pending(p) for p in batch])
        answer = account.sync.Exchange(request, metadata=account.metadata, timeout=10)
        assert not answer.refusals
        superseded = [
            index
            for index, (sequence, p) in enumerate(zip(sequences, batch))
            if sequence.account.take(p.key, p.record, p.written, p.restored)
        ]
        wrong = set(superseded) ^ set(answer.superseded_offers)
        assert not wrong, f"round {number}\n" + sequences[min(wrong)].story()
    held, entries = {}, {}
    for encoded in account.all_records():
        message = records_pb2.Record.FromString(encoded)
        key, record = model.to_record(message)
        if key[0] != CONFLICT:
            held[key] = record
            continue
        value = b"".join(register.value for register in record.values())
        message = records_pb2.Conflict.FromString(value)
        lost, kept = model.to_register(message.entry.lost), model.to_register(message.entry.kept)
        of, whole = model.to_record(message.record)
        entries.setdefault(of[1], {})[key[1]] = model.Entry(of, lost, kept, whole)
    for sequence in sequences:
        assert held[sequence.key] == sequence.account.records[sequence.key], sequence.story()
        found = entries.get(sequence.key[1], {})
        assert found == sequence.account.journal, sequence.story() + "\n  the server:" + "".join(
            f"\n    lost {e.lost} to {e.kept}" for e in found.values()
        )
