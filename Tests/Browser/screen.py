# SPDX-License-Identifier: Apache-2.0
"""What a person does with a page and sees on it, in any browser that can run a script."""

import json
import os
import time

# A machine that is busy with other tests is slow. What never comes true fails later, not wrongly.
WAIT_SECONDS = int(os.environ.get("WAIT_SECONDS", 120))
# What browsers say of a script whose page went away.
MOVED = ("context", "navigated", "unloaded", "browsing")


class ProtocolError(AssertionError):
    """The browser refused a command, or a script of a test threw."""


class Screen:
    """A page that its browser's class can `run` an expression in."""

    def until(self, condition, seconds=WAIT_SECONDS):
        """Waits until an expression is true, looking every 10 ms. Returns its value."""
        body = f"""new Promise((resolve) => {{
          const until = Date.now() + 1000;
          const look = () => {{
            let value = false;
            try {{ value = {condition}; }} catch {{ }}
            if (value || Date.now() > until) resolve(!!value); else setTimeout(look, 10);
          }};
          look();
        }})"""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = self.run(body)
            except ProtocolError as error:
                if not any(words in str(error) for words in MOVED):
                    raise
                time.sleep(0.05)
                continue
            if value:
                return value
        text = self.run("document.body.innerText")
        raise AssertionError(f"it never came true: {condition}; the page says: {text!r}")

    def until_value(self, expression):
        """The value of an expression, once it has one."""
        self.until(expression)
        return self.run(expression)

    def until_done(self, script, value=True):
        """Waits until a promise, made again and again, has this value."""
        end = time.monotonic() + WAIT_SECONDS
        while (last := self.run(script)) != value:
            time.sleep(0.05)
            assert time.monotonic() < end, f"it stayed {last!r}, not {value!r}: {script}"

    def framed(self):
        """Waits until what was changed is on the screen."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def settle(self):
        """Waits until what fades or moves has done so."""
        self.until("document.getAnimations().every(({ playState }) => playState !== 'running')")

    def sees(self, words):
        return self.until(f"document.body.innerText.includes({json.dumps(words)})")

    def press(self, words):
        """Clicks the button or link of that name."""
        self.until(f"""(() => {{
          const each = [...document.querySelectorAll('button, a')].find((element) =>
            [element.textContent.trim(), element.getAttribute('aria-label')]
              .includes({json.dumps(words)}) && !element.disabled);
          each?.click();
          return !!each;
        }})()""")

    def press_first(self, selector):
        """Clicks the first element that a selector finds."""
        self.until(f"""(() => {{
          const element = document.querySelector({json.dumps(selector)});
          element?.click();
          return !!element;
        }})()""")

    def fill(self, name, value):
        self.until(f"""(() => {{
          const input = document.querySelector('[name={name}]');
          if (input) input.value = {json.dumps(value)};
          return !!input;
        }})()""")
