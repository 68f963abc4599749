# SPDX-License-Identifier: Apache-2.0
"""A browser and the companion in the terminal, two devices of one account."""

import subprocess
import unittest
from datetime import timedelta

import zone
from phone import OwnPhone, Phone
from terminal import BesideTerminal

DIGITS = "document.querySelector('.digits')?.textContent"
# Fills the browser's storage to the last bytes, and answers with what ended it.
FILL = """new Promise((resolve) => {
  const open = indexedDB.open('other');
  open.onupgradeneeded = () => open.result.createObjectStore('rows', { autoIncrement: true });
  open.onsuccess = () => {
    let size = 1 << 20;
    const more = () => {
      const transaction = open.result.transaction('rows', 'readwrite', { durability: 'relaxed' });
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
      transaction.objectStore('rows').put(bytes);
      transaction.oncomplete = more;
      transaction.onabort = () => {
        size >>= 1;
        if (size >= 64) more(); else resolve(transaction.error.name);
      };
    };
    more();
  };
})"""


class Paired(BesideTerminal, Phone):
    def test_a_terminal_lets_it_in_by_the_same_digits(self):
        _, digits = self.paired()
        self.assertEqual(digits, self.waiting["digits"].replace(" ", ""))
        self.assertEqual(self.page.run("location.hash").find("pair"), -1)
        self.place("devices")
        self.page.sees("laptop")

    def test_writes_go_both_ways(self):
        terminal, _ = self.paired()
        self.water("250 ml")
        self.synced()
        terminal.run("sync")
        terminal.run("water", "add", "500")
        terminal.run("sync")
        self.total("750 ml")

    def test_a_device_that_was_shut_out_joins_again_by_a_new_link(self):
        terminal, _ = self.paired()
        self.water("250 ml")
        self.synced()
        own = next(each for each in terminal.json("devices", "list") if each["name"] != "laptop")
        terminal.run("devices", "revoke", own["id"], "--only")
        self.water("300 ml")
        self.place("settings")
        self.page.sees("This device's access was ended.")
        self.page.sees("Pair this device")
        self.let_in(terminal)
        self.synced()
        terminal.run("sync")
        self.assertIn("550", terminal.run("water", "list").replace(",", ""))


class Stolen(BesideTerminal, Phone):
    def revoke(self, name, words):
        """Presses a device's button."""
        item = f"[...document.querySelectorAll('#screen li')].find((each) => each.firstChild.textContent === '{name}')"
        self.page.until(f"{item}?.querySelector('button')?.textContent === '{words}'")
        self.page.run(f"{item}.querySelector('button').click()")

    def test_who_came_in_through_a_stolen_device_is_shown_and_goes_with_it_or_later(self):
        self.paired()
        stolen, second = self.terminal(), self.terminal()
        stolen.run("pair", self.server.invite(self._testMethodName[:60])["link"], "--name", "stolen")
        second.join(stolen, "second")
        second.run("devices", "rename", stolen.json("devices", "list")[2]["id"], "tablet")
        self.place("devices")
        self.page.sees("let in by “tablet”")
        self.page.sees("by “second”")
        self.revoke("tablet", "Revoke")
        self.page.sees("Through “tablet” this one came in:")
        self.page.press("This one alone")
        self.page.sees("“second” came in through it and still has access.")
        self.assertNotEqual(stolen.status("sync"), 0)
        self.assertEqual(second.status("sync"), 0)
        self.revoke("tablet", "Revoke what came in through it")
        self.page.press("Revoke all of them")
        self.page.sees("nor can “second”")
        self.assertNotEqual(second.status("sync"), 0)


class Waiting(BesideTerminal, OwnPhone):
    def asked(self):
        """A terminal device that has to let this browser in, and the digits that it shows."""
        terminal = self.terminal()
        terminal.run("pair", self.server.add_account("person")["link"], "--name", "laptop")
        self.pair(terminal.json("invite")["web_link"].split("#pair=")[1])
        return terminal, self.page.until_value(DIGITS)

    def test_a_phone_that_was_put_away_while_it_waits_is_still_let_in(self):
        terminal, digits = self.asked()
        terminal.until_waiting()
        self.server.stop()
        self.told("could not be reached")
        self.server.start()
        waiting = terminal.until_waiting()
        self.assertEqual(waiting["digits"].replace(" ", ""), digits)
        self.assertEqual(self.page.run(DIGITS), digits)
        terminal.run("devices", "allow", waiting["id"])
        self.until_paired()

    def test_who_looks_elsewhere_meanwhile_stays_there_and_finds_the_digits_again(self):
        terminal, digits = self.asked()
        waiting = terminal.until_waiting()
        self.total("0 ml")
        self.place("pair")
        self.assertEqual(self.page.until_value(DIGITS), digits)
        self.total("0 ml")
        terminal.run("devices", "allow", waiting["id"])
        terminal.run("water", "add", "500")
        terminal.run("sync")
        self.page.until("document.querySelector('.total')?.textContent === '500 ml'")
        self.assertEqual(self.page.run("location.hash"), "#water")


class PairedWithoutNetwork(BesideTerminal, OwnPhone):
    def test_what_was_noted_without_a_network_is_pushed_when_it_is_back(self):
        terminal, _ = self.paired()
        self.synced()
        self.server.stop()
        self.water("250 ml")
        self.water("300 ml")
        self.reconnect(terminal)
        self.assertIn("550", terminal.run("water", "list").replace(",", ""))

    def test_the_later_of_two_edits_wins_and_the_other_can_be_had_back(self):
        terminal, _ = self.paired()
        now = zone.now().replace(second=0, microsecond=0)
        at = lambda hours: (now - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M")
        terminal.run("fast", "start", "--at", at(20))
        terminal.run("fast", "end", "--at", at(3))
        terminal.run("sync")
        self.place("history")
        self.page.until("document.querySelector('.list a')")
        self.synced()
        self.server.stop()
        (fast,) = terminal.json("sessions", "list")
        terminal.run("sessions", "edit", fast["id"][:8], "--end", at(2))
        self.place("history")
        self.page.press_first(".list a")
        self.page.until("document.querySelectorAll('input').length === 2")
        self.page.run(f"document.querySelectorAll('input')[1].value = '{at(1)}'")
        self.page.press("Keep")
        self.page.sees("19h 0m")
        self.reconnect(terminal)
        self.place("conflicts")
        self.page.press("Restore")
        self.page.sees("Nothing here yet.")
        self.synced()
        terminal.run("sync")
        (fast,) = terminal.json("sessions", "list")
        self.assertEqual(fast["elapsed_minutes"], 18 * 60)
        self.place("history")
        self.page.sees("18h 0m")


class Conflict(BesideTerminal, OwnPhone):
    def test_a_conflict_says_which_device_wrote_what(self):
        terminal, _ = self.paired()
        terminal.run("settings", "set", "target", "16h")
        terminal.run("sync")
        self.synced()
        self.server.stop()
        terminal.run("settings", "set", "target", "18h")
        self.page.run("""(() => {
          const select = document.querySelector('select');
          select.value = '20h';
          select.dispatchEvent(new Event('change'));
        })()""")
        self.page.sees(" to send.")
        self.reconnect(terminal)
        self.place("conflicts")
        self.page.until("/Stands: 20h?.*\\(this device\\)/.test(document.body.innerText)")
        self.page.sees("(laptop)")


class Carried(BesideTerminal, Phone):
    def test_an_export_goes_to_the_terminal_and_back(self):
        self.water("250 ml")
        folder = self.new_folder()
        file = self.exported(folder)
        self.assertRegex(file.name, r"^atrest-\d{4}-\d\d-\d\d\.jsonl$")
        terminal = self.terminal()
        terminal.run("import", str(file), "--yes")
        terminal.run("water", "add", "300ml")
        terminal.run("export", str(folder / "back.jsonl"))

        self.place("import")
        self.choose(folder / "back.jsonl")
        self.page.sees("2 water entries: 1 new, 1 here already.")
        self.page.press("Bring it in")
        self.told("Brought in: 1 added.")
        self.total("550 ml")
        self.assertEqual(self.page.problems(), [])

    def test_a_garden_of_the_terminal_appears_and_changes_go_back(self):
        terminal, _ = self.paired()

        def trunk(*words):
            return subprocess.run([self.server.programs / "trunk", *words], check=True,
                capture_output=True, text=True, env=terminal.environment).stdout

        trunk("plant", "Learn to bake bread", "--on", "2.1")
        terminal.run("sync")
        self.page.press("Garden")
        self.page.sees("Learn to bake bread")
        self.page.press_first(".growing a")
        self.page.until("document.querySelector('.leafage')")
        self.page.press("Edit")
        self.page.fill("title", "Bake bread")
        self.page.press("Keep")
        self.page.sees("Bake bread")
        self.synced()
        terminal.run("sync")
        self.assertIn("Bake bread", trunk("list"))
        self.assertEqual(self.page.problems(), [])


class Full(BesideTerminal, OwnPhone):
    def test_a_full_disk_is_told_and_the_page_goes_on_from_what_was_kept(self):
        terminal, _ = self.paired()
        self.water("250 ml")
        origin = self.server.address.rstrip("/")
        # A browser goes by the space that it found at first, for half a minute. An unoptimised core
        # takes six of these megabytes.
        self.browser.restart()
        self.browser.open().send("Storage.overrideQuotaForOrigin", origin=origin, quotaSize=1 << 24)
        self.page = self.open()
        self.assertEqual(self.page.run(FILL), "QuotaExceededError")
        self.place("water")
        self.page.press("500 ml")
        self.told("no room left")
        # A sync that cannot keep its steps says so, and does not begin anew by itself.
        self.place("settings")
        self.page.until("document.querySelector('main').textContent.includes('no room left')")
        self.page.run("""(() => {
          const { instantiate } = WebAssembly;
          self.begun = 0;
          WebAssembly.instantiate = (...parts) => (self.begun += 1, instantiate(...parts));
        })()""")
        self.show("water", "500 ml")
        self.assertEqual(self.page.run("self.begun"), 0)
        self.page.send("Storage.overrideQuotaForOrigin", origin=origin)
        self.total("250 ml")
        self.water("300 ml")
        self.total("550 ml")
        self.synced()
        terminal.run("sync")
        self.assertIn("550", terminal.run("water", "list").replace(",", ""))


if __name__ == "__main__":
    unittest.main()
