# SPDX-License-Identifier: Apache-2.0
"""What the app says of how long a browser keeps what it has."""

import unittest

from phone import OwnPhone, Phone

WORDS = "a private window does when it closes"


class PrivateWindow(Phone):
    def test_it_says_that_nothing_may_stay(self):
        # The answer is the same as the app's, which asked before.
        self.assertFalse(self.page.run("navigator.storage.persist()"))
        self.place("settings")
        self.page.sees(WORDS)


class Promised(OwnPhone):
    def test_a_browser_that_promised_is_believed(self):
        self.browser.send("Browser.grantPermissions", permissions=["durableStorage"],
            origin=self.server.address.rstrip("/"))
        self.page.reload()
        self.assertTrue(self.page.run("navigator.storage.persist()"))
        self.place("settings")
        self.page.sees("Only on this device.")
        self.assertFalse(self.page.run(f"document.body.innerText.includes('{WORDS}')"))


if __name__ == "__main__":
    unittest.main()
