# SPDX-License-Identifier: Apache-2.0
"""What a browser's threads did while something went on, in processor time: whatever else the machine
does meanwhile changes nothing."""

import collections

CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
# The page's scripts, styles and painting; moving its layers; and putting them on the screen.
THREADS = ["CrRendererMain", "Compositor", "VizCompositorThread"]


class Trace:
    """Between `with` and its end."""

    def __init__(self, page):
        self.page, self.events, self.is_complete = page, [], False

    def __enter__(self):
        browser = self.page.browser
        browser.handlers[None, "Tracing.dataCollected"] = (
            lambda event: self.events.extend(event["params"]["value"]))
        browser.handlers[None, "Tracing.tracingComplete"] = self._completed
        browser.send("Tracing.start", transferMode="ReportEvents",
            traceConfig={"includedCategories": CATEGORIES, "recordMode": "recordAsMuchAsPossible"})
        return self

    def _completed(self, _):
        self.is_complete = True

    def __exit__(self, *_):
        self.page.browser.send("Tracing.end")
        while not self.is_complete:
            self.page.run("1")
        names = {(each["pid"], each["tid"]): each["args"]["name"]
            for each in self.events if each["name"] == "thread_name"}
        tasks = collections.defaultdict(list)
        for each in self.events:
            if each["ph"] == "X" and each["name"] == "RunTask":
                tasks[each["pid"], each["tid"]].append(each.get("tdur", 0) / 1000)
        # Of several of a name, the page's is the one that worked most.
        self.tasks = {name: max((found for thread, found in tasks.items()
            if names.get(thread) == name), key=sum, default=[]) for name in THREADS}

    @property
    def longest(self):
        """The longest task of the page's own thread, in milliseconds."""
        return max(self.tasks["CrRendererMain"], default=0)

    def total(self, thread):
        """Milliseconds that a thread worked."""
        return sum(self.tasks[thread])
