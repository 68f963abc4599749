# SPDX-License-Identifier: Apache-2.0
"""Prints how fast and how small the app is, with the bound of each figure. Nothing fails by time."""

import json
import pathlib
import platform
import statistics
import subprocess
import unittest

import values
from judge import Judged
from phone import WEB, OwnPhone

RUNS = 5
RECORDS = 10_000
DAY = 24 * values.HOUR
# When the first screen is there, and when a word is, in milliseconds since the page's begin.
CLOCKWORK = """new MutationObserver((_, observer) => {
  if (!document.querySelector('main > *')) return;
  self.ready = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true })"""
PAINT = "performance.getEntriesByName('first-paint')[0]?.startTime"
# From a press to the notice that says that it was kept.
WATER = """new Promise((resolve) => {
  const begin = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect();
    resolve(performance.now() - begin);
  }).observe(document.getElementById('notice'), { childList: true });
  [...document.querySelectorAll('button')].find((each) => each.textContent === '250 ml').click();
})"""
lines = []


def figure(words, value, unit, bound):
    lines.append(f"| {words} | {value:,.0f} {unit} | {bound} {unit} |")


class Start(OwnPhone):
    def started(self):
        """A new tab's first paint and first screen."""
        page = self.browser.open()
        page.send("Page.bringToFront")
        page.send("Page.addScriptToEvaluateOnNewDocument", source=CLOCKWORK)
        page.go(self.server.address)
        result = page.until_value(PAINT), page.until_value("self.ready")
        page.run("navigator.serviceWorker.ready.then(() => true)")
        page.close()
        return result

    def runTest(self):
        cold, warm = [], []
        for _ in range(RUNS):
            self.page.close()
            self.browser.send("Storage.clearDataForOrigin", session=self.clean().session,
                origin=self.server.address.rstrip("/"), storageTypes="all")
            cold.append(self.started())
            self.started()
            self.server.stop()
            warm.append(self.started())
            self.server.start()
            self.page = self.browser.open()
        figure("first paint, cold, over loopback", statistics.median(p for p, _ in cold), "ms", 1000)
        figure("ready, cold, over loopback", statistics.median(r for _, r in cold), "ms", 2000)
        figure("ready from the service worker, without a server",
            statistics.median(r for _, r in warm), "ms", 300)

    def clean(self):
        page = self.browser.open()
        page.send("Network.clearBrowserCache")
        return page


class Writing(OwnPhone):
    def runTest(self):
        self.water("250 ml")
        times = [self.page.run(WATER) for _ in range(4 * RUNS)]
        figure("water, from the press to shown as kept", statistics.median(times), "ms", 50)


class Many(Judged):
    def runTest(self):
        """A second browser comes to an account of ten thousand fasts."""
        replica, now = self.stranger.device.replica, values.now_ms()
        self.stranger.write(values.entitlement())
        for first in range(0, RECORDS, 500):
            self.stranger.device.exchange(offers=[values.offer(values.session(replica, values={
                2: values.span(now - each * DAY // 2 - 9 * values.HOUR, now - each * DAY // 2, 1)}))
                for each in range(first + 1, first + 501)])
        self.stranger.write(values.water(replica))
        self.context = self.browser.private()
        self.addCleanup(self.browser.dispose, self.context)
        self.page = self.open()
        self.pair(self.stranger.device.invite().code)
        self.until_paired()
        self.place("water")
        end = self.page.until_value("""document.querySelector('.total')?.textContent === '250 ml'
          && performance.now()""")
        begin = self.page.run("performance.getEntriesByType('resource')"
            ".find(({ name }) => name.endsWith('/Exchange')).startTime")
        figure(f"first sync of {RECORDS:,} records", end - begin, "ms", 3000)
        self.page.reload()
        self.page.until("document.querySelector('.total')?.textContent === '250 ml'")
        self.page.send("HeapProfiler.collectGarbage")
        used = self.page.send("Runtime.getHeapUsage")["usedSize"]
        figure(f"memory with {RECORDS:,} fasts: scripts and the core", (used + self.core()) / 1e6,
            "MB", 80)

    def core(self):
        """The bytes of the core's memory, which no script of the page hands out."""
        prototype = self.page.send("Runtime.evaluate", expression="WebAssembly.Memory.prototype")
        found = self.page.send("Runtime.queryObjects",
            prototypeObjectId=prototype["result"]["objectId"])["objects"]
        return self.page.send("Runtime.callFunctionOn", objectId=found["objectId"],
            functionDeclaration="function() { return this.reduce("
            "(sum, { buffer }) => sum + buffer.byteLength, 0); }",
            returnByValue=True)["result"]["value"]


class Sizes(unittest.TestCase):
    def runTest(self):
        listing = json.loads((pathlib.Path(WEB) / "assets.json").read_text())
        sizes = {asset["path"]: min((pathlib.Path(WEB) / form["file"]).stat().st_size
            for form in asset["forms"]) / 1000 for asset in listing["assets"]}
        core = sum(size for path, size in sizes.items() if path.endswith(".wasm"))
        budgets = json.loads((pathlib.Path(__file__).parent / "budgets.json").read_text())["optimized"]
        figure("the core, compressed", core, "kB", budgets["core"])
        figure("the whole app, compressed", sum(sizes.values()), "kB", budgets["app"])


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(": ")[1] for line in lines if line.startswith("model name")]
    browser = subprocess.run(["chromium", "--version"], capture_output=True, text=True).stdout
    load = pathlib.Path("/proc/loadavg").read_text().split()[0]
    return f"{len(models)} x {models[0]}, {platform.system()}, {browser.strip()}, load {load}"


if __name__ == "__main__":
    about = machine()
    suite = unittest.TestSuite([Start(), Writing(), Many(), Sizes()])
    outcome = unittest.TextTestRunner().run(suite)
    print(f"{about}\n\n| what | here | required |\n|---|---|---|")
    print("\n".join(lines))
    raise SystemExit(not outcome.wasSuccessful())
