# SPDX-License-Identifier: Apache-2.0
"""A device whose access ends while it holds on to everything it can."""

import time

from campaign import attack
from peer import WATCH, Peer, open_call, request
from wire import frame, message

# From the operator's command to the end of all streams, including the command itself.
SECONDS = 1.0


def revoke(target):
    """Ends a device's access while it has streams, calls and connections open, and measures how long they last."""
    device, _ = target.account("gone")
    token, asks = device.token, message()
    watch = open_call(1, request(WATCH, token)) + frame(0, 1, 1, asks)
    reader = Peer(target.address)
    reader.say(watch)
    # Neither grants the server any window. The second has not finished its request either.
    deaf, half = Peer(target.address, window=0), Peer(target.address, window=0)
    deaf.say(watch + open_call(3, request(token=token)) + frame(0, 1, 3, asks))
    half.say(open_call(1, request(token=token)) + frame(0, 0, 1, message(b"x", length=1000)))
    # Reads nothing at all, not even GOAWAY.
    mute = Peer(target.address)
    mute.say(watch)
    while not reader.answers[1].body:
        assert reader.hear(5), "the stream did not begin"
    since = time.monotonic()
    done = target.admin("device", "revoke", f"{device.replica:016x}")
    assert done.returncode == 0, done.stderr
    stream = None
    peers = [reader, deaf, half]
    while any(not peer.is_closed for peer in peers) and time.monotonic() - since < 10 * SECONDS:
        for peer in peers:
            peer.hear(0.01)
        if stream is None and (reader.answers[1].is_over or reader.is_closed):
            stream = time.monotonic() - since
            assert reader.answers[1].status == "16", f"the stream ended with {reader.answers[1].status}"
    took = time.monotonic() - since
    assert took < SECONDS, f"{sum(not peer.is_closed for peer in peers)} connections left after {took:.2f} s"
    # It is closed if the queued data can be read to the end without blocking.
    while mute.hear(0.05):
        pass
    assert mute.is_closed, "the connection that reads nothing is open"
    return f"a revoked device's stream ended after {1000 * stream:.0f} ms, all else after {1000 * took:.0f} ms"


@attack("revoked device", witness=revoke)
def hold_on(run):
    """Streams, calls and connections that are not given up; the harness plays the device."""
    time.sleep(max(0, run.until - time.monotonic()))
