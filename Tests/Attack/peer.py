# SPDX-License-Identifier: Apache-2.0
"""One HTTP/2 connection made of raw frames, which may say anything, at any speed."""

import collections
import select
import socket
import ssl
import time

import hpack

from wire import frame

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
LARGE = 1 << 24
END_STREAM, ACK, END_HEADERS = 1, 1, 4
EXCHANGE = "/atrest.sync.v1.Sync/Exchange"
WATCH = "/atrest.sync.v1.Sync/Watch"
RECONCILE = "/atrest.sync.v1.Sync/Reconcile"
PAIR = "/atrest.sync.v1.Devices/Pair"
RENEW = "/atrest.sync.v1.Devices/Renew"
LIST = "/atrest.sync.v1.Devices/List"
HEALTH = "/grpc.health.v1.Health/Check"


def number(value, bits, first=0):
    """An integer as HPACK writes it (RFC 7541, section 5.1)."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    out, value = bytearray([first | most]), value - most
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def literal(name, value, first=0):
    """A field that no table is asked for; with `first` 0x40 it is added to the dynamic one."""
    name = name.encode() if isinstance(name, str) else name
    value = value.encode() if isinstance(value, str) else value
    return bytes([first]) + number(len(name), 7) + name + number(len(value), 7) + value


def request(path=EXCHANGE, token=None, more=(), **changed):
    """The header block of a call; a None leaves a field out."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":authority": "localhost",
        ":path": path,
        "content-type": "application/grpc",
        "te": "trailers",
        "authorization": f"Bearer {token}" if token else None,
    }
    fields.update({name.replace("_", "-"): value for name, value in changed.items()})
    pairs = [(name, value) for name, value in fields.items() if value is not None]
    return b"".join(literal(*pair) for pair in pairs) + b"".join(literal(*pair) for pair in more)


def open_call(stream, block, end=False):
    """The HEADERS frame that opens a stream."""
    return frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, block)


class Answer:
    """What was heard on one stream."""

    def __init__(self):
        self.status, self.http, self.body, self.is_over, self.reset = None, None, b"", False, None


class Peer:
    """A connection. Reading never waits longer than it is told to, and a lost connection is a fact, not an error."""

    def __init__(self, address, source=None, tls=False, handshake=True, window=None):
        host, port = address.rsplit(":", 1)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(10)
        self.source = source
        if source:
            self.socket.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
            self.socket.bind((source, 0))
        self.frames = collections.Counter()
        self.answers = collections.defaultdict(Answer)
        self.goaway, self.is_closed, self.keeps_bodies = None, False, True
        self._heard, self._waiting, self._next = bytearray(), bytearray(), 1
        self._fields = hpack.Decoder(max_header_list_size=1 << 20)
        try:
            self.socket.connect((host, int(port)))
            if tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                context.set_alpn_protocols(["h2"])
                self.socket = context.wrap_socket(self.socket)
        except OSError:
            self.close()
        self.born = time.monotonic()
        if handshake:
            told = (LARGE if window is None else window).to_bytes(4, "big")
            wider = frame(WINDOW, payload=LARGE.to_bytes(4, "big")) if window is None else b""
            self.say(PREFACE + frame(SETTINGS, payload=b"\0\4" + told) + wider)
            # Send the one owed acknowledgement now. Later it might fall into the middle of a frame.
            while not self.frames[SETTINGS] and self.hear(5):
                pass
            if self.frames[SETTINGS]:
                self.say(frame(SETTINGS, ACK))

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()

    def close(self):
        self.is_closed = True
        self.socket.close()

    @property
    def age(self):
        return time.monotonic() - self.born

    def stream(self):
        """A stream that was not used yet."""
        self._next += 2
        return self._next - 2

    def say(self, data):
        """Sends all of it, waiting for the socket."""
        if self.is_closed:
            return
        try:
            self.socket.settimeout(10)
            self.socket.sendall(data)
        except OSError:
            self.is_closed = True

    def push(self, make, reads=True, wait=0.05):
        """Sends as much as the socket takes now, from what is left over or from `make()`. Returns the bytes sent."""
        if not self._waiting:
            self._waiting += make()
        if self.is_closed:
            return 0
        readable, writable, _ = select.select([self.socket] if reads else [], [self.socket], [], wait)
        if readable:
            self.hear(0)
        if not writable or self.is_closed:
            return 0
        try:
            self.socket.settimeout(0)
            sent = self.socket.send(self._waiting)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            self.is_closed = True
            return 0
        del self._waiting[:sent]
        return sent

    def hear(self, wait):
        """Takes what has come, or comes within `wait` seconds. False if that was nothing."""
        if self.is_closed:
            return False
        try:
            self.socket.settimeout(wait)
            data = self.socket.recv(1 << 18)
        except (TimeoutError, BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            data = b""
        if not data:
            self.is_closed = True
            return False
        self._heard += data
        at = 0
        while len(self._heard) - at >= 9:
            end = at + 9 + int.from_bytes(self._heard[at : at + 3], "big")
            if end > len(self._heard):
                break
            self._take(
                self._heard[at + 3],
                self._heard[at + 4],
                int.from_bytes(self._heard[at + 5 : at + 9], "big"),
                bytes(self._heard[at + 9 : end]),
            )
            at = end
        del self._heard[:at]
        return True

    def _take(self, kind, flags, stream, payload):
        self.frames[kind] += 1
        if kind == GOAWAY:
            self.goaway = int.from_bytes(payload[4:8], "big")
        elif kind == RESET:
            self.answers[stream].reset = int.from_bytes(payload, "big")
            self.answers[stream].is_over = True
        elif kind in (HEADERS, DATA):
            answer = self.answers[stream]
            if kind == HEADERS:
                for name, value in self._fields.decode(payload, raw=True):
                    if name == b"grpc-status":
                        answer.status = value.decode()
                    elif name == b":status":
                        answer.http = value.decode()
            elif self.keeps_bodies:
                answer.body += payload
            if flags & END_STREAM:
                answer.is_over = True

    def await_end(self, stream, seconds=10):
        """The answer of a call, or None if none came: also if the connection ended."""
        until = time.monotonic() + seconds
        while not self.answers[stream].is_over and not self.is_closed and time.monotonic() < until:
            self.hear(max(0.001, until - time.monotonic()))
        answer = self.answers.pop(stream)
        return answer if answer.is_over else None

    def call(self, block, body, seconds=10):
        """One call, and its answer or None."""
        stream = self.stream()
        self.say(open_call(stream, block) + b"".join(data_frames(stream, body)))
        return self.await_end(stream, seconds)


def data_frames(stream, body, end=True):
    """DATA frames of at most 16 KiB."""
    pieces = [body[at : at + 16384] for at in range(0, len(body), 16384)] or [b""]
    for index, piece in enumerate(pieces):
        yield frame(DATA, END_STREAM if end and index == len(pieces) - 1 else 0, stream, piece)
