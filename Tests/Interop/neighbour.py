# SPDX-License-Identifier: Apache-2.0
"""An account that another one is to learn nothing of: what it holds, and all the server holds of it."""

import contextlib
import itertools
import sqlite3

from google.protobuf.descriptor import FieldDescriptor

from atrest.sync.v1 import devices_pb2, devices_pb2_grpc, entitlements_pb2, entitlements_pb2_grpc
from atrest.sync.v1 import records_pb2
from harness import CALL_SECONDS, Device
from values import DELETED, clock, entitlement, intake, new_id, offer, preference, record, session
from values import text, water

# Tables of the server that belong to no account. A new table must be added here or name its
# account.
COMMON_TABLES = {"meta"}
# KIND_CODE_REFUSED: a wrong code is recorded for the account that its handle belongs to.
CODE_REFUSED = 4


class Neighbour:
    """Two devices, one that was sent away, and records of every kind, each with something to recognise it by."""

    def __init__(self, daemon, channel, name, random):
        self.daemon = daemon
        self.name = f"canary-{name}-{random.getrandbits(64):x}"
        _, code = daemon.add_account(self.name)
        self.phone = Device.pair(channel, code, self._secret(random))
        self.tablet = Device.pair(channel, self.phone.invite().code, self._secret(random))
        self.gone = Device.pair(channel, self.phone.invite().code, self._secret(random))
        self.secrets = [
            self.name.encode(),
            *(device.token[16:].encode() for device in (self.phone, self.tablet, self.gone)),
        ]
        self._write(random)
        self.phone.revoke(self.gone.replica)
        self.code = self.phone.invite().code
        self._have_a_pending_device(channel, random)
        self.cursor = self.phone.exchange().cursor
        stub = entitlements_pb2_grpc.EntitlementsStub(channel)
        answer = stub.Get(
            entitlements_pb2.EntitlementsGetRequest(),
            metadata=self.phone.metadata,
            timeout=CALL_SECONDS,
        )
        self.app_account_token = answer.app_account_token
        self.secrets += [
            answer.app_account_token,
            self.code[5:].encode(),
            *(device.name.encode() for device in self.phone.list()),
            *self.phone.all_records(),
            *(value for value in self.values if len(value) > 3),
        ]
        # A purchase may be submitted for several accounts, so its owner knows the statement
        # already.
        known = [self.fact.SerializeToString(), self.fact.registers[0].value]
        self.secrets = [secret for secret in self.secrets if secret not in known]
        self.keys = [
            record.kind.to_bytes(4, "big") + record.id
            for record in map(records_pb2.Record.FromString, self.phone.all_records())
        ]

    @staticmethod
    def _secret(random):
        return f"canary-{random.getrandbits(96):x}"

    def _write(self, random):
        me, other = self.phone.replica, self.tablet.replica
        glass, undone = new_id(), new_id()
        self.fact = entitlement(str(random.getrandbits(60)), note=self._secret(random))
        self.setting = preference(me, value=self._secret(random))
        # An amount and a time in milliseconds that no other account has.
        mine = [
            session(me),
            water(me, id=glass, millilitres=1234),
            record(2, undone, {1: DELETED, 2: intake(millilitres=4321)}, (clock(), me)),
            record(4711, new_id(), {2: text(self._secret(random))}, (clock(), me)),
            self.setting,
            self.fact,
        ]
        self.values = [r.value for record in mine for r in record.registers if r.value != DELETED]
        self.phone.exchange(offers=[offer(record) for record in mine])
        # Concurrent with the phone's write, so one of the two goes to the journal.
        late = water(other, id=glass, millilitres=2345, at=clock() - (5 << 16))
        self.tablet.exchange(offers=[offer(late)])
        self.values += [r.value for r in late.registers if r.value]

    def _have_a_pending_device(self, channel, random):
        """Somebody with the right code, whom only this account may let in."""
        request = devices_pb2.PairRequest(
            code=self.phone.invite(approval=True).code,
            device_name=self._secret(random),
            nonce=random.randbytes(32),
        )
        self.waiting = devices_pb2_grpc.DevicesStub(channel).Pair.future(request, timeout=120)
        self.secrets.append(request.device_name.encode())
        while not (waiting := self._pending_devices()):
            assert not self.waiting.done()
        (self.pending_device,) = waiting

    def _pending_devices(self):
        answer = self.phone.devices.ListPendingDevices(
            devices_pb2.ListPendingDevicesRequest(), metadata=self.phone.metadata, timeout=CALL_SECONDS
        )
        return list(answer.pending_devices)

    def let_in(self):
        """Decides for the pending device, and returns its answer."""
        self.phone.devices.ResolvePendingDevice(
            devices_pb2.ResolvePendingDeviceRequest(handle=self.pending_device.handle, allow=True),
            metadata=self.phone.metadata,
            timeout=CALL_SECONDS,
        )
        return self.waiting.result(timeout=CALL_SECONDS)

    def stored(self, folder):
        """Every row that the server keeps of the account, but for what notes that somebody guesses at its code."""
        file = folder / f"backup-{next(_numbers)}.db"
        done = self.daemon.admin("backup", "--to", str(file))
        assert done.returncode == 0, done.stderr
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.row_factory = sqlite3.Row
            tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            tables = {row[0] for row in tables if not row[0].startswith("sqlite_")} - COMMON_TABLES
            found = database.execute("SELECT id FROM account WHERE name = ?", [self.name])
            (account,) = found.fetchone()
            rows = []
            for table in sorted(tables):
                columns = {row["name"] for row in database.execute(f"PRAGMA table_info({table})")}
                key = "id" if table == "account" else "account"
                assert key in columns, f"whose are the rows of {table}?"
                for row in database.execute(f"SELECT * FROM {table} WHERE {key} = ?", [account]):
                    if table == "event" and row["kind"] == CODE_REFUSED:
                        continue
                    values = {name: row[name] for name in row.keys() if name != "tries_left"}
                    rows.append((table, sorted(values.items(), key=str)))
            return sorted(rows, key=str)

    def seen(self):
        """Everything its devices see. Takes part in no comparison of what is stored: calling leaves traces."""
        devices = [(d.replica, d.name, d.paired_ms, d.revoked_ms) for d in self.phone.list()]
        waiting = [pending_device.SerializeToString() for pending_device in self._pending_devices()]
        return devices, waiting, self.tablet.all_records(), self.phone.exchange().cursor


class Mixer:
    """Makes requests out of what one account knows of another: ids, places, handles, never what they stand for."""

    def __init__(self, random, theirs, mine):
        self.random = random
        self.theirs = theirs
        self.mine = mine
        self.numbers = [
            theirs.phone.replica,
            theirs.tablet.replica,
            theirs.gone.replica,
            theirs.pending_device.handle,
            theirs.cursor.commit,
            theirs.cursor.sequence,
            theirs.cursor.sequence + 1,
            0,
            1,
            2**63,
            2**64 - 1,
        ]
        fact = theirs.fact.registers[0].value
        replicas = [n.to_bytes(8, order) for n in self.numbers[:3] for order in ("big", "little")]
        self.chunks = [
            *theirs.keys,
            *(key[4:] for key in theirs.keys),
            *replicas,
            fact,
            b"",
            b"\xff",
        ]
        self.texts = [theirs.code[:4] + "-BBBBBBBB", theirs.name, f"{theirs.phone.replica:016x}", "x", ""]

    def token(self):
        """Mine, mostly; else one that looks like theirs."""
        secret = f"{self.random.getrandbits(256):064x}"
        replica = f"{self.random.choice(self.numbers[:3]):016x}"
        forged = [replica + self.mine.token[16:], replica + secret, self.mine.token[:16] + secret]
        return self.mine.token if self.random.randrange(8) else self.random.choice(forged)

    def fill(self, message, depth=0):
        """Sets some of a message's fields, whatever message it is."""
        for field in message.DESCRIPTOR.fields:
            repeated = field.is_repeated
            for _ in range(self.random.randrange(4) if repeated else self.random.randrange(2)):
                self._set(message, field, repeated, depth)
        return message

    def _set(self, message, field, repeated, depth):
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            inner = getattr(message, field.name)
            if depth < 5:
                self.fill(inner.add() if repeated else inner, depth + 1)
                if not repeated:
                    inner.SetInParent()
            return
        value = self._value(field)
        if repeated:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)

    def _value(self, field):
        pick = self.random.choice
        if field.type == FieldDescriptor.TYPE_ENUM:
            return pick(field.enum_type.values).number
        if field.type == FieldDescriptor.TYPE_BYTES:
            return pick(self.chunks)
        if field.type == FieldDescriptor.TYPE_STRING:
            return pick(self.texts)
        if field.type == FieldDescriptor.TYPE_BOOL:
            return bool(self.random.randrange(2))
        number = pick(self.numbers)
        if field.type in (FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_SINT64):
            return number - 2**64 if number >= 2**63 else number
        if field.type in (FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_FIXED32):
            return number & 0xFFFFFFFF
        if field.type in (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_SINT32):
            return number & 0x7FFFFFFF
        return number


_numbers = itertools.count(1)
