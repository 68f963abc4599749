# SPDX-License-Identifier: Apache-2.0
"""Every screen can be read, reached and touched: narrow and wide, both ways, on any contrast."""

import json
import unittest

import samples
from audit import AUDIT
from phone import HOUR, OwnPhone, Phone

# A place, and words that are there once it is drawn.
SCREENS = {
    "timer": "End fast", "forest": "", "calendar": "", "history": "16h", "water": "500 ml",
    "settings": "Vigil", "tree": "Delete", "conflicts": "Later writes", "devices": "Revoke",
    "pair": "Code", "import": "Choose a file", "purchase": "iOS app", "privacy": "no cookies",
    "terms": "Apache License",
}
SIZES = [(320, 568), (390, 844), (844, 390), (2560, 1440)]


class Installable(OwnPhone):
    def test_a_browser_may_install_it(self):
        self.page.run("navigator.serviceWorker.ready.then(() => true)")
        manifest = self.page.send("Page.getAppManifest")
        self.assertEqual(manifest["errors"], [])
        self.assertEqual(self.page.send("Page.getInstallabilityErrors")["installabilityErrors"], [])
        data = json.loads(manifest["data"])
        icons = [(each["src"], each["sizes"]) for each in data["icons"]]
        touch = self.page.run("document.querySelector('[rel=apple-touch-icon]').href")
        for source, size in [*icons, (touch, "180x180")]:
            drawn = self.page.run(f"""new Promise((resolve) => {{
              const image = new Image();
              image.onload = () => resolve(`${{image.naturalWidth}}x${{image.naturalHeight}}`);
              image.onerror = () => resolve('none');
              image.src = '{source}';
            }})""")
            self.assertNotEqual(drawn, "none", source)
            if size != "any":
                self.assertEqual(drawn, size, source)


class Screens(Phone):
    def setUp(self):
        super().setUp()
        self.first_paired()
        self.second_paired()
        samples.weeks(self)
        self.place("forest")
        self.tree = self.page.until_value("document.querySelector('.spot')?.hash.slice(1)")

    def audit(self, screens=SCREENS, sizes=SIZES, isStill=False):
        found = {}
        for screen, words in screens.items():
            for size in sizes:
                self.page.resize(*size)
                self.show(self.tree if screen == "tree" else screen, words)
                problems = self.page.run(AUDIT)
                if isStill and self.page.run("document.getAnimations().length") > 0:
                    problems.append("something moves")
                if problems:
                    found[f"{screen} {size}"] = problems
        self.assertEqual(found, {}, json.dumps(found, indent=1, ensure_ascii=False))

    def test_at_every_size(self):
        self.audit()
        self.assertEqual(self.page.problems(("error", "warning")), [])

    def test_from_right_to_left(self):
        self.page.run("document.documentElement.dir = 'rtl'")
        self.audit(sizes=[(320, 568), (1440, 900)])

    def test_with_more_contrast_and_without_motion(self):
        self.page.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-contrast", "value": "more"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.audit(sizes=[(390, 844)], isStill=True)

    def test_in_a_light_surrounding(self):
        self.page.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "light"}])
        self.audit(sizes=[(390, 844)])


class Moments(Phone):
    def test_what_comes_after_ten_fasts(self):
        samples.bring(self, [(days, 16) for days in range(2, 22, 2)])
        for place, words in (("transition", "Maybe later"), ("paywall", "A browser cannot buy.")):
            for size in SIZES:
                self.page.resize(*size)
                self.show(place, words)
                self.assertEqual(self.page.run("location.hash"), f"#{place}")
                self.assertEqual(self.page.run(AUDIT), [], (place, size))

    def test_an_invitation(self):
        self.first_paired()
        self.place("devices")
        self.page.press("Invite a device")
        for size in SIZES:
            self.page.resize(*size)
            self.page.until("document.querySelector('.code a')")
            self.page.settle()
            self.assertEqual(self.page.run(AUDIT), [], size)


class Ended(Phone):
    def test_a_fast_at_its_end(self):
        self.page.press("Begin")
        self.page.sees("End fast")
        self.page.run(f"self.ahead = 17 * {HOUR}")
        self.page.press("End fast")
        for size in SIZES:
            self.page.resize(*size)
            self.page.sees("This fast is complete.")
            self.page.settle()
            self.assertEqual(self.page.run(AUDIT), [], size)


if __name__ == "__main__":
    unittest.main()
