# SPDX-License-Identifier: Apache-2.0
"""One paired device, or all that it makes of itself, that has the server read and write without end."""

import time

from atrest.sync.v1 import sync_pb2
from campaign import attack, outcome
from crowds import sources
from peer import EXCHANGE, LIST, RECONCILE, data_frames, open_call, request
from values import clock, new_id, offer, record, water
from wire import message

# The limit `max-calls-per-device`.
AT_ONCE = 100


def whole_call(peer, block, body):
    stream = peer.stream()
    return stream, open_call(stream, block) + b"".join(data_frames(stream, body))


def hang_up(run, block, body):
    """Asks as often as a device may, leaves without hearing anything, and comes back."""
    while run.going:
        with run.peer() as peer:
            peer.say(b"".join(whole_call(peer, block, body)[1] for _ in range(AT_ONCE)))
            run.seen["asked"] += AT_ONCE
            # If cancelled before it has arrived completely, it would not even be submitted.
            time.sleep(0.01)


def keep_asking(run, path, body, at_once, tokens=None, places=None):
    """Identities (all, if none are named) ask at once, each on its own connection, and again as soon as they are answered."""
    tokens = tokens or run.tokens
    places = places or [run.source] * len(tokens)
    peers = {run.peer(source=place): request(path, token) for place, token in zip(places, tokens)}
    waiting = {peer: [] for peer in peers}
    for peer in peers:
        peer.keeps_bodies = False
    while run.going:
        for peer, block in peers.items():
            open_streams = waiting[peer]
            calls = [whole_call(peer, block, body()) for _ in range(at_once - len(open_streams))]
            peer.say(b"".join(frames for _, frames in calls))
            open_streams += [stream for stream, _ in calls]
        for peer in peers:
            peer.hear(0.0005)
            for stream in [s for s in waiting[peer] if peer.answers[s].is_over]:
                waiting[peer].remove(stream)
                run.seen[outcome(peer.answers.pop(stream))] += 1
            if peer.is_closed:
                run.seen["cut"] += 1
        for peer in [peer for peer in peers if peer.is_closed]:
            block = peers.pop(peer)
            del waiting[peer]
            new = run.peer(source=peer.source)
            new.keeps_bodies = False
            peers[new], waiting[new] = block, []
    for peer in peers:
        peer.close()


@attack("hang-up flood of pulls", pages=20, owner=True)
def hang_up_pulls(run):
    """Pulls of 240 KiB that nobody hears."""
    hang_up(run, request(token=run.token), message())


@attack("hang-up flood of lists", identities=61, owner=True)
def hang_up_lists(run):
    """Lists of 61 devices that nobody hears."""
    hang_up(run, request(LIST, run.token), message())


@attack("pull flood", pages=20, owner=True)
def pulls(run):
    """One device that pulls all the time."""
    keep_asking(run, EXCHANGE, message, AT_ONCE)


@attack("pull flood of 61 identities", pages=20, identities=61, attackers=2, owner=True)
def pulls_of_many(run):
    """A device that has renewed itself 60 times, and pulls as all of them."""
    keep_asking(run, EXCHANGE, message, 20)


def keep_asking_from_afar(run, path, body, at_once):
    """Eight identities, each from an address of its own."""
    keep_asking(run, path, body, at_once, run.tokens[run.index :: 2], sources(run, 4))


@attack("pull flood of 8 addresses", pages=20, identities=8, attackers=2, owner=True)
def pulls_of_eight(run):
    keep_asking_from_afar(run, EXCHANGE, message, 20)


@attack("push flood of 61 identities", identities=61, attackers=2, owner=True)
def pushes_of_many(run):
    """Each call brings 20 new records."""

    def body():
        push = sync_pb2.ExchangeRequest(offers=[offer(water(run.replica)) for _ in range(20)])
        return message(push.SerializeToString())

    keep_asking(run, EXCHANGE, body, 2)


def everything():
    """Compares the whole account with something else."""
    whole = sync_pb2.Range(mode=sync_pb2.Range.MODE_FINGERPRINT, count=1_000_000, fingerprint=1)
    return message(sync_pb2.ReconcileRequest(ranges=[whole]).SerializeToString())


@attack("reconcile loop", records=20_000, attackers=1, owner=True)
def reconciles(run):
    """Compares all of 20,000 records, over and over."""
    keep_asking(run, RECONCILE, everything, 1)


@attack("reconcile loop of 8 addresses", records=20_000, identities=8, attackers=2, owner=True)
def reconciles_of_eight(run):
    keep_asking_from_afar(run, RECONCILE, everything, 1)


@attack("reconcile loop of 61 identities", records=20_000, identities=61, attackers=2, owner=True)
def reconciles_of_many(run):
    """The same, as 61 devices at once."""
    keep_asking(run, RECONCILE, everything, 1)


def four_fields(replica, id, value):
    """An offer of a record whose four fields one action of a device wrote."""
    return offer(record(900, id, {field: value for field in range(2, 6)}, (clock(), replica)))


@attack("flood of conflicts", owner=True)
def journals(run):
    """Small writes over large records, as if their writer had not seen them: each field that loses
    has a journal entry, which holds the whole record."""
    ids = [new_id() for _ in range(60)]
    with run.peer() as peer:
        for id in ids:
            large = four_fields(run.replica ^ 1, id, bytes(16_000))
            push = sync_pb2.ExchangeRequest(offers=[large]).SerializeToString()
            stream, frames = whole_call(peer, request(token=run.token), message(push))
            peer.say(frames)
            while run.going and not peer.answers[stream].is_over:
                peer.hear(0.01)

    def body():
        push = sync_pb2.ExchangeRequest(offers=[four_fields(run.replica, id, b"x") for id in ids])
        return message(push.SerializeToString())

    keep_asking(run, EXCHANGE, body, 4)
