# SPDX-License-Identifier: Apache-2.0
"""Copies of the sources, for builds with mistakes in them. Only what differs is written, so that
the next build of a copy is an incremental one."""

import subprocess
from pathlib import Path

from mutation import ROOT


def sources() -> list[str]:
    """The files of the tree as it is, what is not committed included."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    # Documents as well: tests compare some with the sources.
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def write(path: Path, content: bytes) -> None:
    """Writes a file, unless it is so already."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy(root: Path, changed: dict[str, str] | None = None) -> None:
    """Makes `root` a copy of the sources, but for files that have another text."""
    changed = changed or {}
    names = set(sources()) | set(changed)
    for name in sorted(names):
        if name in changed:
            content = changed[name].encode()
        else:
            content = (ROOT / name).read_bytes()
        write(root / name, content)
        if name not in changed:
            (root / name).chmod((ROOT / name).stat().st_mode)
    listed = root / ".copied"
    before = set(listed.read_text().split("\n")) if listed.is_file() else set()
    for name in before - names:
        (root / name).unlink(missing_ok=True)
    listed.write_text("\n".join(sorted(names)))
