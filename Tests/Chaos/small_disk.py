# SPDX-License-Identifier: Apache-2.0
"""A small file system that fills up when it is told to, in a namespace of its own, which takes the
mount away with its last process."""

import errno
import json
import os
import pathlib
import subprocess
import sys

LIMIT_SECONDS = 180
NAMES = ("cycles", "acknowledged", "lost", "problems", "notes")


def run_inside(result, file, binaries, folder, *more):
    """Runs a part's file where it may mount, with `report` at its end. Fills in the result."""
    for namespace in (["unshare", "-m"], ["unshare", "-rm"]):
        tried = subprocess.run([*namespace, "true"], capture_output=True, text=True)
        if tried.returncode == 0:
            break
    else:
        return result.skip(f"nothing can be mounted here: {tried.stderr.strip()}").done()
    tether = ["setpriv", "--pdeathsig", "KILL"]
    done = subprocess.run(
        [*tether, *namespace, *tether, sys.executable, file, str(binaries), str(folder), *more],
        stdout=subprocess.PIPE,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    if done.returncode != 0:
        return result.wrong(f"ended with {done.returncode}").done()
    for name, value in json.loads(done.stdout).items():
        setattr(result, name, value)
    return result.done()


def report(inside):
    """What a part's file does there: calls a function of the binaries, the folder and what follows
    them, and prints its result for `run_inside`."""
    found = inside(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:])
    print(json.dumps({name: getattr(found, name) for name in NAMES}))


class Disk:
    """A file system, and a file that fills it."""

    def __init__(self, folder, size):
        self.folder = folder
        folder.mkdir()
        mount("-t", "tmpfs", "-o", f"size={size}", "chaos", folder)
        self.filler = folder / "filler"

    def free(self):
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_frsize

    def leave(self, free):
        """Makes just so much room be left."""
        self.filler.unlink(missing_ok=True)
        with open(self.filler, "wb") as file:
            while True:
                try:
                    return os.posix_fallocate(file.fileno(), 0, max(1, self.free() - free))
                except OSError as error:
                    # Somebody wrote in between, and there is less by now.
                    if error.errno != errno.ENOSPC or self.free() <= free:
                        raise

    def make_room(self):
        self.filler.unlink(missing_ok=True)

    def remount(self, how):
        mount("-o", f"remount,{how}", self.folder)


def mount(*words):
    subprocess.run(["mount", *map(str, words)], check=True, stdout=subprocess.DEVNULL)
