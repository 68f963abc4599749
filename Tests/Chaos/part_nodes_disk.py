# SPDX-License-Identifier: Apache-2.0
"""The disk of a PostgreSQL database fills up while a crowd writes by way of two daemons, and has room
again."""

import os
import shutil

from crowd import Crowd
from harness import open_channel
from Nodes.cluster import Cluster, ClusterError, await_that, programs_folder
from result import Result
from small_disk import Disk, report, run_inside
from world import Server, device_of

SIZE = "256m"
# The log of a few seconds, so that the disk is filled by rows and by log.
SETTINGS = {"min_wal_size": "32MB", "max_wal_size": "48MB", "wal_recycle": "off"}
ROOM = (4 << 20, 256 << 10, 0)
BATCH = 40


def run(binaries, folder, *, step=1, offset=0):
    """Fills it down to every `step`th amount of room, beginning with the `offset`th."""
    result = Result("nodes' disk")
    try:
        programs_folder()
    except ClusterError as error:
        return result.skip(str(error)).done()
    if os.geteuid() != 0:
        return result.skip("only root may mount for another user, as whom PostgreSQL runs").done()
    # So that this user gets there.
    folder.parent.chmod(0o711)
    rooms = ROOM[offset % step :: step]
    return run_inside(result, __file__, binaries, folder, *map(str, rooms))


def inside(binaries, folder, *rooms):
    result = Result("nodes' disk")
    with Cluster() as cluster:
        disk = Disk(folder / "disk", SIZE)
        data = disk.folder / "data"
        data.mkdir(mode=0o700)
        shutil.chown(data, cluster.user.pw_uid, cluster.user.pw_gid)
        node = cluster.primary(data=data, **SETTINGS)
        servers = []
        for number in (1, 2):
            home = folder / f"node{number}"
            home.mkdir()
            servers.append(Server(binaries, home, store=cluster.url(node)))
        crowd = Crowd(binaries, folder, servers, "disk", BATCH, {})
        try:
            for server in servers:
                server.up()
            crowd.settle_in()
            for room in map(int, rooms):
                fill(disk, node, crowd, room, result)
            crowd.check(result, of_all=True)
        except Exception as error:
            result.wrong(f"{type(error).__name__}: {error}")
        finally:
            crowd.end()
            for server in servers:
                server.kill()
            if node.is_running():
                node.stop("immediate")
    return result


def fill(disk, node, crowd, room, result):
    """Nothing is acknowledged that is not there, whatever the database makes of it."""
    crowd.start()
    before = sum(said_full(server) for server in crowd.servers)
    disk.leave(room)
    await_that(
        lambda: not node.is_writable() or sum(map(said_full, crowd.servers)) > before,
        "a daemon finds the disk full",
    )
    if node.is_writable():
        # It refuses writes. Reads go on.
        for server in crowd.servers:
            read(server, crowd)
    else:
        result.notes.append(f"with {room:,} bytes left PostgreSQL itself ended")
    disk.make_room()
    await_that(lambda: is_back(node), "PostgreSQL is back")
    crowd.await_service()
    crowd.expect_alive()
    result.problems += crowd.pause()
    crowd.check(result)
    result.cycles += 1


def is_back(node):
    """Whether PostgreSQL takes writes. It may still be ending for want of room, or have ended."""
    if not node.is_running():
        node.start()
    return node.is_writable()


def said_full(server):
    return server.log.read_text(errors="replace").count("the database's disk is full")


def read(server, crowd):
    with open_channel(server.listen) as channel:
        device_of(*crowd.progress["devices"]["alpha"], channel).exchange()


if __name__ == "__main__":
    report(inside)
