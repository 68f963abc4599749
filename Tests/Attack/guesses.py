# SPDX-License-Identifier: Apache-2.0
"""Secrets that are guessed: pairing codes and tokens."""

import base64
import itertools
import os
import random
import time

from campaign import attack, outcome
from crowds import sources
from headers import never_served
from peer import PAIR, data_frames, open_call, request
from wire import message

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
# The limits of `AttemptLimiter`: per address 6 in a row, then one in two minutes; in total 200,
# then one per second.
ROW, EACH, ALL_ROW, ALL_EACH = 6, 120, 200, 1
ADDRESSES = 20


def text(field, value):
    return bytes([field << 3 | 2, len(value)]) + value.encode()


def guess():
    letters = random.choices(LETTERS, k=12)
    return text(1, "".join(letters[:4]) + "-" + "".join(letters[4:])) + text(2, "x")


def looked_at(seen):
    """Guesses that were compared with a code, rather than refused for being too many."""
    return sum(count for word, count in seen.items() if word not in ("status 8", "no answer", "ms"))


def limit_holds(seen):
    seconds = seen.get("ms", 0) / 1000
    allowed = min(ADDRESSES * (ROW + seconds / EACH), ALL_ROW + seconds / ALL_EACH) + 2
    if seen.get("status 0") or looked_at(seen) > allowed:
        return f"{looked_at(seen)} guesses were looked at, {allowed:.0f} are allowed"
    return None


def right_code(target):
    """A person with a right code, from an address nobody guesses from."""
    _, code = target.add_account()
    answer, device = target.pair(code)
    if device is not None:
        return "a right code works meanwhile"
    raise AssertionError(f"a right code is refused meanwhile ({outcome(answer)})")


def right_code_afterwards(target):
    _, code = target.add_account()
    since = time.monotonic()
    while time.monotonic() - since < 20:
        if target.pair(code)[1] is not None:
            return f"a right code works {time.monotonic() - since:.1f} s after the last wrong one"
        time.sleep(0.1)  # A person tries again.
    raise AssertionError("a right code does not work 20 s after the last wrong one")


@attack("pairing codes guessed", judge=limit_holds, witness=right_code, afterwards=right_code_afterwards)
def codes(run):
    """Wrong codes at full speed from 20 addresses."""
    since = time.monotonic()
    for place in itertools.cycle(sources(run, ADDRESSES)):
        if not run.going:
            break
        with run.peer(source=place) as peer:
            for _ in range(10):
                streams = [peer.stream() for _ in range(20)]
                for stream in streams:
                    peer.say(open_call(stream, request(PAIR)))
                    peer.say(b"".join(data_frames(stream, message(guess()))))
                for stream in streams:
                    run.seen[outcome(peer.await_end(stream))] += 1
    run.seen["ms"] = int(1000 * (time.monotonic() - since))


@attack("tokens guessed", attackers=2, judge=never_served)
def tokens(run):
    """Wrong tokens at full speed, each another one."""

    def block():
        return request(token=base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode())

    run.calls(block, lambda stream, block: [open_call(stream, block, end=True)])


@attack("tokens of odd shapes", attackers=2, judge=never_served)
def odd_tokens(run):
    """Not a token at all."""
    shapes = itertools.cycle(["", " ", "x", "A" * 12_000, "é" * 20, "=" * 43, "-" * 43, "'; DROP"])

    def block():
        return request(authorization=f"Bearer {next(shapes)}")

    run.calls(block, lambda stream, block: [open_call(stream, block, end=True)])
