# SPDX-License-Identifier: Apache-2.0
"""The companion in the terminal, as another device of a browser's account.

`run` tells by this import which tests an edit of the companion can break.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time

import zone
from screen import WAIT_SECONDS


class Terminal:
    """A device of the terminal program."""

    def __init__(self, server):
        self.server = server
        self.folder = tempfile.mkdtemp(prefix="terminal-")

    def command(self, *arguments):
        return [self.server.programs / "atrest", *arguments]

    @property
    def environment(self):
        ours = {"ATREST_HOME": self.folder, "HOME": self.folder, "TZ": zone.NAME, "LC_ALL": "C.UTF-8",
            "XDG_DATA_HOME": self.folder, "SSL_CERT_FILE": str(self.server.folder / "ca.pem")}
        return {**os.environ, **ours}

    def join(self, other, name):
        """Joins the account of another terminal's device, which lets it in."""
        pairing = subprocess.Popen(
            self.command("pair", other.json("invite")["link"], "--name", name),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        try:
            other.run("devices", "allow", other.until_waiting()["id"])
            assert pairing.wait(WAIT_SECONDS) == 0
        finally:
            if pairing.poll() is None:
                pairing.kill()
                pairing.wait()

    def _done(self, *arguments, **more):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True,
            env=self.environment, timeout=120, **more)

    def status(self, *arguments):
        """How a command ends."""
        return self._done(*arguments).returncode

    def run(self, *arguments, **more):
        done = self._done(*arguments, **more)
        assert done.returncode == 0, f"atrest {arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def until_waiting(self):
        """The device that waits to be let in."""
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            waiting = self.json("devices", "waiting")
            if waiting:
                return waiting[0]
            time.sleep(0.05)
        raise AssertionError("no device waits to be let in")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class BesideTerminal:
    """What a test of a browser and a terminal of one account has, beside a `Phone`."""

    def terminal(self):
        terminal = Terminal(self.server)
        self.addCleanup(terminal.close)
        return terminal

    def paired(self):
        """A terminal device, and this browser paired to its account by being let in."""
        terminal = self.terminal()
        link = self.server.add_account(self._testMethodName[:60])["link"]
        terminal.run("pair", link, "--name", "laptop")
        return terminal, self.let_in(terminal)

    def let_in(self, terminal):
        """Pairs this browser to a terminal's account. Returns the digits that it showed."""
        self.pair(terminal.json("invite")["web_link"].split("#pair=")[1])
        digits = self.page.until_value(
            "document.querySelector('.digits')?.textContent.match(/^\\d{6}$/)?.[0]")
        # The digits are shown before the server has been asked.
        self.waiting = terminal.until_waiting()
        terminal.run("devices", "allow", self.waiting["id"])
        self.until_paired()
        return digits

    def reconnect(self, terminal):
        """The network is back: the terminal syncs first, then this browser, then both have all."""
        self.server.start()
        terminal.run("sync")
        self.page.run("dispatchEvent(new Event('online'))")
        self.synced()
        terminal.run("sync")
