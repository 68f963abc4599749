# SPDX-License-Identifier: Apache-2.0
"""The daemon as a process, and devices that call it with grpcio."""

import itertools
import os
import re
import select
import signal
import subprocess
import time

import grpc

from atrest.internal.v1 import pages_pb2
from atrest.sync.v1 import accounts_pb2_grpc, devices_pb2, devices_pb2_grpc, sync_pb2, sync_pb2_grpc

CALL_SECONDS = 10
CODE = re.compile(r"\b[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{8}\b")
MESSAGE_LIMIT = 256 * 1024


def open_channel(address, compression=None):
    """A connection of its own: not shared with other channels, and not through a proxy."""
    return grpc.insecure_channel(
        address,
        options=[("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0)],
        compression=compression,
    )


class Daemon:
    """One atrest-syncd with its own data directory."""

    def __init__(self, binaries, directory):
        self.program = str(binaries / "atrest-syncd")
        self.data = str(directory / "data")
        self.log = directory / "log.txt"
        self.process = None
        self.address = None
        self._names = itertools.count(1)

    def start(self, listen="127.0.0.1:0", more=(), env=None, insecure=True):
        """Starts it and waits for the line that names its address."""
        command = [self.program, "serve", "--data", self.data, "--listen", listen, *more]
        command += ["--insecure"] if insecure else []
        with open(self.log, "ab") as log:
            # setpriv: the daemon dies with this process, even if that is killed.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **(env or {})},
            )
        line = self._first_line(seconds=20)
        match = re.fullmatch(r"atrest-syncd listening on (\S+:\d+)\n", line)
        if not match:
            self.stop()
            raise AssertionError(f"the first line was {line!r}; the log ends: {self.log_tail()}")
        self.address = match[1]

    def _first_line(self, seconds):
        until, line = time.monotonic() + seconds, b""
        descriptor = self.process.stdout.fileno()
        while not line.endswith(b"\n"):
            left = max(0, until - time.monotonic())
            if not select.select([descriptor], [], [], left)[0]:
                break
            byte = os.read(descriptor, 1)
            if not byte:
                break
            line += byte
        return line.decode(errors="replace")

    def stop(self):
        """Ends it as a service manager would. Returns its exit status."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = "did not stop"
        process.stdout.close()
        return status

    def log_tail(self):
        return self.log.read_text(errors="replace")[-2000:]

    def admin(self, *arguments):
        """Runs an owner's command, as a person would."""
        return subprocess.run(
            [self.program, *arguments, "--data", self.data],
            capture_output=True,
            text=True,
            timeout=20,
        )

    def add_account(self, name=None):
        """Makes an account. Returns its name and the code of its pairing link."""
        name = name or f"account-{os.getpid()}-{next(self._names)}"
        done = self.admin("account", "add", name)
        assert done.returncode == 0, done.stderr
        return name, CODE.search(done.stdout)[0]

    def new_account(self, channel, device_name="first"):
        """Makes an account. Returns its first device."""
        _, code = self.add_account()
        return Device.pair(channel, code, device_name)


class Device:
    """A paired device: its identity, its token, and its calls."""

    def __init__(self, channel, answer):
        self.replica = answer.replica
        self.token = answer.token
        self.account_name = answer.account_name
        self.on(channel)

    def on(self, channel):
        """Makes the calls on another channel from now on."""
        self.channel = channel
        self.sync = sync_pb2_grpc.SyncStub(channel)
        self.devices = devices_pb2_grpc.DevicesStub(channel)
        self.accounts = accounts_pb2_grpc.AccountsStub(channel)
        self._raw_exchange = channel.unary_unary("/atrest.sync.v1.Sync/Exchange")
        return self

    @property
    def metadata(self):
        return [("authorization", f"Bearer {self.token}")]

    @staticmethod
    def pair(channel, code, name):
        request = devices_pb2.PairRequest(code=code, device_name=name)
        stub = devices_pb2_grpc.DevicesStub(channel)
        return Device(channel, stub.Pair(request, timeout=CALL_SECONDS))

    def invite(self, approval=False):
        """A code; without `approval` whoever has it joins at once."""
        return self.devices.Invite(
            devices_pb2.InviteRequest(without_approval=not approval),
            metadata=self.metadata,
            timeout=CALL_SECONDS,
        )

    def add_device(self, name):
        """Pairs another device of the same account."""
        return Device.pair(self.channel, self.invite().code, name)

    def list(self):
        answer = self.devices.List(
            devices_pb2.DevicesListRequest(), metadata=self.metadata, timeout=CALL_SECONDS
        )
        return list(answer.devices)

    def revoke(self, replica, with_descendants=False):
        return self.devices.Revoke(
            devices_pb2.DevicesRevokeRequest(replica=replica, with_descendants=with_descendants),
            metadata=self.metadata,
            timeout=CALL_SECONDS,
        )

    def exchange(self, cursor=None, offers=(), compression=None):
        request = sync_pb2.ExchangeRequest(cursor=cursor, offers=offers)
        return self.sync.Exchange(
            request, metadata=self.metadata, timeout=CALL_SECONDS, compression=compression
        )

    def exchange_bytes(self, request, compression=None):
        """The same with the bytes of both messages."""
        return self._raw_exchange(
            request, metadata=self.metadata, timeout=CALL_SECONDS, compression=compression
        )

    def pages(self, cursor=None, compression=None):
        """Everything after a cursor: the answers as they came, with records left encoded."""
        while True:
            request = sync_pb2.ExchangeRequest(cursor=cursor).SerializeToString()
            answer = self.exchange_bytes(request, compression)
            assert len(answer) <= MESSAGE_LIMIT
            page = pages_pb2.ExchangeResponsePage.FromString(answer)
            yield page
            if not page.more:
                return
            assert page.records, "a page that says there is more must bring something"
            cursor = page.cursor

    def all_records(self, cursor=None):
        """The encoded records after a cursor."""
        return [record for page in self.pages(cursor) for record in page.records]

    def watch(self, cursor=None, timeout=20):
        return self.sync.Watch(
            sync_pb2.WatchRequest(cursor=cursor), metadata=self.metadata, timeout=timeout
        )


def status_of(call, *arguments, **options):
    """The status a call is refused with; fails if it is not."""
    try:
        answer = call(*arguments, **options)
        if hasattr(answer, "__next__"):
            next(answer)
    except grpc.RpcError as error:
        return error.code()
    raise AssertionError("the call was not refused")


def refusal_of(call, *arguments, **options):
    """The status and the sentence a call is refused with."""
    try:
        call(*arguments, **options)
    except grpc.RpcError as error:
        return error.code(), error.details()
    raise AssertionError("the call was not refused")
