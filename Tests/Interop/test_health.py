# SPDX-License-Identifier: Apache-2.0
"""The health service, asked with the official stubs; and what a stop looks like from outside."""

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from harness import CALL_SECONDS, Daemon, open_channel, status_of
from values import canonical, offer, water

State = health_pb2.HealthCheckResponse


def check(channel, service=""):
    request = health_pb2.HealthCheckRequest(service=service)
    return health_pb2_grpc.HealthStub(channel).Check(request, timeout=CALL_SECONDS).status


def watch(channel, service=""):
    request = health_pb2.HealthCheckRequest(service=service)
    return health_pb2_grpc.HealthStub(channel).Watch(request, timeout=20)


SERVICES = ["", "atrest.sync.v1.Sync", "atrest.sync.v1.Devices", "atrest.clock"]


@pytest.mark.parametrize("service", SERVICES)
def test_it_serves(channel, service):
    assert check(channel, service) == State.SERVING
    stream = watch(channel, service)
    assert next(stream).status == State.SERVING
    stream.cancel()


def test_an_unknown_service_is_not_found(channel):
    assert status_of(check, channel, "atrest.sync.v1.Sink") == grpc.StatusCode.NOT_FOUND
    stream = watch(channel, "atrest.sync.v1.Sink")
    assert next(stream).status == State.SERVICE_UNKNOWN
    assert stream.is_active()
    stream.cancel()


def test_a_stop_is_announced_and_what_was_acknowledged_survives_it(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start()
    try:
        with open_channel(daemon.address) as channel:
            device = daemon.new_account(channel)
            mine = water(device.replica)
            acknowledged = device.exchange(offers=[offer(mine)]).cursor
            stream = watch(channel)
            assert next(stream).status == State.SERVING
            follower = device.watch(acknowledged)
            next(follower)
            assert daemon.stop() == 0, daemon.log_tail()
            assert next(stream).status == State.NOT_SERVING
            with pytest.raises(grpc.RpcError) as ending:
                next(follower)
            assert ending.value.code() == grpc.StatusCode.UNAVAILABLE
        daemon.start(listen=daemon.address)
        with open_channel(daemon.address) as channel:
            device.on(channel)
            answer = device.exchange(acknowledged)
            assert not answer.restarted and not answer.records
            assert answer.cursor.sequence == acknowledged.sequence
            assert device.all_records() == [canonical(mine)]
            assert daemon.admin("account", "invite", device.account_name).returncode == 0
    finally:
        assert daemon.stop() == 0, daemon.log_tail()


def test_without_a_daemon_the_owners_commands_say_so(binaries, tmp_path):
    done = Daemon(binaries, tmp_path).admin("account", "list")
    assert done.returncode == 69, done.stderr
    assert "not running" in done.stderr


def test_a_second_daemon_on_the_same_data_does_not_start(binaries, daemon, tmp_path):
    second = Daemon(binaries, tmp_path)
    second.data = daemon.data
    with pytest.raises(AssertionError):
        second.start()
    assert check(open_channel(daemon.address)) == State.SERVING


def test_it_does_not_listen_to_the_world_without_tls(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    with pytest.raises(AssertionError):
        daemon.start(listen="0.0.0.0:0")
    assert "--insecure" in daemon.log_tail()
