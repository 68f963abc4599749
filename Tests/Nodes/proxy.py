#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A proxy between a daemon and PostgreSQL that knows where the protocol's messages begin and end.

    with Proxy(primary.port) as proxy:
        url = cluster.url(primary, ports=[proxy.port])
        cut = proxy.at(Moment.BEFORE_COMMIT_ANSWER, nth=3)      # the answer to the third is lost
        ...
        cut.wait()

It runs in a thread of its own; its methods may be called from any other. It passes everything on
until told otherwise. It refuses encryption, so a daemon that insists on TLS does not get through.

    Tests/Nodes/proxy.py --check        every moment and action, against a real server
"""

import asyncio
import collections
import enum
import random
import re
import socket
import struct
import sys
import threading
import time

LIMIT_SECONDS = 30
CHUNK_BYTES = 1 << 16
# A message that claims to be longer is no message.
MESSAGE_LIMIT_BYTES = 1 << 28
# What a slow direction holds back before it stops reading.
DELAYED_CHUNKS_LIMIT = 1024
SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
ABORT = struct.pack("ii", 1, 0)
# One statement of a simple query, or the only one of a prepared statement.
COMMIT = re.compile(rb"(?:^|;)\s*(?:/\*.*?\*/\s*)*(?:COMMIT|END)\b(?!\s+PREPARED)", re.I | re.S)
UP, DOWN = "up", "down"


class Moment(enum.Enum):
    """Where something can happen. Up is towards the server."""

    # The Sync message, with which extended queries end.
    BEFORE_SYNC = enum.auto()
    AFTER_SYNC = enum.auto()
    # The ReadyForQuery that answers it.
    BEFORE_SYNC_ANSWER = enum.auto()
    AFTER_SYNC_ANSWER = enum.auto()
    # The message that runs COMMIT: Query, or Execute of a portal with that statement.
    BEFORE_COMMIT = enum.auto()
    AFTER_COMMIT = enum.auto()
    # The CommandComplete that says COMMIT. The ReadyForQuery comes after it.
    BEFORE_COMMIT_ANSWER = enum.auto()
    AFTER_COMMIT_ANSWER = enum.auto()
    # One row of an answer. There are many: they are counted only while a rule waits for one.
    BEFORE_ROW = enum.auto()
    AFTER_ROW = enum.auto()


class Action(enum.Enum):
    # Ends both sides as if all had been said. The server still reads what was passed on to it.
    CUT = enum.auto()
    # The same; the client's connection is reset.
    RESET = enum.auto()
    # Passes nothing on, in either direction, until `Proxy.release`.
    STALL = enum.auto()


class Rule:
    """Something that will happen once, at the n-th such moment from now."""

    def __init__(self, moment, nth, action, application):
        self.moment, self.left, self.action, self.application = moment, nth, action, application
        self._fired = threading.Event()

    @property
    def has_fired(self):
        return self._fired.is_set()

    def fire(self):
        self._fired.set()

    def wait(self, timeout=LIMIT_SECONDS):
        if not self._fired.wait(timeout):
            raise TimeoutError(f"{self.moment.name} did not come within {timeout} s")

    def matches(self, moment, application):
        if moment is not self.moment or (self.application or "") not in application:
            return False
        self.left -= 1
        return self.left == 0


class Proxy:
    """Listens on loopback and connects to one server at a time.

    - target: a port on 127.0.0.1. May be changed; connections that exist stay where they are.
    - seen: how often each moment came, over all connections.
    - connections: how many were opened.
    """

    def __init__(self, target, port=0):
        self.target = target
        self.seen = collections.Counter()
        self.connections = 0
        self.delays = {UP: (0, 0), DOWN: (0, 0)}
        self._rules = []
        self._links = set()
        self._tasks = set()
        self._server = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.gates = self._call(self._make_gates())
        self.port = port
        self.allow()

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()

    def at(self, moment, *, nth=1, action=Action.CUT, application=None):
        """Arms a rule. Several may be armed; one that has fired is no more.

        - application: only for connections whose application_name contains it.
        """
        rule = Rule(moment, nth, action, application)
        self._call(self._add(rule))
        return rule

    def disarm(self):
        """Takes back what has not fired."""
        self._call(self._clear())

    def delay(self, seconds, direction=None, *, jitter=0):
        """Each message arrives so much later, and up to `jitter` more; their order stays."""
        for each in (direction,) if direction else (UP, DOWN):
            self.delays[each] = (seconds, seconds + jitter)

    def stall(self, direction=None):
        """Passes nothing on in a direction, or in both, for every connection and for new ones."""
        self._call(self._set_gates((direction,) if direction else (UP, DOWN), False))

    def release(self):
        """Ends every stall."""
        self._call(self._set_gates((UP, DOWN), True))

    def cut_all(self, action=Action.CUT, application=None):
        """Ends every connection, or those of an application. Returns how many."""
        return self._call(self._cut_all(action, application))

    def refuse(self):
        """New connections are refused; those that exist stay."""
        self._call(self._refuse())

    def allow(self):
        """Listens, at the port that it had."""
        self._call(self._listen())

    def close(self):
        if self._loop.is_closed():
            return
        self._call(self._shut_down())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(LIMIT_SECONDS)
        self._loop.close()

    # On the loop

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(LIMIT_SECONDS)

    async def _make_gates(self):
        gates = {UP: asyncio.Event(), DOWN: asyncio.Event()}
        for gate in gates.values():
            gate.set()
        return gates

    async def _set_gates(self, directions, is_open):
        for direction in directions:
            if is_open:
                self.gates[direction].set()
            else:
                self.gates[direction].clear()
        if is_open:
            for link in self._links:
                link.open.set()

    async def _add(self, rule):
        self._rules.append(rule)

    async def _clear(self):
        self._rules.clear()

    async def _listen(self):
        if self._server is None:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def _refuse(self):
        if self._server is not None:
            # Not wait_closed: from Python 3.12 on it waits for the connections, too.
            self._server.close()
            self._server = None

    async def _cut_all(self, action, application):
        chosen = [each for each in self._links if (application or "") in each.application]
        for link in chosen:
            link.end(action)
        return len(chosen)

    async def _shut_down(self):
        await self._refuse()
        await cancel(list(self._tasks))

    async def _accept(self, reader, writer):
        self.connections += 1
        task = asyncio.current_task()
        self._tasks.add(task)
        link = Link(self, reader, writer)
        self._links.add(link)
        try:
            await link.run()
        except (OSError, asyncio.IncompleteReadError, ProtocolError):
            pass  # One of the two is closed, and now the other.
        except asyncio.CancelledError:
            pass  # The proxy is closed. asyncio's own callback would report it.
        finally:
            link.discard()
            self._links.discard(link)
            self._tasks.discard(task)

    @property
    def awaits_row(self):
        return any(rule.moment in (Moment.BEFORE_ROW, Moment.AFTER_ROW) for rule in self._rules)

    def find_rule(self, moment, application):
        """The rule that fires now. One that fires is armed no longer."""
        self.seen[moment] += 1
        fired = [rule for rule in self._rules if rule.matches(moment, application)]
        for rule in fired:
            self._rules.remove(rule)
        return fired[0] if fired else None


class ProtocolError(Exception):
    """Bytes that are no message."""


class Link:
    """One client's connection, and the one to the server that belongs to it."""

    def __init__(self, proxy, reader, writer):
        self.proxy = proxy
        self.near_reader, self.near_writer = reader, writer
        self.far_reader = self.far_writer = None
        self.application = ""
        self.open = asyncio.Event()
        self.open.set()
        self._ended = asyncio.get_running_loop().create_future()
        # Statements and portals that are COMMIT, by name.
        self._statements, self._portals = set(), set()
        # What each ReadyForQuery to come answers.
        self._awaited = collections.deque([None])

    async def run(self):
        startup = await self._read_startup()
        if startup is None:
            return
        port = self.proxy.target
        self.far_reader, self.far_writer = await asyncio.open_connection("127.0.0.1", port)
        for writer in (self.near_writer, self.far_writer):
            writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        up = Lane(self, UP, self.near_reader, self.far_writer, self._frontend_moments)
        down = Lane(self, DOWN, self.far_reader, self.near_writer, self._backend_moments)
        pumps = [asyncio.ensure_future(lane.pump()) for lane in (up, down)]
        try:
            await up.send(startup)
            await asyncio.wait([*pumps, self._ended], return_when=asyncio.FIRST_COMPLETED)
            if self._ended.done():
                await cancel(pumps)
                await self._finish(self._ended.result())
            else:
                # Whatever one side said before it ended still reaches the other.
                for lane in (up, down):
                    await asyncio.wait_for(lane.flush(), LIMIT_SECONDS)
        finally:
            await cancel([*pumps, up.sender, down.sender])

    def end(self, action):
        if not self._ended.done():
            self._ended.set_result(action)

    def discard(self):
        for writer in (self.near_writer, self.far_writer):
            if writer is not None:
                writer.close()

    async def _finish(self, action):
        if action is Action.RESET:
            end = self.near_writer.get_extra_info("socket")
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
            self.near_writer.transport.abort()
        else:
            self.near_writer.close()
        # Closed outright, the connection would be reset by the server's answers, and that might
        # take away what it has not read yet.
        self.far_writer.write_eof()
        while await asyncio.wait_for(self.far_reader.read(CHUNK_BYTES), LIMIT_SECONDS):
            pass

    async def _read_startup(self):
        """The startup packet. Answers requests for encryption with a no."""
        while True:
            head = await self.near_reader.readexactly(8)
            length, code = struct.unpack("!II", head)
            if not 8 <= length <= 10_000:
                raise ProtocolError
            packet = head + await self.near_reader.readexactly(length - 8)
            if code not in (SSL_REQUEST, GSS_REQUEST):
                words = packet[8:].split(b"\0")
                settings = dict(zip(words[::2], words[1::2]))
                self.application = settings.get(b"application_name", b"").decode(errors="replace")
                return packet
            self.near_writer.write(b"N")
            await self.near_writer.drain()

    # What a message means

    def _frontend_moments(self, kind, body):
        if kind == b"Q":
            self._awaited.append(None)
            if COMMIT.search(body):
                return Moment.BEFORE_COMMIT, Moment.AFTER_COMMIT
        elif kind == b"P":
            name, _, rest = body.partition(b"\0")
            self._note(self._statements, name, COMMIT.match(rest))
        elif kind == b"B":
            portal, _, rest = body.partition(b"\0")
            self._note(self._portals, portal, rest.partition(b"\0")[0] in self._statements)
        elif kind == b"C":
            named = self._statements if body[:1] == b"S" else self._portals
            named.discard(body[1:].rstrip(b"\0"))
        elif kind == b"E":
            if body.partition(b"\0")[0] in self._portals:
                return Moment.BEFORE_COMMIT, Moment.AFTER_COMMIT
        elif kind == b"S":
            self._awaited.append(Moment.BEFORE_SYNC)
            return Moment.BEFORE_SYNC, Moment.AFTER_SYNC
        elif kind == b"F":
            self._awaited.append(None)
        return None

    def _backend_moments(self, kind, body):
        if kind == b"C" and body.rstrip(b"\0") == b"COMMIT":
            return Moment.BEFORE_COMMIT_ANSWER, Moment.AFTER_COMMIT_ANSWER
        if kind == b"D" and self.proxy.awaits_row:
            return Moment.BEFORE_ROW, Moment.AFTER_ROW
        if kind == b"Z" and self._awaited and self._awaited.popleft() is Moment.BEFORE_SYNC:
            return Moment.BEFORE_SYNC_ANSWER, Moment.AFTER_SYNC_ANSWER
        return None

    @staticmethod
    def _note(names, name, is_commit):
        if is_commit:
            names.add(name)
        else:
            names.discard(name)


async def cancel(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Lane:
    """One direction of a link."""

    def __init__(self, link, direction, reader, writer, moments):
        self.link, self.direction = link, direction
        self.reader, self.writer, self.moments = reader, writer, moments
        self._queue = asyncio.Queue(DELAYED_CHUNKS_LIMIT)
        self._due = 0.0
        # Chunks in the queue, or just out of it.
        self._late = 0
        self.sender = asyncio.ensure_future(self._send_late())

    async def pump(self):
        """Until the end of the input, or a rule that ends the link."""
        buffer = bytearray()
        while chunk := await self.reader.read(CHUNK_BYTES):
            buffer += chunk
            passed = at = 0
            while len(buffer) - at >= 5:
                length = int.from_bytes(buffer[at + 1 : at + 5], "big")
                if not 4 <= length <= MESSAGE_LIMIT_BYTES:
                    raise ProtocolError
                end = at + 1 + length
                if end > len(buffer):
                    break
                kind = bytes(buffer[at : at + 1])
                # The contents of rows are nobody's business here.
                body = b"" if kind in b"DdH" else bytes(buffer[at + 5 : end])
                moments = self.moments(kind, body)
                if moments:
                    # What is before this message leaves first, also if nothing happens.
                    await self.send(bytes(buffer[passed:at]))
                    passed = at
                    await self._meet(moments[0])
                    await self.send(bytes(buffer[at:end]))
                    passed = end
                    await self._meet(moments[1])
                at = end
            await self.send(bytes(buffer[passed:at]))
            del buffer[:at]

    async def send(self, data):
        if not data:
            return
        await self.link.open.wait()
        await self.link.proxy.gates[self.direction].wait()
        low, high = self.link.proxy.delays[self.direction]
        if high == 0 and self._late == 0:
            self.writer.write(data)
            await self.writer.drain()
            return
        self._late += 1
        self._due = max(self._due, time.monotonic() + random.uniform(low, high))
        await self._queue.put((self._due, data))

    async def flush(self):
        """Returns once everything so far is written."""
        await self._queue.join()
        await self.writer.drain()

    async def _send_late(self):
        while True:
            due, data = await self._queue.get()
            try:
                await asyncio.sleep(max(0, due - time.monotonic()))
                self.writer.write(data)
                await self.writer.drain()
            except OSError:
                pass  # The other side is gone: the pump sees it, too.
            finally:
                self._late -= 1
                self._queue.task_done()

    async def _meet(self, moment):
        """Does what a rule says about this moment. Does not return if it ends the link."""
        rule = self.link.proxy.find_rule(moment, self.link.application)
        if rule is None:
            return
        await self.flush()
        if rule.action is Action.STALL:
            self.link.open.clear()
            rule.fire()
            await self.link.open.wait()
        else:
            self.link.end(rule.action)
            rule.fire()
            await asyncio.Event().wait()  # The link cancels this pump.


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        import check_proxy

        check_proxy.main()
    else:
        sys.exit(__doc__)
