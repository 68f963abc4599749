# SPDX-License-Identifier: Apache-2.0
"""A daemon that can be killed and comes back at the same address, and the devices around it."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time
import types


from harness import CODE, Daemon, Device, open_channel

LIMIT_SECONDS = 30
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "NO_COLOR": "1", "TZ": "UTC", "LANG": "C.UTF-8"}
COMPLAINT = re.compile(r"\S+ (warning|error|critical) ")
# Children die with this process, even if that is killed.
TETHER = ["setpriv", "--pdeathsig", "KILL"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server(Daemon):
    """A daemon that may be killed, and comes back at the address it had.

    - store: the URL of a PostgreSQL database. Without one the records are in the data folder.
    """

    def __init__(self, binaries, directory, port=None, store=None):
        super().__init__(binaries, directory)
        self.listen = f"127.0.0.1:{port or free_port()}"
        self.options = ["--store", store] if store else []

    def up(self):
        """Starts it, if it is not running. Returns itself."""
        if self.process is None:
            self.start(self.listen, self.options)
        return self

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def spawn(self, *, prefix=(), env=None, log=None):
        """Starts it without waiting for anything. Returns the process, which is the caller's to
        end."""
        command = [self.program, "serve", "--data", self.data, "--listen", self.listen, "--insecure"]
        return subprocess.Popen(
            [*TETHER, *prefix, *command, *self.options],
            stdout=subprocess.PIPE,
            stderr=log or subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
        )

    def kill_at_start(self, seconds):
        """Starts it, and kills it so soon that it may not even listen."""
        with open(self.log, "ab") as log:
            infant = self.spawn(log=log)
        time.sleep(seconds)
        infant.kill()
        infant.communicate()

    def complaints(self):
        """The lines of its log that are more than notices."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return [line for line in lines if COMPLAINT.match(line)]

    def peak_bytes(self):
        """The most memory that it had since it started."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10

    def invitation(self, account):
        """A pairing code for a new or an old account."""
        done = self.admin("account", "add", account)
        if done.returncode == 73:
            done = self.admin("account", "invite", account)
        assert done.returncode == 0, done.stderr
        return CODE.search(done.stdout)[0]

    def pair(self, account, device_name):
        """Pairs a stranger's device. Returns it."""
        with open_channel(self.listen) as channel:
            return Device.pair(channel, self.invitation(account), device_name)


def device_of(replica, token, channel):
    """A device that was paired before."""
    answer = types.SimpleNamespace(replica=replica, token=token, account_name="")
    return Device(channel, answer)


class Finished(Exception):
    """A command that did not say 0."""

    def __init__(self, command, done):
        super().__init__(f"{' '.join(command)}: {done.returncode}: {done.stderr.strip()}")
        self.code, self.stderr = done.returncode, done.stderr


class Companion:
    """The `atrest` command with a replica of its own."""

    def __init__(self, binaries, replica):
        self.program, self.replica = str(pathlib.Path(binaries) / "atrest"), pathlib.Path(replica)

    def command(self, *words):
        return [self.program, *words, "--replica", str(self.replica)]

    def run(self, *words, prefix=(), env=None):
        """Runs a command to its end, whatever that is."""
        return subprocess.run(
            [*TETHER, *prefix, *self.command(*words)],
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            env={**ENVIRONMENT, **(env or {})},
        )

    def say(self, *words, **more):
        """Runs a command that must succeed. Returns its answer."""
        done = self.run(*words, **more)
        if done.returncode != 0:
            raise Finished(words, done)
        return done.stdout

    def json(self, *words, **more):
        return json.loads(self.say(*words, "--json", **more))

    def pair(self, server, account, name, address=None):
        link = f"atrest://{address or server.listen}/{server.invitation(account)}"
        self.say("pair", link, "--name", name)
        return self

    def dump(self):
        return self.say("replica", "dump", "--values", "--json")

    def copied_to(self, folder):
        """The same replica in another place."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.replica, folder)
        return Companion(pathlib.Path(self.program).parent, folder)
