# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy on loopback that can cut a connection after any byte of either direction."""

import select
import socket
import struct
import threading

UP, DOWN = "up", "down"
ABORT = struct.pack("ii", 1, 0)


class Proxy:
    """Passes everything on until told otherwise."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.target = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.limits = {}
        self.is_abrupt = False
        self.passed = {UP: 0, DOWN: 0}
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def pass_all(self):
        self.limits = {}
        self.passed = {UP: 0, DOWN: 0}

    def cut_after(self, direction, count, is_abrupt=False):
        """The next connection ends once so many bytes went that way; abruptly (RST), or as if all
        had been said (FIN)."""
        self.pass_all()
        self.limits, self.is_abrupt = {direction: count}, is_abrupt

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            limits, self.limits = self.limits, {}
            threading.Thread(target=self._serve, args=(near, limits), daemon=True).start()

    def _serve(self, near, limits):
        with near:
            try:
                far = socket.create_connection(self.target, timeout=5)
            except OSError:
                return
            with far:
                try:
                    self._pump({near: (far, UP), far: (near, DOWN)}, limits)
                except OSError:
                    pass  # One of them is closed, and now the other.
                if limits and self.is_abrupt:
                    for end in (near, far):
                        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)

    def _pump(self, ways, limits):
        left = dict(limits)
        for end in ways:
            end.settimeout(10)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while 0 not in left.values():
            for source in select.select(list(ways), [], [])[0]:
                target, direction = ways[source]
                data = source.recv(min(65536, left.get(direction, 65536)) or 1)
                if not data:
                    return
                target.sendall(data)
                self.passed[direction] += len(data)
                if direction in left:
                    left[direction] -= len(data)
                    if left[direction] == 0:
                        return
