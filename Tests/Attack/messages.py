# SPDX-License-Identifier: Apache-2.0
"""Messages that are small on the wire and large in memory, cut short, or not what they say they are."""

import functools
import gzip
import random
import time

from campaign import attack
from headers import never_served
from peer import EXCHANGE, HEALTH, PAIR, data_frames, open_call, request
from wire import message

LIMIT = 272 * 1024
# One in this many fields has a random value, so that it compresses by a factor of 70 instead of
# 100.
NOISE = 64


def body(bytes, end=True):
    """A call with this body, and how to send it."""

    def frames(stream, block):
        yield open_call(stream, block)
        yield from data_frames(stream, bytes, end)

    return frames


@functools.cache
def bomb():
    """64 MiB of zeros in 64 KiB."""
    return message(gzip.compress(bytes(64 << 20)), flag=1)


@attack("zip bomb", attackers=2, judge=never_served)
def zip_bomb(run):
    """From a paired device."""
    run.calls(request(token=run.token, grpc_encoding="gzip"), body(bomb()), at_once=5)


@attack("zip bomb without a token", attackers=2, judge=never_served)
def zip_bomb_without_token(run):
    """Refused on its headers: nothing is unpacked."""
    run.calls(request(grpc_encoding="gzip"), body(bomb()), at_once=5)


@attack("zip bomb at the door", attackers=2, judge=never_served)
def zip_bomb_pair(run):
    """Pair needs no token, so its message is unpacked for anybody."""
    run.calls(request(PAIR, grpc_encoding="gzip"), body(bomb()), at_once=5)


@attack("protobuf amplification", attackers=2, judge=never_served)
def amplification(run):
    """130,000 offers of two bytes: protobuf-c would make 76 times as much of it."""
    run.calls(request(token=run.token), body(message(b"\x12\x00" * 130_000)), at_once=5)


@attack("protobuf amplification, unknown fields", attackers=2, judge=never_served)
def amplification_unknown(run):
    """87,000 fields that nobody knows, at three bytes each."""
    run.calls(request(token=run.token), body(message(b"\xa0\x06\x00" * 87_000)), at_once=5)


@attack("protobuf amplification at the door", attackers=2, judge=never_served)
def amplification_pair(run):
    """The same in a Pair, from anybody."""
    run.calls(request(PAIR), body(message(b"\xa0\x06\x00" * 87_000)), at_once=5)


def compressed_fields():
    """87,000 fields in 3.5 KB, with some noise in them to stay below the ratio that counts as a bomb."""
    fields = bytearray(b"\xa0\x06\x00" * 87_000)
    for at in range(2, len(fields), 3 * NOISE):
        fields[at] = random.randrange(128)
    return message(gzip.compress(bytes(fields)), flag=1)


@attack("compressed amplification at the door", attackers=2, judge=never_served)
def compressed_amplification_pair(run):
    """The same once more, compressed."""
    run.calls(request(PAIR, grpc_encoding="gzip"), body(compressed_fields()), at_once=20)


@attack("compressed amplification", attackers=2, judge=never_served)
def compressed_amplification(run):
    """And from a paired device, of which more is taken."""
    run.calls(request(token=run.token, grpc_encoding="gzip"), body(compressed_fields()), at_once=20)


@attack("deep groups", attackers=2, judge=never_served)
def deep_groups(run):
    """200,000 groups within each other, in a field nobody knows."""
    run.calls(request(token=run.token), body(message(b"\xa3\x06" * 100_000)), at_once=5)


@attack("deep unknown fields", attackers=2, judge=never_served)
def deep_fields(run):
    """Offers within offers within offers: whatever reads them by calling itself runs out of stack."""
    nested = b""
    for _ in range(20_000):
        nested = b"\x12" + length(len(nested)) + nested
        if len(nested) > 60_000:
            break
    deep = b"\x12" + length(len(nested)) + nested
    run.calls(request(PAIR), body(message(deep)), at_once=20)


def length(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


@attack("truncated messages", attackers=2, judge=never_served)
def truncated(run):
    """Fewer bytes than the message said it has."""
    run.calls(request(token=run.token), body(message(b"\x08", length=2)))


@attack("cut protobuf", attackers=2, judge=never_served)
def cut_protobuf(run):
    """A field that says it has 2 GiB."""
    run.calls(request(token=run.token), body(message(b"\x12\xff\xff\xff\xff\x07x")))


@attack("huge declared length", attackers=2, judge=never_served)
def huge_length(run):
    """A message of 4 GiB, it says."""
    run.calls(request(token=run.token), body(message(b"x", length=2**32 - 1), end=False))


def waiting(run, block, connections):
    """On each connection as many calls as are allowed, each with all of a large message but its last byte."""
    piece = message(bytes(LIMIT - 1), length=LIMIT)
    peers = [run.peer() for _ in range(connections)]
    began = time.monotonic()
    for peer in peers:
        for _ in range(100):
            stream = peer.stream()
            queue = open_call(stream, block) + b"".join(data_frames(stream, piece, end=False))
            deadline = time.monotonic() + 2
            sent = peer.push(lambda: queue)
            while (peer._waiting and not peer.is_closed) and time.monotonic() < min(deadline, run.until):
                sent += peer.push(lambda: b"")
            run.sent += sent
            if peer._waiting:
                run.seen["held back"] += 1
                break
    run.seen["ready after, ms"] = int(1000 * (time.monotonic() - began))
    run.hold(peers, lambda peer: None, period=0.5)
    for peer in peers:
        for answer in peer.answers.values():
            run.seen["refused" if answer.is_over else "held"] += 1


@attack("large bodies without a token")
def large_bodies(run):
    """Pair is open to all: 100 calls on each of 4 connections, of 272 KiB each. It takes 4 KiB."""
    waiting(run, request(PAIR), 4)


@attack("large bodies with a wrong token")
def large_bodies_wrong_token(run):
    """Refused on the headers: no body is kept."""
    waiting(run, request(EXCHANGE, "A" * 43), 4)


@attack("large bodies of a health check")
def large_bodies_health(run):
    waiting(run, request(HEALTH), 4)


@attack("large bodies with a token")
def large_bodies_token(run):
    """A paired device, which may well have that much to say, but not 400 times at once."""
    waiting(run, request(EXCHANGE, run.token), 4)
