# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 by hand, for what no gRPC client sends: h2 for whole frames, a socket for broken ones."""

import socket
import struct
import time

import h2.config
import h2.connection
import h2.events

LIMIT_SECONDS = 15


def message(body=b"", flag=0, length=None):
    """One gRPC message: a flag, a length, and the body."""
    return struct.pack(">BI", flag, len(body) if length is None else length) + body


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    """One HTTP/2 frame, whatever its length field claims."""
    length = len(payload) if length is None else length
    return struct.pack(">I", length)[1:] + struct.pack(">BBI", kind, flags, stream) + payload


class Answer:
    """What came back on one stream."""

    def __init__(self):
        self.headers = None
        self.trailers = None
        self.body = b""
        self.is_headers_only = False
        self.is_ended = False
        self.reset = None

    @property
    def status(self):
        """The gRPC status, wherever it stood."""
        return (self.trailers or self.headers or {}).get("grpc-status")


class Wire:
    """One connection."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=LIMIT_SECONDS)
        self.answers = {}
        self.goaway = None
        self.is_closed = False
        self.opens_windows = True
        self.withheld = []
        config = h2.config.H2Configuration(
            client_side=True,
            header_encoding="utf-8",
            validate_outbound_headers=False,
            normalize_outbound_headers=False,
        )
        self.http = h2.connection.H2Connection(config)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.socket.close()

    def handshake(self):
        self.http.initiate_connection()
        self.flush()
        return self

    def flush(self):
        self.socket.sendall(self.http.data_to_send())

    def start(self, path="/atrest.sync.v1.Sync/Exchange", end=False, drop=(), **headers):
        """Opens a stream. Headers are given with underscores; a None leaves one out."""
        fields = {
            ":method": "POST",
            ":scheme": "http",
            ":authority": "localhost",
            ":path": path,
            "content-type": "application/grpc",
            "te": "trailers",
        }
        for name, value in headers.items():
            pseudo = name in ("method",)
            fields[":" + name if pseudo else name.replace("_", "-")] = value
        fields = [(name, value) for name, value in fields.items() if value is not None]
        stream = self.http.get_next_available_stream_id()
        self.answers[stream] = Answer()
        self.http.send_headers(stream, fields, end_stream=end)
        self.flush()
        return stream

    def send(self, stream, data, end=False):
        self.http.send_data(stream, data, end_stream=end)
        self.flush()

    def call(self, body, **options):
        """One call whose request is these bytes. Returns its answer."""
        stream = self.start(**options)
        self.send(stream, body, end=True)
        return self.await_end(stream)

    def open_windows(self):
        """Lets the server send as much as has been read; happens by itself unless switched off."""
        self.opens_windows = True
        for length, stream in self.withheld:
            self.http.acknowledge_received_data(length, stream)
        self.withheld = []

    def await_end(self, stream):
        answer = self.answers[stream]
        self.read_until(lambda: answer.is_ended or answer.reset is not None)
        assert not self.is_closed or answer.is_ended, f"the connection ended: {self.goaway}"
        return answer

    def await_close(self):
        self.read_until(lambda: False)
        assert self.is_closed

    def read_until(self, is_done):
        until = time.monotonic() + LIMIT_SECONDS
        while not is_done() and not self.is_closed:
            self.socket.settimeout(max(0.01, until - time.monotonic()))
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                data = b""
            if not data:
                self.is_closed = True
                return
            for event in self.http.receive_data(data):
                self._note(event)
            try:
                self.flush()
            except OSError:
                pass  # Closed meanwhile. Earlier data can still be read.

    def _note(self, event):
        answer = self.answers.get(getattr(event, "stream_id", None))
        if isinstance(event, h2.events.ConnectionTerminated):
            self.goaway = event
        elif answer is None:
            return
        elif isinstance(event, h2.events.ResponseReceived):
            answer.headers = dict(event.headers)
            answer.is_headers_only = event.stream_ended is not None
        elif isinstance(event, h2.events.DataReceived):
            answer.body += event.data
            self.withheld.append((event.flow_controlled_length, event.stream_id))
            if self.opens_windows:
                self.open_windows()
        elif isinstance(event, h2.events.TrailersReceived):
            answer.trailers = dict(event.headers)
        elif isinstance(event, h2.events.StreamEnded):
            answer.is_ended = True
        elif isinstance(event, h2.events.StreamReset):
            answer.reset = event.error_code


def compressed_flags(address, path, request):
    """Makes a call that accepts gzip, and says of each message of its answer whether it is compressed."""
    with Wire(address) as wire:
        answer = wire.handshake().call(
            message(request.SerializeToString()), path=path, grpc_accept_encoding="gzip"
        )
    assert answer.status == "0" and answer.headers["grpc-encoding"] == "gzip", answer.trailers
    flags, rest = [], answer.body
    while rest:
        flag, length = struct.unpack(">BI", rest[:5])
        flags.append(flag == 1)
        rest = rest[5 + length :]
    return flags
