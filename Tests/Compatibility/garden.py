# SPDX-License-Identifier: Apache-2.0
"""Two devices with a garden and fasts on one server, and what must hold of them."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

PATIENCE = 60  # Seconds for whatever a person would wait for.


class Garden:
    """A server and its devices, in a temporary folder. Stops what it started."""

    def __init__(self, binaries: pathlib.Path, server: pathlib.Path):
        self.binaries, self.old_server = binaries, server
        self.folder = tempfile.TemporaryDirectory(prefix="atrest-compatibility-")
        self.here = pathlib.Path(self.folder.name)
        self.server: subprocess.Popen | None = None
        self.port = 0
        hidden = {"ATREST_REPLICA", "XDG_DATA_HOME"}
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in hidden},
            "HOME": str(self.here), "TZ": "Europe/Berlin", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
        }

    def __enter__(self) -> "Garden":
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def play(self):
        self.start(self.old_server)
        self.pair("laptop", self.owner("account", "add", "home"))
        self.join("laptop", "phone")
        self.plant()
        self.harvest_on_both()
        self.fast()
        self.compare("laptop", "phone")
        # What it holds outlives it, for a device that never saw the garden, and for its successor.
        self.stop()
        self.start(self.old_server)
        self.join("laptop", "tablet")
        self.run("trunk", "tablet", "sync")
        self.compare("laptop", "phone", "tablet")
        self.stop()
        self.start(self.binaries / "atrest-syncd")
        self.trunk("tablet", "water", "cello", "Under the next server")
        self.sync("tablet", "phone", "laptop")
        self.compare("laptop", "phone", "tablet")

    # What is done.

    def plant(self):
        self.trunk("laptop", "plant", "Middlemarch", "--on", "3.5", "--season", "2w")
        self.trunk("laptop", "leaf", "add", "Long books", "--on", "3.5")
        self.trunk("laptop", "edit", "middlemarch", "--leaf", "long")
        self.trunk("laptop", "water", "middlemarch", "Two chapters")
        self.trunk("laptop", "label", "3.5", "Reading")
        self.trunk("phone", "plant", "Cello", "--on", "2.1", "--season", "1m")
        self.trunk("phone", "shine", "2.1", "A quiet week")
        self.sync("laptop", "phone", "laptop")
        self.trunk("phone", "water", "middlemarch", "On the phone")
        self.sync("phone", "laptop")

    def harvest_on_both(self):
        """Apart from each other: one harvest counts, whole, and the other one is set aside."""
        self.trunk("laptop", "harvest", "middlemarch", "--result", "2", "--note", "Half of it")
        time.sleep(0.01)  # Later by the clock, which counts milliseconds.
        self.trunk("phone", "harvest", "middlemarch", "--result", "5", "--note", "All of it")
        self.sync("laptop", "phone", "laptop")
        for device in ("laptop", "phone"):
            sprouts = self.trunk(device, "list", "--all")
            (book,) = (sprout for sprout in sprouts if sprout["title"] == "Middlemarch")
            expect(device, "result", book.get("result"), 5)
            expect(device, "reflection", book.get("reflection"), "All of it")
            expect(device, "waterings", book["waterings"], 2)
            (entry,) = self.trunk(device, "conflicts")
            expect(device, "field set aside", entry["field"], "outcome")
            lost = entry["set_aside"]["value"]
            expect(device, "set aside", (lost["result"], lost["reflection"]), (2, "Half of it"))

    def fast(self):
        """The other program, on the same replicas and the same account."""
        self.run("atrest", "laptop", "fast", "start", "--at", "2h ago", "--target", "16h")
        self.run("atrest", "phone", "water", "add", "250ml")
        self.run("atrest", "laptop", "sync")
        self.run("atrest", "phone", "sync")
        self.run("atrest", "laptop", "sync")
        for device in ("laptop", "phone"):
            fasts = json.loads(self.run("atrest", device, "sessions", "list", "--json"))
            expect(device, "fasts", [fast["outcome"] for fast in fasts], ["active"])
            drinks = json.loads(self.run("atrest", device, "water", "list", "--json"))
            expect(device, "water", len(drinks), 1)
            checked = json.loads(self.run("atrest", device, "doctor", "--check", "--json"))
            expect(device, "records that differ from the server", checked["left"], 0)

    def compare(self, first: str, *others: str):
        """All show the same, and hold the same bytes."""
        views = (
            ("trunk", "tree", "--json"), ("trunk", "list", "--all", "--json"),
            ("trunk", "journal", "--json"), ("trunk", "leaf", "list", "--json"),
            ("trunk", "twig", "3.5", "--json"), ("trunk", "replica", "digest"),
            ("atrest", "sessions", "list", "--all", "--json"), ("atrest", "replica", "digest"),
        )
        for program, *arguments in views:
            wanted = self.run(program, first, *arguments)
            for other in others:
                found = self.run(program, other, *arguments)
                expect(other, " ".join([program, *arguments]), found, wanted)

    # Devices.

    def run(self, program: str, device: str, *arguments: str) -> str:
        return self.call(
            self.binaries / program, *arguments, "--replica", str(self.here / device))

    def trunk(self, device: str, *arguments: str):
        return json.loads(self.run("trunk", device, *arguments, "--json"))

    def sync(self, *devices: str):
        for device in devices:
            self.run("trunk", device, "sync")

    def pair(self, device: str, link: str):
        self.run("trunk", device, "pair", link, "--name", device)

    def join(self, host: str, guest: str):
        """The guest waits until the host lets it in."""
        link = self.run("trunk", host, "invite")
        joining = subprocess.Popen(
            [self.binaries / "trunk", "pair", link, "--name", guest,
             "--replica", str(self.here / guest)],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        try:
            deadline = time.monotonic() + PATIENCE
            while not (waiting := self.trunk(host, "devices", "waiting")):
                if joining.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"{guest} does not wait to be let in.")
                time.sleep(0.1)
            self.run("trunk", host, "devices", "allow", waiting[0]["id"])
            _, complaint = joining.communicate(timeout=PATIENCE)
        finally:
            joining.kill()
        if joining.returncode != 0:
            raise SystemExit(f"{guest} was not let in: {complaint}")

    # The server.

    def start(self, program: pathlib.Path):
        """On a free port the first time, and on the same one after that."""
        with (self.here / "log").open("a") as log:
            self.server = subprocess.Popen(
                [program, "serve", "--data", str(self.here / "server"),
                 "--listen", f"127.0.0.1:{self.port}"],
                env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True,
            )
        self.owner_program = program
        line = self.server.stdout.readline()
        if not line:
            raise SystemExit(f"{program} did not start: {(self.here / 'log').read_text()}")
        self.port = self.port or int(line.rsplit(":", 1)[1].split()[0].rstrip("./,"))

    def stop(self):
        if self.server is None:
            return
        self.server.send_signal(signal.SIGTERM)
        try:
            self.server.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.server = None

    def owner(self, *arguments: str) -> str:
        return self.call(self.owner_program, *arguments, "--data", str(self.here / "server"))

    def call(self, *command) -> str:
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode != 0:
            words = " ".join(map(str, command[1:]))
            raise SystemExit(f"`{pathlib.Path(command[0]).name} {words}`: {done.stderr.strip()}")
        return done.stdout.strip()


def expect(device: str, what: str, found, wanted):
    if found != wanted:
        raise SystemExit(f"{device}, {what}: expected {wanted!r}, found {found!r}")
