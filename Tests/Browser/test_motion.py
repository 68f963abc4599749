# SPDX-License-Identifier: Apache-2.0
"""What moves, when, and that nothing does for people who want no motion."""

import samples
from phone import HOUR, Phone

MOVING = "document.getAnimations().filter(({ playState }) => playState === 'running').length"
STARS = "document.querySelector('.sky > svg')"
WALK = "document.querySelector('.walk')"


class Motion(Phone):
    def calm(self):
        self.page.send("Emulation.setEmulatedMedia",
            features=[{"name": "prefers-reduced-motion", "value": "reduce"}])

    def complete(self):
        """A fast from its begin to its end."""
        self.page.press("Begin")
        self.page.sees("End fast")
        self.page.run(f"self.ahead += 17 * {HOUR}")
        self.page.until("document.querySelector('.elapsed').textContent.startsWith('17h')")
        self.page.press("End fast")
        self.page.sees("This fast is complete.")

    def forest(self):
        samples.weeks(self)
        self.page.resize(390, 500)
        self.place("forest")
        self.page.until(f"{STARS} && document.querySelector('.walk').scrollHeight > 600")
        # It goes where it begins with its first frame.
        self.page.framed()

    def test_the_tree_of_a_completed_fast_arrives_once_with_its_star(self):
        self.complete()
        self.page.until("document.querySelector('.arriving [href=\"#star\"]')")
        self.assertTrue(self.page.run("!!document.querySelector('.leaving svg')"))
        # However often the page is drawn anew, it is over.
        self.page.until("""(dispatchEvent(new Event('hashchange')),
          document.querySelector('.tree svg') && !document.querySelector('.arriving'))""")
        self.page.sees("This fast is complete.")

    def test_stars_move_slower_than_trees(self):
        self.forest()
        self.page.until(f"({WALK}.scrollTop = 100, {STARS}.style.transform === 'translateY(70px)')")

    def test_without_motion_everything_is_there_at_once(self):
        self.calm()
        self.complete()
        self.assertEqual(self.page.run(MOVING), 0)
        self.assertEqual(
            self.page.run("getComputedStyle(document.querySelector('.leaving')).opacity"), "0")
        self.assertEqual(
            self.page.run("getComputedStyle(document.querySelector('.arriving svg')).opacity"), "1")

    def test_without_motion_stars_stay_with_the_trees(self):
        self.calm()
        self.forest()
        self.page.until(f"({WALK}.scrollTop = 100, {WALK}.scrollTop === 100)")
        self.page.framed()
        self.page.until(f"{WALK}.scrollTop === 100 && {STARS}.style.transform === ''")

    def test_vigil_speaks_at_the_start_and_names_the_place_when_asked(self):
        self.place("settings")
        self.page.press_first("input[role=switch]")
        self.page.until("document.querySelector('input[role=switch]')?.checked")
        self.place("timer")
        self.page.press("Begin")
        self.page.until("document.querySelector('.beginning')")
        self.page.sees("You have set this time apart.")
        self.page.until("document.querySelector('.scripture')")
        shown = "getComputedStyle(document.querySelector('.scripture cite')).display"
        self.assertEqual(self.page.run(shown), "none")
        self.page.until(f"(document.querySelector('.scripture').focus(), {shown} === 'block')")
        # By a finger that rests on it, which a tap does not.
        self.page.run("document.activeElement.blur()")
        x, y = self.page.run("""(() => {
          const { left, top, width } = document.querySelector('.scripture').getBoundingClientRect();
          return [left + width / 2, top + 8];
        })()""")
        self.page.run("""(async () => {
          const line = document.querySelector('.scripture');
          for (const name of ['pointerdown', 'pointerup']) line.dispatchEvent(new PointerEvent(name));
          await new Promise((done) => setTimeout(done, 700));
        })()""")
        self.assertEqual(self.page.run(shown), "none")
        self.page.touch("Start", [{"x": x, "y": y}])
        self.page.until(f"{shown} === 'block'")
        self.page.touch("End", [])
        self.page.until(f"{shown} === 'none'")
        self.assertEqual(self.page.problems(), [])
