# SPDX-License-Identifier: Apache-2.0
"""Reflection, asked with the official client and raw messages: a tool needs no .proto file."""

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from harness import CALL_SECONDS, Daemon, open_channel

VERSIONS = ["grpc.reflection.v1", "grpc.reflection.v1alpha"]
SERVED = {
    "atrest.sync.v1.Accounts",
    "atrest.sync.v1.Devices",
    "atrest.sync.v1.Entitlements",
    "atrest.sync.v1.Server",
    "atrest.sync.v1.Sync",
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
}


def ask(channel, version, *requests):
    call = channel.stream_stream(
        f"/{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    requests = [reflection_pb2.ServerReflectionRequest(**request) for request in requests]
    answers = list(call(iter(requests), timeout=CALL_SECONDS))
    assert [answer.original_request for answer in answers] == requests
    return answers


@pytest.mark.parametrize("version", VERSIONS)
def test_it_lists_what_is_served_and_nothing_of_the_owners(channel, version):
    [answer] = ask(channel, version, {"host": "me", "list_services": ""})
    assert answer.valid_host == "me"
    assert {service.name for service in answer.list_services_response.service} == SERVED


def test_every_service_and_method_that_is_described_is_served(channel):
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = descriptor_pool.DescriptorPool(database)
    for name in database.get_services():
        service = pool.FindServiceByName(name)
        for method in service.methods:
            call = channel.stream_stream(f"/{name}/{method.name}")
            with pytest.raises(grpc.RpcError) as refusal:
                list(call(iter([b"\xff"]), timeout=CALL_SECONDS))
            assert refusal.value.code() != grpc.StatusCode.UNIMPLEMENTED, (name, method.name)


def test_a_call_can_be_made_from_what_it_tells(channel):
    pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    method = pool.FindMethodByName("grpc.health.v1.Health.List")
    request = message_factory.GetMessageClass(method.input_type)()
    answer = channel.unary_unary(
        "/grpc.health.v1.Health/List",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
    )(request, timeout=CALL_SECONDS)
    assert {name: state.status for name, state in answer.statuses.items()} == dict.fromkeys(
        ["", "atrest.clock", *(SERVED - {f"{version}.ServerReflection" for version in VERSIONS})], 1
    )


def test_a_file_comes_with_what_it_imports(channel):
    [answer] = ask(channel, VERSIONS[0], {"file_by_filename": "atrest/sync/v1/sync.proto"})
    files = answer.file_descriptor_response.file_descriptor_proto
    descriptors = [descriptor_pb2.FileDescriptorProto.FromString(file) for file in files]
    assert descriptors[0].name == "atrest/sync/v1/sync.proto"
    names = {file.name for file in descriptors}
    assert all(set(file.dependency) <= names for file in descriptors)


@pytest.mark.parametrize(
    "symbol",
    [
        "atrest.sync.v1.Sync",
        "atrest.sync.v1.Sync.Exchange",
        "atrest.sync.v1.ExchangeRequest",
        "atrest.sync.v1.ExchangeRequest.cursor",
        "atrest.sync.v1.Refusal.Reason",
    ],
)
def test_whatever_is_declared_is_found_by_its_name(channel, symbol):
    [answer] = ask(channel, VERSIONS[1], {"file_containing_symbol": symbol})
    files = answer.file_descriptor_response.file_descriptor_proto
    assert descriptor_pb2.FileDescriptorProto.FromString(files[0]).package == "atrest.sync.v1"


def test_what_is_not_there_is_said_and_the_stream_goes_on(channel):
    extension = {"containing_type": "atrest.sync.v1.Record", "extension_number": 100}
    answers = ask(
        channel,
        VERSIONS[0],
        {"file_by_filename": "secret.proto"},
        {"file_containing_symbol": "atrest.admin.v1.Admin"},
        {"file_containing_extension": extension},
        {"all_extension_numbers_of_type": "atrest.sync.v1.Record"},
        {},
        {"list_services": "*"},
    )
    codes = [answer.error_response.error_code for answer in answers]
    assert codes == [5, 5, 5, 5, 3, 0]


def test_a_stream_that_asks_a_lot_and_reads_nothing_ends(channel):
    """Answers are larger than questions: whoever does not read them is not served on and on."""
    question = reflection_pb2.ServerReflectionRequest(
        file_by_filename="atrest/sync/v1/sync.proto"
    ).SerializeToString()
    call = channel.stream_stream(f"/{VERSIONS[0]}.ServerReflection/ServerReflectionInfo")
    answers = call((question for _ in range(2_000)), timeout=CALL_SECONDS)
    total = 0
    try:
        for answer in answers:
            total += len(answer)
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, error
    assert total > 0


def test_of_more_questions_than_all_may_ask_the_rest_is_refused(binaries, tmp_path):
    """From the loopback interface, where no address is told apart, ten times as many as from one address."""
    daemon = Daemon(binaries, tmp_path)
    daemon.start(more=["--limit", "max-questions-per-address=5"])
    try:
        with open_channel(daemon.address) as channel:
            ask(channel, VERSIONS[0], *[{"list_services": ""}] * 40)
            ask(channel, VERSIONS[1], *[{"list_services": ""}] * 8)
            with pytest.raises(grpc.RpcError) as refusal:
                ask(channel, VERSIONS[0], *[{"list_services": ""}] * 100)
            assert refusal.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "Wait a minute" in refusal.value.details()
    finally:
        assert daemon.stop() == 0, daemon.log_tail()


def test_without_questions_there_is_no_reflection(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start(more=["--limit", "max-questions-per-address=0"])
    try:
        with open_channel(daemon.address) as channel:
            with pytest.raises(grpc.RpcError) as refusal:
                ask(channel, VERSIONS[0], {"list_services": ""})
            assert refusal.value.code() == grpc.StatusCode.UNIMPLEMENTED
    finally:
        assert daemon.stop() == 0, daemon.log_tail()
