# SPDX-License-Identifier: Apache-2.0
"""What the daemon writes about itself, at its most talkative: who came and went, and nothing of what they keep."""

import grpc
import pytest

from harness import Daemon, Device, open_channel
from values import offer, preference, water

CANARY = "canary-4711-health"


def test_no_value_token_or_code_reaches_the_log(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start(more=["--log-level", "trace"])
    try:
        with open_channel(daemon.address) as channel:
            name, code = daemon.add_account("kim")
            device = Device.pair(channel, code, "phone")
            sound = offer(preference(device.replica, key=CANARY.encode(), value=CANARY))
            broken = offer(water(device.replica, millilitres=0))
            answer = device.exchange(offers=[sound, broken])
            assert len(answer.refusals) == 1 and CANARY not in answer.refusals[0].message
            with pytest.raises(grpc.RpcError):
                Device.pair(channel, code, "thief")
            invited = device.invite().code
            secrets = [CANARY, CANARY.encode().hex(), device.token, code, invited]
    finally:
        assert daemon.stop() == 0
    log = daemon.log.read_text()
    assert "started" in log and "stopped" in log
    for secret in secrets:
        assert secret not in log
        assert secret.split("-")[-1] not in log
