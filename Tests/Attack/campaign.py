# SPDX-License-Identifier: Apache-2.0
"""What an attack is: how it is declared, and what one attacker notes while it runs."""

import collections
import time
from dataclasses import dataclass, field
from typing import Callable, Dict, Optional, Tuple

from peer import Peer

ATTACKS = {}


@dataclass
class Attack:
    """One attack, and what must be true of it beyond what is true of all (`attack.py`)."""

    name: str
    run: Callable
    # How soon each connection must be closed, in seconds. None: no limit is intended.
    cut: Optional[float] = None
    attackers: int = 1
    tls: bool = False
    # The number of devices in the attackers' account. Each attacker knows all their tokens.
    identities: int = 1
    # Runs beside attacks that need little of the processor, for at least `seconds`.
    quiet: bool = False
    seconds: float = 0
    # Non-default limits of the daemon: NAME=VALUE.
    limits: Tuple[str, ...] = ()
    # By how much the daemon may grow, in MiB: more where its limits let that many connections in.
    growth: int = 64
    # How many files the daemon may have open. None: as many as this process.
    descriptors: Optional[int] = None
    # What the attackers' account contains: responses of 240 KiB, and small records.
    pages: int = 0
    records: int = 1
    # Called with the target during the attack and again afterwards. Its results are printed.
    witness: Optional[Callable] = None
    afterwards: Optional[Callable] = None
    # Whether the server's owner revokes a device during the attack. The command must be heard.
    owner: bool = False
    # Called with the attackers' notes. Returns a sentence if they show a failure.
    judge: Optional[Callable] = None
    # Bounds that are known to be missed, with the reason: printed, but no failure.
    known: Dict[str, str] = field(default_factory=dict)
    only_full: bool = False

    @property
    def fills_disk(self):
        """Whether its account takes long to make."""
        return self.records > 100 or self.pages > 0 or self.identities > 1


def attack(name, **more):
    """Declares an attack: a function of a `Run`, which is executed in each attacker's process."""

    def declare(function):
        ATTACKS[name] = Attack(name, function, **more)
        return function

    return declare


class Run:
    """One attacker at work."""

    def __init__(self, facts):
        self.address, self.tls, self.tokens = facts["address"], facts["tls"], facts["tokens"]
        self.token, self.replica = self.tokens[0], facts["replica"]
        self.source, self.full, self.index = facts["source"], facts["full"], facts["index"]
        self.until = time.monotonic() + facts["seconds"]
        self.connections, self.sent, self.cuts, self.uncut = 0, 0, [], []
        self.seen = collections.Counter()

    @property
    def going(self):
        return time.monotonic() < self.until

    def peer(self, **more):
        self.connections += 1
        return Peer(self.address, more.pop("source", self.source), more.pop("tls", self.tls), **more)

    def note_end(self, peer, since):
        """Notes whether and when the server ended a connection that has misbehaved since then."""
        age = time.monotonic() - since
        (self.cuts if peer.is_closed else self.uncut).append(age)
        if peer.goaway is not None:
            self.seen[f"GOAWAY {peer.goaway}"] += 1

    def flood(self, begin, reads=True, **more):
        """Connects, floods until it is cut, and connects again. `begin` returns what makes the next bytes."""
        while self.going:
            with self.peer(**more) as peer:
                make, since = begin(peer), time.monotonic()
                while self.going and not peer.is_closed:
                    self.sent += peer.push(make, reads)
                self.note_end(peer, since)
            if self.cuts and self.cuts[-1] < 0.001:
                time.sleep(0.002)  # Refused at connect: enough to keep trying.

    def calls(self, block, frames, at_once=50, seconds=10):
        """Makes calls on one connection after the other, so many at once, and counts how they end."""
        while self.going:
            with self.peer() as peer:
                while self.going and not peer.is_closed and peer._next < 2**30:
                    streams = [peer.stream() for _ in range(at_once)]
                    for stream in streams:
                        peer.say(b"".join(frames(stream, block() if callable(block) else block)))
                        peer.hear(0)
                    for stream in streams:
                        answer = peer.await_end(stream, seconds)
                        self.seen[outcome(answer)] += 1

    def hold(self, peers, each, period=1.0):
        """Keeps connections that say a little now and then, and notes when each is ended."""
        since = {peer: time.monotonic() for peer in peers}
        while self.going and since:
            turn = time.monotonic() + period
            for peer in list(since):
                each(peer)
                while peer.hear(0):
                    pass
                if peer.is_closed:
                    self.note_end(peer, since.pop(peer))
            time.sleep(max(0, min(turn, self.until) - time.monotonic()))  # The attack's own pace.
        for peer, began in since.items():
            self.note_end(peer, began)
            peer.close()

    @property
    def report(self):
        return {
            "connections": self.connections,
            "sent": self.sent,
            "cuts": self.cuts,
            "uncut": self.uncut,
            "seen": dict(self.seen),
        }


def outcome(answer):
    """How a call ended, in a word."""
    if answer is None:
        return "no answer"
    if answer.reset not in (None, 0):
        return f"reset {answer.reset}"
    return f"status {answer.status}" if answer.status is not None else f"http {answer.http}"
