# SPDX-License-Identifier: Apache-2.0
"""Many who do nothing."""

import time

from campaign import attack
from peer import HEALTH, PREFACE, SETTINGS, literal, open_call, request
from wire import frame, message


def sources(run, count=20):
    return [f"127.0.{run.index + 2}.{n + 1}" for n in range(count)]


def gather(run, total, say):
    """So many connections from 20 addresses, kept until the end. Returns those that are let in."""
    peers, places = [], sources(run)
    for index in range(total):
        if not run.going:
            break
        peer = run.peer(source=places[index % len(places)])
        peer.say(say)
        peers.append(peer)
    run.seen["asked"] = len(peers)
    while run.going:
        time.sleep(max(0, min(0.5, run.until - time.monotonic())))  # Idle connections do nothing.
    for peer in peers:
        while peer.hear(0):
            pass
        run.seen["turned away" if peer.is_closed else "held"] += 1
        peer.close()


@attack("idle crowd")
def idle_crowd(run):
    """1,000 connections (10,000 in a full run) that each made a call once, and stay."""
    call = open_call(1, request(HEALTH)) + frame(0, 1, 1, message())
    gather(run, 10_000 if run.full else 1_000, call)


@attack("idle TLS crowd", attackers=2, tls=True, seconds=6, growth=72)
def idle_tls_crowd(run):
    """2,000 connections over TLS; 1,500 may stay without a token."""
    gather(run, 1_000, open_call(1, request(HEALTH)) + frame(0, 1, 1, message()))


@attack("header table crowd", attackers=2, tls=True, seconds=6, growth=84)
def table_crowd(run):
    """The same, and each has two calls fill the table of headers with the smallest fields that there are."""

    def call(stream):
        fields = b"".join(literal(f"{stream}{index:x}", "", first=0x40) for index in range(56))
        return open_call(stream, request(HEALTH) + fields) + frame(0, 1, stream, message())

    gather(run, 1_000, call(1) + call(3))


@attack("one address for all")
def one_address(run):
    """1,500 connections from one address: 1,000 are its share."""
    call = open_call(1, request(HEALTH)) + frame(0, 1, 1, message())
    peers = []
    while run.going and len(peers) < 1_500:
        peers.append(run.peer())
        peers[-1].say(call)
    while run.going:
        time.sleep(max(0, min(0.2, run.until - time.monotonic())))
    for peer in peers:
        while peer.hear(0):
            pass
        run.seen["turned away" if peer.is_closed else "held"] += 1
        peer.close()


@attack("two addresses, 1,024 descriptors", attackers=2, descriptors=1024, owner=True)
def few_descriptors(run):
    """560 connections each that made a call once, where an ordinary shell started the daemon."""
    call = open_call(1, request(HEALTH)) + frame(0, 1, 1, message())
    peers = {}
    while run.going:
        for index in range(560):
            if index not in peers or peers[index].is_closed:
                peers[index] = run.peer()
                peers[index].say(call)
            elif not peers[index].hear(0):
                continue
            if not run.going:
                break
        time.sleep(0.05)  # The attack's own pace.
    for peer in peers.values():
        run.seen["turned away" if peer.is_closed else "held"] += 1
        peer.close()


@attack("connections at full speed", attackers=2)
def churn(run):
    """Connects, completes the handshake and leaves, over and over."""
    while run.going:
        run.peer().close()


@attack("connections at full speed, unheard", attackers=2)
def churn_unheard(run):
    """The same by somebody who waits for nothing: each connection is over before the server has seen it."""
    while run.going:
        peer = run.peer(handshake=False)
        peer.say(PREFACE + frame(SETTINGS))
        peer.close()


@attack(
    "connections at full speed from the bystanders' address",
    attackers=2,
    known={"door": "an address has 200 handshakes under way at most, whoever they are"},
)
def churn_beside(run):
    """Whoever shares an address with others, at home or behind one gateway, must not shut them out."""
    while run.going:
        peer = run.peer(source="127.0.0.1", handshake=run.index == 0)
        peer.say(PREFACE + frame(SETTINGS))
        peer.close()
