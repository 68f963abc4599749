# SPDX-License-Identifier: Apache-2.0
"""Writes the merge vectors: what a server makes of offers, for clients and servers in any language.

  make_vectors.py > docs/protocol/merge-vectors.jsonl

They come from the model, which is written after docs/protocol/merge.md alone; the server replays them in its own tests.
"""

import base64
import json
import pathlib
import random
import runpy
import sys
from unittest import mock

import model
from atrest.sync.v1 import records_pb2
from values import DELETED, intake, span, target, text

# Of devices; of any two records; about the bound of clocks; of deletions.
DEVICES, ANY, SKEWS, DELETIONS = 700, 300, 60, 20
REFUSALS = pathlib.Path(__file__).with_name("test_refusals.py")
NOON = 1_790_000_000_000
FIELDS = {records_pb2.KIND_SESSION: [2, 3], records_pb2.KIND_WATER: [2], records_pb2.KIND_PREFERENCE: [2], 4711: [2, 7]}


def value(source, kind, field):
    if kind == records_pb2.KIND_SESSION:
        if field == 3:
            return target(source.randrange(1, 4))
        outcome = source.randrange(3)
        start = 1_700_000_000_000 + source.randrange(3)
        return span(start, start + 1 if outcome else 0, outcome)
    if kind == records_pb2.KIND_WATER:
        return intake(1_700_000_000_000, source.randrange(1, 4))
    if kind == records_pb2.KIND_PREFERENCE:
        return text(source.choice(["", "hell", "dunkel"]))
    return source.choice([b"", b"\x12\x01\0", b"\x12\x02\xff\0"])


def act(source, replica, key, wall):
    fields = FIELDS[key[0]]
    known = replica.view.get(key, {})
    if known and source.randrange(4) == 0:
        return replica.act(key, {1: DELETED}, wall)
    if known and set(fields) <= known.keys():
        fields = source.sample(fields, source.randint(1, len(fields)))
    replica.act(key, {field: value(source, key[0], field) for field in fields}, wall)


def encoded(message):
    return base64.b64encode(message.SerializeToString(deterministic=True)).decode()


def judge(account, key, offered, written, restored=False):
    """Offers a record, and says what becomes of it."""
    offer = encoded(model.from_pending(model.Pending(key, offered, written, restored)))
    if not account.bears(offered, written, NOON, restored):
        return {"offer": offer, "refused": "REASON_CLOCK_SKEW"}
    listed = set(account.journal)
    lost = account.take(key, offered, written, restored)
    journal = [
        encoded(model.from_entry(account.journal[name], NOON))
        for name in sorted(set(account.journal) - listed)
    ]
    result = encoded(model.from_record(key, account.records[key]))
    return {"offer": offer, "superseded": lost, "result": result, "journal": journal}


def of_devices(seed):
    """Three devices write to one record, with and without a network."""
    source = random.Random(seed)
    kind = source.choice(list(FIELDS))
    key = (kind, b"theme" if kind == records_pb2.KIND_PREFERENCE else bytes([seed % 256]) * 16)
    account = model.Account()
    replicas = [model.Replica(number) for number in (1, 2, 3)]
    # Behind, ahead by less than a server minds, and in some cases by more.
    walls = [NOON + source.choice([-86_400_000, -1, 0, 0, 1, 45_000]) for _ in replicas]
    if seed % 10 == 0:
        walls[2] = NOON + 600_000
    steps = []
    for _ in range(source.randint(2, 7)):
        index = source.randrange(3)
        replica = replicas[index]
        if source.randrange(3) == 0 and key in account.records:
            replica.learn(key, account.records[key])
        act(source, replica, key, walls[index])
        walls[index] += source.choice([0, 0, 1, 5])
        if source.randrange(3) == 0:
            continue  # It works on without a network.
        for pending in list(replica.outbox):
            replica.acknowledge([pending])
            steps.append(judge(account, key, pending.record, pending.written))
    return steps


def any_stamp(source):
    return model.Stamp((NOON << 16) + source.randrange(6), source.randrange(1, 4))


def any_record(source):
    """Registers of few stamps, so that they meet; some with a floor, which is what housekeeping leaves."""
    while True:
        shared, record = any_stamp(source), {}
        for field in sorted(source.sample([1, 2, 7], source.randint(1, 3))):
            stamp = shared if source.randrange(2) else any_stamp(source)
            replaced = source.choice([None, any_stamp(source)])
            value = source.choice([b"", DELETED] if field == 1 else [b"", b"\x12\x01\0"])
            held = {any_stamp(source) for _ in range(source.randrange(4))} if value == DELETED else ()
            record[field] = model.Register(field, stamp, replaced, value, tuple(sorted(held)))
        if source.randrange(4) == 0:
            # Of few, so that copies with one floor meet.
            stamp = model.Stamp((NOON << 16) + source.choice([1, 3]), 1)
            floor = model.Register(model.PRUNE_FLOOR_FIELD, stamp, None, model.PRUNE_FLOOR)
            record = {f: r for f, r in record.items() if r.stamp >= stamp} | {floor.field: floor}
        if set(record) - {model.PRUNE_FLOOR_FIELD}:
            return record


def of_any(seed):
    """Whatever could be offered, a quarter of it by a device that brings back what a server lost."""
    source = random.Random(seed)
    account, key = model.Account(), (4711, bytes([seed % 256]) * 16)
    steps = []
    for _ in range(4):
        offered = any_record(source)
        fields = sorted(offered.keys() - {model.PRUNE_FLOOR_FIELD})
        written = frozenset(source.sample(fields, source.randint(0, len(fields))))
        steps.append(judge(account, key, offered, written, source.randrange(4) == 0))
    return steps


def of_skew(seed):
    """A stamp about the bound, and a second one that follows it by little, or by too much."""
    source = random.Random(seed)
    account, key = model.Account(), (4711, bytes([seed % 256]) * 16)
    edge = NOON + 60_000 << 16
    first = source.choice([NOON << 16, edge, edge + 65_535, edge + 65_536, edge + (5_000 << 16)])
    steps = []
    for field, ahead in (2, 0), (7, source.choice([-1, 1, 1_024, 1_025, 1 << 16, 100 << 16])):
        clock = first + ahead
        replaced = source.choice([None, model.Stamp(clock - 1, 1), model.Stamp(clock - 1_025, 1)])
        offered = {field: model.Register(field, model.Stamp(clock, field), replaced, b"\x12\x01\0")}
        written = source.choice([frozenset(), frozenset([field])])
        steps.append(judge(account, key, offered, written, source.randrange(4) == 0))
    return steps


def of_deletions(seed):
    """How many of an account's records may be deleted in a day: half, if there were 20 or more."""
    source = random.Random(seed)
    chosen = [
        (22, [(12, False), (11, False), (11, False)]),
        (22, [(12, False), (12, True)]),
        (40, [(10, False)] * 4),
        (40, [(21, False), (20, False)]),
        (20, [(11, False), (10, False)]),
        (19, [(19, False)]),
    ]
    records, wishes = (
        chosen[seed]
        if seed < len(chosen)
        else (source.randint(15, 45), [(source.randint(1, 20), source.randrange(4) == 0) for _ in range(4)])
    )
    left, recent, requests = records, 0, []
    for deletes, is_allowed in wishes:
        if deletes > left:
            break
        request = {"deletes": deletes, "allow_mass_deletion": is_allowed}
        there_were, sum = left + recent, recent + deletes
        if there_were >= 20 and sum * 2 > there_were and not is_allowed:
            request["refused"] = "REASON_MASS_DELETION"
        else:
            left -= deletes
            recent = 0 if is_allowed else sum
        requests.append(request)
    return records, requests


def of_refusals():
    """Offers that no account takes: those of test_refusals.py."""
    with (
        mock.patch("time.time_ns", lambda: NOON * 1_000_000),
        mock.patch("os.urandom", random.Random(0).randbytes),
    ):
        tests = runpy.run_path(str(REFUSALS))
        for about, make in {**tests["SHAPES"], **tests["KINDS"]}.items():
            yield about, encoded(tests["offer"](make(1)))


def cases():
    for make, count in (of_devices, DEVICES), (of_any, ANY), (of_skew, SKEWS):
        for seed in range(count):
            yield {"steps": make(seed)}
    for seed in range(DELETIONS):
        records, requests = of_deletions(seed)
        yield {"records": records, "requests": requests}
    for about, offer in of_refusals():
        yield {"about": about, "steps": [{"offer": offer, "refused": "REASON_INVALID"}]}


def lines():
    for number, case in enumerate(cases()):
        yield json.dumps({"case": number, "server_ms": NOON} | case, separators=(",", ":"))


if __name__ == "__main__":
    for line in lines():
        sys.stdout.write(line + "\n")
