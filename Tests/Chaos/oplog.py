# SPDX-License-Identifier: Apache-2.0
"""What was tried and what came of it: written down before, and after, by whoever tries.

One JSON object a line. `{"try": n, ...}` comes before the attempt, `{"end": n, "as": OUTCOME, ...}`
after it. A try without an end is unknown, like one that ended so. Processes are killed here,
machines are not: what `write` took is kept.
"""

import json
import os
import pathlib

OK, FAILED, UNKNOWN = "ok", "failed", "unknown"


class OpLog:
    """The log of one writer's life. Every life has a file of its own: NAME.LIFE.log."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._number = 0

    @staticmethod
    def lives(folder, name):
        return sorted(pathlib.Path(folder).glob(f"{name}.*.log"))

    @staticmethod
    def next_life(folder, name):
        """A log for the life that begins."""
        lives = OpLog.lives(folder, name)
        number = int(lives[-1].name.split(".")[-2]) + 1 if lives else 1
        return OpLog(pathlib.Path(folder) / f"{name}.{number:06}.log")

    def note(self, **line):
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        while data:
            data = data[os.write(self._file, data) :]

    def trying(self, **what):
        """Returns the attempt's number."""
        self._number += 1
        self.note(**{"try": self._number}, **what)
        return self._number

    def ended(self, number, outcome, **what):
        self.note(**{"end": number, "as": outcome}, **what)

    def close(self):
        os.close(self._file)


def lines(path):
    """The lines of a life. Its last one is torn if the writer was killed while writing it: what it
    says was not tried."""
    with open(path, "rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield json.loads(line)


def attempts(path):
    """Each attempt of a life with its outcome: pairs of the try's line, and the end's or None."""
    open_tries = {}
    for line in lines(path):
        if "try" in line:
            open_tries[line["try"]] = line
        elif "end" in line:
            yield open_tries.pop(line["end"]), line
    for line in open_tries.values():
        yield line, None
