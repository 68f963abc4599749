# SPDX-License-Identifier: Apache-2.0
"""Somebody presses anything, in any order: no screen fails, none stays empty, each can be read.

SEED=0x1234 presses other things than usual, and STEPS=1000 more of them."""

import json
import os
import random
import unittest

import samples
from audit import AUDIT
from phone import HOUR, Phone

STEPS = int(os.environ.get("STEPS") or 150)
SIZES = [(320, 568), (390, 844), (844, 390), (1280, 800)]
WORDS = ["", "Read", "Ein Garten", "🌳" * 12, "x" * 300, "00:00", "0", "-5", "<b>bold</b>", "2026-11-26T08:00"]
# What is written into, and what else can be pressed here, as the page shows it.
WRITTEN = "input:not([type=checkbox], [type=radio], [type=file]), textarea"
CHOICES = """[...document.querySelectorAll('a, button, select, input, textarea')].filter((each) =>
  each.checkVisibility() && !each.disabled && each.type !== 'file'
    && !/^https?:/.test(each.getAttribute('href') ?? ''))"""
# What no notice says.
SLIPS = ["undefined", "null", "NaN", "[object", "do not fit"]


class Anything(Phone):
    def test_whatever_is_pressed_the_app_goes_on(self):
        seed = int(os.environ.get("SEED") or "19", 0)
        self.choice, self.is_cut, trail = random.Random(seed), False, []
        self.first_paired()
        self.second_paired()
        samples.weeks(self)
        ways = {self.press: 80, self.fill: 8, self.back: 4, self.reload: 1, self.later: 2, self.turn: 2,
            self.cut: 1}
        try:
            for _ in range(STEPS):
                (way,) = self.choice.choices(list(ways), ways.values())
                trail.append(way())
                self.check()
        except AssertionError:
            print(f"SEED={seed}", *trail[-25:], sep="\n", flush=True)
            raise

    def check(self):
        if self.page.run("location.href") == "about:blank":
            self.page.go(self.server.address)
        self.page.until("document.querySelector('main:not([aria-busy]) > *')")
        self.page.settle()
        self.assertEqual(self.page.problems(("exception",)), [])
        told = self.page.run("told")
        self.assertEqual([each for each in told if any(slip in each for slip in SLIPS)], [])
        self.assertEqual(self.page.run(AUDIT), [])

    def chosen(self, condition, body):
        """Runs a script about one element that fits, and says which one."""
        return self.page.run(f"""(() => {{
          const fit = {CHOICES}.filter((each) => {condition});
          const one = fit[Math.floor({self.choice.random()} * fit.length)];
          if (!one) return `${{location.hash}}: nothing`;
          const name = one.getAttribute('aria-label') ?? one.name ?? one.textContent;
          const said = `${{location.hash}}: ${{one.localName}} ${{name || one.textContent}}`;
          {body};
          return said;
        }})()""")

    def press(self):
        return self.chosen(f"!each.matches('{WRITTEN}')", """if (one.localName === 'select') {
          one.selectedIndex = (one.selectedIndex + 1) % one.options.length;
          one.dispatchEvent(new Event('change', { bubbles: true }));
        } else one.click()""")

    def fill(self):
        words = json.dumps(self.choice.choice(WORDS))
        return words + " in " + self.chosen(f"each.matches('{WRITTEN}')", f"""one.value = {words};
          for (const name of ['input', 'change']) one.dispatchEvent(new Event(name, {{ bubbles: true }}))""")

    def back(self):
        self.page.run("history.back()")
        return "back"

    def reload(self):
        self.page.reload()
        return "reload"

    def later(self):
        hours = self.choice.choice([1, 5, 17, 30])
        self.page.run(f"self.ahead += {hours * HOUR}")
        return f"{hours} hours later"

    def turn(self):
        size = self.choice.choice(SIZES)
        self.page.resize(*size)
        return f"{size}"

    def cut(self):
        self.is_cut = not self.is_cut
        self.page.cut_network(self.is_cut)
        return f"network cut: {self.is_cut}"


if __name__ == "__main__":
    unittest.main()
