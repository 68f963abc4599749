# SPDX-License-Identifier: Apache-2.0
"""Files, pictures for cameras, and words, as a person with a phone meets them."""

import json
import shutil
import subprocess
import unittest

import exports
from phone import Phone


class Data(Phone):
    def setUp(self):
        super().setUp()
        self.folder = self.new_folder()

    def test_a_damaged_file_is_refused_and_changes_nothing(self):
        self.water("250 ml")
        file = self.exported(self.folder)
        file.write_text(file.read_text().replace('"millilitres":250', '"millilitres":950'))
        self.place("import")
        self.choose(file)
        self.told("so it was changed or damaged. Nothing was brought in.")
        self.total("250 ml")

    def test_ten_thousand_records_are_brought_in(self):
        self.water("250 ml")
        _, drink, _ = self.exported(self.folder).read_text().splitlines()
        file = self.folder / "many.jsonl"
        exports.write(file, [{**json.loads(drink), "id": f"00000000-0000-4000-8000-{index:012}"}
            for index in range(10_000)])
        self.place("import")
        self.choose(file)
        self.page.sees("10000 water entries: 10000 new.")
        self.page.press("Bring it in")
        self.told("Brought in: 10000 added.")
        self.page.reload()
        self.place("water")
        self.page.until("document.querySelector('.total')?.textContent.length > 3")
        self.assertEqual(self.page.problems(), [])

    @unittest.skipUnless(shutil.which("zbarimg"), "zbarimg reads pictures")
    def test_a_camera_reads_the_invitation(self):
        self.first_paired()
        self.place("devices")
        self.page.press("Invite a device")
        self.page.until("document.querySelector('.qr svg')")
        link = self.page.run("document.querySelector('.code').textContent")
        self.page.run("document.querySelector('.qr').scrollIntoView()")
        self.page.settle()
        self.page.picture(self.folder / "page.png")
        read = subprocess.run(["zbarimg", "-q", "--raw", str(self.folder / "page.png")],
            capture_output=True, text=True, check=True).stdout.strip()
        self.assertEqual(read, link)
        self.assertIn("/#pair=", link)

    def test_a_browser_that_reads_german_has_german_words(self):
        agent = self.page.run("navigator.userAgent")
        self.page.send("Emulation.setUserAgentOverride", userAgent=agent,
            acceptLanguage="de-AT,de;q=0.9,en;q=0.8")
        self.page.reload()
        self.page.until("document.documentElement.lang === 'de'")
        self.page.press("Einstellungen")
        self.page.sees("Geräte")
        self.page.sees("Deine Daten")
        self.assertEqual(self.page.problems(), [])

    def test_the_settings_lead_to_terms_and_privacy(self):
        for words, said in [("Terms of Service", "Apache License"), ("Privacy Policy", "no cookies")]:
            self.place("settings")
            self.page.press(words)
            self.page.sees(said)


if __name__ == "__main__":
    unittest.main()
