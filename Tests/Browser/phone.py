# SPDX-License-Identifier: Apache-2.0
"""What tests of the web app have: a server, and a browser the size of a phone."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from chromium import Chromium
from screen import WAIT_SECONDS
from server import Server

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

    def begin_before(self, hours):
        """Begins a fast, and corrects its start to some hours ago."""
        self.page.press("Begin")
        self.page.press_first(".elapsed a")
        self.page.until("document.querySelector('input[type=datetime-local]')")
        self.page.run("""((hours) => {
          const input = document.querySelector('input[type=datetime-local]');
          const earlier = Date.now() - hours * 3600000 - new Date().getTimezoneOffset() * 60000;
          input.value = new Date(earlier).toISOString().slice(0, 16);
        })""" + f"({hours})")
        self.page.press("Keep")
        self.told("Kept.")
        self.page.press_first("a.back")

    def total(self, words, page=None):
        page = page or self.page
        self.place("water", page)
        page.until(f"document.querySelector('.total')?.textContent === '{words}'")

    def new_folder(self):
        """A folder for files, removed with the test."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="data-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def exported(self, folder):
        """The file that the page's button saves there."""
        browser = self.browser
        browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder),
            eventsEnabled=True, browserContextId=self.context)
        events = browser.events[None]
        before = len(events)
        self.place("settings")
        self.page.press("Export")

        def said(method, **values):
            return next((each["params"] for each in events[before:] if each["method"] == method
                and all(each["params"][name] == value for name, value in values.items())), None)

        while not said("Browser.downloadProgress", state="completed"):
            browser.read(WAIT_SECONDS)
        return folder / said("Browser.downloadWillBegin")["suggestedFilename"]

    def choose(self, file):
        """Gives a file to the page's chooser."""
        self.page.until("document.querySelector('input[type=file]')")
        root = self.page.send("DOM.getDocument")["root"]["nodeId"]
        node = self.page.send("DOM.querySelector", nodeId=root, selector="input[type=file]")
        self.page.send("DOM.setFileInputFiles", files=[str(file)], nodeId=node["nodeId"])

    def bring_in(self, file):
        """Gives a file to the page, and has it brought in."""
        self.place("import")
        self.choose(file)
        self.page.press("Bring it in")
        self.told("Brought in: ")

    def first_paired(self):
        """This browser as the first device of a new account."""
        self.join(self.page, self.server.add_account(self._testMethodName[:60]))

    def second_paired(self):
        """The page of another browser, which comes to that account."""
        context = self.browser.private()
        self.addCleanup(self.browser.dispose, context)
        page = self.browser.open(context=context)
        self.join(page, self.server.invite(self._testMethodName[:60]))
        return page

    def join(self, page, invitation):
        """Pairs a page by an invitation of the server, which needs no approval."""
        self.pair(invitation["web_link"].split("#pair=")[1], page)
        self.until_paired(page)

    def pair(self, code, page=None):
        page = page or self.page
        page.go(f"{self.server.address}#pair={code}")
        page.press("Pair")

    def until_paired(self, page=None):
        """Waits until the page left the form, whose code does not stay in the address."""
        (page or self.page).until("location.hash === '#timer' && document.querySelector('.timer')")

    def synced(self, page=None):
        """Waits until nothing is left to send."""
        self.place("settings", page)
        (page or self.page).sees("Everything is there.")


class OwnPhone(Phone):
    """Each test has a server to stop, and a browser to start again that keeps its profile."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        self.server = Server(PROGRAMS, WEB)
        self.addCleanup(self.server.close)
        self.browser = Chromium(self.server.trusted)
        self.addCleanup(self.browser.close)
        self.context = None
        self.page = self.open()
