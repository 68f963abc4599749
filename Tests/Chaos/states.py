# SPDX-License-Identifier: Apache-2.0
"""Final states, from the two places where they can be seen: a server's feed, and a replica's
dump."""

import datetime
import json

from atrest.sync.v1 import records_pb2
from model import Register, Stamp, to_record

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MILLISECOND = datetime.timedelta(milliseconds=1)


def from_feed(device):
    """What the server holds for a device's account. A record that the feed brings twice is an
    error."""
    state = {}
    for encoded in device.all_records():
        key, record = to_record(records_pb2.Record.FromString(encoded))
        assert key not in state, f"the feed brings {key[0]}/{key[1].hex()} twice"
        state[key] = record
    return state


def from_dump(text):
    """What `atrest replica dump --values --json` shows."""
    state = {}
    for line in text.splitlines():
        row = json.loads(line)
        if "kind" not in row:
            continue
        record = {}
        for part in row["registers"]:
            register = Register(
                part["field"],
                to_stamp(part["stamp"]),
                to_stamp(part["replaced"]) if "replaced" in part else None,
                bytes.fromhex(part["value"]),
                tuple(to_stamp(stamp) for stamp in part.get("held_stamps", [])),
            )
            record[register.field] = register
        state[row["kind"], bytes.fromhex(row["id"])] = record
    return state


def to_stamp(shown):
    time = datetime.datetime.fromisoformat(shown["time"].replace("Z", "+00:00"))
    clock = ((time - EPOCH) // MILLISECOND) << 16 | shown["counter"]
    return Stamp(clock, int(shown["replica"], 16))
