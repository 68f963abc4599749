# SPDX-License-Identifier: Apache-2.0
"""grpc's interoperability cases (interop-test-descriptions.md), against a server on our transport."""

import gzip
import queue
import subprocess
import threading
import time

import grpc
import pytest
import test_pb2 as messages
import test_pb2_grpc as services

from harness import CALL_SECONDS
from wire import Wire, compressed_flags, message

REQUEST_SIZES = (27182, 8, 1828, 45904)
RESPONSE_SIZES = (31415, 9, 2653, 58979)
INITIAL = ("x-grpc-test-echo-initial", "test_initial_metadata_value")
TRAILING = ("x-grpc-test-echo-trailing-bin", b"\xab\xab\xab")
# What a tester writes on the wire must come back: whitespace, Unicode, percent signs.
SPECIAL = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n"


@pytest.fixture(scope="module")
def server(binaries):
    server = subprocess.Popen(
        [binaries / "interop-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield server.stdout.readline().strip()
    server.stdin.close()
    assert server.wait(timeout=CALL_SECONDS) == 0
    server.stdout.close()


@pytest.fixture(params=[grpc.Compression.NoCompression, grpc.Compression.Gzip, grpc.Compression.Deflate])
def channel(request, server):
    """Each case runs with requests in each encoding."""
    options = [("grpc.max_receive_message_length", -1)]
    with grpc.insecure_channel(server, options=options, compression=request.param) as channel:
        yield channel


@pytest.fixture
def stub(channel):
    return services.TestServiceStub(channel)


def payload(size):
    return messages.Payload(body=bytes(size))


def parts(*sizes, **more):
    return messages.StreamingOutputCallRequest(
        response_parameters=[messages.ResponseParameters(size=size, **more) for size in sizes]
    )


def test_empty_unary(stub):
    assert stub.EmptyCall(messages.Empty(), timeout=CALL_SECONDS) == messages.Empty()


def test_large_unary(stub):
    request = messages.SimpleRequest(response_size=314159, payload=payload(271828))
    assert stub.UnaryCall(request, timeout=CALL_SECONDS).payload == payload(314159)


def test_client_streaming(stub):
    requests = (messages.StreamingInputCallRequest(payload=payload(size)) for size in REQUEST_SIZES)
    answer = stub.StreamingInputCall(requests, timeout=CALL_SECONDS)
    assert answer.aggregated_payload_size == 74922


def test_server_streaming(stub):
    answers = stub.StreamingOutputCall(parts(*RESPONSE_SIZES), timeout=CALL_SECONDS)
    assert [len(answer.payload.body) for answer in answers] == list(RESPONSE_SIZES)


def test_ping_pong(stub):
    """The next request is made when the answer to the last is there."""
    waiting = queue.SimpleQueue()
    stream = stub.FullDuplexCall(iter(waiting.get, None), timeout=CALL_SECONDS)
    for ask, tell in zip(RESPONSE_SIZES, REQUEST_SIZES):
        request = parts(ask)
        request.payload.CopyFrom(payload(tell))
        waiting.put(request)
        assert len(next(stream).payload.body) == ask
    waiting.put(None)
    assert list(stream) == []


def test_empty_stream(stub):
    assert list(stub.FullDuplexCall(iter([]), timeout=CALL_SECONDS)) == []


def test_cancel_after_begin(stub):
    held = threading.Event()

    def requests():
        held.wait(CALL_SECONDS)
        yield messages.StreamingInputCallRequest()

    future = stub.StreamingInputCall.future(requests())
    future.cancel()
    held.set()
    assert future.cancelled() and future.code() == grpc.StatusCode.CANCELLED


def test_cancel_after_first_response(stub):
    waiting = queue.SimpleQueue()
    waiting.put(parts(31415))
    stream = stub.FullDuplexCall(iter(waiting.get, None), timeout=CALL_SECONDS)
    next(stream)
    stream.cancel()
    with pytest.raises(grpc.RpcError) as ending:
        next(stream)
    waiting.put(None)
    assert ending.value.code() == grpc.StatusCode.CANCELLED


def test_timeout_on_sleeping_server(stub):
    with pytest.raises(grpc.RpcError) as ending:
        list(stub.StreamingOutputCall(parts(9, interval_us=2_000_000), timeout=0.05))
    assert ending.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("kind", ["unary", "duplex"])
def test_custom_metadata(stub, kind):
    metadata = (INITIAL, TRAILING)
    if kind == "unary":
        request = messages.SimpleRequest(response_size=1, payload=payload(1))
        _, call = stub.UnaryCall.with_call(request, metadata=metadata, timeout=CALL_SECONDS)
    else:
        call = stub.FullDuplexCall(iter([parts(1)]), metadata=metadata, timeout=CALL_SECONDS)
        assert len(list(call)) == 1
    assert INITIAL in [(key, value) for key, value in call.initial_metadata()]
    assert TRAILING in [(key, value) for key, value in call.trailing_metadata()]


@pytest.mark.parametrize("words", ["test status message", SPECIAL])
@pytest.mark.parametrize("kind", ["unary", "duplex"])
def test_status_code_and_message(stub, kind, words):
    status = messages.EchoStatus(code=2, message=words)
    with pytest.raises(grpc.RpcError) as ending:
        if kind == "unary":
            stub.UnaryCall(messages.SimpleRequest(response_status=status), timeout=CALL_SECONDS)
        else:
            request = messages.StreamingOutputCallRequest(response_status=status)
            list(stub.FullDuplexCall(iter([request]), timeout=CALL_SECONDS))
    assert ending.value.code() == grpc.StatusCode.UNKNOWN
    assert ending.value.details() == words


def test_unimplemented_method(stub):
    with pytest.raises(grpc.RpcError) as ending:
        stub.UnimplementedCall(messages.Empty(), timeout=CALL_SECONDS)
    assert ending.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_unimplemented_service(channel):
    stub = services.UnimplementedServiceStub(channel)
    with pytest.raises(grpc.RpcError) as ending:
        stub.UnimplementedCall(messages.Empty(), timeout=CALL_SECONDS)
    assert ending.value.code() == grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("server_is_told", [True, False])
@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_client_compressed_unary(server, compression, server_is_told):
    """The case's probe, and both its calls: what a message says of itself is checked."""
    is_compressed = compression == grpc.Compression.Gzip
    request = messages.SimpleRequest(
        response_size=314159, payload=payload(271828),
        expect_compressed=messages.BoolValue(value=server_is_told),
    )
    with grpc.insecure_channel(server) as channel:
        call = services.TestServiceStub(channel).UnaryCall
        if is_compressed == server_is_told:
            answer = call(request, compression=compression, timeout=CALL_SECONDS)
            assert answer.payload == payload(314159)
        else:
            with pytest.raises(grpc.RpcError) as ending:
                call(request, compression=compression, timeout=CALL_SECONDS)
            assert ending.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_client_compressed_streaming(server):
    """On the wire: grpcio compresses all messages of a stream, or none."""
    def part(size, told, compressed):
        request = messages.StreamingInputCallRequest(
            payload=payload(size), expect_compressed=messages.BoolValue(value=told)
        ).SerializeToString()
        return message(gzip.compress(request), flag=1) if compressed else message(request)

    def call(*parts):
        path = "/grpc.testing.TestService/StreamingInputCall"
        body = b"".join(parts)
        with Wire(server) as wire:
            stream = wire.handshake().start(path=path, grpc_encoding="gzip")
            for at in range(0, len(body), 16384):
                wire.send(stream, body[at : at + 16384], end=at + 16384 >= len(body))
            return wire.await_end(stream)

    probe = call(part(27182, True, False))
    assert probe.status == "3", "INVALID_ARGUMENT"
    answer = call(part(27182, True, True), part(45904, False, False))
    assert answer.status == "0"
    size = messages.StreamingInputCallResponse.FromString(answer.body[5:]).aggregated_payload_size
    assert size == 73086


@pytest.mark.parametrize("wish", [True, False])
def test_server_compressed_unary(server, wish):
    """Seen on the wire: grpcio does not tell whether a message was compressed."""
    request = messages.SimpleRequest(
        response_size=314159, response_compressed=messages.BoolValue(value=wish)
    )
    flags = compressed_flags(server, "/grpc.testing.TestService/UnaryCall", request)
    assert flags == [wish]


def test_server_compressed_streaming(server):
    request = messages.StreamingOutputCallRequest(
        response_parameters=[
            messages.ResponseParameters(size=31415, compressed=messages.BoolValue(value=True)),
            messages.ResponseParameters(size=92653, compressed=messages.BoolValue(value=False)),
        ]
    )
    flags = compressed_flags(server, "/grpc.testing.TestService/StreamingOutputCall", request)
    assert flags == [True, False]


@pytest.mark.parametrize("renewed", [False, True], ids=["rpc_soak", "channel_soak"])
def test_soak(server, renewed):
    """One call after the other, on one channel or each on its own: none may fail."""
    request = messages.SimpleRequest(response_size=314159, payload=payload(271828))
    shared = grpc.insecure_channel(server)
    end = time.monotonic() + 5
    count = 0
    while time.monotonic() < end and count < 200:
        channel = grpc.insecure_channel(server) if renewed else shared
        answer = services.TestServiceStub(channel).UnaryCall(request, timeout=CALL_SECONDS)
        assert len(answer.payload.body) == 314159
        count += 1
        if renewed:
            channel.close()
    shared.close()
    assert count > 0
