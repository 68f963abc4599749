# SPDX-License-Identifier: Apache-2.0
"""What the server says to peers that are not gRPC clients, or pretend to be."""

import gzip
import os
import socket
import struct
import zlib

import pytest

from atrest.sync.v1 import sync_pb2
from values import canonical, clock, new_id, offer, record, water
from wire import Wire, frame, message

OK, INVALID, DEADLINE, EXHAUSTED, UNIMPLEMENTED, INTERNAL = "0", "3", "4", "8", "12", "13"
UNAUTHENTICATED = "16"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = frame(4)
HEALTH = "/grpc.health.v1.Health/Check"


@pytest.fixture
def wire(daemon):
    with Wire(daemon.address) as wire:
        yield wire.handshake()


@pytest.fixture
def token(account):
    return f"Bearer {account.token}"


def raw_bytes_until_closed(daemon, *pieces):
    """Says these bytes and listens until the server hangs up."""
    host, port = daemon.address.rsplit(":", 1)
    heard = b""
    with socket.create_connection((host, int(port)), timeout=15) as raw:
        try:
            for piece in pieces:
                raw.sendall(piece)
            while data := raw.recv(65536):
                heard += data
        except (ConnectionResetError, BrokenPipeError):
            pass
    return heard


# The connection.


@pytest.mark.parametrize(
    "noise",
    [
        b"\0" * 64,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        PREFACE[:-1] + b"x" + SETTINGS,
    ],
    ids=["zeros", "HTTP 1.1", "TLS", "nearly the preface"],
)
def test_what_is_no_http2_is_hung_up_on(daemon, wire, noise):
    raw_bytes_until_closed(daemon, noise)
    assert wire.call(message(), path=HEALTH).status == OK


@pytest.mark.parametrize(
    "broken",
    [
        frame(0, stream=1, payload=b"x"),
        frame(4, payload=b"xxxxx"),
        frame(1, flags=4, stream=2, payload=b"\x82"),
        frame(1, flags=4, stream=1, payload=b"\xff" * 20),
        frame(0, length=1 << 20, stream=1, payload=b"x" * 20000),
        frame(9, stream=1, payload=b"x"),
    ],
    ids=[
        "data before headers",
        "half settings",
        "even stream",
        "no hpack",
        "too long",
        "continuation",
    ],
)
def test_frames_that_break_http2_end_their_connection_only(daemon, wire, broken):
    heard = raw_bytes_until_closed(daemon, PREFACE + SETTINGS, broken)
    kinds = set()
    while len(heard) >= 9:
        kinds.add(heard[3])
        heard = heard[9 + int.from_bytes(heard[:3], "big") :]
    assert 7 in kinds, "no GOAWAY says why"
    assert wire.call(message(), path=HEALTH).status == OK


# The request's headers.


def plainly(wire, **headers):
    return wire.await_end(wire.start(path=HEALTH, end=True, **headers))


@pytest.mark.parametrize(
    "kind", ["application/json", "application/grpc-web-text", "application/grpcx", "text/plain", None]
)
def test_another_content_type_is_415(wire, kind):
    answer = plainly(wire, content_type=kind)
    assert answer.headers[":status"] == "415"
    assert answer.status is None
    assert wire.call(message(), path=HEALTH).status == OK


@pytest.mark.parametrize("kind", ["application/grpc+proto", "application/grpc;charset=utf-8"])
def test_the_content_type_may_say_more(wire, kind):
    assert wire.call(message(), path=HEALTH, content_type=kind).status == OK


@pytest.mark.parametrize("method", ["GET", "PUT", "HEAD"])
def test_another_method_is_405(wire, method):
    answer = plainly(wire, method=method)
    assert answer.headers[":status"] == "405"
    assert wire.call(message(), path=HEALTH).status == OK


def test_te_may_be_missing(wire):
    """Some proxy left it out; the trailers arrive all the same."""
    assert wire.call(message(), path=HEALTH, te=None).status == OK


@pytest.mark.parametrize("timeout", ["", "1", "S", "123456789S", "-1S", "1.5S", "1s", "1 S"])
def test_a_malformed_timeout_is_not_an_endless_one(wire, timeout):
    assert wire.call(message(), path=HEALTH, grpc_timeout=timeout).status == INTERNAL


@pytest.mark.parametrize("timeout", ["99999999H", "5M", "30S", "30000m"])
def test_a_timeout_may_have_any_unit(wire, timeout):
    assert wire.call(message(), path=HEALTH, grpc_timeout=timeout).status == OK


def test_the_server_keeps_the_deadline_itself(wire, token):
    stream = wire.start(grpc_timeout="100m", authorization=token)
    assert wire.await_end(stream).status == DEADLINE
    assert wire.call(message(), authorization=token).status == OK


# The message.


def test_a_status_alone_is_one_headers_frame(wire):
    answer = wire.call(message(), path="/no.such.Service/Method")
    assert answer.is_headers_only and answer.trailers is None and answer.body == b""
    assert answer.headers[":status"] == "200"
    assert answer.headers["content-type"].startswith("application/grpc")
    assert answer.status == UNIMPLEMENTED


def test_an_answer_is_headers_a_message_and_trailers(wire, token):
    answer = wire.call(message(), authorization=token)
    assert answer.headers[":status"] == "200" and "grpc-status" not in answer.headers
    assert not answer.is_headers_only
    flag, length = struct.unpack(">BI", answer.body[:5])
    assert flag == 0 and length == len(answer.body) - 5
    assert sync_pb2.ExchangeResponse.FromString(answer.body[5:]).server_time_ms
    assert answer.trailers == {"grpc-status": OK}


def test_a_request_may_arrive_byte_by_byte(wire, account, token):
    mine = water(account.replica)
    body = message(sync_pb2.ExchangeRequest(offers=[offer(mine)]).SerializeToString())
    stream = wire.start(authorization=token)
    for byte in body:
        wire.send(stream, bytes([byte]))
    wire.send(stream, b"", end=True)
    assert wire.await_end(stream).status == OK
    assert account.all_records() == [canonical(mine)]


@pytest.mark.parametrize("length", [2**32 - 1, 2**31, 300 * 1024])
def test_a_length_too_large_is_refused_before_the_rest_comes(wire, token, length):
    stream = wire.start(authorization=token)
    wire.send(stream, message(b"only this", length=length))
    assert wire.await_end(stream).status == EXHAUSTED
    assert wire.call(message(), authorization=token).status == OK


def test_without_a_token_the_body_is_not_awaited(wire):
    assert wire.await_end(wire.start()).status == UNAUTHENTICATED


@pytest.mark.parametrize(
    "body",
    [message(b"\x08", length=2), b"\0\0", message(b"", flag=2), message(b"", flag=255)],
    ids=["cut", "cut in its head", "flag 2", "flag 255"],
)
def test_a_broken_message_is_an_error_of_the_call(wire, token, body):
    assert wire.call(body, authorization=token).status == INTERNAL
    assert wire.call(message(), authorization=token).status == OK


@pytest.mark.parametrize("body", [b"", message() * 2], ids=["none", "two"])
def test_a_call_has_one_message(wire, token, body):
    assert wire.call(body, authorization=token).status in (UNIMPLEMENTED, INTERNAL)
    assert wire.call(message(), authorization=token).status == OK


# Compression.


def packed(how, body):
    return {"gzip": gzip.compress, "deflate": zlib.compress}[how](body)


@pytest.mark.parametrize("how", ["gzip", "deflate"])
def test_an_answer_is_compressed_for_those_who_read_it(wire, account, token, how):
    records = [water(account.replica) for _ in range(20)]
    request = sync_pb2.ExchangeRequest(offers=[offer(r) for r in records])
    sent = message(packed(how, request.SerializeToString()), flag=1)
    assert wire.call(sent, authorization=token, grpc_encoding=how).status == OK

    plain = wire.call(message(), authorization=token)
    assert plain.body[0] == 0 and plain.headers.get("grpc-encoding", "identity") == "identity"
    other = wire.call(message(), authorization=token, grpc_accept_encoding="identity,zstd")
    assert other.body[0] == 0
    answer = wire.call(message(), authorization=token, grpc_accept_encoding=f"identity, {how}")
    assert answer.headers["grpc-encoding"] == how
    flag, length = struct.unpack(">BI", answer.body[:5])
    assert flag == 1 and length == len(answer.body) - 5 < len(plain.body)
    unpacked = zlib.decompress(answer.body[5:], wbits=47)
    assert list(sync_pb2.ExchangeResponse.FromString(unpacked).records) == records


def test_an_unknown_encoding_is_unimplemented_and_the_known_ones_are_named(wire, token):
    sent = message(b"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", flag=1)
    answer = wire.call(sent, authorization=token, grpc_encoding="zstd")
    assert answer.status == UNIMPLEMENTED
    named = answer.headers["grpc-accept-encoding"].replace(" ", "").split(",")
    assert set(named) == {"identity", "deflate", "gzip"}
    assert wire.call(message(), authorization=token).status == OK


@pytest.mark.parametrize(
    "body, encoding",
    [
        (message(gzip.compress(b""), flag=1), None),
        (message(gzip.compress(b""), flag=1), "identity"),
        (message(b"no gzip at all", flag=1), "gzip"),
        (message(gzip.compress(bytes(99))[:-4], flag=1), "gzip"),
        (message(gzip.compress(bytes(99))[:-8] + bytes(8), flag=1), "gzip"),
        (message(b"\x78\x9c\xff", flag=1), "deflate"),
    ],
    ids=["undeclared", "identity", "noise", "cut", "wrong checksum", "deflate noise"],
)
def test_a_corrupt_compressed_message_is_an_error_of_the_call(wire, token, body, encoding):
    answer = wire.call(body, authorization=token, grpc_encoding=encoding)
    assert answer.status == INTERNAL
    assert wire.call(message(), authorization=token).status == OK


def test_a_plain_message_under_a_declared_encoding_is_fine(wire, token):
    assert wire.call(message(), authorization=token, grpc_encoding="gzip").status == OK


# Streams.


def test_a_reader_too_slow_for_its_stream_is_cut(wire, account, token):
    wire.opens_windows = False
    stream = wire.start(path="/atrest.sync.v1.Sync/Watch", authorization=token)
    wire.send(stream, message(), end=True)
    answer = wire.answers[stream]
    wire.read_until(lambda: answer.body)
    for _ in range(40):
        at, pieces = clock(), [os.urandom(15_000) for _ in range(4)]
        large = [record(4711, new_id(), {2: piece}, (at, account.replica)) for piece in pieces]
        account.exchange(offers=[offer(r) for r in large])
    wire.open_windows()
    wire.flush()
    # Reading again, it finds the data in transit and then the end.
    assert wire.await_end(stream).status == EXHAUSTED
    assert len(answer.body) < 1024 * 1024
    assert wire.call(message(), path=HEALTH).status == OK
    assert len(account.all_records()) == 160
