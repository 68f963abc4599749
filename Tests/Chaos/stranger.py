# SPDX-License-Identifier: Apache-2.0
"""A device of another make: the model's replica, whose durable outbox is its log. Any moment may be
its last."""

import base64
import copy
import random
import secrets
import time

import grpc

import values
from atrest.sync.v1 import records_pb2, sync_pb2
from harness import open_channel
from model import CONFLICT, Log, Pending, Replica, from_pending, from_segment, to_record
from oplog import FAILED, OK, UNKNOWN, OpLog, lines
from world import device_of

# Status codes that mean that nothing was accepted.
REFUSALS = {
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
}
PAGE = 1000
TOKENS = 1000


class Stranger:
    """Writes to its log what it offers before it offers it, and what came of it after."""

    def __init__(self, address, replica, token, folder, name, *, recent=None, since=None):
        self.address, self.token = address, token
        self.replica = Replica(replica)
        self.recent = recent  # How many of its records it keeps in memory. None: all.
        self.since = cursor_of(since)  # The start of everything that it has to know.
        self.cursor = self.since
        self.unsettled = []  # What the server took since the cursor was at the head.
        self.journal = {}  # What the account's journal showed, by key.
        self.acknowledged = 0
        self.restarts = 0
        self.refused = {}
        self.channel = None
        before = OpLog.lives(folder, name)
        self.log = OpLog.next_life(folder, name)
        for life in reversed(before):
            if self._remember(life):
                break
        self.log.note(state=self._state())
        self.connect()

    # Persistent state.

    def _state(self):
        return {
            "clock": self.replica.clock,
            "cursor": encoded(self.cursor) if self.cursor else None,
            "pending": [[offer_text(p), p.number] for p in self.replica.outbox],
            "log": log_text(self.replica.log),
        }

    def _remember(self, life):
        """Takes up where an earlier life ended. False if that one ended before it began."""
        state, held, tried, log = None, {}, {}, None
        for line in lines(life):
            if "state" in line:
                state = line["state"]
                held, log = dict(state["pending"]), log_of(state["log"])
            elif "try" in line:
                sent = dict(zip(line["offers"], line["numbers"]))
                tried[line["try"]] = sent
                held.update(sent)
                log.last, log.token = max([log.last, *sent.values()]), line["token"]
                log.tokens[log.token] = log.last
            elif "end" in line and line["as"] == OK:
                number, log.confirmed = line["taken"]
                sent = tried.pop(line["end"])
                log.confirmed_number = min(number, max(sent.values(), default=log.confirmed_number))
                for text, given in sent.items():
                    if given <= number:
                        held.pop(text, None)
                state["cursor"] = line["cursor"]
            elif "dropped" in line:
                for text in line["dropped"]:
                    held.pop(text, None)
        if state is None:
            return False
        self.replica.outbox = [pending(text, number) for text, number in held.items()]
        self.replica.log = log
        self.replica.view = {p.key: p.record for p in self.replica.outbox}
        stamps = [r.stamp.clock for p in self.replica.outbox for r in p.record.values()]
        # A clock that never goes back: all earlier times are at most its last line or now.
        self.replica.clock = max([state["clock"], values.clock(), *stamps])
        if self.recent is not None and state["cursor"]:
            self.cursor = cursor_of(state["cursor"])
        return True

    def drop_pending(self):
        """Forgets what waits: whether it was taken stays unknown for ever. Nothing may be lost that
        only this device holds."""
        self.log.note(dropped=[offer_text(p) for p in self.replica.outbox])
        for p in self.replica.outbox:
            self.replica.view.pop(p.key, None)
        self.replica.outbox = []
        self.cursor = self.cursor if self.recent is not None else self.since

    def memory(self):
        """All it knows, for another process to go on with: `remember`."""
        return copy.deepcopy((self.replica, self.journal, self.unsettled)), self.cursor

    def remember(self, memory):
        held, self.cursor = memory
        self.replica, self.journal, self.unsettled = copy.deepcopy(held)

    # Communication.

    def connect(self):
        if self.channel:
            self.channel.close()
        self.channel = open_channel(self.address)
        self.device = device_of(self.replica.replica, self.token, self.channel)

    def close(self):
        self.channel.close()
        self.log.close()

    def exchange(self, limit=PAGE):
        """One attempt with the oldest of the outbox. Returns the answer; raises what gRPC raises."""
        replica = self.replica
        batch = replica.number(limit, secrets.randbits(63) + 1)
        offers = [from_pending(p) for p in batch]
        number = None
        if offers:
            # The offers, their numbers, and the token must be durable before they are sent.
            number = self.log.trying(
                offers=[encoded(o) for o in offers],
                numbers=[p.number for p in batch],
                token=replica.log.token,
            )
        try:
            answer = self._call(batch, offers)
        except grpc.RpcError as error:
            if offers:
                is_refused = error.code() in REFUSALS
                self.log.ended(number, FAILED if is_refused else UNKNOWN, code=error.code().name)
            raise
        refused = {r.index: r.reason for r in answer.refusals}
        position = (answer.taken_through.number, answer.taken_through.token)
        # Offers beyond the position were not judged.
        unread = [i for i, p in enumerate(batch) if p.number > position[0]]
        if offers:
            not_taken = [*refused, *unread]
            cursor = encoded(answer.cursor)
            self.log.ended(number, OK, refused=not_taken, cursor=cursor, taken=position)
        if offers or self.unsettled:
            assert replica.hear(*position, batch), f"{position} is not in this replica's past"
            self._take_back(position[0])
        if answer.restarted:
            self.log.note(restarted=True)
        self._take(batch[: len(batch) - len(unread)], answer, refused)
        return answer

    def _call(self, batch, offers):
        request = sync_pb2.ExchangeRequest(cursor=self.cursor, offers=offers)
        if batch or self.unsettled:
            request.segment.CopyFrom(from_segment(self.replica.segment(batch)))
        return self.device.sync.Exchange(request, metadata=self.device.metadata, timeout=10)

    def _take_back(self, number):
        """The server has taken the outbox up to a number: what it took beyond it once, it lost."""
        lost = [p for p in self.unsettled if p.number > number]
        self.unsettled = [p for p in self.unsettled if p.number <= number]
        self.replica.outbox[:0] = lost

    def _take(self, batch, answer, refused):
        taken = [p for index, p in enumerate(batch) if index not in refused]
        self.refused.update((batch[index].key, reason) for index, reason in refused.items())
        self.replica.acknowledge(batch)
        self.unsettled += taken
        self.acknowledged += sum(1 for p in taken if p.written)
        if answer.restarted:
            self.restarts += 1
            self._offer_everything()
        for message in answer.records:
            key, record = to_record(message)
            if key[0] == CONFLICT:
                self.journal[key] = record
            else:
                self.replica.learn(key, record)
        self.cursor = answer.cursor
        if not answer.more:
            self.unsettled = []
        if self.recent is not None and len(self.replica.view) > 2 * self.recent:
            newest = list(self.replica.view.items())[-self.recent :]
            self.replica.view = dict(newest)

    def _offer_everything(self):
        """The server lost something. Its feed starts over, and is told all that is held here, none
        of it a new write. As it is: what the server brings now may win against it."""
        self.replica.outbox += [
            Pending(key, record, frozenset(), restored=True)
            for key, record in (self.replica.view | self.journal).items()
        ]

    def sync(self):
        """Everything up and down, as `atrest sync` does."""
        while True:
            answer = self.exchange()
            if not answer.more and not self.replica.outbox:
                return

    def sync_persistently(self, seconds=20):
        """The same, while the server comes and goes."""
        until = time.monotonic() + seconds
        while True:
            try:
                return self.sync()
            except grpc.RpcError as error:
                if error.code() in REFUSALS or time.monotonic() > until:
                    raise
                self.connect()
                time.sleep(0.02)

    # Actions.

    def act(self, key, fields):
        self.replica.act(key, fields, values.now_ms())

    def act_somehow(self, rng, shared_keys=0, theme="shared", changes=0.3):
        """Does what a person might: something new, or to what is there (as often as `changes`
        says), or to what all share."""
        dice = rng.random()
        if dice < 0.1 and shared_keys:
            name = f"{theme}.{rng.randrange(shared_keys)}".encode()
            self.act((records_pb2.KIND_PREFERENCE, name), {2: values.text(f"{rng.random()}")})
        elif dice < changes and self.replica.view:
            self._change(rng)
        elif rng.random() < 0.7:
            intake = values.intake(values.now_ms(), rng.randint(1, 5000))
            self.act((records_pb2.KIND_WATER, new_id()), {2: intake})
        else:
            fields = {2: values.span(), 3: values.target(rng.randint(1, 10_000))}
            self.act((records_pb2.KIND_SESSION, new_id()), fields)

    def _change(self, rng):
        key, record = last_of(self.replica.view, rng)
        if not is_ours(key) or 2 not in record:
            return
        if rng.random() < 0.2:
            self.act(key, {1: values.DELETED})
        elif key[0] == records_pb2.KIND_WATER:
            self.act(key, {2: values.intake(values.now_ms(), rng.randint(1, 5000))})
        else:
            self.act(key, {3: values.target(rng.randint(1, 10_000))})


MARK = b"strange\xff"


def new_id():
    """An id that tells the records of strangers from those of commands."""
    return MARK + random.SystemRandom().randbytes(8)


def is_ours(key):
    return key[1].startswith(MARK)


def last_of(view, rng):
    """One of the hundred records that were touched last, more or less."""
    reach = rng.randrange(min(100, len(view)))
    items = iter(reversed(view.items()))
    for _ in range(reach):
        next(items)
    return next(items)


def encoded(message):
    return base64.b64encode(message.SerializeToString()).decode()


def cursor_of(text):
    return sync_pb2.Cursor.FromString(base64.b64decode(text)) if text else None


def offer_text(p):
    return encoded(from_pending(p))


def pending(text, number):
    offer = sync_pb2.Offer.FromString(base64.b64decode(text))
    key, record = to_record(offer.record)
    return Pending(key, record, frozenset(offer.written_fields), offer.restored, number)


def log_text(log):
    """As much of a log as a later life may need. A server is never put back further here."""
    tokens = list(log.tokens.items())[-TOKENS:]
    return {"last": log.last, "token": log.token, "confirmed": log.confirmed,
        "confirmed_number": log.confirmed_number, "tokens": tokens}


def log_of(text):
    log = Log()
    log.last, log.token, log.confirmed = text["last"], text["token"], text["confirmed"]
    log.confirmed_number = text["confirmed_number"]
    log.tokens = dict(text["tokens"])
    return log
