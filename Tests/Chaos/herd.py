# SPDX-License-Identifier: Apache-2.0
"""Thousands of clients on one thread, each with a connection of its own and one call at a time.

Sends HTTP/2 that was encoded beforehand, and reads only as much of the answers as tells what came
of them: gRPC's own client needs a thousand times the memory.
"""

import errno
import heapq
import random
import select
import socket
import struct
import time

import hpack

import wire
from atrest.sync.v1 import sync_pb2

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, GOAWAY, WINDOW = 0, 1, 3, 4, 7, 8
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW, WIDE = 4, 1 << 20  # Larger than any response, so that no WINDOW_UPDATE is needed.
CLIENTS_A_HOST = 500  # The server limits the connections per address.
ATTEMPT_SECONDS = 30
PATIENCE_SECONDS = 0.5  # Maximum delay between two attempts: no long backoff.


def call(authority, token, body):
    """All that a client sends: the handshake and one call."""
    headers = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/atrest.sync.v1.Sync/Exchange"),
        (":authority", authority),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        ("authorization", f"Bearer {token}"),
    ]
    return b"".join(
        (
            PREFACE,
            wire.frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW, WIDE)),
            wire.frame(WINDOW, 0, 0, struct.pack(">I", WIDE)),
            wire.frame(HEADERS, END_HEADERS, 1, hpack.Encoder().encode(headers)),
            wire.frame(DATA, END_STREAM, 1, wire.message(body)),
        )
    )


class Client:
    """One device of the herd; its connection stays open after its call."""

    def __init__(self, number, token):
        self.number, self.token = number, token
        self.socket = None
        self.body = b""  # The current request, until it is answered.
        self.attempts = 0

    def begin(self, address):
        host, port = address.split(":")
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.bind((f"127.0.1.{1 + self.number // CLIENTS_A_HOST}", 0))
        code = self.socket.connect_ex((host, int(port)))
        self.out, self.input, self.said = call(address, self.token, self.body), b"", b""
        self.attempts += 1
        return code in (0, errno.EINPROGRESS)

    def end(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def write(self):
        """Whether all is sent."""
        self.out = self.out[self.socket.send(self.out) :]
        return not self.out

    def read(self):
        """The answer, when it is complete. Raises OSError when there will be none."""
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionResetError
        self.input += data
        while len(self.input) >= 9:
            length = int.from_bytes(self.input[:3], "big")
            if len(self.input) < 9 + length:
                return None
            kind, flags = self.input[3], self.input[4]
            payload, self.input = self.input[9 : 9 + length], self.input[9 + length :]
            if kind in (RESET, GOAWAY):
                raise ConnectionAbortedError
            if kind == DATA:
                self.said += payload
            elif kind == HEADERS and flags & END_STREAM:
                if not self.said:  # A refusal that says to try again later.
                    raise ConnectionRefusedError
                return sync_pb2.ExchangeResponse.FromString(self.said[5:])
        return None


class Herd:
    def __init__(self, address, tokens):
        self.address = address
        self.clients = [Client(number, token) for number, token in enumerate(tokens)]
        self.failures = 0

    def say(self, bodies, seconds, answered):
        """All at once. Calls `answered` with a client's number and its answer; who gets none tries
        again. Returns how many were not answered in time."""
        poll = select.epoll()
        by_descriptor, waiting = {}, []
        until = time.monotonic() + seconds
        for client, body in zip(self.clients, bodies):
            client.body = body
            waiting.append((0, client.number))
        left = len(waiting)

        def give_up(client):
            by_descriptor.pop(client.socket.fileno(), None)
            client.end()
            self.failures += 1
            pause = random.uniform(0, PATIENCE_SECONDS)
            heapq.heappush(waiting, (time.monotonic() + pause, client.number))

        while left and time.monotonic() < until:
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                client = self.clients[heapq.heappop(waiting)[1]]
                client.end()
                if client.begin(self.address):
                    client.deadline = now + ATTEMPT_SECONDS
                    by_descriptor[client.socket.fileno()] = client
                    poll.register(client.socket, select.EPOLLOUT | select.EPOLLIN)
                else:
                    give_up(client)
            for descriptor, events in poll.poll(0.05, 1024):
                client = by_descriptor[descriptor]
                try:
                    if events & select.EPOLLOUT and client.write():
                        poll.modify(descriptor, select.EPOLLIN)
                    answer = client.read() if events & ~select.EPOLLOUT else None
                except BlockingIOError:
                    continue
                except OSError:
                    give_up(client)
                    continue
                if answer is not None:
                    poll.unregister(descriptor)
                    del by_descriptor[descriptor]
                    left -= 1
                    answered(client.number, answer)
            for client in [c for c in by_descriptor.values() if c.deadline < time.monotonic()]:
                give_up(client)
        poll.close()
        return left

    def end(self):
        for client in self.clients:
            client.end()
