# SPDX-License-Identifier: Apache-2.0
"""Calls through haproxy, which passes the end of a response on as soon as it comes, or not at all."""

import os
import socket
import subprocess
import time

import grpc
import pytest

from harness import CALL_SECONDS, open_channel, status_of
from values import canonical, offer, water

CONFIGURATION = """
global
    maxconn 100
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
listen grpc
    bind 127.0.0.1:{port} proto h2
    server daemon {address} proto h2
"""
EXCHANGE = "/atrest.sync.v1.Sync/Exchange"


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def proxied(daemon, tmp_path_factory):
    """A channel through a haproxy of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("haproxy")
    (folder / "haproxy.cfg").write_text(CONFIGURATION.format(port=port, address=daemon.address))
    with open(folder / "log.txt", "wb") as log:
        process = subprocess.Popen(
            # setpriv: the proxy dies with this process, even if that is killed.
            ["setpriv", "--pdeathsig", "KILL", os.environ["ATREST_HAPROXY"], "-db"]
            + ["-f", str(folder / "haproxy.cfg")],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        until = time.monotonic() + 20
        while not is_open(port):
            assert process.poll() is None, (folder / "log.txt").read_text()
            assert time.monotonic() < until, "haproxy does not listen"
            time.sleep(0.02)
        with open_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("size", [0, 10, 3_000, 200_000], ids=lambda size: f"{size}_bytes")
def test_a_refusal_before_the_body_was_read_arrives(proxied, size):
    call = proxied.unary_unary(EXCHANGE)
    codes = [status_of(call, bytes(size), timeout=CALL_SECONDS) for _ in range(20)]
    assert codes == [grpc.StatusCode.UNAUTHENTICATED] * 20


def test_a_refusal_of_an_unknown_method_arrives(proxied):
    call = proxied.stream_unary("/atrest.sync.v1.Sync/Sink")
    codes = [status_of(call, iter([b"x"] * 100), timeout=CALL_SECONDS) for _ in range(20)]
    assert codes == [grpc.StatusCode.UNIMPLEMENTED] * 20


def test_a_device_syncs_and_watches(daemon, channel, proxied):
    device = daemon.new_account(channel)
    mine = water(device.replica)
    acknowledged = device.exchange(offers=[offer(mine)]).cursor
    device.on(proxied)
    assert device.all_records() == [canonical(mine)]
    stream = device.watch(acknowledged)
    next(stream)
    device.exchange(acknowledged, offers=[offer(water(device.replica))])
    assert next(stream)
    stream.cancel()
