# SPDX-License-Identifier: Apache-2.0
"""A well-behaved client in a process of its own, which does one thing over and over:

asks     an Exchange that brings nothing, and that memory answers
pushes   an Exchange with a record that has to be made durable
pulls    an Exchange that reads the account from its beginning
watches  a push, until another stream of the account hears of it

A call that takes longer than the period also counts for those that were due meanwhile, each with what it would have waited,
or a server that hangs would look good. After 50 calls it leaves and comes back on a new connection, so that being shut out is noticed too.
What it measured goes out as JSON when its standard input ends.
"""

import json
import sys
import threading
import time

from atrest.sync.v1 import sync_pb2
from peer import SETTINGS, WATCH, Peer, data_frames, open_call, request
from values import offer, water
from wire import message

CALLS_PER_CONNECTION = 50


class Bystander:
    """Asks. The others differ in what they say, and in what they wait for."""

    def __init__(self, facts):
        self.address, self.tls = facts["address"], facts["tls"]
        self.token, self.replica = facts["token"], facts["replica"]
        self.block = request(token=self.token)
        self.quiet = bytes.fromhex(facts["quiet"])
        self.period = facts["period"]
        self.peer, self.calls = None, 0
        self.seconds, self.failed, self.shut_out = [], {}, 0

    def body(self):
        return message(self.quiet)

    def wait_for_more(self):
        """What has to happen beyond the answer. Returns what went wrong."""

    def arrive(self):
        """On a new connection, before the first call."""

    def come_back(self):
        if self.peer is not None:
            self.peer.close()
        self.peer, self.calls = Peer(self.address, "127.0.0.1", self.tls), 0
        if self.peer.is_closed or not self.peer.frames[SETTINGS]:
            self.peer.close()
            self.shut_out += 1
            return False
        self.arrive()
        return True

    def call(self):
        if self.peer is None or self.peer.is_closed or self.calls >= CALLS_PER_CONNECTION:
            if not self.come_back():
                return
        self.calls += 1
        answer = self.peer.call(self.block, self.body())
        if answer is None or answer.status != "0":
            why = "no answer" if answer is None else f"status {answer.status}, reset {answer.reset}"
        else:
            why = self.wait_for_more()
        if why:
            self.failed[why] = self.failed.get(why, 0) + 1

    def measure(self, end):
        self.seconds, self.failed, self.shut_out = [], {}, 0
        due = time.monotonic()
        while not end.is_set():
            began = time.monotonic()
            self.call()
            now = time.monotonic()
            took = now - began
            while took > 0:
                self.seconds.append(took)
                took -= self.period
            due = max(due + self.period, now)
            end.wait(max(0, due - time.monotonic()))


class Pusher(Bystander):
    def body(self):
        push = sync_pb2.ExchangeRequest.FromString(self.quiet)
        push.offers.append(offer(water(self.replica)))
        return message(push.SerializeToString())


class Puller(Bystander):
    def body(self):
        return message()


class Watcher(Pusher):
    """Hears of its own pushes: the server tells every stream of the account, and whoever pushed is told like the rest."""

    def arrive(self):
        self.stream, self.heard = self.peer.stream(), 0
        frames = data_frames(self.stream, message())
        self.peer.say(open_call(self.stream, request(WATCH, self.token)) + b"".join(frames))
        self.wait_for_more()  # The first event reports the account's head.

    def wait_for_more(self):
        until = time.monotonic() + 10
        answer = self.peer.answers[self.stream]
        while len(answer.body) <= self.heard:
            if answer.is_over or self.peer.is_closed or time.monotonic() > until:
                return "no event"
            self.peer.hear(max(0.001, until - time.monotonic()))
        self.heard = len(answer.body)
        return None


ROLES = {"asks": Bystander, "pushes": Pusher, "pulls": Puller, "watches": Watcher}


def main():
    facts = json.loads(sys.argv[1])
    bystander = ROLES[facts["role"]](facts)
    for _ in range(10):
        bystander.call()
    if bystander.failed or bystander.shut_out:
        sys.exit(f"there is no service to begin with: {bystander.failed}")
    print("ready", flush=True)
    sys.stdin.readline()
    end = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), end.set()), daemon=True).start()
    bystander.measure(end)
    found = {"seconds": bystander.seconds, "failed": bystander.failed, "shut_out": bystander.shut_out}
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
