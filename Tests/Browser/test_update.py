# SPDX-License-Identifier: Apache-2.0
"""A new version of the app is taken at the next start, never under the person's hands."""

import unittest

import versions
from phone import WEB, OwnPhone

# The version of the page that is shown.
SHOWN = "document.querySelector('script').src.split('/')[4]"
CACHES = "caches.keys().then((keys) => keys.map((key) => key.split('/')[2]))"
# Whether a worker was loaded whole, beside the one in use.
WAITING = """navigator.serviceWorker.getRegistration().then(({ installing, waiting, active }) =>
  !installing && waiting?.state === 'installed' && active?.state === 'activated')"""


class Update(OwnPhone):
    def setUp(self):
        super().setUp()
        self.page.run("navigator.serviceWorker.ready.then(() => true)")
        # From its second start on, a page is the worker's.
        self.page.reload()
        self.water("250 ml")

    def serve(self, web):
        self.server.stop()
        self.server.web = web
        self.server.start()

    def serve_another(self, word, edit=lambda name, text: text):
        """Returns the name of the version that is served now."""
        self.serve(versions.another(WEB, self.server.folder, word, edit))
        return versions.version(self.server.web)

    def until_loaded(self, page):
        """Waits until the next version is there, beside the one in use."""
        page.run("navigator.serviceWorker.getRegistration().then((each) => each.update())")
        page.until_done(WAITING)

    def test_an_update_waits_for_the_next_start(self):
        first, following = versions.version(WEB), self.serve_another("next")
        self.page.run("self.isSame = true")
        self.until_loaded(self.page)
        # It is there, and what goes on is left alone: this page, and one that is loaded meanwhile.
        self.assertTrue(self.page.run("self.isSame"))
        self.assertEqual(sorted(self.page.run(CACHES)), sorted([first, following]))
        self.water("500 ml")
        self.page.reload()
        self.assertEqual(self.page.run(SHOWN), first)
        self.total("750 ml")
        second = self.open()
        self.assertEqual(second.run(SHOWN), first)
        second.close()
        # The next start is after the last page of it went.
        self.browser.restart()
        self.page = self.open()
        self.page.until(f"{SHOWN} === '{following}'")
        self.total("750 ml")
        self.water("300 ml")
        self.assertEqual(self.page.run(CACHES), [following])
        self.assertEqual(self.page.problems(), [])

    def test_of_two_updates_the_latest_is_taken(self):
        self.serve_another("next")
        self.until_loaded(self.page)
        last = self.serve_another("last")
        self.until_loaded(self.page)
        self.assertIn(last, self.page.run(CACHES))
        self.browser.restart()
        self.page = self.open()
        self.assertEqual(self.page.run(SHOWN), last)
        self.total("250 ml")

    def test_an_update_that_cannot_be_loaded_whole_changes_nothing(self):
        # A server that is put back in the middle of an update has the worker, and not its files.
        self.serve_another("next", lambda name, text:
            text.replace("/app/", "/gone/") if name == "service-worker.js" else text)
        outcome = self.page.run("""navigator.serviceWorker.getRegistration().then(async (each) => {
          await each.update();
          const worker = each.installing ?? each.waiting;
          if (!worker) return 'none';
          while (!['redundant', 'installed'].includes(worker.state)) {
            await new Promise((resolve) => worker.addEventListener('statechange', resolve));
          }
          return worker.state;
        })""")
        self.assertEqual(outcome, "redundant")
        self.browser.restart()
        self.server.stop()
        self.page = self.open()
        self.assertEqual(self.page.run(SHOWN), versions.version(WEB))
        self.total("250 ml")


if __name__ == "__main__":
    unittest.main()
