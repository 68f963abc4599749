# SPDX-License-Identifier: Apache-2.0
"""Writes the merge vectors: what a server makes of offers, for clients and servers in any language.

  make_vectors.py > docs/protocol/merge-vectors.jsonl

They come from the model, which is written after docs/protocol/merge.md alone; the server replays them in its own tests.
"""

import base64
import json
import random
import sys

import model
from atrest.sync.v1 import records_pb2
from values import DELETED, intake, span, target, text

CASES = 700
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


def case(seed):
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
            offer = model.from_pending(pending)
            replica.acknowledge([pending])
            if not account.bears(pending.record, pending.written, NOON):
                steps.append({"offer": encoded(offer), "refused": "REASON_CLOCK_SKEW"})
                continue
            listed = set(account.journal)
            lost = account.take(key, pending.record, pending.written)
            journal = [
                encoded(model.from_entry(account.journal[name], NOON))
                for name in sorted(set(account.journal) - listed)
            ]
            result = encoded(model.from_record(key, account.records[key]))
            steps.append(
                {"offer": encoded(offer), "superseded": lost, "result": result, "journal": journal}
            )
    return {"case": seed, "server_ms": NOON, "steps": steps}


def lines():
    for seed in range(CASES):
        yield json.dumps(case(seed), separators=(",", ":"))


if __name__ == "__main__":
    for line in lines():
        sys.stdout.write(line + "\n")
