# SPDX-License-Identifier: Apache-2.0
"""A copied profile is found out as a copied device is, and nothing that either wrote is lost."""

import unittest

from chromium import Chromium
from phone import OwnPhone
from terminal import BesideTerminal


class Copies(BesideTerminal, OwnPhone):
    def test_both_go_on_and_the_copy_becomes_a_device_of_its_own(self):
        terminal, _ = self.paired()
        self.water("250 ml")
        self.synced()
        self.browser.stop()
        copy = Chromium(self.server.trusted, like=self.browser)
        self.addCleanup(copy.close)
        self.browser.start()
        # Both write before either has heard of the other.
        self.server.stop()
        self.page, other = self.open(), self.open(browser=copy)
        self.water("500 ml")
        self.water("300 ml", other)
        self.water("150 ml", other)
        self.server.start()
        for page in (self.page, other):
            page.run("dispatchEvent(new Event('online'))")
            self.synced(page)
        for page in (self.page, other):
            self.total("1200 ml", page)
            self.synced(page)
        # And they go on apart.
        self.water("200 ml", other)
        self.water("250 ml")
        for page in (self.page, other):
            self.total("1650 ml", page)
            self.synced(page)
        terminal.run("sync")
        terminal.run("doctor", "--check")
        drinks = terminal.json("water", "list")
        self.assertEqual(sum(each["millilitres"] for each in drinks), 1650)
        self.assertEqual(len(drinks), 6)
        devices = terminal.json("devices", "list")
        self.assertEqual(len(devices), 3, devices)
        self.assertEqual(self.page.problems(("exception",)) + other.problems(("exception",)), [])


if __name__ == "__main__":
    unittest.main()
