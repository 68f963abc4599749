# SPDX-License-Identifier: Apache-2.0
"""The garden in a real browser: by touch, and by keyboard."""

import unittest

from audit import AUDIT
from phone import Phone

STILL = "document.getAnimations().every(({ playState }) => playState !== 'running')"


class Garden(Phone):
    def setUp(self):
        super().setUp()
        self.place("garden")
        self.page.sees("Nothing grows yet.")

    def key(self, key):
        """Presses a key."""
        code, text = {"Escape": (27, ""), "Enter": (13, "\r")}[key]
        for kind in ("keyDown", "keyUp"):
            self.page.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text,
                windowsVirtualKeyCode=code)

    def plant(self, title, branch=3, twig=5):
        self.place("garden")
        self.page.press(f"Branch {branch}: nothing yet")
        self.page.press(f"Twig {branch}.{twig}: nothing yet")
        self.page.press("Plant")
        self.page.fill("title", title)
        self.page.press("Plant, 3 soil")
        self.told("Planted “" + title + "” on twig")

    def open_sprout(self):
        self.place("garden")
        self.page.press_first(".growing a")
        self.page.until("document.querySelector('.leafage')")

    def test_a_goal_goes_from_the_bare_tree_to_its_harvest(self):
        self.plant("Read Middlemarch")
        self.open_sprout()
        self.page.press("Water")
        self.page.fill("note", "Two chapters")
        self.page.press_first("dialog button.main")
        self.page.sees("Soil: 7.05 of 10.")
        self.page.sees("Two chapters")
        self.page.press("Harvest")
        self.page.press_first("dialog [value='4']")
        self.page.press_first("dialog button.main")
        self.page.sees("strong, 4 of 5")
        self.place("journal")
        self.page.sees("Harvested “Read Middlemarch”, 4 of 5")
        self.page.reload()
        self.page.sees("Two chapters")
        self.place("timer")
        self.page.press("Garden")
        self.page.sees("Nothing grows yet.")
        self.assertEqual(self.page.problems(), [])

    def test_what_the_rules_refuse_is_told_in_the_sheet_and_what_was_typed_stays(self):
        self.place("garden/3.5")
        self.page.press("Plant")
        self.page.fill("title", "A year of it")
        self.page.press_first("dialog [value='1y']")
        self.page.press("Plant, 12 soil")
        self.page.sees("That takes 12 soil, and there is 10.")
        self.assertEqual(self.page.run("document.querySelector('[name=title]').value"),
            "A year of it")
        self.page.press("Keep as a draft")
        self.told("Drafted “A year of it”.")

    def test_the_keyboard_opens_and_leaves_sheets_and_goes_up_by_steps(self):
        self.place("garden/3.5")
        self.page.until("[...document.querySelectorAll('.tool')].some((each) => "
            "each.textContent === 'Plant' && (each.focus(), true))")
        self.key("Enter")
        self.page.until("document.activeElement.name === 'title'")
        self.key("Escape")
        self.page.until("!document.querySelector('dialog')")
        self.assertEqual(self.page.run("location.hash"), "#garden/3.5")
        self.page.until("document.activeElement.textContent === 'Plant'")
        for place in ("#garden/3", "#garden", "#timer"):
            self.key("Escape")
            self.page.until(f"location.hash === '{place}' && document.querySelector('h1')")
            self.page.until("!document.querySelector('[aria-busy]')")

    def test_every_page_can_be_read_and_touched_from_320_points_on(self):
        self.plant("A goal whose title is as long as titles may be, of sixty")
        sprout = self.page.until_value("document.querySelector('a.spot')?.hash.slice(1)")
        found = {}
        for width, height in ((320, 568), (390, 844), (1440, 900)):
            self.page.resize(width, height)
            for place in ("garden", "garden/3", "garden/3.5", sprout, "journal"):
                self.place("settings")
                self.page.until("!document.querySelector('.garden')")
                self.place(place)
                self.page.until(f"document.querySelector('.garden') && {STILL}")
                if problems := self.page.run(AUDIT):
                    found[f"{place} {width}"] = problems
            self.place("garden/3.5")
            self.page.press("Plant")
            self.page.until("document.querySelector('dialog')")
            self.page.until("document.querySelector('dialog').scrollWidth <= innerWidth")
            self.page.press("Cancel")
        self.assertEqual(found, {})


if __name__ == "__main__":
    unittest.main()
