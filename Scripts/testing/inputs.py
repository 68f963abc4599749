# SPDX-License-Identifier: Apache-2.0
"""Tells whether what a step depends on has changed since it last passed, by content."""

import hashlib
import json
import os
import pathlib
import subprocess

import targets
from testing.step import Step

# A change here can change any step's result.
EVERYWHERE = (
    "Package.swift", "Package.lock", "Scripts/build", "Scripts/pin-packages", "Scripts/run-tests",
    "Scripts/targets.py", "Scripts/test", "Scripts/testing", "Tests/XCTMain.swift",
)
LIBRARIES = ("libprotobuf-c", "libnghttp2", "openssl", "zlib", "sqlite3", "libpq")
# Variables that change how much a step does.
VARIABLES = (
    "SYNC_SHARE", "SYNC_SEED", "SYNC_FIRST", "SYNC_CASES", "ENTITLEMENT_PERMUTATIONS", "WAIT_SECONDS",
)


class Inputs:
    """Digests of the work tree, and those with which steps passed: kept in one JSON file."""

    def __init__(self, record: pathlib.Path):
        self.record = record
        try:
            self.passed = json.loads(record.read_text())
        except (OSError, ValueError):
            self.passed = {}
        self.targets, _ = targets.load()
        self.folders = {one.name: one.path for one in self.targets}
        self.digests = _digests()
        self.settings = {name: os.environ[name] for name in VARIABLES if name in os.environ}
        self.toolchain = subprocess.run(
            ["swift", "--version"], check=True, capture_output=True, text=True
        ).stdout
        self.libraries = subprocess.run(
            ["pkg-config", "--modversion", *LIBRARIES], capture_output=True, text=True
        ).stdout

    def digest(self, step: Step) -> str:
        """Of everything that the step's result depends on, and of the step itself."""
        paths = [
            *EVERYWHERE,
            *step.paths,
            *(self.folders[name] for name in targets.closure(self.targets, set(step.programs))),
        ]
        prefixes = tuple(f"{path.rstrip('/')}/" for path in paths)
        whole = hashlib.sha256(f"{self.toolchain}{self.libraries}{self.settings}{step.command}".encode())
        for name in sorted(self.digests):
            if name in paths or name.startswith(prefixes):
                whole.update(f"{name} {self.digests[name]}\n".encode())
        return whole.hexdigest()

    def is_unchanged(self, step: Step) -> bool:
        return not step.always and self.passed.get(step.name) == self.digest(step)

    def begin(self, step: Step) -> str:
        """Forgets that the step passed, and returns the digest of what it begins with."""
        self.digests = _digests()
        if self.passed.pop(step.name, None):
            self._save()
        return self.digest(step)

    def note_passed(self, step: Step, digest: str) -> None:
        """Remembers that the step passed, if what it began with is still there."""
        self.digests = _digests()
        if self.digest(step) == digest:
            self.passed[step.name] = digest
            self._save()

    def _save(self) -> None:
        self.record.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.record.with_suffix(".new")
        scratch.write_text(json.dumps(self.passed, indent=1, sort_keys=True))
        scratch.replace(self.record)


def _digests() -> dict[str, str]:
    """Of each file of the sources, by its name. Reads the whole tree: 0.2 s."""
    found = {}
    # The last is compiled into the daemon, and not tracked: Scripts/embed-web makes it.
    for name in [*_names(), "Sources/CAtrestWebApp/Embedded.c"]:
        file = targets.ROOT / name
        if file.is_file():
            mode = file.stat().st_mode & 0o111
            found[name] = f"{hashlib.sha256(file.read_bytes()).hexdigest()} {mode:o}"
    return found


def _names() -> list[str]:
    """What git tracks or would track; of an unpacked archive, all but what builds leave."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=targets.ROOT, check=True, capture_output=True, text=True,
        ).stdout
        return listed.split("\0")[:-1]
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, inner, files in os.walk(targets.ROOT):
            inner[:] = [one for one in inner if one != ".build"]
            found += [os.path.relpath(os.path.join(folder, file), targets.ROOT) for file in files]
        return found
