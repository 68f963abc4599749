# SPDX-License-Identifier: Apache-2.0
"""A browser that is killed while it keeps and syncs: what the page said was kept is there again."""

import os
import random
import unittest

import values
from atrest.sync.v1 import records_pb2
from judge import Judged
from phone import OwnPhone

CRASHES = 3 if os.environ.get("BRIEF") else 12
# What another device notes in each round, while this one does.
NEWS = 40
# Notes water again and again, and says after each that it was kept.
DRINK = """(async () => {
  const press = () => [...document.querySelectorAll('button')]
    .find((each) => each.textContent === '250 ml')?.click();
  let heard = told.length;
  press();
  for (;;) {
    await new Promise((done) => setTimeout(done));
    if (heard === told.length) continue;
    for (; heard < told.length; heard++) console.log(told[heard]);
    window.heard = heard;
    press();
  }
})()"""


class Killed(Judged, OwnPhone):
    def drink_until_killed(self, count):
        """Kills the browser once the page has shown so many drinks as kept, while it keeps more.
        Returns how many it is known to have shown: its last words may end with the browser."""
        self.page.send("Runtime.evaluate", expression=DRINK)
        # What was logged before this answer has arrived.
        self.page.until(f"window.heard >= {count}")
        self.browser.kill()
        heard = [event["params"]["args"][0]["value"]
            for event in self.browser.events[self.page.session]
            if event["method"] == "Runtime.consoleAPICalled"]
        self.assertEqual(set(heard), {"Noted 250 ml."})
        return len(heard)

    def test_what_was_kept_is_there_after_each_kill(self):
        seed = int(os.environ.get("SEED") or str(random.randrange(1 << 32)), 0)
        print(f"SEED={seed}", flush=True)
        choice = random.Random(seed)
        for _ in range(CRASHES):
            self.place("water")
            self.page.sees("250 ml")
            self.stranger.write(*(self.strange_water() for _ in range(NEWS)))
            before = self.listed("250 ml")
            told = self.drink_until_killed(choice.randint(1, 12))
            self.browser.start()
            self.page = self.open("#water")
            self.page.until(f"{self.count('250 ml')} >= {before + told}")
        self.synced()
        self.place("water")
        self.page.until(f"{self.count('300 ml')} === {CRASHES * NEWS}")
        amounts = [each["millilitres"] for each in self.laptop().json("water", "list")]
        self.assertEqual(amounts.count(250), self.listed("250 ml"))
        self.assertEqual(amounts.count(300), CRASHES * NEWS)
        self.assertEqual(self.page.problems(("exception",)), [])

    def strange_water(self):
        return values.record(records_pb2.KIND_WATER, values.new_id(),
            {1: values.NOT_DELETED, 2: values.intake(values.now_ms(), 300)},
            (values.clock(), self.stranger.device.replica))

    def count(self, words):
        """How often the water page lists an amount."""
        return ("[...document.querySelectorAll('.list span')]"
            f".filter((each) => each.textContent === '{words}').length")

    def listed(self, words):
        return self.page.run(self.count(words))


if __name__ == "__main__":
    unittest.main()
