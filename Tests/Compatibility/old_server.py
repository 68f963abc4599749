# SPDX-License-Identifier: Apache-2.0
"""Builds the daemon of an older commit, once for each."""

import dataclasses
import fcntl
import pathlib
import shutil
import subprocess


@dataclasses.dataclass
class OldServer:
    """The daemon of a commit."""

    commit: str
    program: pathlib.Path

    @staticmethod
    def built(root: pathlib.Path, commit: str) -> "OldServer":
        """Builds it in a worktree of its own, unless it is there already."""
        folder = root / ".build/compatibility"
        folder.mkdir(parents=True, exist_ok=True)
        commit = git(root, "rev-parse", "--verify", f"{commit}^{{commit}}")
        server = OldServer(commit, folder / f"atrest-syncd-{commit}")
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # Two runs would build in one folder.
            if not server.program.exists():
                server.build(root, folder / commit)
        return server

    def build(self, root: pathlib.Path, tree: pathlib.Path):
        print(f"Building atrest-syncd of {self.commit[:12]}, which takes some minutes.", flush=True)
        git(root, "worktree", "prune")  # Forgets those whose folders were deleted with .build.
        if not tree.exists():  # Else an earlier build was interrupted, and goes on.
            git(root, "worktree", "add", "--force", "--detach", str(tree), self.commit)
        # The same versions of what both depend on, and no wait for newer ones.
        resolved = root / "Package.resolved"
        if resolved.exists():
            shutil.copy(resolved, tree)
        # It may need packages that are needed no longer.
        install = tree / "Scripts/install-missing"
        if install.exists():
            subprocess.run([install], check=True)
        subprocess.run(["swift", "build", "--product", "atrest-syncd"], cwd=tree, check=True)
        whole = self.program.with_suffix(".copying")
        shutil.copy(tree / ".build/debug/atrest-syncd", whole)
        whole.rename(self.program)
        # The program is all that is needed. A tree and its build are gigabytes.
        git(root, "worktree", "remove", "--force", str(tree))


def git(root: pathlib.Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=root, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
