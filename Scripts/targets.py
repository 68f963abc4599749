# SPDX-License-Identifier: Apache-2.0
"""The targets of Package.swift: their folders, what they depend on, and what they import."""

import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = "struct|class|enum|protocol|func|var|let|typealias|actor"
IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
    rf"import\s+(?:(?:{KINDS})\s+)?(\w+)",
    re.MULTILINE,
)


class Target:
    """A target of Package.swift, with the modules that its sources import."""

    def __init__(self, description: dict):
        self.name = description["name"]
        self.module = self.name.replace("-", "_")
        self.kind = description["type"]
        parent = "Tests" if self.kind == "test" else "Sources"
        self.path = description.get("path") or f"{parent}/{self.name}"
        self.sees_package = description.get("packageAccess", True)
        self.targets, self.products = set(), set()
        for one in description["dependencies"]:
            if "product" in one:
                self.products.add(one["product"][0])
            else:
                self.targets.add((one.get("byName") or one["target"])[0])

    @property
    def sources(self) -> list[pathlib.Path]:
        """The Swift files of the target."""
        return sorted((ROOT / self.path).rglob("*.swift"))

    @property
    def imports(self) -> set[str]:
        """The modules that the sources import."""
        return {
            module
            for file in self.sources
            for module in IMPORT.findall(file.read_text(encoding="utf-8"))
        } - {self.module}


def load() -> tuple[list[Target], set[str]]:
    """The targets, in the order of Package.swift, and the names of those that a library product
    exports."""
    # A separate build directory avoids waiting for a build in progress.
    with tempfile.TemporaryDirectory() as scratch:
        command = ["swift", "package", "--package-path", str(ROOT), "--scratch-path", scratch]
        dumped = subprocess.run(
            [*command, "dump-package"], check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    package = json.loads(dumped)
    libraries = (one["targets"] for one in package["products"] if "library" in one["type"])
    return [Target(one) for one in package["targets"]], set().union(*libraries)


def closure(targets: list[Target], names: set[str]) -> set[str]:
    """The named targets and everything of this package that they depend on."""
    by_name = {target.name: target for target in targets}
    found, open_ = set(), list(names)
    while open_:
        name = open_.pop()
        if name in by_name and name not in found:
            found.add(name)
            open_ += by_name[name].targets
    return found
