# SPDX-License-Identifier: Apache-2.0
"""Notes pushed and pulled by Anki's own client and server on loopback: a sync engine people use, in the same run.

Anki merges whole records without clocks of their own, commits once per sync, and each note carries a card: it does other work
than we do, so read the ratio as an order of magnitude. Prints records (notes) a second, median of the rounds.
"""

import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from anki.collection import Collection


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port, process):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    sys.exit("Anki's server did not start.")


def add_notes(collection, count, source):
    model = collection.models.by_name("Basic")
    deck = collection.decks.id("Default")
    for _ in range(count):
        note = collection.new_note(model)
        note["Front"] = source.randbytes(15).hex()
        collection.add_note(note, deck)


def seed(collection, endpoint, upload):
    auth = collection.sync_login("u", "p", endpoint)
    collection.sync_collection(auth, False)
    collection.close_for_full_sync()
    collection.full_upload_or_download(auth=auth, server_usn=None, upload=upload)
    collection.reopen(after_full_sync=True)
    return auth


def timed_sync(collection, auth):
    start = time.monotonic()
    answer = collection.sync_collection(auth, False)
    assert answer.required == 0, "an incremental sync was expected"
    return time.monotonic() - start


def measure(count):
    source = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        endpoint = f"http://127.0.0.1:{port}/"
        environment = os.environ | {
            "SYNC_USER1": "u:p", "SYNC_HOST": "127.0.0.1", "SYNC_PORT": str(port),
            "SYNC_BASE": f"{folder}/server", "MAX_SYNC_PAYLOAD_MEGS": "500", "RUST_LOG": "error",
        }
        server = subprocess.Popen(
            [sys.executable, "-m", "anki.syncserver"], env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(port, server)
            first = Collection(f"{folder}/first.anki2")
            add_notes(first, 1, source)
            first_auth = seed(first, endpoint, upload=True)
            second = Collection(f"{folder}/second.anki2")
            second_auth = seed(second, endpoint, upload=False)
            add_notes(first, count, source)
            push = timed_sync(first, first_auth)
            pull = timed_sync(second, second_auth)
            assert first.note_count() == second.note_count()
            first.close()
            second.close()
            return count / push, count / pull
        finally:
            server.terminate()
            server.wait()


def main():
    print("\nAnki's client and server, notes (each with a card), median of 3")
    print(f"{'notes':<30}{'pushed/s':>16}{'pulled/s':>16}")
    for count in (1_000, 10_000):
        rounds = [measure(count) for _ in range(3)]
        push, pull = (statistics.median(column) for column in zip(*rounds))
        print(f"{count:<30,}{push:>16,.0f}{pull:>16,.0f}", flush=True)


main()
