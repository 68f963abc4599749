# SPDX-License-Identifier: Apache-2.0
"""Headless Firefox as a process, driven by Marionette on a free port of this machine."""

import itertools
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import zone
from screen import WAIT_SECONDS, ProtocolError, Screen

PROGRAM = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
# Port 9 answers nobody: whatever Firefox wants of others stays here. This machine needs no proxy.
CHOICES = {
    "marionette.port": 0, "network.proxy.type": 1, "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9, "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,
    "app.update.disabledForTesting": True, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False, "intl.accept_languages": "en-US",
    "browser.aboutwelcome.enabled": False, "toolkit.cosmeticAnimations.enabled": False,
}
PRIVATE = "browser.privatebrowsing.autostart"


class Firefox(Screen):
    """One browser with one tab, and one profile, which a restart keeps."""

    def __init__(self, is_private=False):
        self.profile = pathlib.Path(tempfile.mkdtemp(prefix="browser-"))
        lines = (f"user_pref({json.dumps(key)}, {json.dumps(value)});\n"
            for key, value in (CHOICES | {PRIVATE: is_private}).items())
        (self.profile / "user.js").write_text("".join(lines))
        self.process, self.socket = None, None
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self):
        port = self.profile / "MarionetteActivePort"
        port.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", PROGRAM, "--headless", "--marionette", "--no-remote",
                "--profile", self.profile], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "TZ": zone.NAME, "TMPDIR": str(self.profile), "HOME": str(self.profile)})
        until = time.monotonic() + WAIT_SECONDS
        while not (port.exists() and port.read_text().strip()):
            assert self.process.poll() is None, "Firefox ended at once"
            assert time.monotonic() < until, "Firefox opened no port"
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())), WAIT_SECONDS)
        self._file = self.socket.makefile("rb")
        self._numbers = itertools.count(1)
        self._read()
        # The certificate is of an authority that was thrown away.
        self.send("WebDriver:NewSession", acceptInsecureCerts=True,
            timeouts={"script": WAIT_SECONDS * 1000, "pageLoad": WAIT_SECONDS * 1000})

    def send(self, command, **parameters):
        """One command. Returns its result."""
        number = next(self._numbers)
        message = json.dumps([0, number, command, parameters]).encode()
        self.socket.sendall(b"%d:" % len(message) + message)
        _, answered, error, result = self._read()
        assert answered == number
        if error:
            raise ProtocolError(f"{command}: {error['error']}: {error['message']}")
        return result

    def _read(self):
        """A message: its length in decimal, a colon, then JSON."""
        length = b""
        while not length.endswith(b":"):
            part = self._file.read(1)
            if not part:
                raise ProtocolError("the browser is gone")
            length += part
        return json.loads(self._file.read(int(length[:-1])))

    def go(self, address):
        self.send("WebDriver:Navigate", url=address)
        return self

    def reload(self):
        self.send("WebDriver:Refresh")

    def run(self, script):
        """The value of an expression, awaited."""
        return self.send("WebDriver:ExecuteScript", script=f"return ({script})", args=[])["value"]

    def stop(self):
        if self.process is None:
            return
        try:
            self.send("Marionette:Quit", flags=["eForceQuit"])
            self.process.wait(timeout=WAIT_SECONDS)
        except (ProtocolError, OSError, AttributeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process = None
        if self.socket:
            self._file.close()
            self.socket.close()

    def restart(self):
        self.stop()
        self.start()

    def close(self):
        """Ends it and removes its profile."""
        self.stop()
        until = time.monotonic() + WAIT_SECONDS
        while self.profile.exists() and time.monotonic() < until:
            shutil.rmtree(self.profile, ignore_errors=True)
