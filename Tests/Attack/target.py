# SPDX-License-Identifier: Apache-2.0
"""The daemon that is attacked, what it costs from second to second, and the accounts on it."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import threading
import time

from atrest.internal.v1 import pages_pb2
from atrest.sync.v1 import devices_pb2, sync_pb2
from harness import Daemon
from peer import PAIR, RENEW, Peer, request
from values import clock, new_id, offer, record, water
from wire import message

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
# As large as the app's largest file may be.
SCRIPT_BYTES = 450 * 1024


class Target(Daemon):
    """A fresh daemon, with TLS or without."""

    def __init__(self, binaries, directory, tls=False, limits=(), descriptors=None):
        super().__init__(binaries, directory)
        self.tls = tls
        # An unused device for the operator to revoke.
        self.lost = None
        self.prefix = ["prlimit", f"--nofile={descriptors}"] if descriptors else []
        self.limits = [part for limit in limits for part in ("--limit", limit)]

    def up(self):
        command = [self.program, "serve", "--data", self.data, "--listen", "127.0.0.1:0", *self.limits]
        command += ["--web", str(self.app())]
        with open(self.log, "ab") as log:
            # setpriv: the daemon dies with this process, even if that is killed.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self.prefix, *command, *([] if self.tls else ["--insecure"])],
                stdout=subprocess.PIPE,
                stderr=log,
            )
        line = self._first_line(seconds=20)
        match = re.fullmatch(r"atrest-syncd listening on (\S+:\d+)\n", line)
        if not match:
            self.stop()
            raise AssertionError(f"the first line was {line!r}; the log ends: {self.log_tail()}")
        self.address = match[1]
        self.proc = pathlib.Path(f"/proc/{self.process.pid}")
        return self

    def app(self):
        """A web app with files as large as the real one's, as Scripts/build-web makes it."""
        folder = pathlib.Path(self.data).parent / "app"
        folder.mkdir(exist_ok=True)
        files = {"/": b"<p>Atrest</p>" * 500, "/app.js": os.urandom(SCRIPT_BYTES)}
        assets = []
        for number, (path, content) in enumerate(files.items()):
            name, digest = f"file{number}", hashlib.sha256(content).hexdigest()
            (folder / name).write_bytes(content)
            form = {"coding": "identity", "file": name, "sha256": digest}
            assets.append({"path": path, "sha256": digest, "type": "text/html", "forms": [form]})
        (folder / "assets.json").write_text(json.dumps({"assets": assets}))
        return folder

    @property
    def rss(self):
        """Resident bytes."""
        return int((self.proc / "statm").read_text().split()[1]) * PAGE

    @property
    def descriptors(self):
        return len(os.listdir(self.proc / "fd"))

    @property
    def cpu(self):
        """Seconds of processor time since its start."""
        fields = (self.proc / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def pair(self, code, name="first", source=None):
        """Tries a code. Returns the answer and what it means if it was right."""
        with Peer(self.address, source, self.tls) as peer:
            body = devices_pb2.PairRequest(code=code, device_name=name).SerializeToString()
            answer = peer.call(request(PAIR), message(body))
        if answer is None or answer.status != "0":
            return answer, None
        return answer, devices_pb2.PairResponse.FromString(answer.body[5:])

    def account(self, name, records=20):
        """Makes an account with a device and a few records. Returns its token and where it stands."""
        answer, device = self.pair(self.add_account(name)[1])
        assert device is not None, f"pairing: {answer and answer.status}"
        cursor = None
        for begin in range(0, records, 1000):
            count = min(1000, records - begin)
            cursor = self.exchange(device.token, [offer(water(device.replica)) for _ in range(count)])
        return device, cursor

    def more_identities(self, device, count):
        """Renews a device again and again: each time it has one more identity. Returns the tokens."""
        tokens = []
        with Peer(self.address, tls=self.tls) as peer:
            for _ in range(count):
                answer = peer.call(request(RENEW, token=device.token), message())
                assert answer is not None and answer.status == "0", "Renew was refused"
                tokens.append(devices_pb2.PairResponse.FromString(answer.body[5:]).token)
        return tokens

    def revoke_lost(self):
        """Revokes the lost device as the server's owner. Returns how long that took, in seconds."""
        began = time.monotonic()
        done = self.admin("device", "revoke", f"{self.lost.replica:016x}")
        assert done.returncode == 0, done.stderr
        return time.monotonic() - began

    def exchange(self, token, offers):
        with Peer(self.address, tls=self.tls) as peer:
            body = sync_pb2.ExchangeRequest(offers=offers).SerializeToString()
            answer = peer.call(request(token=token), message(body))
        assert answer is not None and answer.status == "0", "a page was refused"
        return pages_pb2.ExchangeResponsePage.FromString(answer.body[5:]).cursor

    def fill(self, device, pages):
        """Gives an account so much that reading it takes that many answers of about 240 KiB."""
        for _ in range(pages):
            large = [
                record(4711, new_id(), {n: os.urandom(15_000) for n in range(2, 6)}, (clock(), device.replica))
                for _ in range(4)
            ]
            self.exchange(device.token, [offer(r) for r in large])


class Meter:
    """Reads what a daemon holds, every 50 ms, and remembers the most of it."""

    def __init__(self, target):
        self.target = target
        self.base, self.base_descriptors = target.rss, target.descriptors
        self.most, self.most_descriptors = self.base, self.base_descriptors
        self._cpu, self._from = target.cpu, time.monotonic()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._end.wait(0.05):
            try:
                self.most = max(self.most, self.target.rss)
                self.most_descriptors = max(self.most_descriptors, self.target.descriptors)
            except OSError:
                return  # It is gone. The waiting caller reports that.

    def stop(self):
        """Returns how much of one core it used."""
        self._end.set()
        self._thread.join()
        return (self.target.cpu - self._cpu) / (time.monotonic() - self._from)
