# SPDX-License-Identifier: Apache-2.0
"""What a browser may ask for, in the hands of somebody who means no good: files, and gRPC-Web."""

import time

from campaign import attack
from crowds import sources
from peer import HEALTH, WATCH, WINDOW, data_frames, open_call, request
from target import SCRIPT_BYTES
from wire import frame, message

WEB = "application/grpc-web+proto"
STREAMS = 100


def file(path="/app.js", method="GET", more=(), **changed):
    """The header block of a request for a file."""
    fields = {":method": method, "content-type": None, "te": None, **changed}
    return request(path, more=more, **fields)


def web(path=HEALTH, token=None, **changed):
    """The header block of a call of a page of the server's own."""
    fields = {"content-type": WEB, "te": None, "sec-fetch-site": "same-origin", **changed}
    return request(path, token, **fields)


# A reader opens the connection's window again by what it read: here, a page.
READ = frame(WINDOW, payload=(8 * 1024).to_bytes(4, "big"))


def ask(stream, block):
    return [open_call(stream, block, end=True), READ]


def call(stream, block):
    yield open_call(stream, block)
    yield from data_frames(stream, message())


@attack("files at full speed", attackers=2, judge=lambda seen: only_http(seen, "200", "304", "404", "405"))
def files(run):
    """Pages, their tags, paths that do not exist and methods that nobody takes."""
    blocks = [
        file("/"),
        file("/", more=[("if-none-match", "*")]),
        file(method="HEAD"),
        file("/../../etc/passwd"),
        file("/" + "a" * 10_000),
        file("/", method="DELETE"),
        file("/", more=[("accept-encoding", "gzip," * 2_000)]),
        file("/", more=[("if-none-match", '"a",' * 2_000)]),
    ]
    at = iter(range(1 << 60))
    run.calls(lambda: blocks[next(at) % len(blocks)], ask)


@attack("a large file at full speed", attackers=2, judge=lambda seen: only_http(seen, "200"))
def large_file(run):
    """The largest file of the app, a hundred times at once and over again, by somebody who reads it all."""
    with run.peer() as peer:
        peer.keeps_bodies = False
        while run.going and not peer.is_closed:
            streams = [peer.stream() for _ in range(4)]
            for stream in streams:
                peer.say(open_call(stream, file(), end=True))
            for stream in streams:
                answer = peer.await_end(stream)
                run.seen[f"http {answer.http}" if answer else "no answer"] += 1
                # The windows are opened again, as a reader's are.
                peer.say(frame(WINDOW, payload=SCRIPT_BYTES.to_bytes(4, "big")))


@attack("files that nobody reads", judge=lambda seen: None if seen["held"] else "nobody was let in")
def unread_files(run):
    """100 connections of 20 addresses, each with 100 requests for the largest file and windows that are closed."""
    places = sources(run)
    peers = [run.peer(source=places[index % len(places)], window=0) for index in range(100)]
    for peer in peers:
        peer.say(b"".join(open_call(peer.stream(), file(), end=True) for _ in range(STREAMS)))
    while run.going:
        time.sleep(max(0, min(0.5, run.until - time.monotonic())))  # They do nothing more.
    for peer in peers:
        while peer.hear(0):
            pass
        run.seen["turned away" if peer.is_closed else "held"] += 1
        peer.close()


@attack("files read byte by byte", attackers=2)
def dripped_files(run):
    """A window of one byte after the other, for 100 files at a time."""

    def begin(peer):
        streams = [peer.stream() for _ in range(STREAMS)]
        peer.say(b"".join(open_call(stream, file(), end=True) for stream in streams))
        batch = b"".join(frame(WINDOW, 0, stream, (1).to_bytes(4, "big")) for stream in streams)
        return lambda: batch

    run.flood(begin, window=0)


@attack("bodies with GET", attackers=2)
def bodies(run):
    """A request for a page that brings a body of 60 KiB, which nobody wants."""

    def asked(stream, block):
        yield open_call(stream, block)
        yield from data_frames(stream, bytes(60_000))
        yield READ

    run.calls(file("/"), asked, at_once=10)


@attack("gRPC-Web at full speed", attackers=2, judge=lambda seen: only_http(seen, "200"))
def web_calls(run):
    """Calls of pages, as gRPC's are made elsewhere: the status is in the body."""
    run.calls(web(), call)


@attack("gRPC-Web without a token", attackers=2, judge=lambda seen: only_status(seen, "16"))
def web_strangers(run):
    run.calls(web("/atrest.sync.v1.Sync/Exchange"), call)


@attack("gRPC-Web of other origins", attackers=2, judge=lambda seen: only_http(seen, "403", "405", "415"))
def foreign(run):
    """Pages of other sites, with a right token: none of them may be served."""
    exchange = "/atrest.sync.v1.Sync/Exchange"
    blocks = [
        web(exchange, run.token, **{"sec-fetch-site": "cross-site"}),
        web(exchange, run.token, **{"sec-fetch-site": None, "origin": "https://evil.example"}),
        web(exchange, run.token, **{"sec-fetch-site": None, "origin": "null"}),
        web(exchange, run.token, **{"content-type": "application/grpc-web-text"}),
        web(exchange, run.token, **{":method": "OPTIONS", "origin": "https://evil.example"}),
    ]
    at = iter(range(1 << 60))
    run.calls(lambda: blocks[next(at) % len(blocks)], call)


@attack("watching pages that nobody reads")
def unread_watches(run):
    """Streams of gRPC-Web with a closed window, as many as a device may have."""
    peers = [run.peer(window=0) for _ in range(20)]
    for peer in peers:
        stream = peer.stream()
        peer.say(open_call(stream, web(WATCH, run.token)) + b"".join(data_frames(stream, message())))
    run.hold(peers, lambda peer: None, period=0.5)
    run.cuts, run.uncut = [], []


def only_http(seen, *expected):
    return only(seen, {f"http {status}" for status in expected})


def only_status(seen, *expected):
    return only(seen, {f"status {status}" for status in expected})


def only(seen, expected):
    # The server ends connections, too: what was under way then has no answer.
    others = sorted(word for word in set(seen) - expected if not word.startswith("GOAWAY"))
    if not set(seen) & expected:
        return f"nothing of {', '.join(sorted(expected))} was seen"
    return f"unexpected: {', '.join(others)}" if others else None
