# SPDX-License-Identifier: Apache-2.0
"""Pending devices who wait, accounts that are full, tell what happened, and end."""

import hashlib
import json
import sqlite3
import time

import grpc
import pytest

from harness import CALL_SECONDS, Daemon, Device, open_channel, refusal_of, status_of
from atrest.sync.v1 import accounts_pb2, devices_pb2, records_pb2, sync_pb2
from values import offer, water

NONCE = bytes(range(32))
CODE = grpc.StatusCode
KIND = accounts_pb2.Event.Kind


def pending_devices(device):
    """Asks each moment, as somebody who looks does, until there is one."""
    until = time.monotonic() + CALL_SECONDS
    while time.monotonic() < until:
        request = devices_pb2.ListPendingDevicesRequest()
        answer = device.devices.ListPendingDevices(
            request, metadata=device.metadata, timeout=CALL_SECONDS
        )
        if answer.pending_devices:
            return list(answer.pending_devices)
        time.sleep(0.02)
    raise AssertionError("nobody came")


def decide(device, handle, allow):
    request = devices_pb2.ResolvePendingDeviceRequest(handle=handle, allow=allow)
    return device.devices.ResolvePendingDevice(request, metadata=device.metadata, timeout=CALL_SECONDS)


def asking(device, code, name="laptop", nonce=NONCE):
    """A call of Pair under way."""
    request = devices_pb2.PairRequest(code=code, device_name=name, nonce=nonce)
    return device.devices.Pair.future(request, timeout=60)


def events(device, **page):
    request = accounts_pb2.EventsRequest(**page)
    return device.accounts.Events(request, metadata=device.metadata, timeout=CALL_SECONDS)


def rename(device, replica, name):
    request = devices_pb2.DevicesRenameRequest(replica=replica, name=name)
    return device.devices.Rename(request, metadata=device.metadata, timeout=CALL_SECONDS).name


def get(device):
    request = accounts_pb2.AccountsGetRequest()
    return device.accounts.Get(request, metadata=device.metadata, timeout=CALL_SECONDS)


def delete(device, name):
    request = accounts_pb2.AccountsDeleteRequest(account_name=name)
    return device.accounts.Delete(request, metadata=device.metadata, timeout=CALL_SECONDS)


def test_a_pending_device_waits_until_a_device_says_yes(account):
    tablet = account.add_device("tablet")
    invitation = account.invite(approval=True)
    assert invitation.needs_approval and not account.invite().needs_approval
    call = asking(account, invitation.code)
    (pending_device,) = pending_devices(tablet)
    assert pending_device.name == "laptop"
    assert pending_device.inviter == account.replica
    said = hashlib.sha256(b"atrest digits" + NONCE + invitation.code.encode()).digest()
    assert pending_device.digits == f"{int.from_bytes(said[:8], 'big') % 1_000_000:06d}"
    assert pending_device.expires_ms == invitation.expires_ms
    assert not call.done()
    decided = decide(tablet, pending_device.handle, True)
    answer = call.result(timeout=CALL_SECONDS)
    assert decided.replica == answer.replica != 0
    assert decided.device_name == answer.device_name == "laptop"
    Device(account.channel, answer).exchange()
    # Simulates a lost response.
    again = asking(account, invitation.code).result(timeout=CALL_SECONDS)
    assert (again.replica, again.token) == (answer.replica, answer.token)
    assert len(account.list()) == 3


def test_a_no_looks_like_a_wrong_code(account):
    code = account.invite(approval=True).code
    call = asking(account, code)
    handle = pending_devices(account)[0].handle
    decide(account, handle, False)
    with pytest.raises(grpc.RpcError) as ending:
        call.result(timeout=CALL_SECONDS)
    wrong = refusal_of(lambda: asking(account, "BBBB-BBBBBBBB").result())
    assert (ending.value.code(), ending.value.details()) == wrong
    assert refusal_of(lambda: asking(account, code).result()) == wrong
    assert status_of(decide, account, handle, True) == CODE.NOT_FOUND


def test_a_lost_call_is_repeated_and_takes_the_old_ones_place(binaries, daemon, account):
    code = account.invite(approval=True).code
    first = asking(account, code)
    (before,) = pending_devices(account)
    with open_channel(daemon.address) as elsewhere:
        moved = Device(elsewhere, first_device(account))
        second = asking(moved, code)
        with pytest.raises(grpc.RpcError) as ending:
            first.result(timeout=CALL_SECONDS)
        assert ending.value.code() == CODE.ABORTED
    # That connection is gone now, and the pending device still waits.
    (after,) = pending_devices(account)
    assert after == before
    decide(account, after.handle, True)
    assert asking(account, code).result(timeout=CALL_SECONDS).account_name == account.account_name
    assert second.done()


def first_device(account):
    return devices_pb2.PairResponse(
        replica=account.replica, token=account.token, account_name=account.account_name
    )


def test_a_pending_device_without_a_nonce_has_no_digits_and_is_not_shown(account):
    code = account.invite(approval=True).code
    call = asking(account, code, nonce=b"")
    assert status_of(call.result) == CODE.FAILED_PRECONDITION
    waiting = asking(account, code)  # Python's gRPC cancels a call without a reference.
    assert [len(pending_device.digits) for pending_device in pending_devices(account)] == [6]
    waiting.cancel()


def test_a_server_that_stops_does_not_wait_for_pending_devices(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start()
    with open_channel(daemon.address) as channel:
        account = daemon.new_account(channel)
        call = asking(account, account.invite(approval=True).code)
        pending_devices(account)
        before = time.monotonic()
        assert daemon.stop() == 0, daemon.log_tail()
        with pytest.raises(grpc.RpcError) as ending:
            call.result(timeout=CALL_SECONDS)
        assert ending.value.code() == CODE.UNAVAILABLE
        assert time.monotonic() - before < 8, "calls under way would have had ten seconds"


@pytest.mark.parametrize("length", [1, 15, 65])
def test_a_nonce_has_16_to_64_bytes(account, length):
    call = asking(account, account.invite().code, nonce=bytes(length))
    assert status_of(call.result) == CODE.INVALID_ARGUMENT


def test_devices_are_renamed_and_stay_apart(account):
    tablet = account.add_device("tablet")
    assert rename(tablet, account.replica, "Küche") == "Küche"
    assert rename(account, tablet.replica, "Küche") == "Küche 2"
    assert [device.name for device in account.list()] == ["Küche", "Küche 2"]
    assert status_of(rename, account, 12345, "x") == CODE.NOT_FOUND
    assert status_of(rename, account, tablet.replica, "") == CODE.INVALID_ARGUMENT
    assert status_of(rename, account, tablet.replica, "a\tb") == CODE.INVALID_ARGUMENT


def test_an_account_tells_what_it_holds_and_may_hold(account):
    glass = water(account.replica)
    account.exchange(offers=[offer(glass)])
    told = get(account)
    assert (told.name, told.devices, told.records) == (account.account_name, 1, 1)
    assert told.bytes == len(glass.SerializeToString())
    assert (told.limits.records, told.limits.bytes) == (1_000_000, 1 << 30)
    assert told.limits.records_per_request == 1000
    assert told.limits.record_bytes == 64 * 1024
    assert told.limits.message_bytes >= 256 * 1024


def test_a_full_account_refuses_what_is_new_and_takes_deletions(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start(more=["--limit", "max-account-records=2", "--limit", "max-account-bytes=1KiB"])
    with open_channel(daemon.address) as channel:
        account = daemon.new_account(channel)
        told = get(account).limits
        assert (told.records, told.bytes) == (2, 1024)
        glasses = [water(account.replica) for _ in range(3)]
        answer = account.exchange(offers=[offer(glass) for glass in glasses])
        reasons = [(refusal.index, refusal.reason) for refusal in answer.refusals]
        assert reasons == [(2, sync_pb2.Refusal.REASON_QUOTA)]
        gone = records_pb2.Record()
        gone.CopyFrom(glasses[0])
        for register in gone.registers:
            if register.field == 1:
                register.replaced.CopyFrom(register.stamp)
                register.stamp.clock += 1 << 16
                register.value = b"\x08\x01"
        deletion = sync_pb2.Offer(record=gone, written_fields=[1])
        assert not account.exchange(offers=[deletion]).refusals
        listed = json.loads(daemon.admin("account", "list", "--json").stdout)
        assert [(a["records"], a["bytes"]) for a in listed] == [(2, get(account).bytes)]
    assert daemon.stop() == 0, daemon.log_tail()


def test_an_account_ends_by_its_own_name_and_with_it_all_access(account, daemon):
    tablet = account.add_device("tablet")
    stream = tablet.watch()
    next(stream)
    account.exchange(offers=[offer(water(account.replica))])
    assert status_of(delete, account, account.account_name + " ") == CODE.INVALID_ARGUMENT
    account.exchange()
    delete(account, account.account_name)
    with pytest.raises(grpc.RpcError) as ending:
        for _ in stream:
            pass
    assert ending.value.code() == CODE.UNAUTHENTICATED
    assert {status_of(device.exchange) for device in (account, tablet)} == {CODE.UNAUTHENTICATED}
    assert account.account_name not in daemon.admin("account", "list").stdout


def test_events_tell_who_did_what_page_by_page(account, daemon):
    tablet = account.add_device("tablet")
    rename(account, tablet.replica, "kitchen")
    account.revoke(tablet.replica)
    page = events(account, page_size=2)
    assert [event.kind for event in page.events] == [
        KIND.KIND_DEVICE_REVOKED,
        KIND.KIND_DEVICE_RENAMED,
    ]
    assert {event.actor for event in page.events} == {account.replica}
    assert {event.subject for event in page.events} == {tablet.replica}
    rest = events(account, page_token=page.next_page_token)
    kinds = [event.kind for event in rest.events]
    assert kinds[0] == KIND.KIND_DEVICE_PAIRED and kinds[-1] == KIND.KIND_ACCOUNT_MADE
    assert not rest.next_page_token
    assert status_of(events, account, page_size=501) == CODE.INVALID_ARGUMENT
    assert status_of(events, account, page_token="kim") == CODE.INVALID_ARGUMENT
    assert status_of(events, tablet) == CODE.UNAUTHENTICATED


def test_the_owner_reads_all_events_and_checks_them(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start()
    with open_channel(daemon.address) as channel:
        account = daemon.new_account(channel)
        delete(account, account.account_name)
        other = daemon.new_account(channel)
    found = json.loads(daemon.admin("audit", "--json").stdout)
    assert [event["kind"] for event in found] == [5, 3, 1, 2, 5, 3, 1]
    assert found[3]["actor"] == f"{account.replica:016x}"
    assert "account" not in found[3] and found[0]["account"] == other.account_name
    only = json.loads(
        daemon.admin("audit", "--json", "--account", other.account_name, "--limit", "2").stdout
    )
    assert [event["number"] for event in only] == [7, 6]
    table = daemon.admin("audit")
    assert "account removed" in table.stdout and "device paired" in table.stdout
    checked = daemon.admin("audit", "--check")
    assert checked.returncode == 0 and "whole: 7 events" in checked.stdout
    noted = checked.stdout.split()[-1]
    assert noted.startswith("7:")
    assert json.loads(daemon.admin("audit", "--check", "--json").stdout)["is_whole"] is True
    assert daemon.admin("audit", "--account", "nobody").returncode == 65
    with open_channel(daemon.address) as channel:
        daemon.new_account(channel)
    checked = daemon.admin("audit", "--check", "--expect-head", noted)
    assert checked.returncode == 0 and "goes on from what was noted" in checked.stdout
    former = daemon.admin("audit", "--check", "--noted", noted)
    assert former.returncode == 0 and "--noted is called --expect-head now." in former.stderr
    for other, words in (("99:" + noted[2:], "cut off"), ("7:" + "0" * 64, "made anew")):
        checked = daemon.admin("audit", "--check", "--expect-head", other)
        assert checked.returncode == 65 and words in checked.stderr
    for wrong in ("7", "7:", "0:" + noted[2:], noted + "0", ":" + noted[2:]):
        assert daemon.admin("audit", "--check", "--expect-head", wrong).returncode == 64
    assert daemon.admin("audit", "--expect-head", noted).returncode == 64
    assert daemon.stop() == 0, daemon.log_tail()

    database = sqlite3.connect(daemon.data + "/atrest.db")
    (trigger,) = database.execute(
        "SELECT sql FROM sqlite_schema WHERE name = 'event_is_not_changed'"
    ).fetchone()
    with pytest.raises(sqlite3.IntegrityError):
        database.execute("UPDATE event SET actor = 1")
    database.rollback()
    database.execute("DROP TRIGGER event_is_not_changed")
    database.execute("UPDATE event SET actor = 1 WHERE number = 4")
    database.execute(trigger)
    database.commit()
    database.close()
    daemon.start()
    checked = daemon.admin("audit", "--check")
    assert checked.returncode == 65 and "event 4" in checked.stderr
    assert daemon.stop() == 0, daemon.log_tail()
