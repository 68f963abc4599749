# SPDX-License-Identifier: Apache-2.0
"""Files, pictures for cameras, and words, as a person with a phone meets them."""

import hashlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from phone import OwnPhone, Phone
from screen import WAIT_SECONDS


class Data(Phone):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="data-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def exported(self):
        """The file that the page's button saves."""
        browser = self.browser
        browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder),
            eventsEnabled=True, browserContextId=self.context)
        events = browser.events[None]
        before = len(events)
        self.place("settings")
        self.page.press("Export")

        def said(method, **values):
            return next((each["params"] for each in events[before:] if each["method"] == method
                and all(each["params"][name] == value for name, value in values.items())), None)

        while not said("Browser.downloadProgress", state="completed"):
            browser.read(WAIT_SECONDS)
        return self.folder / said("Browser.downloadWillBegin")["suggestedFilename"]

    def choose(self, file):
        """Gives a file to the page's chooser."""
        self.page.until("document.querySelector('input[type=file]')")
        root = self.page.send("DOM.getDocument")["root"]["nodeId"]
        node = self.page.send("DOM.querySelector", nodeId=root, selector="input[type=file]")
        self.page.send("DOM.setFileInputFiles", files=[str(file)], nodeId=node["nodeId"])

    def test_an_export_goes_to_the_terminal_and_back(self):
        self.water("250 ml")
        file = self.exported()
        self.assertRegex(file.name, r"^atrest-\d{4}-\d\d-\d\d\.jsonl$")
        terminal = self.terminal()
        terminal.run("import", str(file), "--yes")
        terminal.run("water", "add", "300ml")
        terminal.run("export", str(self.folder / "back.jsonl"))

        self.place("import")
        self.choose(self.folder / "back.jsonl")
        self.page.sees("2 water entries: 1 new, 1 here already.")
        self.page.press("Bring it in")
        self.told("Brought in: 1 added.")
        self.total("550 ml")
        self.assertEqual(self.page.problems(), [])

    def test_a_damaged_file_is_refused_and_changes_nothing(self):
        self.water("250 ml")
        file = self.exported()
        file.write_text(file.read_text().replace('"millilitres":250', '"millilitres":950'))
        self.place("import")
        self.choose(file)
        self.told("so it was changed or damaged. Nothing was brought in.")
        self.total("250 ml")

    def test_ten_thousand_records_are_brought_in(self):
        terminal = self.terminal()
        terminal.run("water", "add", "250ml")
        terminal.run("export", str(self.folder / "one.jsonl"))
        head, line, _ = (self.folder / "one.jsonl").read_text().splitlines()
        record = json.loads(line)
        lines = []
        for index in range(10_000):
            record["id"] = f"00000000-0000-4000-8000-{index:012}"
            lines.append(json.dumps(record, separators=(",", ":"), sort_keys=True))
        body = "\n".join([head, *lines]) + "\n"
        seal = {"count": len(lines), "sha256": hashlib.sha256(body.encode()).hexdigest()}
        file = self.folder / "many.jsonl"
        file.write_text(body + json.dumps(seal) + "\n")
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
        self.paired()
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


class Conflict(OwnPhone):
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
