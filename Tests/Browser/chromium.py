# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium as a process, driven by its own protocol over a pipe."""

import base64
import collections
import contextlib
import itertools
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

import zone
from screen import WAIT_SECONDS, ProtocolError, Screen


class Chromium:
    """One browser with one profile, which a restart keeps."""

    def __init__(self, trusted=None, like=None, options=()):
        """trusted: the SHA-256 of a public key whose certificate the browser takes, in Base64.
        like: a browser that was stopped, whose profile is copied."""
        self.profile = tempfile.mkdtemp(prefix="browser-")
        if like:
            # What says that the profile is in use stays behind.
            shutil.copytree(like.profile, self.profile, dirs_exist_ok=True, symlinks=True,
                ignore=shutil.ignore_patterns("Singleton*"))
        self.trusted, self.options = trusted, options
        self.process = None
        self.start()

    def start(self):
        program = os.environ.get("CHROMIUM") or shutil.which("chromium")
        assert program, "Chromium is needed: apt-get install chromium"
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # The browser reads from 3 and writes to 4, which may be taken in this process.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--lang=en-US",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1", *self.options]
        if self.trusted:
            command.append(f"--ignore-certificate-errors-spki-list={self.trusted}")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "bash", "-c", shell, "bash", *command],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "TZ": zone.NAME, "TMPDIR": self.profile})
        os.close(to_browser)
        os.close(from_browser)
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._messages = collections.deque()
        self._answers = {}
        self._unheard = set()
        self.handlers = {}
        self.events = collections.defaultdict(list)

    def post(self, method, session=None, **parameters):
        """One command whose result nobody waits for: what a handler of events may do."""
        self._unheard.add(self._write(method, session, parameters))

    def _write(self, method, session, parameters):
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        os.write(self._out, json.dumps(command).encode() + b"\0")
        return number

    def send(self, method, session=None, **parameters):
        """One command. Returns its result."""
        number = self._write(method, session, parameters)
        until = time.monotonic() + WAIT_SECONDS
        while number not in self._answers:
            self.read(until - time.monotonic())
        answer = self._answers.pop(number)
        if "error" in answer:
            raise ProtocolError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def read(self, seconds):
        """Takes in what the browser says next."""
        while not self._messages:
            if not select.select([self._in], [], [], max(0, seconds))[0]:
                raise ProtocolError("the browser said nothing in time")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise ProtocolError("the browser is gone")
            *whole, self._buffer = (self._buffer + part).split(b"\0")
            self._messages.extend(map(json.loads, whole))
        # One at a time: a handler may itself send and read.
        message = self._messages.popleft()
        key = message.get("sessionId"), message.get("method")
        if "id" not in message:
            self.handlers.get(key, self.events[key[0]].append)(message)
        elif message["id"] not in self._unheard:
            self._answers[message["id"]] = message

    def open(self, address="about:blank", context=None):
        more = {"browserContextId": context} if context else {}
        target = self.send("Target.createTarget", url="about:blank", **more)["targetId"]
        page = Page(self, target)
        if address != "about:blank":
            page.go(address)
        return page

    def private(self):
        """A context like a private window's."""
        return self.send("Target.createBrowserContext")["browserContextId"]

    def dispose(self, context):
        """Closes such a window with its tabs."""
        self.send("Target.disposeBrowserContext", browserContextId=context)

    def stop(self):
        if self.process is None:
            return
        try:
            self.send("Browser.close")
            self.process.wait(timeout=WAIT_SECONDS)
        except (ProtocolError, BrokenPipeError, subprocess.TimeoutExpired):
            pass
        self.kill()

    def kill(self):
        """Ends it and its helpers in the middle of what they do. What was heard stays."""
        # Helpers live for a moment after their browser, and write into its profile until then. A
        # container without an init keeps what is left of them.
        until = time.monotonic() + 10
        with contextlib.suppress(ProcessLookupError):
            while time.monotonic() < until:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.poll()
                time.sleep(0.01)
        self.process.wait()
        with contextlib.suppress(ProtocolError):
            while True:
                self.read(0)
        os.close(self._out)
        os.close(self._in)
        self.process = None

    def restart(self):
        self.stop()
        self.start()

    def close(self):
        """Ends it and removes its profile."""
        self.stop()
        shutil.rmtree(self.profile)


class Page(Screen):
    """One tab."""

    def __init__(self, browser, target):
        self.browser, self.target = browser, target
        self.is_cut, self._tells_network = False, True
        self.session = browser.send("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        return self.browser.send(method, session=self.session, **parameters)

    def go(self, address):
        self.send("Page.navigate", url=address)
        self.until("document.readyState === 'complete'")
        return self

    def reload(self):
        self.run("window.isOld = true")
        self.send("Page.reload")
        self.until("!window.isOld && document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression, awaited."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True,
            returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise ProtocolError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def resize(self, width, height, scale=1):
        """The size of its window, and a screen for fingers if that is a phone's."""
        self.send("Emulation.setTouchEmulationEnabled", enabled=width < 600)
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=scale, mobile=width < 600)

    def swipe(self, x, top, bottom, way):
        """A finger's way between two heights, up for 1 and down for -1, in 25 steps."""
        begin, end = (bottom, top) if way > 0 else (top, bottom)
        self.touch("Start", [{"x": x, "y": begin}])
        for step in range(1, 26):
            self.touch("Move", [{"x": x, "y": begin + (end - begin) * step / 25}])
        self.touch("End", [])

    def touch(self, phase, points):
        self.send("Input.dispatchTouchEvent", type=f"touch{phase}", touchPoints=points)

    def picture(self, path):
        data = self.send("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def cut_network(self, is_cut):
        # What the page asked until now is seen before this changes.
        is_online = self.run("navigator.onLine")
        if not self.is_cut:
            self._tells_network = is_online
        self.is_cut = is_cut
        self.send("Network.emulateNetworkConditions", offline=is_cut, latency=0,
            downloadThroughput=-1, uploadThroughput=-1)
        if not self._tells_network:
            # A browser on a machine without a network sends no event.
            self.run(f"dispatchEvent(new Event('{'offline' if is_cut else 'online'}'))")

    def problems(self, levels=("error",)):
        """What the console said on these levels, and exceptions that nobody caught."""
        found = []
        for event in self.browser.events[self.session]:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            if event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in levels:
                found.append(str(parameters["args"]))
            if event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in levels:
                found.append(parameters["entry"]["text"])
        return found

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)
