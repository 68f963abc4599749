# SPDX-License-Identifier: Apache-2.0
"""What a device of one account can do with everything it knows of another one's: nothing.

Every method that devices may call takes part; one that is new fails a test until the table below has it.
`SYNC_SEED=0x2a Tests/Interop/run -k neighbours` replays a failure; SYNC_CASES asks for more calls.
"""

import dataclasses
import os
import pathlib
import random
import typing

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from atrest.sync.v1 import devices_pb2, entitlements_pb2, records_pb2, sync_pb2
from harness import Daemon, Device, open_channel
from neighbour import Mixer, Neighbour
from values import clock, offer, record, water
from wire import Wire

REPLAY = os.environ.get("SYNC_SEED")
SEEDS = [int(REPLAY, 0)] if REPLAY else [1, 2, 3]
CALLS = int(os.environ.get("SYNC_CASES", "300"))
CALL_SECONDS = 5
FORBIDDEN = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.DATA_LOSS}


# The request generators of methods. Without one, a method's requests are filled with the
# neighbour's known values, which suffices for most methods.


def exchange(mixer):
    """Offers of the neighbour's records, by ids, in the neighbour's name or in one's own."""
    request = mixer.fill(sync_pb2.ExchangeRequest())
    if mixer.random.randrange(4) == 0:
        return request
    del request.offers[:]
    request.ClearField("segment")
    for key in mixer.random.sample(mixer.theirs.keys, 3):
        replica = mixer.random.choice([mixer.mine.replica, *mixer.numbers[:3]])
        kind, id = int.from_bytes(key[:4], "big"), key[4:]
        plain = record(kind, id, {2: b"\x10\x01"}, (clock(), replica))
        request.offers.append(offer(water(replica, id=id) if kind == 2 else plain))
    request.offers.append(offer(mixer.theirs.fact))
    return request


def reconcile(mixer):
    """Asks for everything, or for ranges around the neighbour's keys."""
    request = sync_pb2.ReconcileRequest()
    if mixer.random.randrange(2):
        request.last_known_head.commit = mixer.random.getrandbits(64)
        request.last_known_head.sequence = mixer.random.randrange(9)
    for key in sorted(mixer.random.sample(mixer.theirs.keys, mixer.random.randrange(3))):
        request.ranges.add(end=key, mode=mixer.random.choice([0, 1, 2]))
    last = request.ranges.add(mode=mixer.random.choice([1, 2]))
    if last.mode == 2 and len(request.ranges) == 1:
        for key in sorted(mixer.theirs.keys):
            last.items.add(key=key, fingerprint=mixer.random.getrandbits(64))
    return request


def submit(mixer):
    """The neighbour's own purchase."""
    fact = records_pb2.Entitlement.FromString(mixer.theirs.fact.registers[0].value)
    return entitlements_pb2.EntitlementsSubmitRequest(
        signed_transaction=fact.signed_transaction, transfer=bool(mixer.random.randrange(2))
    )


def pair(mixer):
    """The neighbour's handle, which is no secret, with a secret that is wrong."""
    return devices_pb2.PairRequest(code=mixer.texts[0], device_name="stranger")


@dataclasses.dataclass
class Entry:
    """One method.

    `make` builds a request. `calls` says how often at most, where the server counts. `open` is what needs no token.
    `refused` says that it is never done, whatever the caller knows of the neighbour.
    """

    make: typing.Callable = None
    calls: int = 10**9
    open: bool = False
    refused: bool = False


TABLE = {
    "/atrest.sync.v1.Sync/Exchange": Entry(exchange),
    # A stream here ends with a reset, and a connection may have a hundred of those per minute.
    "/atrest.sync.v1.Sync/Watch": Entry(calls=40),
    "/atrest.sync.v1.Sync/Reconcile": Entry(reconcile),
    "/atrest.sync.v1.Devices/Pair": Entry(pair, calls=2, open=True, refused=True),
    "/atrest.sync.v1.Devices/Invite": Entry(),
    "/atrest.sync.v1.Devices/Renew": Entry(calls=20),
    "/atrest.sync.v1.Devices/List": Entry(),
    "/atrest.sync.v1.Devices/Revoke": Entry(refused=True),
    "/atrest.sync.v1.Devices/ListPendingDevices": Entry(),
    "/atrest.sync.v1.Devices/ResolvePendingDevice": Entry(refused=True),
    "/atrest.sync.v1.Devices/Rename": Entry(refused=True),
    "/atrest.sync.v1.Accounts/Get": Entry(),
    "/atrest.sync.v1.Accounts/Delete": Entry(refused=True),
    "/atrest.sync.v1.Accounts/Events": Entry(),
    "/atrest.sync.v1.Entitlements/Submit": Entry(submit, refused=True),
    "/atrest.sync.v1.Entitlements/Get": Entry(),
    "/grpc.health.v1.Health/List": Entry(open=True),
    "/atrest.sync.v1.Server/ServerInfo": Entry(),
    "/grpc.health.v1.Health/Check": Entry(open=True),
    "/grpc.health.v1.Health/Watch": Entry(calls=40, open=True),
}

# Packages on the operator's socket only, and messages without a service.
ELSEWHERE = ("atrest.admin.", "atrest.internal.")


@dataclasses.dataclass
class Method:
    path: str
    request: type
    is_stream: bool


def methods():
    """Every method of the contract that devices may call."""
    files = descriptor_pb2.FileDescriptorSet()
    files.ParseFromString(pathlib.Path(os.environ["ATREST_DESCRIPTORS"]).read_bytes())
    # A separate pool: some of the files are in the default one under other names.
    pool = descriptor_pool.DescriptorPool()
    found = []
    for file in files.file:
        pool.Add(file)
        for service in file.service:
            if file.package.startswith(ELSEWHERE):
                continue
            for method in service.method:
                request = pool.FindMessageTypeByName(method.input_type[1:])
                found.append(
                    Method(
                        f"/{file.package}.{service.name}/{method.name}",
                        message_factory.GetMessageClass(request),
                        method.server_streaming,
                    )
                )
    return found


def test_every_method_takes_part():
    assert sorted(TABLE) == sorted(method.path for method in methods())


@pytest.fixture(scope="module")
def server(binaries, tmp_path_factory):
    """A daemon of its own: wrong pairing codes are counted for a whole server."""
    daemon = Daemon(binaries, tmp_path_factory.mktemp("accounts"))
    daemon.start()
    yield daemon
    assert daemon.stop() == 0, daemon.log_tail()


@pytest.fixture
def line(server):
    with open_channel(server.address) as channel:
        yield channel


class Intruder:
    """Calls everything, and looks at everything that comes back."""

    def __init__(self, daemon, channel, seed):
        self.daemon, self.channel = daemon, channel
        self.random = random.Random(seed)
        self.theirs = Neighbour(daemon, channel, "b", self.random)
        self.mine = daemon.new_account(channel)
        self.mixer = Mixer(self.random, self.theirs, self.mine)
        self.left = {path: entry.calls for path, entry in TABLE.items()}
        self.statuses = {}

    def call(self, method):
        entry = TABLE[method.path]
        if self.left[method.path] == 0:
            return
        self.left[method.path] -= 1
        request = entry.make(self.mixer) if entry.make else self.mixer.fill(method.request())
        token = self.mixer.token()
        kind = self.channel.unary_stream if method.is_stream else self.channel.unary_unary
        call = kind(method.path)
        metadata = [("authorization", f"Bearer {token}")]
        body = request.SerializeToString()
        try:
            if method.is_stream:
                stream = call(body, metadata=metadata, timeout=CALL_SECONDS)
                answers = [next(stream)]
                metadata = stream.initial_metadata()
                stream.cancel()
            else:
                answer, done = call.with_call(body, metadata=metadata, timeout=CALL_SECONDS)
                answers, metadata = [answer], [*done.initial_metadata(), *done.trailing_metadata()]
            status = grpc.StatusCode.OK
        except grpc.RpcError as error:
            status = error.code()
            answers = [(error.details() or "").encode()]
            metadata = [*(error.initial_metadata() or ()), *(error.trailing_metadata() or ())]
        self.statuses.setdefault(method.path, set()).add(status)
        assert status not in FORBIDDEN, (method.path, status)
        heard = b"\0".join([*answers, *(repr(field).encode() for field in metadata)])
        for secret in self.theirs.secrets:
            assert secret not in heard or secret in body, f"{method.path} told a secret: {request}"


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"SYNC_SEED={seed:#x}")
def test_a_device_learns_and_changes_nothing_of_another_account(server, line, tmp_path, seed):
    intruder = Intruder(server, line, seed)
    theirs = intruder.theirs
    watch = intruder.mine.watch(theirs.cursor, timeout=40)
    next(watch)
    before = theirs.seen()
    stored = theirs.stored(tmp_path)
    everything = methods()
    for method in everything:
        for _ in range(3):
            intruder.call(method)
    for _ in range(CALLS):
        intruder.call(intruder.random.choice(everything))
    assert theirs.stored(tmp_path) == stored
    assert theirs.seen() == before
    # Each permitted call succeeded at least once, so the calls are meaningful.
    done = {path for path, seen in intruder.statuses.items() if grpc.StatusCode.OK in seen}
    assert done == {path for path, entry in TABLE.items() if not entry.refused}
    # A stream of one account reports nothing of another account's commits.
    late = water(theirs.phone.replica, millilitres=1111)
    theirs.phone.exchange(offers=[offer(late)])
    mine = water(intruder.mine.replica, millilitres=999)
    intruder.mine.exchange(offers=[offer(mine)])
    for event in watch:
        heard = event.SerializeToString()
        assert all(secret not in heard for secret in [late.id, *theirs.secrets])
        if mine in event.records:
            break
    watch.cancel()
    # The neighbour's invitations still work.
    assert theirs.let_in().account_name == theirs.name
    assert Device.pair(line, theirs.code, "guest").account_name == theirs.name


# Unauthenticated callers.


@pytest.fixture(scope="module")
def nobodies(server):
    """Tokens that open nothing, each for a reason of its own."""
    with open_channel(server.address) as line:
        return tokens_of_nobody(server, line)


def tokens_of_nobody(server, line):
    rng = random.Random(7)
    theirs = Neighbour(server, line, "c", rng)
    mine = server.new_account(line)
    removed = server.new_account(line)
    done = server.admin("account", "remove", removed.account_name, "--yes")
    assert done.returncode == 0, done.stderr
    secret = f"{rng.getrandbits(256):064x}"
    return {
        "no device has it": f"{rng.getrandbits(63):016x}" + secret,
        "device 0": "0" * 16 + secret,
        "wrong secret": mine.token[:16] + secret,
        "another account's device, own secret": theirs.phone.token[:16] + mine.token[16:],
        "own device, another account's secret": mine.token[:16] + theirs.phone.token[16:],
        "a device that was sent away": theirs.gone.token,
        "an account that was removed": removed.token,
        "too short": mine.token[:-1],
        "no token at all": "x",
    }


@pytest.mark.parametrize("method", [m for m in TABLE if not TABLE[m].open])
def test_whoever_is_nobody_hears_one_answer_before_a_body_is_read(server, nobodies, method):
    heard = {}
    with Wire(server.address).handshake() as wire:
        for reason, token in nobodies.items():
            # Only headers: the request never ends, and its body never begins.
            stream = wire.start(method, authorization=f"Bearer {token}")
            answer = wire.await_end(stream)
            heard[reason] = (answer.headers, answer.trailers, answer.body, answer.is_headers_only)
    first = heard["no device has it"]
    assert first[0]["grpc-status"] == "16" and first[2] == b"" and first[3]
    assert {reason: answer for reason, answer in heard.items() if answer != first} == {}
