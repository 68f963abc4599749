# SPDX-License-Identifier: Apache-2.0
"""The example clients in Python and in Go: what docs/protocol/write-a-client.md teaches works."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from harness import Daemon

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "Examples"


@pytest.fixture(scope="module", params=["python", "go"])
def program(request, tmp_path_factory):
    """The words that start a client."""
    if request.param == "python":
        return [sys.executable, EXAMPLES / "python-client/client.py"]
    assert shutil.which("go"), "there is no Go: run Scripts/install-missing test"
    built = tmp_path_factory.mktemp("go") / "client"
    # Replays the merge vectors, too.
    done = subprocess.run(
        [EXAMPLES / "go-client/build", built], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [built]


class Client:
    def __init__(self, program, file):
        self.program, self.file = program, file

    def __call__(self, *words):
        done = subprocess.run(
            [*self.program, self.file, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=35,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def drinks(self):
        return sorted(self("list").splitlines())


@pytest.fixture
def encrypted(binaries, tmp_path):
    daemon = Daemon(binaries, tmp_path)
    daemon.start(insecure=False)
    yield daemon
    assert daemon.stop() == 0, daemon.log_tail()


def link(daemon, *words):
    done = daemon.admin(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def pair(program, daemon, tmp_path, count, account="home"):
    clients = []
    for number in range(count):
        client = Client(program, tmp_path / f"client{number}.json")
        words = ("account", "add", account) if number == 0 else ("account", "invite", account)
        client("pair", link(daemon, *words), f"client{number}")
        clients.append(client)
    return clients


def test_two_clients_and_the_companion_agree_after_working_apart(program, encrypted, binaries, tmp_path):
    one, two = pair(program, encrypted, tmp_path, 2)
    home = os.environ | {"XDG_DATA_HOME": str(tmp_path / "companion"), "NO_COLOR": "1"}

    def companion(*words):
        done = subprocess.run(
            [binaries / "atrest", *words], env=home, capture_output=True, text=True, timeout=35
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    companion("pair", link(encrypted, "account", "invite", "home"))
    one("add", 250)
    two("add", 300)
    companion("water", "add", "350")
    for _ in range(2):
        for step in (lambda: one("sync"), lambda: two("sync"), lambda: companion("sync")):
            step()
    assert one.drinks() == two.drinks() and len(one.drinks()) == 3
    assert "900 ml" in companion("water", "list")

    # A deletion travels like any other write.
    one("delete", one.drinks()[0].split()[0])
    one("sync")
    two("watch", 1)
    assert one.drinks() == two.drinks() and len(two.drinks()) == 2


def test_a_copy_of_the_file_takes_an_identity_of_its_own_and_loses_nothing(program, encrypted, tmp_path):
    [one] = pair(program, encrypted, tmp_path, 1)
    one("add", 250)
    one("sync")
    copy = Client(program, tmp_path / "copy.json")
    shutil.copy(one.file, copy.file)
    one("add", 300)
    copy("add", 400)
    one("sync")
    copy("sync")
    one("sync")
    assert one.drinks() == copy.drinks() and len(one.drinks()) == 3


def test_a_server_that_was_restored_gets_back_what_it_lost(program, encrypted, tmp_path):
    one, two = pair(program, encrypted, tmp_path, 2)
    one("add", 250)
    one("sync")
    backup = tmp_path / "backup.db"
    link(encrypted, "backup", "--to", str(backup))
    two("sync")
    two("add", 300)
    two("sync")
    one("sync")
    assert len(one.drinks()) == 2
    address = encrypted.address
    assert encrypted.stop() == 0
    for file in pathlib.Path(encrypted.data).glob("atrest.db*"):
        file.unlink()
    shutil.copy(backup, pathlib.Path(encrypted.data) / "atrest.db")
    encrypted.start(listen=address, insecure=False)
    one("sync")
    three = Client(program, tmp_path / "three.json")
    three("pair", link(encrypted, "account", "invite", "home"), "three")
    three("sync")
    assert three.drinks() == one.drinks() and len(three.drinks()) == 2


def test_another_server_than_the_link_named_is_refused(program, encrypted, tmp_path):
    invitation = link(encrypted, "account", "add", "home")
    scheme, empty, address, fingerprint, code = invitation.split("/")
    wrong = "/".join([scheme, empty, address, "0" * 64, code])
    done = subprocess.run(
        [*program, tmp_path / "x.json", "pair", wrong, "x"],
        capture_output=True,
        text=True,
        timeout=35,
    )
    assert done.returncode != 0 and "another server" in done.stderr
