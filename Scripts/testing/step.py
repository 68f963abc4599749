# SPDX-License-Identifier: Apache-2.0
"""What a step of `make test` or `make soak` is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One command that passes or fails, with what it takes and what its result depends on."""

    name: str  # As typed: ONLY=chaos.
    guards: str  # The promise that fails with it, for the table of docs/develop/testing.md.
    command: str  # For bash, in the repository's folder.
    limit: int  # Seconds after which it hangs: it is ended and has failed.
    seconds: int  # How long it takes on two quiet cores. The longest of those that can start do.
    cores: float = 1  # Processors that it keeps busy; what mostly waits takes less than one.
    memory: float = 1  # GiB at its peak.
    after: tuple[str, ...] = ()  # Steps that have to pass before.
    programs: tuple[str, ...] = ()  # Targets whose sources, and all under them, it depends on.
    paths: tuple[str, ...] = ()  # Files and folders that it depends on beside those.
    extends: str = ""  # Of a step of `make soak`: the smaller form of it that `make test` has.
    needs: str = ""  # A program of the machine without which it is left out, and said to be.
    always: bool = False  # Runs even if nothing changed: what others work with.
