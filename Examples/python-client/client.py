#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A complete client of Atrest Sync: a replica in one JSON file that notes water, offline, and syncs.

  client.py FILE pair LINK NAME      joins an account
  client.py FILE add MILLILITRES     notes a drink; needs no network
  client.py FILE delete ID           takes one away
  client.py FILE list                what this replica holds
  client.py FILE sync                exchanges until nothing is left
  client.py FILE watch [SECONDS]     stays in step

It is explained in docs/protocol/write-a-client.md, step by step. Run it from a folder with the modules that
`python -m grpc_tools.protoc` makes of Protos/.
"""

import hashlib
import json
import os
import secrets
import socket
import ssl
import sys
import time
import uuid

import grpc
from atrest.sync.v1 import devices_pb2 as devices
from atrest.sync.v1 import devices_pb2_grpc
from atrest.sync.v1 import records_pb2 as records
from atrest.sync.v1 import sync_pb2 as sync
from atrest.sync.v1 import sync_pb2_grpc

DELETED, INTAKE, FLOOR = 1, 2, 15
OFFERS = 100  # A server takes 1,000, and 256 KiB; these fit easily.


# Merging: docs/protocol/merge.md


def stamp_of(register):
    return register.stamp.clock, register.stamp.replica


def order(register):
    """Of two registers of a field the greater survives."""
    replaced = register.replaced if register.HasField("replaced") else None
    rank = (1, replaced.clock, replaced.replica) if replaced else (0, 0, 0)
    held = [(stamp.clock, stamp.replica) for stamp in register.held_stamps]
    return (*stamp_of(register), register.value, rank, held)


def held(record):
    """What a deletion tells that its writer had: the newest 64 stamps of the record."""
    stamps = {}
    for register in record.registers:
        had = [register.replaced] if register.HasField("replaced") else []
        for stamp in [register.stamp, *had, *register.held_stamps]:
            stamps[stamp.clock, stamp.replica] = stamp
    return [stamps[key] for key in sorted(stamps)[-64:]]


def merged(mine, theirs):
    """Two copies of a record as one: in any order, any number of times."""
    copies = [{register.field: register for register in copy.registers} for copy in (mine, theirs)]
    floors = [order(copy[FLOOR]) if FLOOR in copy else () for copy in copies]
    if floors[0] != floors[1]:
        return mine if floors[0] > floors[1] else theirs  # That copy was pruned since.
    result = {}
    for copy in copies:
        for number, register in copy.items():
            if number not in result or order(register) > order(result[number]):
                result[number] = register
    kept = [result[number] for number in sorted(result)]
    return records.Record(kind=mine.kind, id=mine.id, registers=kept)


def served_certificate(address):
    """What a server shows. Nothing is believed here, and nothing is sent: the caller compares it."""
    host, port = address.rsplit(":", 1)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    with socket.create_connection((host.strip("[]"), int(port)), timeout=10) as raw:
        with context.wrap_socket(raw) as connection:
            return connection.getpeercert(binary_form=True)


class Replica:
    """Everything is in one file, which is replaced whole: that is its transaction."""

    def __init__(self, path):
        self.path = path
        # `outbox`: offers in order, each with its number once it was sent. `tokens`: each with the
        # greatest number given by then. `taken`: up to which number the server took the outbox.
        self.state = {"records": {}, "outbox": [], "refused": [], "tokens": [], "clock": 0}
        self.state |= {"cursor": "", "head": "", "taken": 0, "given": 0, "confirmed": 0}
        if os.path.exists(path):
            with open(path) as file:
                self.state = json.load(file)

    def save(self):
        draft = self.path + ".new"
        with open(draft, "w") as file:
            json.dump(self.state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self.path)

    # Writing: never waits, never asks

    def tick(self):
        """The hybrid logical clock: 48 bits of milliseconds above 16 bits of a counter."""
        now = time.time_ns() // 1_000_000 << 16
        self.state["clock"] = max(self.state["clock"] + 1, now)
        return self.state["clock"]

    def record(self, key):
        stored = self.state["records"].get(key)
        return records.Record.FromString(bytes.fromhex(stored)) if stored else None

    def write(self, kind, id, fields):
        """Writes fields with one stamp, over what was there, and queues the whole record."""
        key = f"{kind}/{id.hex()}"
        old = self.record(key) or records.Record(kind=kind, id=id)
        registers = {register.field: register for register in old.registers}
        stamp = records.Stamp(clock=self.tick(), replica=self.state["replica"])
        for number, value in fields.items():
            before = registers.get(number)
            register = records.Register(field=number, stamp=stamp, value=value)
            if before:
                register.replaced.CopyFrom(before.stamp)
            if number == DELETED and value:
                register.held_stamps.extend(held(old))
            registers[number] = register
        new = records.Record(kind=kind, id=id, registers=[registers[n] for n in sorted(registers)])
        self.store(new)
        offer = sync.Offer(record=new, written_fields=sorted(fields))
        self.state["outbox"].append({"offer": offer.SerializeToString().hex(), "number": None})
        self.save()

    def store(self, record):
        key = f"{record.kind}/{record.id.hex()}"
        mine = self.record(key)
        result = merged(mine, record) if mine else record
        self.state["records"][key] = result.SerializeToString(deterministic=True).hex()
        for register in record.registers:
            if record.kind != records.KIND_ENTITLEMENT:  # Facts have times of their own.
                self.state["clock"] = max(self.state["clock"], register.stamp.clock)

    # Talking

    def channel(self):
        """A link names the server's certificate by its hash, or trusts the system's authorities."""
        address, trust = self.state["address"], self.state["trust"]
        if trust is None:
            return grpc.insecure_channel(address)
        if trust == "ca":
            return grpc.secure_channel(address, grpc.ssl_channel_credentials())
        certificate = served_certificate(address)
        if hashlib.sha256(certificate).hexdigest() != trust:
            sys.exit("This is another server than the link named.")
        # The one certificate that the connection accepts; every server's own is for this name, too.
        pem = ssl.DER_cert_to_PEM_cert(certificate).encode()
        credentials = grpc.ssl_channel_credentials(root_certificates=pem)
        return grpc.secure_channel(
            address, credentials, [("grpc.ssl_target_name_override", "atrest")]
        )

    @property
    def metadata(self):
        return [("authorization", f"Bearer {self.state['token']}")]

    def pair(self, link, name):
        """The nonce is durable first: a call that was cut off is repeated with the same result."""
        if self.state.get("link") != link:
            *place, code = link.removeprefix("atrest://").split("/")
            address, trust = (*place, None)[:2]
            self.state |= {"link": link, "address": address, "trust": trust, "code": code}
            self.state["nonce"] = secrets.token_hex(32)
            self.save()
        nonce = bytes.fromhex(self.state["nonce"])
        request = devices.PairRequest(code=self.state["code"], device_name=name, nonce=nonce)
        with self.channel() as channel:
            answer = devices_pb2_grpc.DevicesStub(channel).Pair(request, timeout=360)
        self.state |= {"replica": answer.replica, "token": answer.token}
        self.save()

    def waiting(self):
        """The offers that the server has not taken. The others stay until they are settled."""
        taken = self.state["taken"]
        return [entry for entry in self.state["outbox"] if (entry["number"] or taken + 1) > taken]

    def page(self):
        """The next request. New offers get numbers, under a token that is drawn and durable first."""
        state, waiting = self.state, self.waiting()[:OFFERS]
        if any(entry["number"] is None for entry in waiting):
            for entry in waiting:
                if entry["number"] is None:
                    state["given"] += 1
                    entry["number"] = state["given"]
            state["tokens"].append([secrets.randbits(63) + 1, state["given"]])
            self.save()
        request = sync.ExchangeRequest(device_time_ms=time.time_ns() // 1_000_000)
        if state["cursor"]:
            request.cursor.ParseFromString(bytes.fromhex(state["cursor"]))
        if state["head"]:  # A pull is under way.
            request.last_known_head.ParseFromString(bytes.fromhex(state["head"]))
        previous = state["taken"]
        for entry in waiting:
            request.offers.append(sync.Offer.FromString(bytes.fromhex(entry["offer"])))
            request.segment.steps.append(entry["number"] - previous)
            previous = entry["number"]
        if state["outbox"]:
            request.segment.confirmed = state["confirmed"]
            request.segment.confirmed_number = state["taken"]
            request.segment.token = state["tokens"][-1][0]
            request.segment.settled_through = state["taken"]
        return request, waiting

    def exchange(self, stub):
        """One round. True if there is more to do."""
        request, sent = self.page()
        answer = stub.Exchange(request, metadata=self.metadata, timeout=30)
        if request.HasField("segment"):
            taken = answer.taken_through
            known = {token: given for token, given in self.state["tokens"]}
            if taken.token and known.get(taken.token, -1) < taken.number:
                return self.renew(stub)
            refusals = {refusal.index: refusal for refusal in answer.refusals}
            for index, entry in enumerate(sent):
                if entry["number"] <= taken.number and index in refusals:
                    self.state["outbox"].remove(entry)
                    reason = [refusals[index].reason, refusals[index].message]
                    self.state["refused"].append([entry["offer"], *reason])
            # Of offers beyond those in this request no verdict is known.
            last = sent[-1]["number"] if sent else self.state["taken"]
            self.state |= {"taken": min(taken.number, last), "confirmed": taken.token}
        if answer.restarted:
            self.give_back()
        for record in answer.records:
            self.store(record)
        self.state["cursor"] = answer.cursor.SerializeToString().hex()
        self.state["head"] = answer.head.SerializeToString().hex() if answer.more else ""
        if not answer.more:  # All that precedes the head is here: what was taken is settled.
            self.state["outbox"] = self.waiting()
        self.save()
        return answer.more or bool(self.state["outbox"])

    def give_back(self):
        """The server lost something. It sends all it has, and is offered all that is here."""
        waiting = {bytes.fromhex(entry["offer"]) for entry in self.state["outbox"]}
        for stored in self.state["records"].values():
            record = records.Record.FromString(bytes.fromhex(stored))
            if record.kind not in (records.KIND_CONFLICT, records.KIND_ENTITLEMENT):
                offer = sync.Offer(record=record, restored=True).SerializeToString()
                if offer not in waiting:
                    self.state["outbox"].append({"offer": offer.hex(), "number": None})

    def renew(self, stub):
        """This file is a copy, and the original went on: a new identity for what still waits."""
        nonce = bytes.fromhex(self.state.setdefault("renewal", secrets.token_hex(32)))
        self.save()
        stub = devices_pb2_grpc.DevicesStub(stub.channel)
        request = devices.RenewRequest(nonce=nonce)
        answer = stub.Renew(request, metadata=self.metadata, timeout=30)
        old, waiting = self.state["replica"], self.state["outbox"]
        mine = {
            register.stamp.clock
            for entry in waiting
            for offer in [sync.Offer.FromString(bytes.fromhex(entry["offer"]))]
            for register in offer.record.registers
            if register.field in offer.written_fields and register.stamp.replica == old
        }

        def restamp(record):
            for register in record.registers:
                had = [register.replaced] if register.HasField("replaced") else []
                for stamp in [register.stamp, *had, *register.held_stamps]:
                    if stamp.replica == old and stamp.clock in mine:
                        stamp.replica = answer.replica
                ordered = sorted(register.held_stamps, key=lambda stamp: (stamp.clock, stamp.replica))
                del register.held_stamps[:]
                register.held_stamps.extend(ordered)

        for entry in waiting:
            offer = sync.Offer.FromString(bytes.fromhex(entry["offer"]))
            restamp(offer.record)
            entry |= {"offer": offer.SerializeToString().hex(), "number": None}
        for key in self.state["records"]:
            record = self.record(key)
            restamp(record)
            self.state["records"][key] = record.SerializeToString(deterministic=True).hex()
        self.state |= {"replica": answer.replica, "token": answer.token}
        self.state |= {"tokens": [], "taken": 0, "given": 0, "confirmed": 0}
        del self.state["renewal"]
        self.save()
        return True

    def sync(self):
        with self.channel() as channel:
            stub = sync_pb2_grpc.SyncStub(channel)
            stub.channel = channel
            while self.exchange(stub):
                pass

    def watch(self, seconds):
        """Commits as they come. One that does not follow what is here, or any of one's own: exchange."""
        with self.channel() as channel:
            stub = sync_pb2_grpc.SyncStub(channel)
            try:
                for event in stub.Watch(sync.WatchRequest(), metadata=self.metadata, timeout=seconds):
                    if event.after.SerializeToString().hex() == self.state["cursor"]:
                        for record in event.records:
                            self.store(record)
                        self.state["cursor"] = event.cursor.SerializeToString().hex()
                        self.save()
                    elif event.cursor.SerializeToString().hex() != self.state["cursor"]:
                        self.sync()
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise


def drinks(replica):
    for key in sorted(replica.state["records"]):
        record = replica.record(key)
        if record.kind == records.KIND_WATER:
            drink = records.Water.FromString(b"".join(r.value for r in record.registers))
            if not drink.deleted:
                yield record.id, drink.intake


def main(path, command, *words):
    replica = Replica(path)
    if command == "pair":
        replica.pair(*words)
    elif command == "add":
        intake = records.Water.Intake(at_ms=time.time_ns() // 1_000_000, millilitres=int(words[0]))
        fields = {DELETED: b"", INTAKE: records.Water(intake=intake).SerializeToString()}
        replica.write(records.KIND_WATER, uuid.uuid4().bytes, fields)
    elif command == "delete":
        fields = {DELETED: records.Water(deleted=True).SerializeToString()}
        replica.write(records.KIND_WATER, bytes.fromhex(words[0]), fields)
    elif command == "list":
        for id, intake in drinks(replica):
            print(id.hex(), intake.millilitres, "ml")
        for _, reason, message in replica.state["refused"]:
            print("refused:", sync.Refusal.Reason.Name(reason), message)
    elif command == "sync":
        replica.sync()
    elif command == "watch":
        replica.sync()
        replica.watch(float(words[0]) if words else None)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
