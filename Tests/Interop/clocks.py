# SPDX-License-Identifier: Apache-2.0
"""The clocks of a program that a test starts."""

import pathlib
import shutil
import subprocess
import time

COMPILER = shutil.which("cc") or shutil.which("clang")
DAY_MS = 86_400_000


class Clocks:
    """Sets the wall clock of a program while it runs, and makes its other clocks run faster.

    Give `environment` to the program when it starts.
    """

    def __init__(self, folder):
        library = folder / "clocks.so"
        if not library.exists():
            source = pathlib.Path(__file__).with_name("clocks.c")
            subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        self._shift, self._hurry = folder / "shift", folder / "hurry"
        self.environment = {
            "LD_PRELOAD": str(library),
            "SHIFT_FILE": str(self._shift),
            "HURRY_FILE": str(self._hurry),
        }

    @property
    def prefix(self):
        """Put before a command, it does what `environment` does."""
        return ["env", *(f"{name}={value}" for name, value in self.environment.items())]

    def shift(self, days):
        """Moves the wall clock to the true time and so many days, negative for the past."""
        draft = self._shift.with_suffix(".draft")
        draft.write_text(str(round(days * DAY_MS)))
        draft.replace(self._shift)

    def hurry(self, seconds, days=0):
        """Monotonic clocks jump forward by so many days, and run 120 times as fast for so many seconds.

        So do the limits of requests: what a client asks meanwhile may be cancelled.
        """
        draft = self._hurry.with_suffix(".draft")
        draft.write_text(str(days))
        draft.replace(self._hurry)
        time.sleep(seconds)
        self._hurry.unlink()
