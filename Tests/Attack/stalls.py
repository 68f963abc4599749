# SPDX-License-Identifier: Apache-2.0
"""Peers that begin something and do not go on, or never read."""

import time

from campaign import attack
from peer import HEADERS, PAIR, PREFACE, WATCH, data_frames, open_call, request
from wire import frame, message

# The server's own limits (`Limits`), plus a second or two for a busy machine.
HANDSHAKE, FIRST_REQUEST, HEADER_STALL = 5 + 2, 10 + 2.5, 10 + 2
# Progress is checked every 10 s, so a stall just after a check takes nearly 20 s to detect.
REQUEST_STALL = 20 + 2
# A partial frame is not a request yet. Then its header block has its own 10 s.
SLOW_HEADERS = 10 + 10 + 2.5


def dripping(run, handshake, bytes, count=20, period=1.0):
    """So many connections that say one byte a second."""
    peers = [run.peer(handshake=handshake) for _ in range(count)]
    places = {peer: 0 for peer in peers}

    def drip(peer):
        at = places[peer] % len(bytes)
        peer.say(bytes[at : at + 1])
        places[peer] += 1

    run.hold(peers, drip, period)


@attack("no preface", cut=HANDSHAKE, quiet=True, seconds=9)
def no_preface(run):
    """Connections that say nothing at all."""
    run.hold([run.peer(handshake=False) for _ in range(50)], lambda peer: None)


@attack("slow preface", cut=HANDSHAKE, quiet=True, seconds=9)
def slow_preface(run):
    dripping(run, False, PREFACE)


@attack("no request", cut=FIRST_REQUEST, quiet=True, seconds=14)
def no_request(run):
    """A handshake, and then nothing."""
    run.hold([run.peer() for _ in range(50)], lambda peer: None)


@attack("slow headers", cut=SLOW_HEADERS, quiet=True, seconds=24)
def slow_headers(run):
    """Slowloris: a byte of the first request each second."""
    dripping(run, True, open_call(1, request()))


@attack("unfinished headers", cut=HEADER_STALL, quiet=True, seconds=14)
def unfinished_headers(run):
    """A header block that waits for its CONTINUATION."""
    peers = [run.peer() for _ in range(20)]
    for peer in peers:
        peer.say(frame(HEADERS, 0, peer.stream(), request()))
    run.hold(peers, lambda peer: None)


def body(run, block, each_second, size=200 * 1024):
    """Connections with a call whose message comes slowly. A call that is over counts as cut."""
    peers = [run.peer() for _ in range(20)]
    for peer in peers:
        peer.say(open_call(peer.stream(), block))
        peer.say(b"".join(data_frames(1, message(b"x", length=size), end=False)))
    since, ended = time.monotonic(), {}
    while run.going and len(ended) < len(peers):
        for peer in peers:
            if peer in ended:
                continue
            if each_second:
                peer.say(frame(0, 0, 1, b"x" * each_second))
            while peer.hear(0):
                pass
            if peer.is_closed or peer.answers[1].is_over:
                ended[peer] = time.monotonic() - since
        time.sleep(max(0, min(1, run.until - time.monotonic())))  # The attack's own pace.
    run.cuts += ended.values()
    run.uncut += [time.monotonic() - since] * (len(peers) - len(ended))
    for peer in peers:
        peer.close()


@attack("stalled body", cut=REQUEST_STALL, quiet=True, seconds=24)
def stalled_body(run):
    """A message that was begun, and no more of it."""
    body(run, request(token=run.token), 0)


# 60 s by default. A short run reduces it.
BODY = {"cut": 8 + 2, "limits": ("request-timeout=8s",), "quiet": True, "seconds": 12}


@attack("slow body", **BODY)
def slow_body(run):
    """A byte each second is progress, but a request has so much time in all."""
    body(run, request(token=run.token), 1)


@attack("slow body without a token", **BODY)
def slow_body_without_token(run):
    body(run, request(PAIR), 1, size=4000)


@attack("window stall", pages=2)
def window_stall(run):
    """Asks for 240 KiB a hundred times on each of 4 connections, and never lets the server send a byte of it."""
    unread(run, 4, 100, request(token=run.token))


@attack("window stall, many connections", pages=2, only_full=True)
def window_stall_wide(run):
    """The same with one call on each of 1,000 connections."""
    unread(run, 1000, 1, request(token=run.token))


@attack("unread watches")
def unread_watches(run):
    """As many Watch streams as connections; a device may have eight."""
    unread(run, 100, 1, request(WATCH, run.token))


@attack("window stall of 61 identities", pages=2, identities=61, attackers=2)
def window_stall_of_many(run):
    """Answers that nobody reads on so many connections that none of them holds much."""
    unread(run, 2, 4, *(request(token=token) for token in run.tokens))


def unread(run, connections, streams, *blocks):
    """Calls whose answers nobody reads, on so many connections for each block."""
    peers = {run.peer(window=0): block for block in blocks for _ in range(connections)}
    for peer, block in peers.items():
        for _ in range(streams):
            stream = peer.stream()
            peer.say(open_call(stream, block) + b"".join(data_frames(stream, message())))
    run.hold(peers, lambda peer: None, period=0.5)
    for peer in peers:
        for answer in peer.answers.values():
            run.seen["refused" if answer.status not in (None, "0") else "held"] += 1
