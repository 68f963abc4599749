# SPDX-License-Identifier: Apache-2.0
"""Makes records, registers and offers of every kind, as records.proto describes them."""

import base64
import json
import os
import time

from atrest.sync.v1 import records_pb2, sync_pb2

HOUR = 3_600_000
FRESH = object()


def now_ms():
    return time.time_ns() // 1_000_000


def clock(ms=None, counter=0):
    """A hybrid clock reading; now unless told."""
    return (now_ms() if ms is None else ms) << 16 | counter


def new_id():
    return os.urandom(16)


def register(field, value, stamp, replaced=None):
    """A register; stamps are (clock, replica)."""
    message = records_pb2.Register(field=field, value=value)
    message.stamp.clock, message.stamp.replica = stamp
    if replaced is not None:
        message.replaced.clock, message.replaced.replica = replaced
    return message


def span(start=None, end=0, outcome=0):
    start = now_ms() - HOUR if start is None else start
    inner = records_pb2.Session.Span(start_ms=start, end_ms=end, outcome=outcome)
    return records_pb2.Session(span=inner).SerializeToString()


def target(minutes=960):
    return records_pb2.Session(target_minutes=minutes).SerializeToString()


def intake(at=None, millilitres=250):
    inner = records_pb2.Water.Intake(at_ms=now_ms() if at is None else at, millilitres=millilitres)
    return records_pb2.Water(intake=inner).SerializeToString()


def text(value):
    return records_pb2.Preference(value=value).SerializeToString()


DELETED = records_pb2.Water(deleted=True).SerializeToString()
NOT_DELETED = b""


def record(kind, id, values, stamp, replaced=None):
    """A record whose registers, given as {field: value}, were all written by one action."""
    return records_pb2.Record(
        kind=kind,
        id=id,
        registers=[register(f, v, stamp, replaced) for f, v in sorted(values.items())],
    )


def offer(record, written=FRESH):
    """An offer of a record; all its fields were written unless told."""
    fields = [r.field for r in record.registers] if written is FRESH else written
    return sync_pb2.Offer(record=record, written_fields=fields)


def session(replica, id=None, at=None, **changes):
    values = {1: NOT_DELETED, 2: span(), 3: target()} | changes.get("values", {})
    return record(records_pb2.KIND_SESSION, id or new_id(), values, (at or clock(), replica))


def water(replica, id=None, at=None, millilitres=250, replaced=None):
    values = {1: NOT_DELETED, 2: intake(millilitres=millilitres)}
    stamp = (at or clock(), replica)
    return record(records_pb2.KIND_WATER, id or new_id(), values, stamp, replaced)


def preference(replica, key=None, at=None, value="dark"):
    values = {1: NOT_DELETED, 2: text(value)}
    key = key or new_id().hex().encode()
    return record(records_pb2.KIND_PREFERENCE, key, values, (at or clock(), replica))


def entitlement(transaction="2000000123456789", signed_ms=None, **claims):
    """A fact with its own date as stamp. The signature is nonsense, and nobody looks at it yet."""
    signed_ms = now_ms() if signed_ms is None else signed_ms

    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    payload = {"transactionId": transaction, "signedDate": signed_ms} | claims
    jws = b".".join(
        part(piece) for piece in (b'{"alg":"ES256"}', json.dumps(payload).encode(), b"signature")
    )
    value = records_pb2.Entitlement(signed_transaction=jws).SerializeToString()
    return record(
        records_pb2.KIND_ENTITLEMENT, transaction.encode(), {2: value}, (clock(signed_ms), 0)
    )


def canonical(message):
    return message.SerializeToString(deterministic=True)
