# SPDX-License-Identifier: Apache-2.0
"""What a failed call tells programs, read with the official packages."""

import pathlib
import re

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from atrest.sync.v1 import devices_pb2, devices_pb2_grpc
from harness import CALL_SECONDS, Daemon, open_channel

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCHANGE = "/atrest.sync.v1.Sync/Exchange"
DETAILS = {
    "ErrorInfo": error_details_pb2.ErrorInfo,
    "RetryInfo": error_details_pb2.RetryInfo,
    "QuotaFailure": error_details_pb2.QuotaFailure,
}


def failure(call, *arguments, **options):
    """The status of a failed call, its details by type, and when to come back."""
    with pytest.raises(grpc.RpcError) as caught:
        answer = call(*arguments, timeout=CALL_SECONDS, **options)
        for _ in answer if hasattr(answer, "__next__") else ():
            pass
    error = caught.value
    # None, or an error, if code or sentence differ from those of the status.
    status = rpc_status.from_call(error)
    assert status is not None, f"{error.code()} has no details"
    details = {}
    for packed in status.details:
        name = packed.TypeName().removeprefix("google.rpc.")
        details[name] = DETAILS[name]()
        assert packed.Unpack(details[name])
    assert details["ErrorInfo"].domain == "atrest"
    pushback = dict(error.trailing_metadata()).get("grpc-retry-pushback-ms")
    return error.code(), details, pushback


def pair(channel, code):
    request = devices_pb2.PairRequest(code=code, device_name="x")
    return failure(devices_pb2_grpc.DevicesStub(channel).Pair, request)


def test_an_unknown_device_is_told_so_and_not_to_come_back(channel):
    code, details, pushback = failure(channel.unary_unary(EXCHANGE), b"")
    assert code == grpc.StatusCode.UNAUTHENTICATED
    assert list(details) == ["ErrorInfo"]
    assert details["ErrorInfo"].reason == "DEVICE_UNKNOWN"
    assert pushback == "-1"


def test_a_wrong_code_and_then_too_many_of_them(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start()
    try:
        with open_channel(daemon.address) as channel:
            code, details, _ = pair(channel, "BCDF-GHJKLMNP")
            assert (code, details["ErrorInfo"].reason) == (
                grpc.StatusCode.PERMISSION_DENIED,
                "PAIRING_CODE_INVALID",
            )
            for _ in range(400):
                code, details, pushback = pair(channel, "BCDF-GHJKLMNP")
                if code == grpc.StatusCode.RESOURCE_EXHAUSTED:
                    break
            assert details["ErrorInfo"].reason == "PAIRING_ATTEMPT_RATE"
            assert details["RetryInfo"].retry_delay.seconds == 60
            assert pushback == "60000"
            (violation,) = details["QuotaFailure"].violations
            assert violation.subject == "address" and violation.description
    finally:
        assert daemon.stop() == 0, daemon.log_tail()


def test_a_request_that_cannot_be_read(account):
    call = account.channel.unary_unary(EXCHANGE)
    code, details, pushback = failure(call, b"\xff", metadata=account.metadata)
    assert code == grpc.StatusCode.INTERNAL
    assert details["ErrorInfo"].reason == "REQUEST_MALFORMED"
    assert pushback is None


def test_one_stream_too_many(daemon):
    with open_channel(daemon.address) as channel:
        device = daemon.new_account(channel)
        cursor = device.exchange().cursor
        streams = [device.watch(cursor) for _ in range(8)]
        for stream in streams:
            next(stream)
        call = channel.unary_stream("/atrest.sync.v1.Sync/Watch")
        code, details, _ = failure(call, b"", metadata=device.metadata)
        assert code == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert details["ErrorInfo"].reason == "WATCH_LIMIT"
        assert details["QuotaFailure"].violations[0].subject == "device"
        for stream in streams:
            stream.cancel()


def test_every_reason_is_documented_and_no_other():
    page = (ROOT / "docs/protocol/errors.md").read_text()
    source = (ROOT / "Sources/AtrestWire/Errors/ErrorReason.swift").read_text()
    documented = re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)
    declared = re.findall(r'= ErrorReason\("([A-Z_]+)"\)', source)
    assert documented == sorted(declared)
