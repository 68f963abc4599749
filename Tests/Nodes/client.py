# SPDX-License-Identifier: Apache-2.0
"""A client of PostgreSQL's protocol that sends messages as it is told, and shows what came back."""

import base64
import hashlib
import hmac
import secrets
import socket
import struct


class Closed(Exception):
    """The connection ended. `answers` has what came before."""

    def __init__(self, answers):
        super().__init__(f"the connection ended after {answers}")
        self.answers = answers


class Client:
    """One connection. What the server answers is a list of (type, body)."""

    def __init__(self, port, user, password, database, application="client", timeout=20):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.buffer = b""
        words = ["user", user, "database", database, "application_name", application]
        packet = struct.pack("!I", 196608) + b"".join(each.encode() + b"\0" for each in words) + b"\0"
        self.socket.sendall(struct.pack("!I", len(packet) + 4) + packet)
        self._authenticate(password)
        self.backend = next(body for kind, body in self.answers() if kind == "K")

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.socket.close()

    # Saying

    def send(self, *messages):
        self.socket.sendall(b"".join(messages))

    def query(self, sql):
        """The simple protocol. Returns the answers."""
        self.send(message("Q", text(sql)))
        return self.answers()

    def pipeline(self, *statements):
        """Extended queries and one Sync, in one packet. Returns the answers."""
        self.send(*(part for sql in statements for part in extended(sql)), message("S"))
        return self.answers()

    def cancel(self):
        """Asks for the end of this client's statement, on a connection of its own."""
        with socket.create_connection(self.socket.getpeername(), timeout=20) as other:
            other.sendall(struct.pack("!II", 16, 80877102) + self.backend)
            assert other.recv(1) == b""

    # Hearing

    def answers(self):
        """Up to the next ReadyForQuery, with it."""
        found = []
        while not found or found[-1][0] != "Z":
            try:
                found.append(self.answer())
            except Closed:
                raise Closed(kinds(found)) from None
        return found

    def answer(self):
        head = self._read(5)
        (length,) = struct.unpack("!I", head[1:])
        return head[:1].decode(), self._read(length - 4)

    def _read(self, count):
        while len(self.buffer) < count:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise Closed([])
            self.buffer += chunk
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def _authenticate(self, password):
        """SCRAM-SHA-256: RFC 5802 and 7677."""
        self._expect("R", 10)
        first = "n=,r=" + base64.b64encode(secrets.token_bytes(18)).decode()
        initial = b"n,," + first.encode()
        mechanism = b"SCRAM-SHA-256\0" + struct.pack("!I", len(initial))
        self.send(message("p", mechanism + initial))
        challenge = self._expect("R", 11).decode()
        nonce, salt, rounds = (part[2:] for part in challenge.split(","))
        salted = hashlib.pbkdf2_hmac(
            "sha256", password.encode(), base64.b64decode(salt), int(rounds)
        )
        last = f"c=biws,r={nonce}"
        key = hmac.digest(salted, b"Client Key", "sha256")
        proven = hmac.digest(
            hashlib.sha256(key).digest(), f"{first},{challenge},{last}".encode(), "sha256"
        )
        proof = bytes(a ^ b for a, b in zip(key, proven))
        self.send(message("p", f"{last},p={base64.b64encode(proof).decode()}".encode()))
        self._expect("R", 12)
        self._expect("R", 0)

    def _expect(self, kind, code):
        found, body = self.answer()
        if (found, struct.unpack("!I", body[:4])[0]) != (kind, code):
            raise ConnectionError(f"not let in: {found} {body!r}")
        return body[4:]


def message(kind, body=b""):
    return kind.encode() + struct.pack("!I", len(body) + 4) + body


def text(words):
    return words.encode() + b"\0"


def parse(sql, name=""):
    return message("P", text(name) + text(sql) + struct.pack("!H", 0))


def execute(name="", portal=""):
    """Bind and Execute of a statement without parameters."""
    bind = text(portal) + text(name) + struct.pack("!HHH", 0, 0, 0)
    return [message("B", bind), message("E", text(portal) + struct.pack("!I", 0))]


def extended(sql):
    return [parse(sql), *execute()]


def kinds(answers):
    """The types of messages, and what CommandComplete says."""
    return [body[:-1].decode() if kind == "C" else kind for kind, body in answers]
