# SPDX-License-Identifier: Apache-2.0
"""A forest of two hundred trees moves under the finger as fast as a screen can show."""

import unittest

import values
from judge import Judged
from tracing import THREADS, Trace

TREES = 200
DAY = 24 * values.HOUR
LONG_TASK, FRAME = 50, 1000 / 60
STEPS = 100
# Moves the forest, a step with each frame.
WALK = f"""new Promise((resolve) => {{
  const walk = document.querySelector('.walk');
  walk.scrollTop = 0;
  let left = {STEPS};
  const step = () => {{
    walk.scrollTop += 24;
    left -= 1;
    if (left > 0) requestAnimationFrame(step); else resolve();
  }};
  requestAnimationFrame(step);
}})"""


class Forest(Judged):
    def setUp(self):
        super().setUp()
        replica, now = self.stranger.device.replica, values.now_ms()
        spans = ((now - day * DAY - 16 * values.HOUR, now - day * DAY) for day in range(1, TREES + 1))
        # With a purchase that this browser cannot judge, the forest stays open.
        self.stranger.write(values.entitlement(),
            *(values.session(replica, values={2: values.span(*each, 1)}) for each in spans))
        self.place("forest")
        self.page.until(f"document.querySelectorAll('.spot').length === {TREES}")

        # What is synced meanwhile would draw it anew.
        self.page.cut_network(True)
        # Drawn for the first time, it takes longer.
        self.page.framed()
        self.page.run("self.moves = 0; document.addEventListener('scroll', () => moves++, true)")

    def test_every_tree_has_its_outline(self):
        self.page.until(f"""(() => {{
          const trees = [...document.querySelectorAll('#screen use[href^="#tree-"]')];
          return trees.length >= {TREES} && trees.every((each) =>
            document.querySelector(each.getAttribute('href')) && each.getBBox().width > 0);
        }})()""")

    def test_a_telephone_that_is_turned_has_another_forest(self):
        for size in ((844, 390), (390, 844)):
            self.page.resize(*size)
            self.page.until(f"document.querySelector('.canvas').offsetWidth === {size[0]}")

    def test_a_step_takes_less_than_a_frame_of_each_thread(self):
        with Trace(self.page) as trace:
            self.page.run(WALK)
        self.assertGreater(self.page.run("moves"), 0)
        self.assertLess(trace.longest, LONG_TASK)
        for thread in THREADS:
            self.assertGreater(trace.total(thread), 0, thread)
            self.assertLess(trace.total(thread) / STEPS, FRAME, thread)

    def test_a_finger_never_waits_for_a_long_task(self):
        with Trace(self.page) as trace:
            for way in (1, 1, 1, -1, -1, -1):
                self.page.swipe(195, 150, 750, way)
        self.assertGreater(self.page.run("moves"), 50)
        self.assertLess(trace.longest, LONG_TASK)

    def test_a_long_task_is_seen(self):
        self.page.run("""document.addEventListener('scroll', () => {
          const end = performance.now() + 2000;
          while (performance.now() < end);
        }, { once: true, capture: true })""")
        with Trace(self.page) as trace:
            self.page.run(WALK)
        self.assertGreater(trace.longest, LONG_TASK)


if __name__ == "__main__":
    unittest.main()
