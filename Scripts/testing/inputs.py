# SPDX-License-Identifier: Apache-2.0
"""Tells whether what a step depends on has changed since it last passed, by content."""

import hashlib
import json
import pathlib
import subprocess

import targets
from testing.step import Step

# A change here can change any step's result.
EVERYWHERE = ("Package.swift", "Package.lock", "Scripts/testing", "Scripts/build")


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
        self.toolchain = subprocess.run(
            ["swift", "--version"], check=True, capture_output=True, text=True
        ).stdout

    def digest(self, step: Step) -> str:
        """Of everything that the step's result depends on, and of the step itself."""
        paths = [
            *EVERYWHERE,
            *step.paths,
            *(self.folders[name] for name in targets.closure(self.targets, set(step.programs))),
        ]
        prefixes = tuple(f"{path.rstrip('/')}/" for path in paths)
        whole = hashlib.sha256(f"{self.toolchain}{step.command}".encode())
        for name in sorted(self.digests):
            if name in paths or name.startswith(prefixes):
                whole.update(f"{name} {self.digests[name]}\n".encode())
        return whole.hexdigest()

    def is_unchanged(self, step: Step) -> bool:
        return not step.always and self.passed.get(step.name) == self.digest(step)

    def note_passed(self, step: Step, digest: str) -> None:
        """Remembers that the step passed with what had this digest when it began."""
        self.passed[step.name] = digest
        self.record.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.record.with_suffix(".new")
        scratch.write_text(json.dumps(self.passed, indent=1, sort_keys=True))
        scratch.replace(self.record)


def _digests() -> dict[str, str]:
    """Of each file that git tracks or would track, by its name. Reads the whole tree: 0.2 s."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=targets.ROOT, check=True, capture_output=True, text=True,
    ).stdout
    found = {}
    for name in filter(None, listed.split("\0")):
        file = targets.ROOT / name
        if file.is_file():
            found[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found
