# SPDX-License-Identifier: Apache-2.0
"""The daemon with the web app, under a certificate made for one run."""

import base64
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from screen import WAIT_SECONDS


class Server:
    """One atrest-syncd on a free port of localhost, with its own data."""

    def __init__(self, programs, web):
        self.programs, self.web = pathlib.Path(programs), web
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="server-"))
        self.data = self.folder / "data"
        self.key, self.certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        self.trusted = self._certify()
        self.process, self.port = None, 0
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def _certify(self):
        """An authority, thrown away at once, and a certificate of it. Returns the key's hash."""
        def openssl(*arguments, **more):
            return subprocess.run(["openssl", *arguments], check=True, capture_output=True,
                cwd=self.folder, **more).stdout
        new = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl(*new, "-x509", "-days", "2", "-subj", "/CN=throw-away", "-keyout", "ca.key",
            "-out", "ca.pem")
        openssl(*new, "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "request.pem")
        (self.folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "leaf.pem")
        (self.folder / "ca.key").unlink()
        self.certificate.write_bytes(
            (self.folder / "leaf.pem").read_bytes() + (self.folder / "ca.pem").read_bytes())
        public = openssl("pkey", "-in", "key.pem", "-pubout", "-outform", "DER")
        return base64.b64encode(hashlib.sha256(public).digest()).decode()

    @property
    def address(self):
        return f"https://localhost:{self.port}/"

    def start(self):
        log = open(self.folder / "log.txt", "ab")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", self.programs / "atrest-syncd", "serve",
                "--data", self.data, "--listen", f"127.0.0.1:{self.port}", "--web", self.web,
                "--tls-cert", self.certificate, "--tls-key", self.key],
            stdout=subprocess.PIPE, stderr=log, text=True)
        log.close()
        line = self.process.stdout.readline()
        match = re.search(r"listening on \S+:(\d+)", line)
        assert match, f"{line!r}; {(self.folder / 'log.txt').read_text()[-2000:]}"
        self.port = int(match[1])

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(timeout=WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            self.process = None

    def add_account(self, name):
        """Returns its first device's `link`, and `web_link`."""
        return self._told("account", "add", name)

    def invite(self, name):
        """Returns a further device's `link`, and `web_link`."""
        return self._told("account", "invite", name)

    def devices(self, name):
        return self._told("device", "list", "--account", name)

    def _told(self, *arguments):
        done = subprocess.run([self.programs / "atrest-syncd", *arguments, "--json",
            "--data", self.data], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
