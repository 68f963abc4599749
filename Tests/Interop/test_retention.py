# SPDX-License-Identifier: Apache-2.0
"""A server whose wall clock is wrong by months ends nothing early, neither then nor when it is set right."""

import time

import pytest

from atrest.sync.v1 import records_pb2
from clocks import COMPILER, DAY_MS, Clocks
from harness import Daemon, open_channel
from values import DELETED, clock, intake, new_id, now_ms, offer, record

WATER = records_pb2.KIND_WATER
MONTHS = 100


@pytest.mark.limit(120)
@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
@pytest.mark.parametrize("then, later", [(0, MONTHS), (-MONTHS, 0)], ids=["ahead", "behind"])
def test_an_entry_stays_whatever_the_servers_clock_shows(binaries, tmp_path, then, later):
    clocks, daemon = Clocks(tmp_path), Daemon(binaries, tmp_path)
    clocks.shift(then)
    daemon.start(env=clocks.environment)
    try:
        with open_channel(daemon.address) as channel:
            phone = daemon.new_account(channel)
            tablet = phone.add_device("tablet")
            noon, cup, glass = now_ms() + then * DAY_MS - 60_000, new_id(), new_id()

            def write(device, id, values, at, over=None):
                replaced = over and (clock(noon + over), device.replica)
                mine = record(WATER, id, values, (clock(noon + at), device.replica), replaced)
                assert not device.exchange(offers=[offer(mine)]).refusals

            for device, at in (phone, 1), (tablet, 2):
                write(device, cup, {1: b"", 2: intake(millilitres=100 * at)}, at)
            write(phone, glass, {1: b"", 2: intake()}, 3)
            write(phone, glass, {1: DELETED}, 4, over=3)
            (entry,) = (key for key in held(phone) if key[0] == records_pb2.KIND_CONFLICT)
            clocks.shift(later)
            # After a month, what was deleted is pruned by the round that would end the entry.
            deadline = time.monotonic() + 60
            days = 31
            while not any(register.field == 15 for register in held(phone)[WATER, glass]):
                assert time.monotonic() < deadline, "the server does not prune"
                clocks.hurry(1, days)
                days = 0
            assert [register.field for register in held(phone)[entry]] == [2, 3]
    finally:
        assert daemon.stop() == 0, daemon.log_tail()


def held(device):
    """The registers of every record that the server has."""
    records = map(records_pb2.Record.FromString, device.all_records())
    return {(found.kind, found.id): found.registers for found in records}
