# SPDX-License-Identifier: Apache-2.0
"""What a person with a phone does, in a real browser, against a real server."""

import json
import pathlib
import unittest

from phone import HOUR, WEB, OwnPhone, Phone


class FirstStart(Phone):
    def test_it_is_ready_without_an_account_and_nothing_complains(self):
        self.page.sees("When you're ready")
        for name, words in {"forest": "Forest", "calendar": "Calendar", "history": "History", "water": "Today",
                "settings": "Vigil", "pair": "Code", "conflicts": "Later writes"}.items():
            self.show(name, words)
        self.assertEqual(self.page.run("told"), [])
        self.assertEqual(self.page.problems(), [])

    def test_nothing_but_its_own_files_may_run(self):
        self.page.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.bad=1\">')")
        self.page.run("document.body.append(Object.assign(document.createElement('script'),"
            " {textContent: 'window.bad = 1'}))")
        self.page.until("document.images[0].complete")
        self.assertIsNone(self.page.run("window.bad"))

    def test_a_fast_goes_from_its_begin_to_its_tree(self):
        self.page.press("Begin")
        self.page.sees("End fast")
        self.page.run(f"self.ahead = 16 * {HOUR} + 5000")
        self.page.until("document.querySelector('.elapsed').textContent.startsWith('16h')")
        self.page.press("End fast")
        self.page.sees("This fast is complete.")
        self.assertTrue(self.page.run("!!document.querySelector('.tree svg')"))
        self.place("forest")
        self.page.until("document.querySelectorAll('.spot').length === 1")
        self.place("calendar")
        self.page.until("document.querySelectorAll('.dot:not(.early)').length === 1")
        self.assertEqual(self.page.problems(), [])


class Begun(Phone):
    def test_who_forgot_to_begin_corrects_the_start(self):
        self.begin_before(3)
        self.page.until("document.querySelector('.elapsed')?.textContent.startsWith('3h')")


class TakenBack(Phone):
    def test_a_drink_is_had_back_where_it_was_removed_and_a_fast_begun_since_goes_on(self):
        self.water("250 ml")
        self.page.press("Remove")
        self.total("0 ml")
        self.place("timer")
        self.page.press("Begin")
        self.page.sees("End fast")
        self.place("water")
        self.page.press("Undo")
        self.total("250 ml")
        self.place("timer")
        self.page.sees("End fast")


# Addresses of what is not there: of another device's fast, of yesterday's sprout, typed wrongly.
NOWHERE = ["tree/b16595a6-1115-44a8-b651-a27588cadaf8", "tree/x", "sprout/x", "garden/99",
    "calendar/2026-99", "tree", "constructor", "nothing"]


class Nowhere(Phone):
    def test_an_address_of_nothing_leads_to_the_timer(self):
        for place in NOWHERE:
            page = self.open(f"#{place}")
            page.sees("Begin")
            page.close()

    def test_what_is_gone_leaves_the_page_before_it(self):
        self.place("water")
        self.page.sees("250 ml")
        self.place(NOWHERE[0])
        self.told("This fast is not here any more.")
        self.assertEqual(self.page.run("location.hash"), "#water/")
        self.water("250 ml")
        self.total("250 ml")


class Kept(OwnPhone):
    def test_what_was_shown_as_kept_survives_the_browsers_end(self):
        self.water("250 ml")
        self.browser.restart()
        self.page = self.open()
        self.total("250 ml")

    def test_an_emptied_store_is_told_and_not_taken_for_a_new_one(self):
        self.water("250 ml")
        self.page.go("about:blank")
        origin = self.server.address.rstrip("/")
        self.browser.send("Storage.clearDataForOrigin", session=self.page.session, origin=origin,
            storageTypes="indexeddb")
        self.page.go(self.server.address)
        self.page.sees("The browser removed what Atrest kept on this device.")
        self.page.press("Begin anew")
        self.page.sees("When you're ready")

    def test_a_damaged_row_is_told_and_nothing_is_written_over_it(self):
        self.water("250 ml")
        self.place("timer")
        before = self.page.run(ROWS % "rows.put(new Uint8Array([1, 2, 3]), keys[0]); ")
        self.page.reload()
        self.page.until("document.querySelector('[role=alert]')")
        self.assertEqual(self.page.run(ROWS % ""), before)


# Runs a script over the rows of the store, and answers with what it finds then.
ROWS = """new Promise((resolve) => {
  const open = indexedDB.open('atrest');
  open.onsuccess = () => {
    const transaction = open.result.transaction('rows', 'readwrite');
    const rows = transaction.objectStore('rows');
    let keys, values;
    rows.getAllKeys().onsuccess = ({ target }) => { keys = target.result; %s };
    const reading = () => rows.getAll().onsuccess = ({ target }) => { values = target.result; };
    rows.count().onsuccess = reading;
    transaction.oncomplete = () => {
      open.result.close();
      resolve(keys.map((key, index) => [key, [...values[index]]]));
    };
  };
})"""


# Waits until no tab waits for the replica: the only one left has it.
OWNED = """new Promise((resolve) => {
  const look = async () =>
    (await navigator.locks.query()).pending.length === 0 ? resolve(true) : setTimeout(look, 10);
  look();
})"""


class TwoTabs(Phone):
    def test_tabs_share_one_replica_and_the_second_takes_over(self):
        second = self.open()
        self.water("250 ml", second)
        self.total("250 ml")
        self.page.close()
        # What a closing tab had taken on is not done twice, so the next action waits for its end.
        second.run(OWNED)
        self.water("500 ml", second)
        self.total("750 ml", second)
        self.assertEqual(second.problems(), [])


class Offline(OwnPhone):
    def installed(self):
        self.page.run("navigator.serviceWorker.ready.then(() => true)")

    def test_it_starts_and_keeps_without_a_server(self):
        self.installed()
        self.server.stop()
        self.browser.restart()
        self.page = self.open()
        self.water("250 ml")
        self.page.reload()
        self.total("250 ml")

    def test_what_is_not_the_apps_is_left_to_the_server(self):
        self.page.run("navigator.serviceWorker.ready.then(() => true)")
        self.page.reload()
        self.page.go(f"{self.server.address}elsewhere")
        status = "performance.getEntriesByType('navigation')[0].responseStatus"
        self.assertEqual(self.page.run(status), 404)

    def test_the_list_of_kept_files_is_the_folders(self):
        self.installed()
        kept = self.page.run("""caches.keys().then(async ([name]) =>
          (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname))""")
        names = {path.split("/", 3)[-1] for path in kept if path.startswith("/app/")}
        assets = json.loads((pathlib.Path(WEB) / "assets.json").read_text())["assets"]
        own = {asset["path"].split("/", 3)[-1] for asset in assets if asset["immutable"]}
        # The icons are asked for by the system's own launcher.
        self.assertEqual(names, {name for name in own if not name.endswith(".png")})


class Left(Phone):
    def test_it_leaves_the_account_and_keeps_what_was_noted(self):
        self.first_paired()
        self.second_paired()
        self.water("250 ml")
        self.synced()
        self.place("devices")
        self.page.press("Leave the account")
        self.page.press("Leave it; what you noted stays here")
        self.page.sees("Only on this device.")
        self.total("250 ml")
        self.assertEqual(self.page.problems(("exception",)), [])

    def test_what_it_holds_is_erased_when_it_has_left_in_each_tab(self):
        # The first tab has the replica, the second one asks it.
        tabs = [self.page, self.open()]
        for page in tabs:
            for each in tabs:
                self.place("timer", each)
            self.water("250 ml")
            self.total("250 ml", tabs[1])
            self.place("settings", page)
            page.press("Erase what this browser holds")
            page.press("Erase it; what no other device has is gone")
            page.until("location.hash === '' && document.querySelector('main')?.textContent.length")
            for each in tabs:
                self.place("timer", each)
                self.total("0 ml", each)
        kept = self.page.run("caches.keys().then((names) => names.length)")
        self.assertEqual(kept, 1, "the app starts without a network")
        self.assertEqual(self.page.problems(("exception",)), [])

    def test_a_code_that_was_not_used_is_neither_in_the_history_nor_there_later(self):
        code = self.server.add_account("unused")["web_link"].split("#pair=")[1]
        self.page.go(f"{self.server.address}#pair={code}")
        filled = f"document.querySelector('input')?.value.replace(/[^A-Z0-9]/gi, '') === '{code}'.replace(/[^A-Z0-9]/gi, '')"
        self.page.until(filled)
        self.page.reload()
        self.page.until(filled)
        self.assertEqual(self.page.run("JSON.stringify([history.state, location.hash])"), '[null,"#pair"]')
        self.place("timer")
        self.page.run("history.back()")
        self.page.until("location.hash === '#pair' && document.querySelector('input')?.value === ''")
        self.assertEqual(self.page.run("JSON.stringify({ ...sessionStorage })"), "{}")


class Fingers(Phone):
    def tap(self, words):
        """Where a button is, under a finger."""
        return self.page.until_value(f"""(() => {{
          const button = [...document.querySelectorAll('button')].find((each) => each.textContent === '{words}');
          if (!button) return null;
          const {{ left, top, width, height }} = button.getBoundingClientRect();
          return {{ x: left + width / 2, y: top + height / 2 }};
        }})()""")

    def setUp(self):
        super().setUp()
        # Two taps are one moment, however busy the machine is.
        self.page.run("self.moment = performance.now(); performance.now = () => self.moment")

    def rest(self):
        """Longer than the second of two taps takes."""
        self.page.run("self.moment += 1000")

    def touch(self, place):
        self.page.touch("Start", [place])
        self.page.touch("End", [])

    def test_the_second_of_two_taps_is_not_for_the_button_that_came(self):
        self.page.sees("Begin")
        place = self.tap("Begin")
        self.touch(place)
        self.page.until("document.querySelector('.fasting')")
        place = self.tap("End fast")
        self.rest()
        self.touch(place)
        self.page.until("document.querySelector('.abandoned, .complete')")
        self.touch(place)
        self.page.framed()
        self.assertEqual(self.page.run("document.querySelectorAll('.fasting').length"), 0)

    def test_two_taps_do_not_shut_a_device_out_nor_remove_two_drinks(self):
        self.first_paired()
        self.second_paired()
        self.place("devices")
        place = self.tap("Revoke")
        self.touch(place)
        self.touch(place)
        self.page.until("[...document.querySelectorAll('button')].some((each) =>"
            " each.textContent === 'Revoke it for good')")
        self.page.framed()
        devices = self.server.devices(self._testMethodName[:60])
        self.assertEqual([each.get("revoked_ms") for each in devices], [None] * 2)
        self.water("250 ml")
        self.water("250 ml")
        self.rest()
        place = self.tap("Remove")
        self.touch(place)
        self.total("250 ml")
        self.touch(place)
        self.page.framed()
        self.total("250 ml")

    def test_a_notice_is_in_nobodys_way_and_goes_with_the_next_touch(self):
        self.place("water")
        self.page.sees("250 ml")
        self.touch(self.tap("250 ml"))
        self.page.until("document.querySelector('#notice').textContent")
        self.page.run("document.querySelector('#notice').style.inset = '0'")
        self.touch(self.tap("500 ml"))
        self.total("750 ml")
        self.touch({"x": 20, "y": 700})
        self.page.until("!document.querySelector('#notice').textContent")


if __name__ == "__main__":
    unittest.main()
