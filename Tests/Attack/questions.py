# SPDX-License-Identifier: Apache-2.0
"""Streams of small questions with large answers, from callers without a token."""

from campaign import attack
from peer import data_frames, open_call, request
from wire import message

REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
# Which file declares this? The answer has five files.
SYMBOL = b"atrest.sync.v1.Sync"
QUESTION = message(b"\x22" + bytes([len(SYMBOL)]) + SYMBOL)
# As many as a stream's window takes.
QUESTIONS = QUESTION * (200_000 // len(QUESTION))


def ask(peer):
    """A stream of questions."""
    stream = peer.stream()
    peer.say(open_call(stream, request(REFLECTION)) + b"".join(data_frames(stream, QUESTIONS)))
    return stream


def keep_asking(run, connections):
    """Opens the next stream on each connection when its last one is over, and reads all answers."""
    peers = {}
    for _ in range(connections):
        peer = run.peer()
        peer.keeps_bodies = False
        peers[peer] = ask(peer)
    while run.going:
        for peer, stream in list(peers.items()):
            peer.hear(0.001)
            if peer.is_closed:
                peers.pop(peer)
                peer = run.peer()
                peer.keeps_bodies = False
                peers[peer] = ask(peer)
            elif peer.answers[stream].is_over:
                run.seen[f"status {peer.answers.pop(stream).status}"] += 1
                peers[peer] = ask(peer)
    for peer in peers:
        peer.close()


@attack("questions to reflection", attackers=2)
def reflection(run):
    """7,000 questions in each stream, on 95 connections of each attacker."""
    keep_asking(run, 95)


@attack("questions to reflection, answers unread", attackers=2)
def reflection_unread(run):
    """The answers wait for a window that stays shut."""
    peers = [run.peer(window=0) for _ in range(95)]
    for peer in peers:
        for _ in range(4):
            ask(peer)
    run.hold(peers, lambda peer: None, period=0.5)


@attack("questions to reflection, of a crowd")
def reflection_crowd(run):
    """Few on each of 900 connections."""
    keep_asking(run, 900)
