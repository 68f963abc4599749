# SPDX-License-Identifier: Apache-2.0
"""Whole calls the server refuses, each on a channel that goes on working."""

import os
import threading

import grpc
import pytest

from atrest.internal.v1 import pages_pb2
from atrest.sync.v1 import devices_pb2, sync_pb2
from harness import CALL_SECONDS, open_channel, status_of
from values import canonical, clock, new_id, offer, record, water

# grpcio's thread that watches a channel's state complains when the channel is closed.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")

EXCHANGE = "/atrest.sync.v1.Sync/Exchange"
Code = grpc.StatusCode
BOMB = bytes(32 * 1024 * 1024)  # 32 KiB on the wire.


@pytest.fixture
def own(daemon, account):
    """A device on a channel of its own, whose connection must still work at the end."""
    with open_channel(daemon.address) as channel:
        states = []
        account.on(channel)
        account.exchange()
        channel.subscribe(states.append)
        yield account
        channel.unsubscribe(states.append)
        mine = water(account.replica)
        assert not account.exchange(offers=[offer(mine)]).refusals
        assert canonical(mine) in account.all_records()
        assert set(states) <= {grpc.ChannelConnectivity.READY}, "the connection was given up"


def call(device, path, body=b"", metadata=None, **options):
    method = device.channel.unary_unary(path)
    metadata = device.metadata if metadata is None else metadata
    return method(body, metadata=metadata, timeout=CALL_SECONDS, **options)


@pytest.mark.parametrize(
    "metadata",
    [
        [],
        [("authorization", "")],
        [("authorization", "Bearer")],
        [("authorization", "Bearer " + "0" * 80)],
        [("authorization", "Bearer" + " not a token" * 200)],
        [("authorization", "Basic dXNlcjpwYXNzd29yZA==")],
    ],
    ids=["none", "empty", "no token", "zeros", "words", "basic"],
)
@pytest.mark.parametrize("method", ["Sync/Exchange", "Devices/Invite", "Devices/List"])
def test_a_call_needs_a_token(own, method, metadata):
    path = f"/atrest.sync.v1.{method}"
    assert status_of(call, own, path, metadata=metadata) == Code.UNAUTHENTICATED


@pytest.mark.parametrize("spoil", [lambda t: t[:-1], lambda t: t + "A", lambda t: t[::-1]])
def test_a_token_is_right_or_wrong(own, spoil):
    metadata = [("authorization", f"Bearer {spoil(own.token)}")]
    assert status_of(call, own, EXCHANGE, metadata=metadata) == Code.UNAUTHENTICATED


def test_every_single_character_of_a_token_counts(own):
    for index in range(0, len(own.token), 7):
        other = "1" if own.token[index] != "1" else "0"
        token = own.token[:index] + other + own.token[index + 1 :]
        metadata = [("authorization", f"Bearer {token}")]
        assert status_of(call, own, EXCHANGE, metadata=metadata) == Code.UNAUTHENTICATED, index


def test_a_stream_needs_a_token_too(own):
    stream = own.sync.Watch(sync_pb2.WatchRequest(), timeout=CALL_SECONDS)
    assert status_of(next, stream) == Code.UNAUTHENTICATED


@pytest.mark.parametrize(
    "path",
    [
        "/atrest.sync.v1.Sync/Exchanges",
        "/atrest.sync.v1.Sync/exchange",
        "/atrest.sync.v2.Sync/Exchange",
        "/atrest.sync.v1.Sync",
        "/atrest.admin.v1.Admin/ListAccounts",
        "/atrest.admin.v1.Admin/AddAccount",
        "/",
        "//",
    ],
)
def test_what_does_not_exist_is_unimplemented(own, path):
    """The owner's service is not on this port at all."""
    assert status_of(call, own, path) == Code.UNIMPLEMENTED


def test_a_message_too_large_is_refused(own):
    body = sync_pb2.ExchangeRequest(
        offers=[offer(record(9, new_id(), {2: os.urandom(16_000)}, (1, own.replica)))] * 32
    ).SerializeToString()
    assert len(body) > 400 * 1024
    assert status_of(call, own, EXCHANGE, body) == Code.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("body", [BOMB[: 600 * 1024], BOMB], ids=["600 KiB", "32 MiB"])
@pytest.mark.parametrize("how", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_a_message_that_unpacks_to_too_much_is_refused(own, body, how):
    refused = status_of(call, own, EXCHANGE, body, compression=how)
    assert refused == Code.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(
    "body, how",
    [(os.urandom(200 * 1024), grpc.Compression.NoCompression), (BOMB, grpc.Compression.Gzip)],
    ids=["noise", "bomb"],
)
def test_a_body_without_a_token_is_not_looked_at(own, body, how):
    refused = status_of(call, own, EXCHANGE, body, metadata=[], compression=how)
    assert refused == Code.UNAUTHENTICATED


def test_more_than_1000_offers_are_refused(own):
    at = clock()
    offers = [offer(water(own.replica, at=at + n)) for n in range(1001)]
    assert status_of(own.exchange, None, offers) == Code.INVALID_ARGUMENT
    assert own.all_records() == []
    nothing = pages_pb2.ExchangeRequestPage(offers=[b""] * 100_000).SerializeToString()
    assert status_of(call, own, EXCHANGE, nothing) == Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xff\xff",
        b"\x0a\xff\xff\xff\xff\x7f",
        b"\x0a\x10short",
        b"\x0c",
        os.urandom(4000) + b"\xff",
    ],
    ids=["no tag", "huge length", "cut", "end of nothing", "noise"],
)
@pytest.mark.parametrize("path", [EXCHANGE, "/atrest.sync.v1.Devices/Pair"])
def test_a_body_that_cannot_be_read_is_refused(own, path, body):
    """INTERNAL is what gRPC's own documents say for a message that is no protobuf."""
    assert status_of(call, own, path, body) == Code.INTERNAL


def test_a_body_that_cannot_be_read_ends_a_stream(own):
    watch = own.channel.unary_stream("/atrest.sync.v1.Sync/Watch")
    stream = watch(b"\xff\xff", metadata=own.metadata, timeout=CALL_SECONDS)
    assert status_of(next, stream) == Code.INTERNAL


def test_text_that_is_no_utf8_is_refused(own):
    request = devices_pb2.PairRequest(code=own.invite().code).SerializeToString()
    body = request + b"\x12\x02\xc3\x28"
    assert status_of(call, own, "/atrest.sync.v1.Devices/Pair", body) == Code.INVALID_ARGUMENT


def test_metadata_too_large_is_refused(own):
    metadata = [*own.metadata, *((f"x-{n}", "y" * 1000) for n in range(12))]
    assert call(own, EXCHANGE, metadata=metadata)
    metadata += [(f"x-more-{n}", "y" * 1000) for n in range(8)]
    assert status_of(call, own, EXCHANGE, metadata=metadata) in (
        Code.RESOURCE_EXHAUSTED,
        Code.INTERNAL,
        Code.UNKNOWN,
    )


def test_metadata_of_no_concern_is_no_concern(own):
    metadata = [*own.metadata, ("x-request-id", "7"), ("trace-bin", bytes(range(256)))]
    assert call(own, EXCHANGE, metadata=metadata)


def test_a_stream_may_have_a_deadline(own):
    stream = own.watch(timeout=0.5)
    next(stream)
    assert status_of(next, stream) == Code.DEADLINE_EXCEEDED


def test_calls_that_are_given_up_leave_nothing_behind(own):
    method = own.channel.unary_unary(EXCHANGE)
    for _ in range(50):
        method.future(b"", metadata=own.metadata, timeout=CALL_SECONDS).cancel()


def test_many_calls_at_once_on_one_connection(own):
    """More than the connection has streams: the rest wait."""
    method = own.channel.unary_unary(EXCHANGE)
    requests = [
        sync_pb2.ExchangeRequest(offers=[offer(water(own.replica))]).SerializeToString()
        for _ in range(400)
    ]
    calls = [method.future(r, metadata=own.metadata, timeout=20) for r in requests]
    for waiting in calls:
        assert not sync_pb2.ExchangeResponse.FromString(waiting.result()).refusals
    assert len(own.all_records()) == 400


def test_devices_that_push_at_once_all_see_everything(daemon, own):
    """Commits are shared; nobody's records are lost and no sequence is given twice."""
    others = [own.add_device(f"device {n}") for n in range(4)]
    failures = []

    def work(device):
        try:
            cursor = None
            for _ in range(25):
                answer = device.exchange(cursor, [offer(water(device.replica)) for _ in range(4)])
                assert not answer.refusals and not answer.restarted
                if cursor is not None:
                    assert answer.cursor.sequence > cursor.sequence
                cursor = answer.cursor if not answer.more else cursor
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=work, args=[d]) for d in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []
    seen = own.all_records()
    assert len(seen) == len(set(seen)) == 400
