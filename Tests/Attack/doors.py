# SPDX-License-Identifier: Apache-2.0
"""What is no TLS, no HTTP/2, or stops in the middle of becoming one."""

import os
import socket
import ssl
import time

from campaign import attack
from stalls import HANDSHAKE

# A ClientHello that claims a length of 508 bytes.
HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
CONNECT = 10 + 2


def knock(run, make):
    """Says something on one connection after the other, and waits to be shown the door."""
    while run.going:
        with run.peer(tls=False, handshake=False) as peer:
            since = time.monotonic()
            peer.say(make())
            while run.going and not peer.is_closed:
                listen(peer)
            run.note_end(peer, since)


def listen(peer):
    """Waits for the end; what is said before it is no HTTP/2."""
    try:
        peer.socket.settimeout(0.2)
        if not peer.socket.recv(65536):
            peer.is_closed = True
    except TimeoutError:
        pass
    except OSError:
        peer.is_closed = True


@attack("TLS handshake stall", tls=True, cut=CONNECT, quiet=True, seconds=14)
def handshake_stall(run):
    """Half a ClientHello on each of 100 connections."""
    peers = [run.peer(tls=False, handshake=False) for _ in range(100)]
    for peer in peers:
        peer.say(HELLO)
    run.hold(peers, lambda peer: None)


@attack("TLS handshake, a byte a second", tls=True, cut=CONNECT, quiet=True, seconds=14)
def handshake_drip(run):
    peers = [run.peer(tls=False, handshake=False) for _ in range(50)]
    for peer in peers:
        peer.say(HELLO)
    run.hold(peers, lambda peer: peer.say(b"\0"))


@attack("TLS, then no preface", tls=True, cut=HANDSHAKE, quiet=True, seconds=9)
def no_preface_over_tls(run):
    run.hold([run.peer(handshake=False) for _ in range(30)], lambda peer: None)


@attack("TLS garbage", tls=True, cut=2, attackers=2)
def garbage(run):
    """Noise, now and then with the beginning of a record."""
    knock(run, lambda: (HELLO if os.urandom(1)[0] & 1 else b"\x80") + os.urandom(2000))


@attack("TLS handshakes at full speed", tls=True, attackers=2)
def handshakes(run):
    """Each costs the server a signature."""
    while run.going:
        with run.peer(handshake=False) as peer:
            run.seen["refused" if peer.is_closed else "made"] += 1


@attack("TLS without h2", tls=True, attackers=1, judge=lambda seen: "was let in" if seen.get("let in") else None)
def no_alpn(run):
    """HTTP/1.1 by ALPN: refused in the handshake."""
    host, port = run.address.rsplit(":", 1)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1"])
    while run.going:
        try:
            with socket.create_connection((host, int(port)), 10, (run.source, 0)) as plain:
                with context.wrap_socket(plain) as wrapped:
                    wrapped.sendall(b"GET / HTTP/1.1\r\n\r\n")
                    run.seen["let in" if wrapped.recv(10) else "refused"] += 1
        except OSError:
            run.seen["refused"] += 1


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@attack("HTTP/1.1 on the plain port", cut=2, attackers=2)
def plain_http(run):
    knock(run, lambda: GET)


@attack("HTTP/1.1 on the TLS port", tls=True, cut=2, attackers=2)
def plain_http_on_tls(run):
    knock(run, lambda: GET)
