# SPDX-License-Identifier: Apache-2.0
"""What the daemon's TLS agrees to, asked with `openssl s_client`: versions, ALPN, ciphers, renegotiation, resumption."""

import pathlib
import re
import socket
import subprocess
import tempfile
import time

ACCEPTED, REFUSED = "accepted", "refused"
PATIENCE = 10


class Client:
    """One s_client. What it says is read as it comes; its standard input stays open until `end`."""

    def __init__(self, address, *arguments, alpn="h2"):
        offer = ["-alpn", alpn] if alpn else []
        self.process = subprocess.Popen(
            ["openssl", "s_client", "-connect", address, *offer, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def end(self, text=b""):
        """Closes its input and returns all it said."""
        try:
            out, _ = self.process.communicate(text, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, _ = self.process.communicate()
        return out.decode(errors="replace")


def verdict(said):
    """Whether there was a handshake that agreed on h2, or an alert of the server's that said no to it."""
    cipher = re.search(r"(?:New|Reused), \S+, Cipher is (\S+)", said)
    if cipher is not None and cipher[1] != "(NONE)" and "ALPN protocol: h2" in said:
        return ACCEPTED
    return REFUSED if "SSL alert number" in said else "not asked"


def ask(address, *arguments, alpn="h2"):
    return verdict(Client(address, *arguments, alpn=alpn).end())


def hello(suites):
    """A ClientHello of TLS 1.2 with suites that today's OpenSSL does not have any more."""

    def block(data, size):
        return len(data).to_bytes(size, "big") + data

    def extension(kind, data):
        return kind.to_bytes(2, "big") + block(data, 2)

    more = (
        extension(10, block(b"\0\x17", 2))
        + extension(11, b"\1\0")
        + extension(13, block(b"\4\3\4\1\2\3\2\1", 2))
        + extension(16, block(block(b"h2", 1), 2))
    )
    listed = b"".join(suite.to_bytes(2, "big") for suite in suites)
    body = b"\3\3" + bytes(32) + b"\0" + block(listed, 2) + b"\1\0" + block(more, 2)
    return b"\x16\3\1" + block(b"\1" + block(body, 3), 2)


def heard(address, said):
    """What comes back to bytes on a plain socket, until the end."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), PATIENCE) as plain:
        plain.sendall(said)
        answer = b""
        try:
            while data := plain.recv(65536):
                answer += data
        except OSError:
            pass
        return answer


def by_hand(address, said):
    """Refused: an alert or the end, and nothing else."""
    answer = heard(address, said)
    return REFUSED if not answer or answer[0] == 0x15 else ACCEPTED


def renegotiate(address):
    client = Client(address, "-tls1_2")
    said = b""
    while b"Verify return code" not in said and client.process.poll() is None:
        said += client.process.stdout.readline()
    if verdict(said.decode(errors="replace")) != ACCEPTED:
        return "no handshake to begin with"
    rest = client.end(b"R\n")
    return REFUSED if "RENEGOTIATING" in rest and re.search("no renegotiation|alert|error", rest) else ACCEPTED


def session(address, folder, version):
    """A session that the server gave out: the file it is in, or None."""
    path = pathlib.Path(folder) / f"session{version}"
    client = Client(address, version, "-sess_out", str(path))
    until = time.monotonic() + PATIENCE
    while not (path.exists() and path.stat().st_size) and time.monotonic() < until:
        time.sleep(0.02)  # The polling interval.
    client.end()
    return path if path.exists() else None


def resume(address, folder, version):
    path = session(address, folder, version)
    if path is None:
        return "no session"
    said = Client(address, version, "-sess_in", str(path)).end()
    return ACCEPTED if "Reused, " in said and verdict(said) == ACCEPTED else REFUSED


def early(address, folder):
    path, data = session(address, folder, "-tls1_3"), pathlib.Path(folder) / "early"
    if path is None:
        return "no session"
    data.write_bytes(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    said = Client(address, "-tls1_3", "-sess_in", str(path), "-early_data", str(data)).end()
    return ACCEPTED if "Early data was accepted" in said else REFUSED


def compression(address):
    said = Client(address, "-tls1_2", "-comp").end()
    return REFUSED if verdict(said) == ACCEPTED and "Compression: NONE" in said else ACCEPTED


def matrix(address):
    """Rows of what was tried, what must come of it, and what did."""
    weak = "@SECLEVEL=0"
    with tempfile.TemporaryDirectory() as folder:
        return [
            ("TLS 1.0", REFUSED, ask(address, "-tls1", "-cipher", f"ALL:{weak}")),
            ("TLS 1.1", REFUSED, ask(address, "-tls1_1", "-cipher", f"ALL:{weak}")),
            ("TLS 1.2", ACCEPTED, ask(address, "-tls1_2")),
            ("TLS 1.3", ACCEPTED, ask(address, "-tls1_3")),
            ("TLS 1.2 by a client that was talked down from 1.3", REFUSED, ask(address, "-tls1_2", "-fallback_scsv")),
            ("no ALPN", REFUSED, ask(address, alpn=None)),
            ("ALPN http/1.1", REFUSED, ask(address, alpn="http/1.1")),
            ("ALPN http/1.1 and h2", ACCEPTED, ask(address, alpn="http/1.1,h2")),
            ("CBC ciphers", REFUSED, ask(address, "-tls1_2", "-cipher", f"ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384:AES128-SHA:{weak}")),
            ("RC4", REFUSED, by_hand(address, hello([0xC007, 0xC011, 0x0005]))),
            ("3DES", REFUSED, by_hand(address, hello([0xC008, 0xC012, 0x000A]))),
            ("ciphers without encryption", REFUSED, ask(address, "-tls1_2", "-cipher", f"eNULL:{weak}")),
            ("ciphers without a certificate", REFUSED, ask(address, "-tls1_2", "-cipher", f"aNULL:{weak}")),
            ("key exchange without ECDHE", REFUSED, ask(address, "-tls1_2", "-cipher", f"kRSA:kDHE:kPSK:{weak}")),
            ("ECDHE and AEAD (by hand, as a check of the two above)", ACCEPTED, by_hand(address, hello([0xC02B]))),
            ("renegotiation", REFUSED, renegotiate(address)),
            ("compression", REFUSED, compression(address)),
            ("resumption, TLS 1.2", ACCEPTED, resume(address, folder, "-tls1_2")),
            ("resumption, TLS 1.3", ACCEPTED, resume(address, folder, "-tls1_3")),
            ("early data", REFUSED, early(address, folder)),
            ("HTTP/2 in the clear", REFUSED, by_hand(address, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9))),
        ]


def lines(rows):
    return [f"{what:<60} {found:<10} {'ok' if found == must else 'WRONG: must be ' + must}" for what, must, found in rows]


def markdown(rows):
    return "\n".join(["| asked for | answer |", "|---|---|", *(f"| {what} | {found} |" for what, _, found in rows)]) + "\n"
