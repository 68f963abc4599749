# SPDX-License-Identifier: Apache-2.0
"""A well-behaved client in a process of its own: an Exchange that brings nothing, every 20 ms unless told.

A call that takes longer than that also counts for those that were due meanwhile, each with what it would have waited,
or a server that hangs would look good. After 50 calls it leaves and comes back on a new connection, so that being shut out is noticed too.

It says `ready`, then measures from the first line on its standard input to the end of it, and says what it found.
"""

import json
import sys
import threading
import time

from peer import SETTINGS, Peer, request
from wire import message

CALLS_PER_CONNECTION = 50


class Bystander:
    def __init__(self, facts):
        self.address, self.tls = facts["address"], facts["tls"]
        self.block = request(token=facts["token"])
        self.body = message(bytes.fromhex(facts["cursor"]))
        self.period = facts["period"]
        self.peer, self.calls = None, 0
        self.seconds, self.failed, self.shut_out = [], {}, 0

    def call(self):
        if self.peer is None or self.peer.is_closed or self.calls >= CALLS_PER_CONNECTION:
            if self.peer is not None:
                self.peer.close()
            self.peer, self.calls = Peer(self.address, "127.0.0.1", self.tls), 0
            if self.peer.is_closed or not self.peer.frames[SETTINGS]:
                self.peer.close()
                self.shut_out += 1
                return
        self.calls += 1
        answer = self.peer.call(self.block, self.body)
        if answer is None or answer.status != "0":
            why = "no answer" if answer is None else f"status {answer.status}, reset {answer.reset}"
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


def main():
    facts = json.loads(sys.argv[1])
    bystander = Bystander(facts)
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
