# SPDX-License-Identifier: Apache-2.0
"""What tests of the web app have: a server, a browser the size of a phone, a terminal to pair with."""

import json
import os
import unittest

from chromium import Chromium
from server import Server, Terminal

PROGRAMS = os.environ["ATREST_BIN_DIR"]
WEB = os.environ["ATREST_WEB_DIR"]
HOUR = 3_600_000
# The page's clock, moved by a test; and every notice, which a person has six seconds to read.
WITNESS = """(() => {
  const now = Date.now;
  self.ahead = 0;
  Date.now = () => now() + self.ahead;
  self.told = [];
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.id === 'notice' && addedNodes.length > 0) self.told.push(target.textContent);
    }
  }).observe(document, { subtree: true, childList: true });
})()"""


class Phone(unittest.TestCase):
    """The tests of a class share a server and a browser. Each has storage of its own."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(PROGRAMS, WEB)
        cls.addClassCleanup(cls.server.close)
        cls.browser = Chromium(cls.server.trusted)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.context = self.browser.private()
        self.addCleanup(self.browser.dispose, self.context)
        self.page = self.open()

    def open(self, place="", browser=None):
        page = (browser or self.browser).open(context=self.context)
        page.send("Page.addScriptToEvaluateOnNewDocument", source=WITNESS)
        page.resize(390, 844)
        page.go(self.server.address + place)
        page.until("document.querySelector('main > *')")
        return page

    def place(self, name, page=None):
        page = page or self.page
        page.run(f"location.hash = '{name}'")

    def show(self, screen, words=""):
        """Draws a screen anew, and waits until it has these words."""
        self.page.run("document.getElementById('screen').replaceChildren()")
        self.place(screen)
        self.page.run("dispatchEvent(new Event('hashchange'))")
        self.page.until("document.querySelector('main > *')?.textContent.includes("
            f"{json.dumps(words)})")
        self.page.settle()

    def told(self, words):
        """Waits until a notice said this, which may be gone by now."""
        self.page.until(f"told.some((each) => each.includes({json.dumps(words)}))")

    def water(self, words, page=None):
        """Notes water on its page, and waits until it is shown as kept."""
        page = page or self.page
        self.place("water", page)
        before = page.run("told.length")
        page.press(words)
        page.until(f"told.slice({before}).includes('Noted {words}.')")

    def total(self, words, page=None):
        page = page or self.page
        self.place("water", page)
        page.until(f"document.querySelector('.total')?.textContent === '{words}'")

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

    def pair(self, code):
        self.page.go(f"{self.server.address}#pair={code}")
        self.page.press("Pair")

    def until_paired(self):
        """Waits until the page left the form, whose code does not stay in the address."""
        self.page.until("location.hash === '#timer' && document.querySelector('.timer')")

    def synced(self, page=None):
        """Waits until nothing is left to send."""
        self.place("settings", page)
        (page or self.page).sees("Everything is there.")


class OwnPhone(Phone):
    """Each test has a server to stop, and a browser to start again that keeps its profile."""

    @classmethod
    def setUpClass(cls):
        pass

    def reconnect(self, terminal):
        """The network is back: the terminal syncs first, then this browser, then both have all."""
        self.server.start()
        terminal.run("sync")
        self.page.run("dispatchEvent(new Event('online'))")
        self.synced()
        terminal.run("sync")

    def setUp(self):
        self.server = Server(PROGRAMS, WEB)
        self.addCleanup(self.server.close)
        self.browser = Chromium(self.server.trusted)
        self.addCleanup(self.browser.close)
        self.context = None
        self.page = self.open()
