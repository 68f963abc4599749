# SPDX-License-Identifier: Apache-2.0
"""The companion and a stranger's client share one account: each reads what the other wrote."""

import json
import subprocess

import pytest

from atrest.sync.v1 import records_pb2
from values import HOUR, canonical, clock, now_ms, offer, record, session, span, target, water


class Companion:
    """The command-line companion with a replica of its own."""

    def __init__(self, program, replica):
        self.program, self.replica = program, replica

    def run(self, *arguments):
        done = subprocess.run(
            [self.program, *arguments, "--replica", str(self.replica)],
            capture_output=True,
            text=True,
            timeout=20,
            env={"PATH": "/usr/bin:/bin", "NO_COLOR": "1", "TZ": "UTC", "LANG": "C.UTF-8"},
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout


@pytest.fixture
def companion(binaries, daemon, account, tmp_path):
    program = binaries / "atrest"
    if not program.exists():
        pytest.skip("there is no atrest beside atrest-syncd")
    companion = Companion(str(program), tmp_path / "replica")
    link = f"atrest://{daemon.address}/{account.invite().code}"
    companion.run("pair", link, "--name", "laptop")
    return companion


def test_a_stranger_reads_what_the_companion_wrote(companion, account):
    companion.run("water", "add", "250")
    companion.run("fast", "start", "--target", "16h")
    companion.run("sync")
    kinds = {}
    for bytes in account.all_records():
        message = records_pb2.Record.FromString(bytes)
        assert canonical(message) == bytes
        kinds[message.kind] = b"".join(r.value for r in message.registers)
    assert records_pb2.Water.FromString(kinds.pop(records_pb2.KIND_WATER)).intake.millilitres == 250
    fast = records_pb2.Session.FromString(kinds.pop(records_pb2.KIND_SESSION))
    assert fast.target_minutes == 960 and fast.span.start_ms > 0 and fast.span.end_ms == 0
    assert kinds == {}


def test_the_companion_reads_what_a_stranger_wrote(companion, account):
    companion.run("sync")
    start = now_ms() - 20 * HOUR
    done = session(account.replica, values={2: span(start, start + 17 * HOUR, 1), 3: target(1020)})
    strange = record(4711, b"\0\xff", {2: b"\x12\x01\0"}, (clock(), account.replica))
    account.exchange(offers=[offer(done), offer(strange)])
    companion.run("sync")
    (row,) = json.loads(companion.run("sessions", "list", "--json"))
    assert row["id"].replace("-", "") == done.id.hex()
    assert (row["outcome"], row["target_minutes"]) == ("completed", 1020)
    companion.run("water", "add", "300")
    companion.run("sync")
    stored = account.all_records()
    assert canonical(done) in stored and canonical(strange) in stored and len(stored) == 3


def test_an_edit_that_lost_unseen_is_listed_by_the_companion(companion, account):
    companion.run("sync")
    drunk = water(account.replica, at=clock() - (5000 << 16))
    account.exchange(offers=[offer(drunk)])
    companion.run("sync")
    listed = json.loads(companion.run("water", "list", "--json"))
    assert [row["millilitres"] for row in listed] == [250]
    companion.run("water", "edit", drunk.id.hex()[:8], "--amount", "300")
    theirs = water(
        account.replica,
        id=drunk.id,
        at=clock() + (20_000 << 16),
        millilitres=400,
        replaced=(drunk.registers[0].stamp.clock, account.replica),
    )
    account.exchange(offers=[offer(theirs)])
    companion.run("sync")
    assert len(json.loads(companion.run("conflicts", "list", "--json"))) == 1
    stored = [records_pb2.Record.FromString(r) for r in account.all_records()]
    (entry,) = [r for r in stored if r.kind == records_pb2.KIND_CONFLICT]
    entry = records_pb2.Conflict.FromString(b"".join(r.value for r in entry.registers)).entry
    lost, kept = (
        records_pb2.Water.FromString(side.value).intake.millilitres
        for side in (entry.lost, entry.kept)
    )
    assert (entry.kind, entry.id, entry.field) == (records_pb2.KIND_WATER, drunk.id, 2)
    assert (lost, kept) == (300, 400)


def test_an_answer_that_cannot_be_written_is_no_success(companion):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [companion.program, "replica", "dump", "--replica", str(companion.replica)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=20,
        )
    assert done.returncode == 74
    assert "could not be written" in done.stderr
