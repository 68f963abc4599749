# SPDX-License-Identifier: Apache-2.0
"""How a device joins an account, and how it is sent away."""

import grpc
import pytest

from harness import CALL_SECONDS, CODE, Daemon, Device, open_channel, refusal_of, status_of
from atrest.sync.v1 import devices_pb2, devices_pb2_grpc, sync_pb2
from values import now_ms, offer, water

DENIED = grpc.StatusCode.PERMISSION_DENIED
FOREIGN_SECRET = "BBBBBBBB"


@pytest.fixture
def pair(channel):
    stub = devices_pb2_grpc.DevicesStub(channel)

    def pair(code, name="somebody"):
        request = devices_pb2.PairRequest(code=code, device_name=name)
        return stub.Pair(request, timeout=CALL_SECONDS)

    return pair


def wrong(code, secret=FOREIGN_SECRET):
    """The same handle with another secret."""
    assert code[5:] != secret
    return code[:5] + secret


def test_the_owner_makes_an_account_and_its_first_device_pairs(daemon, pair):
    name, code = daemon.add_account()
    before = now_ms()
    answer = pair(code, "phone")
    assert answer.account_name == name
    assert answer.replica != 0
    assert len(answer.token) >= 43, "256 bits need 43 characters of base64"
    assert before - 1000 <= answer.server_time_ms <= now_ms() + 1000


def test_a_name_is_taken_only_once(daemon):
    name, _ = daemon.add_account()
    again = daemon.admin("account", "add", name)
    assert again.returncode != 0
    assert not CODE.search(again.stdout + again.stderr)


def test_a_device_invites_another_one(account):
    before = now_ms()
    invitation = account.invite()
    assert CODE.fullmatch(invitation.code)
    assert abs(invitation.expires_ms - before - 5 * 60_000) < 60_000
    second = Device.pair(account.channel, invitation.code, "tablet")
    assert second.account_name == account.account_name
    assert second.replica not in (0, account.replica)
    assert second.token != account.token


def test_the_owner_invites_a_device_too(daemon, account):
    done = daemon.admin("account", "invite", account.account_name)
    assert done.returncode == 0, done.stderr
    second = Device.pair(account.channel, CODE.search(done.stdout)[0], "laptop")
    assert second.account_name == account.account_name


def test_devices_are_listed_oldest_first(account):
    others = [account.add_device(name) for name in ("tablet", "Büro-Laptop")]
    listed = others[0].list()
    assert [d.name for d in listed] == ["first", "tablet", "Büro-Laptop"]
    assert [d.replica for d in listed] == [d.replica for d in [account, *others]]
    assert [d.current for d in listed] == [False, True, False]
    assert [d.revoked_ms for d in listed] == [0, 0, 0]
    assert [d.paired_ms for d in listed] == sorted(d.paired_ms for d in listed)
    assert all(abs(d.paired_ms - now_ms()) < 60_000 for d in listed)


def test_a_revoked_device_is_refused_and_its_stream_ends(account):
    other = account.add_device("lost phone")
    stream = other.watch(timeout=5)
    next(stream)
    account.revoke(other.replica)
    with pytest.raises(grpc.RpcError) as ending:
        while True:  # An event may have been in transit.
            next(stream)
    # The stream's own deadline would give DEADLINE_EXCEEDED, and the next heartbeat comes later.
    assert ending.value.code() == grpc.StatusCode.UNAUTHENTICATED
    calls = [other.exchange, other.invite, other.list, lambda: other.revoke(account.replica)]
    assert {status_of(call) for call in calls} == {grpc.StatusCode.UNAUTHENTICATED}
    assert status_of(other.watch) == grpc.StatusCode.UNAUTHENTICATED
    mine, theirs = account.list()
    assert mine.revoked_ms == 0
    assert abs(theirs.revoked_ms - now_ms()) < 60_000
    account.exchange()


def test_a_device_may_send_itself_away(account):
    other = account.add_device("old tablet")
    other.revoke(other.replica)
    assert status_of(other.exchange) == grpc.StatusCode.UNAUTHENTICATED


def test_with_a_device_go_its_descendants(account):
    stolen = account.add_device("stolen phone")
    renewal = devices_pb2.RenewRequest()
    answer = stolen.devices.Renew(renewal, metadata=stolen.metadata, timeout=CALL_SECONDS)
    copy = Device(account.channel, answer)
    invited = copy.add_device("somebody's")
    mine = account.add_device("tablet")
    origins = {d.replica: (d.parent, d.renewed, d.approver) for d in account.list()}
    assert origins == {
        account.replica: (0, False, 0),
        stolen.replica: (account.replica, False, 0),
        copy.replica: (stolen.replica, True, 0),
        invited.replica: (copy.replica, False, 0),
        mine.replica: (account.replica, False, 0),
    }
    alone = account.revoke(stolen.replica)
    assert (alone.revoked_replicas, alone.remaining_replicas) == ([stolen.replica], [copy.replica, invited.replica])
    invited.exchange()
    ended = account.revoke(stolen.replica, with_descendants=True)
    assert (ended.revoked_replicas, ended.remaining_replicas) == ([copy.replica, invited.replica], [])
    for device in (copy, invited):
        assert status_of(device.exchange) == grpc.StatusCode.UNAUTHENTICATED
    mine.exchange()


def test_whoever_asks_is_spared(account):
    other = account.add_device("laptop")
    ended = other.revoke(account.replica, with_descendants=True)
    assert (ended.revoked_replicas, ended.spared_replicas) == ([account.replica], [other.replica])
    other.exchange()


def test_the_owner_revokes_by_the_id_that_people_see(daemon, account):
    other = account.add_device("lost phone")
    third = other.add_device("somebody's")
    # Too few digits, and digits of no device, end no access.
    assert daemon.admin("device", "revoke", f"{other.replica:016x}"[:7]).returncode == 64
    unknown = f"{other.replica ^ 1 << 63:016x}"
    assert daemon.admin("device", "revoke", unknown[:8]).returncode == 65
    done = daemon.admin("device", "revoke", f"{other.replica:016x}"[:8])
    assert done.returncode == 0, done.stderr
    assert status_of(other.exchange) == grpc.StatusCode.UNAUTHENTICATED
    # Standard input is not a terminal, so the command does not ask.
    assert "came in through it and still has access" in done.stdout and "--with-descendants" in done.stdout
    third.exchange()


def test_nobody_revokes_a_device_of_another_account(daemon, channel, account):
    stranger = daemon.new_account(channel)
    not_found = grpc.StatusCode.NOT_FOUND
    assert status_of(account.revoke, stranger.replica) == not_found
    assert status_of(account.revoke, 0) == not_found
    stranger.exchange()


@pytest.mark.parametrize("name", ["", "x" * 65, "ß" * 33])
def test_a_device_has_a_name_of_1_to_64_bytes(account, pair, name):
    code = account.invite().code
    assert status_of(pair, code, name) == grpc.StatusCode.INVALID_ARGUMENT
    pair(code, "a name that fits")


def test_a_name_may_have_64_bytes(account, pair):
    assert pair(account.invite().code, "ß" * 32).replica


def test_a_token_opens_only_its_own_account(daemon, channel, account):
    stranger = daemon.new_account(channel)
    mine = water(account.replica)
    theirs = water(stranger.replica, id=mine.id, millilitres=500)
    account.exchange(offers=[offer(mine)])
    stranger.exchange(offers=[offer(theirs)])
    assert account.all_records() == [mine.SerializeToString()]
    assert stranger.all_records() == [theirs.SerializeToString()]


def test_the_owner_sees_accounts_and_devices(daemon, account):
    accounts = daemon.admin("account", "list")
    devices = daemon.admin("device", "list", "--account", account.account_name)
    assert account.account_name in accounts.stdout
    assert f"{account.replica:016x}" in devices.stdout
    assert account.token not in accounts.stdout + devices.stdout


def test_pairing_needs_no_token_and_the_rest_does(channel):
    sync = channel.unary_unary(
        "/atrest.sync.v1.Sync/Exchange",
        request_serializer=sync_pb2.ExchangeRequest.SerializeToString,
    )
    assert status_of(sync, sync_pb2.ExchangeRequest()) == grpc.StatusCode.UNAUTHENTICATED


# The limit on wrong codes is server-wide, so each of these tests has its own server.


@pytest.fixture
def guessed(binaries, tmp_path):
    """An account of a server on which nobody has guessed yet."""
    daemon = Daemon(binaries, tmp_path)
    daemon.start()
    with open_channel(daemon.address) as channel:
        yield daemon.new_account(channel)
    assert daemon.stop() == 0, daemon.log_tail()


def pairing(device):
    def pair(code, name="somebody"):
        request = devices_pb2.PairRequest(code=code, device_name=name)
        return device.devices.Pair(request, timeout=CALL_SECONDS)

    return pair


def test_every_code_that_does_not_work_looks_alike(guessed):
    pair = pairing(guessed)
    used = guessed.invite().code
    pair(used)
    fresh = guessed.invite().code
    codes = [
        used,  # Used.
        wrong(fresh),  # Right handle, wrong secret.
        "BBBB-CCCCCCCC" if fresh[:4] != "BBBB" else "CCCC-CCCCCCCC",  # No such handle.
        "",
        "-",
        fresh[:-1],
        fresh + "B",
        "AEIO-UUUUUUUU",
        "1234-56789012",
        "ÄÖÜß-ÄÖÜßÄÖÜß",
    ]
    answers = {refusal_of(pair, code) for code in codes}
    assert len(answers) == 1, answers
    assert answers.pop()[0] == DENIED


def test_a_code_bears_five_wrong_tries(guessed):
    pair = pairing(guessed)
    code = guessed.invite().code
    assert {status_of(pair, wrong(code)) for _ in range(4)} == {DENIED}
    pair(code)
    code = guessed.invite().code
    refusals = {refusal_of(pair, wrong(code)) for _ in range(5)}
    assert len(refusals) == 1
    assert refusal_of(pair, code) in refusals, (
        "the right code comes too late, and looks no different"
    )


def test_guessing_is_slowed_down(guessed):
    pair = pairing(guessed)
    answers = []
    # 200 in a row, and one more for each second that this takes.
    while not answers or answers[-1] == DENIED and len(answers) < 1000:
        answers.append(status_of(pair, "BBBB-BBBBBBBB"))
    assert answers[-1] == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert len(answers) > 200
    guessed.exchange()


@pytest.mark.parametrize("is_trusted", [True, False])
def test_behind_a_trusted_proxy_guesses_count_for_whoever_makes_them(
    binaries, tmp_path, is_trusted
):
    daemon = Daemon(binaries, tmp_path)
    daemon.start(more=["--trusted-proxy", "127.0.0.1"] if is_trusted else [])
    try:
        with open_channel(daemon.address) as channel:
            stub = devices_pb2_grpc.DevicesStub(channel)

            def pair(code, said):
                request = devices_pb2.PairRequest(code=code, device_name="somebody")
                metadata = [("x-forwarded-for", said)]
                return stub.Pair(request, metadata=metadata, timeout=CALL_SECONDS)

            # The first entries of the header are the caller's own claims.
            guesses = [
                status_of(pair, "BBBB-BBBBBBBB", f"198.51.100.{number}, 203.0.113.7")
                for number in range(8)
            ]
            slowed = grpc.StatusCode.RESOURCE_EXHAUSTED
            assert guesses == [DENIED] * 6 + [slowed if is_trusted else DENIED] * 2
            _, code = daemon.add_account()
            if is_trusted:
                assert status_of(pair, code, "203.0.113.7") == slowed
            assert pair(code, "203.0.113.8").replica != 0
    finally:
        assert daemon.stop() == 0, daemon.log_tail()
