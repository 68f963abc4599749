# SPDX-License-Identifier: Apache-2.0
"""How many processors and how much memory steps may use, in a container too."""

import os
import pathlib

CGROUP = pathlib.Path("/sys/fs/cgroup")
GIB = 1 << 30


def _limit(name: str) -> list[str]:
    """The words of a limit of this container; none where there is no limit."""
    try:
        words = (CGROUP / name).read_text().split()
    except OSError:
        return []
    return [] if words[:1] == ["max"] else words


def processors() -> float:
    found = float(len(os.sched_getaffinity(0)))
    quota = _limit("cpu.max")
    return min(found, max(1.0, int(quota[0]) / int(quota[1]))) if len(quota) == 2 else found


def memory_gib() -> float:
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    limit = _limit("memory.max")
    return min(found, int(limit[0]) / GIB) if limit else found
