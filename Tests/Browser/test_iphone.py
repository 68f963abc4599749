# SPDX-License-Identifier: Apache-2.0
"""What Safari on a telephone does to an app, done to it here: Safari itself runs on no Linux."""

import unittest

from audit import AUDIT
from phone import Phone

# The connection to the database ends, as it does while an app is put away.
LOST = """(() => {
  const { transaction } = IDBDatabase.prototype;
  const ended = new WeakSet();
  IDBDatabase.prototype.transaction = function (...parts) {
    if (self.ending) ended.add(this);
    self.ending = false;
    if (ended.has(this)) throw new DOMException('The connection was lost.', 'InvalidStateError');
    return transaction.apply(this, parts);
  };
})()"""
# The next transaction is never heard of again, whether it was done or not.
SILENT = """((isDone) => {
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...parts) {
    const begun = transaction.apply(this, parts);
    IDBDatabase.prototype.transaction = transaction;
    for (const name of ['oncomplete', 'onabort']) {
      Object.defineProperty(begun, name, { set() { self.isSilent = true; } });
    }
    // It is over before it did anything.
    if (!isDone) queueMicrotask(() => begun.abort());
    return begun;
  };
})"""
HOME_SCREEN = """(() => {
  Object.defineProperty(navigator, 'standalone', { value: true });
  navigator.canShare = ({ files }) => files.length === 1;
  navigator.share = async ({ files: [file] }) => { self.shared = `${file.name} ${file.size}`; };
})()"""


class Storage(Phone):
    def test_a_connection_that_was_lost_is_made_again(self):
        self.water("250 ml")
        self.page.run(LOST)
        for total in ("550 ml", "850 ml"):
            self.page.run("self.ending = true")
            self.water("300 ml")
            self.total(total)
        self.page.reload()
        self.total("850 ml")
        self.assertEqual(self.page.problems(), [])

    def test_a_transaction_that_is_not_answered_is_done_once_more(self):
        total = 0
        for is_done in ("true", "false"):
            self.page.run(f"{SILENT}({is_done})")
            self.water("250 ml")
            self.assertTrue(self.page.run("self.isSilent"))
            total += 250
            self.total(f"{total} ml")
            self.page.reload()
            self.total(f"{total} ml")

    def test_a_browser_that_does_not_say_how_much_room_there_is_keeps_what_is_noted(self):
        self.page.send("Page.addScriptToEvaluateOnNewDocument",
            source="StorageManager.prototype.estimate = undefined")
        self.page.reload()
        self.show("settings", "Vigil")
        self.assertNotIn("keeps nothing", self.page.run("document.body.innerText"))


class HomeScreen(Phone):
    def test_an_export_is_shared(self):
        self.page.send("Page.addScriptToEvaluateOnNewDocument", source=HOME_SCREEN)
        self.page.reload()
        self.water("250 ml")
        self.show("settings", "Export")
        self.page.press("Export")
        self.page.until("self.shared")
        self.assertRegex(self.page.run("shared"), r"^atrest-\d{4}-\d\d-\d\d\.jsonl [1-9]")

    def test_nothing_lies_under_the_notch_or_the_bar_below(self):
        insets = {"top": 47, "bottom": 34, "left": 0, "right": 0}
        self.page.send("Emulation.setSafeAreaInsetsOverride", insets=insets)
        for place, words in (("timer", "Begin"), ("calendar", ""), ("history", ""), ("water", "250 ml"),
                ("settings", "Vigil"), ("forest", ""), ("garden", "Soil"), ("garden/3", ""),
                ("garden/3.5", "Plant"), ("journal", "")):
            self.show(place, words)
            self.assertEqual(self.page.run(AUDIT), [], place)
            self.assertEqual(self.page.run(UNDER), [], place)


# Words that are nearer to an edge than its inset, with the page at its top.
UNDER = """(() => {
  scrollTo(0, 0);
  return [...document.querySelectorAll('h1, h2, a, button, text, p, time')].filter((each) => {
    const { top, height, bottom } = each.getBoundingClientRect();
    const isFixed = each.closest('nav, .earth, #notice');
    return each.checkVisibility() && !each.closest('.spoken') && height > 0 && each.textContent.trim()
      && (top < 40 || (isFixed && bottom > innerHeight - 30));
  }).map((each) => `${each.localName} “${each.textContent.trim().slice(0, 40)}”`);
})()"""


if __name__ == "__main__":
    unittest.main()
