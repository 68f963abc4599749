# SPDX-License-Identifier: Apache-2.0
"""The main path in Firefox: first start, a fast, pairing, water, loading again, syncing."""

import unittest

import firefox
from phone import PROGRAMS, WEB, Phone
from server import Server
from terminal import BesideTerminal


@unittest.skipUnless(firefox.PROGRAM, "Firefox is needed: apt-get install firefox-esr")
class Firefox(BesideTerminal, Phone):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(PROGRAMS, WEB)
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        self.page = self.start()

    def start(self, **more):
        page = firefox.Firefox(**more)
        self.addCleanup(page.close)
        return page.go(self.server.address)

    def drink(self, words, total):
        self.place("water")
        self.page.press(words)
        self.total(total)

    def test_the_main_path(self):
        self.page.sees("When you're ready")
        self.page.press("Begin")
        self.page.sees("End fast")
        self.drink("250 ml", "250 ml")

        terminal, digits = self.paired()
        self.assertEqual(digits, self.waiting["digits"].replace(" ", ""))
        self.synced()
        terminal.run("sync")
        (fast,) = terminal.json("sessions", "list")
        self.assertEqual(fast["outcome"], "active")

        self.drink("500 ml", "750 ml")
        self.page.reload()
        self.total("750 ml")
        self.synced()
        terminal.run("sync")
        drinks = [each["millilitres"] for each in terminal.json("water", "list")]
        self.assertEqual(sorted(drinks), [250, 500])

        self.page.restart()
        self.page.go(self.server.address)
        self.page.sees("End fast")
        terminal.run("sessions", "edit", fast["id"][:8], "--start", "17h ago")
        terminal.run("sync")
        self.page.until("/17h \\d+m/.test(document.body.innerText)")
        self.page.press("End fast")
        self.page.sees("This fast is complete.")
        self.synced()
        terminal.run("sync")
        (fast,) = terminal.json("sessions", "list")
        self.assertEqual(fast["outcome"], "completed")

    def test_a_private_window_says_that_nothing_stays(self):
        private = self.start(is_private=True)
        for page, is_told in ((private, True), (self.page, False)):
            self.place("settings", page)
            page.sees("Only on this device.")
            found = page.run("document.body.innerText.includes('This window keeps nothing')")
            self.assertEqual(found, is_told)

    def test_it_starts_and_keeps_without_a_server(self):
        self.page.run("navigator.serviceWorker.ready.then(() => true)")
        self.drink("250 ml", "250 ml")
        self.server.stop()
        self.addCleanup(self.server.start)
        self.page.restart()
        self.page.go(self.server.address)
        self.total("250 ml")
        self.drink("300 ml", "550 ml")


if __name__ == "__main__":
    unittest.main()
