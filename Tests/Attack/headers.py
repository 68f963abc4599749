# SPDX-License-Identifier: Apache-2.0
"""Header blocks that do not end, unpack to much, or say what a request must not."""

import base64

from campaign import attack, outcome
from crowds import gather
from peer import CONTINUATION, END_HEADERS, HEADERS, HEALTH, literal, open_call, request
from wire import frame, message

FRAME = 16384


def endless(piece):
    """A header block of CONTINUATION frames that never has an end."""

    def begin(peer):
        peer.say(frame(HEADERS, 0, peer.stream(), request()))
        batch = frame(CONTINUATION, 0, 1, piece) * 20
        return lambda: batch

    return begin


@attack("CONTINUATION flood", cut=2, attackers=2)
def continuation(run):
    """CVE-2024-28182."""
    run.flood(endless(literal("x", bytes(b"v") * (FRAME - 100))))


@attack("empty CONTINUATION flood", cut=2, attackers=2)
def empty_continuation(run):
    run.flood(endless(b""))


def long_request(stream):
    """60 KiB of fields in four frames."""
    large = literal("x", b"v" * 15_000)
    yield frame(HEADERS, 0, stream, request())
    for index in range(4):
        yield frame(CONTINUATION, END_HEADERS if index == 3 else 0, stream, large)


@attack("header list too large", attackers=2, judge=lambda seen: never_served(seen))
def too_large(run):
    """More than the 16 KiB that the server said it takes."""
    run.calls(None, lambda stream, block: long_request(stream), at_once=10)


@attack("HPACK bomb", attackers=2, judge=lambda seen: never_served(seen))
def hpack_bomb(run):
    """A field of 4,000 bytes goes into the table once; each further byte on the wire unpacks to all of it."""

    def bomb(stream, block):
        named = literal("x", b"v" * 3900, first=0x40)
        yield frame(HEADERS, 0, stream, request() + named)
        yield frame(CONTINUATION, END_HEADERS, stream, bytes([0x80 | 62]) * (FRAME - 100))

    run.calls(None, bomb, at_once=10)


CHARACTER = {
    "upper case": dict(more=[("X-Upper", "1")]),
    "space in a name": dict(more=[("x bad", "1")]),
    "line feed in a value": dict(more=[("x-a", "1\r\nauthorization: Bearer x")]),
    "NUL in a value": dict(more=[("x-a", b"a\0b")]),
    "no name": dict(more=[("", "1")]),
    "connection": dict(more=[("connection", "close")]),
    "transfer-encoding": dict(more=[("transfer-encoding", "chunked")]),
    "te: gzip": dict(te="gzip"),
}
PSEUDO = {
    "two paths": dict(more=[(":path", "/x")]),
    "a pseudo-header last": dict(more=[(":authority", "other")]),
    "a response's": dict(more=[(":status", "200")]),
    "an unknown one": dict(more=[(":token", "x")]),
    "no method": {":method": None},
    "no path": {":path": None},
    "an empty path": {":path": ""},
    "a whole URL": {":path": "http://localhost/atrest.sync.v1.Sync/Exchange"},
    "CONNECT": {":method": "CONNECT"},
    "escaped path": {":path": "/atrest.sync.v1.Sync%2FExchange"},
    "dots in the path": {":path": "/x/../atrest.sync.v1.Sync/Exchange"},
}
METADATA = {
    "no base64": dict(more=[("x-a-bin", "!!!")]),
    "half of base64": dict(more=[("x-a-bin", "A")]),
    "10 KiB of base64": dict(more=[("x-a-bin", base64.b64encode(bytes(10_000)))]),
    "bad percent-encoding": dict(more=[("grpc-message", "%zz%")], path="/%ZZ/%"),
    "bytes that are no UTF-8": dict(more=[("x-a", b"\xff\xfe")]),
    "200 fields": dict(more=[(f"x-{n}", "1") for n in range(200)]),
}
MUST_NOT_BE_SERVED = {**CHARACTER, **PSEUDO, "200 fields": METADATA["200 fields"]}
MAY_BE_SERVED = {name: METADATA[name] for name in METADATA if name != "200 fields"}


def changed(run, token, change):
    """The header block of an Exchange with a change; keys may be pseudo-headers."""
    change = dict(change)
    more, path = change.pop("more", ()), change.pop("path", "/atrest.sync.v1.Sync/Exchange")
    return request(path, token, more, **change)


@attack("smuggled headers", judge=lambda seen: never_served(seen))
def smuggled(run):
    """Requests that some server somewhere reads as another one; with a right token, so that they could be served."""
    while run.going:
        for name, change in MUST_NOT_BE_SERVED.items():
            with run.peer() as peer:
                answer = peer.call(changed(run, run.token, change), message())
                word = outcome(answer)
                run.seen[f"{word}: {name}" if word == "status 0" else word] += 1


@attack("odd metadata", judge=lambda seen: only(seen, "status 0", "status 12", "status 13", "status 3"))
def odd_metadata(run):
    """Metadata that nobody asked for is ignored or refused; it breaks nothing."""
    while run.going:
        for change in MAY_BE_SERVED.values():
            with run.peer() as peer:
                run.seen[outcome(peer.call(changed(run, run.token, change), message()))] += 1


@attack("comma bomb", attackers=2, judge=lambda seen: never_served(seen))
def comma_bomb(run):
    """A long name, and a value that is thousands of values: each of them would have the name again."""
    bomb = request(HEALTH, more=[("x" * 7_000 + "-bin", "," * 8_000)])
    run.calls(bomb, lambda stream, block: [open_call(stream, block)], at_once=10)


@attack("metadata of calls that wait")
def waiting_metadata(run):
    """As much as a header list may have, of calls that nobody can answer: their messages never come. 1,000 connections of 20 addresses."""
    gather(run, 1_000, open_call(1, request(HEALTH, more=[("x", "v" * 15_000)])))


@attack("two tokens", judge=lambda seen: never_served(seen))
def two_tokens(run):
    """A right token beside a wrong one: whoever stands between client and server may have looked at the other."""
    wrong = ("authorization", "Bearer x")
    right = ("authorization", f"Bearer {run.token}")
    while run.going:
        for name, both in {"right first": [right, wrong], "wrong first": [wrong, right]}.items():
            with run.peer() as peer:
                word = outcome(peer.call(request(more=both), message()))
                run.seen[f"{word}: {name}"] += 1


def never_served(seen):
    served = [word for word in seen if word.startswith("status 0")]
    return f"was served: {', '.join(served)}" if served else None


def only(seen, *expected):
    others = sorted(set(seen) - set(expected))
    return f"unexpected: {', '.join(others)}" if others else None
