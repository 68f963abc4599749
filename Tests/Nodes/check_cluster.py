# SPDX-License-Identifier: Apache-2.0
"""Exercises each operation of cluster.py: `Tests/Nodes/cluster.py --check`."""

import os
import pathlib
import signal
import subprocess
import sys
import time

from cluster import OWNER, Cluster, ClusterError, await_that, children_of, is_alive

BEGAN = time.monotonic()


def main():
    with Cluster(archive=True) as cluster:
        primary = cluster.primary()
        check_roles(cluster, primary)
        check_backups(cluster, primary)
        check_ends(primary)
        check_copies(cluster, primary)
        check_synchronous(cluster, primary)
        check_lag(cluster, primary)
        folder = cluster.folder
    assert not folder.exists(), "the folder is gone"
    check_leash()
    step("done")


def check_roles(cluster, primary):
    step("the daemons' role owns its database, and is nothing more")
    assert cluster.psql(cluster.url(primary), "SHOW synchronous_commit").strip() == "on"
    assert primary.value("SHOW fsync") == "on"
    cluster.psql(cluster.url(primary), "CREATE TABLE note (id int PRIMARY KEY)")
    refuses(lambda: cluster.psql(cluster.url(primary), "SELECT pg_read_file('/etc/hostname')"))
    wrong = cluster.url(primary).replace(cluster.passwords[OWNER], "wrong")
    refuses(lambda: cluster.psql(wrong, "SELECT 1"))


def check_ends(primary):
    step("stopped, killed, and with a killed session, it holds what was committed")
    primary.sql("DELETE FROM note")
    for number, end in enumerate(
        [
            lambda: primary.stop("smart"),
            lambda: primary.stop("fast"),
            lambda: primary.stop("immediate"),
            lambda: primary.kill(),
            lambda: primary.kill(everything=True),
        ]
    ):
        primary.sql(f"INSERT INTO note VALUES ({number})")
        processes = children_of(primary.process_id)
        end()
        assert not primary.is_running()
        await_that(lambda: not any(map(is_alive, processes)), "its processes end", 10)
        primary.start()
        assert notes(primary) == list(range(number + 1)), notes(primary)
    primary.freeze()
    asker = primary.begin_sql("SELECT 1")
    assert is_waiting(asker), "a frozen server does not answer"
    primary.thaw()
    assert asker.communicate(timeout=10)[0].strip() == "1"
    sleeper = primary.begin_sql("SELECT pg_sleep(60)")
    session = await_that(lambda: primary.backends("query LIKE '%sleep%'"), "psql sleeps")
    primary.kill_backend(session[0])
    assert sleeper.wait(timeout=10) != 0
    sleeper.communicate()
    sleeper = primary.begin_sql("SELECT pg_sleep(60)")
    await_that(lambda: primary.backends("query LIKE '%sleep%'"), "psql sleeps")
    assert primary.terminate_backends("query LIKE '%sleep%'") == 1
    assert "terminating connection" in sleeper.communicate(timeout=10)[1]
    assert notes(primary) == [0, 1, 2, 3, 4]
    primary.sql("DELETE FROM note; INSERT INTO note VALUES (1), (2), (3)")


def check_backups(cluster, primary):
    step("a base backup leads to its end, to a restore point, and as far as the archive goes")
    primary.sql("INSERT INTO note VALUES (1)")
    backup = primary.base_backup("first")
    primary.sql("INSERT INTO note VALUES (2)")
    primary.restore_point("two")
    primary.sql("INSERT INTO note VALUES (3)")
    primary.restore_point("three")
    for name, until, expected in [
        ("restored", "immediate", [1]),
        ("pointed", "two", [1, 2]),
        ("latest", None, [1, 2, 3]),
    ]:
        node = cluster.restore(backup, name, until=until)
        assert notes(node) == expected, (name, notes(node))
        node.sql("INSERT INTO note VALUES (100)")
        assert timeline(node) > timeline(primary)
        node.stop()

    step("a restored server takes the place of another at its port")
    url = cluster.url(primary)
    primary.stop()
    node = cluster.restore(backup, "replacing", port=primary.port)
    assert cluster.psql(url, "SELECT count(*) FROM note").strip() == "1"
    node.stop()
    primary.start()

    step("a dump, put back")
    dump = primary.dump("dump")
    primary.sql("INSERT INTO note VALUES (4)")
    primary.load(dump)
    assert notes(primary) == [1, 2, 3]
    cluster.psql(url, "DELETE FROM note WHERE id = 5")  # It is still the role's own.
    primary.load(dump, "elsewhere")
    assert primary.sql("SELECT count(*) FROM note", database="elsewhere").strip() == "3"


def check_copies(cluster, primary):
    step("a copied folder has the same identity, and a life of its own")
    refuses(lambda: cluster.copy(primary, "hasty"))
    primary.stop()
    copy = cluster.copy(primary, "copy")
    primary.start()
    copy.start()
    copy.sql("INSERT INTO note VALUES (6)")
    assert identity(copy) == identity(primary) and timeline(copy) == timeline(primary)
    assert notes(copy) == [1, 2, 3, 6] and notes(primary) == [1, 2, 3]
    copy.stop()


def check_synchronous(cluster, primary):
    step("a commit waits for its synchronous standby")
    standby = cluster.standby(primary)
    primary.sql("INSERT INTO note VALUES (7)")
    standby.await_replay(primary)
    assert notes(standby) == [1, 2, 3, 7]
    refuses(lambda: standby.sql("INSERT INTO note VALUES (8)"))
    standby.cut_stream()
    waiting = primary.begin_sql("INSERT INTO note VALUES (8)")
    await_that(lambda: primary.backends("wait_event = 'SyncRep'"), "the commit waits")
    assert waiting.poll() is None and notes(primary) == [1, 2, 3, 7]
    standby.join_stream()
    assert waiting.wait(timeout=20) == 0
    waiting.communicate()

    step("a paused standby confirms what it does not show")
    standby.pause_replay()
    primary.sql("INSERT INTO note VALUES (9)")
    assert notes(standby) == [1, 2, 3, 7, 8]
    standby.resume_replay()
    standby.await_replay(primary)
    assert notes(standby) == [1, 2, 3, 7, 8, 9]

    step("the primary is killed, the standby promoted: nothing is lost, one URL finds it")
    url = cluster.url(primary, standby)
    assert cluster.psql(url, "SHOW cluster_name").strip() == "primary"
    primary.kill()
    refuses(lambda: cluster.psql(url, "SELECT 1"))
    before = timeline(standby)
    standby.promote()
    assert timeline(standby) == before + 1
    assert cluster.psql(url, "SHOW cluster_name").strip() == "standby"
    assert notes(standby) == [1, 2, 3, 7, 8, 9]
    cluster.psql(url, "INSERT INTO note VALUES (10)")

    step("the old primary comes back: two take writes")
    primary.settings.pop("synchronous_standby_names")
    primary.start()
    primary.sql("INSERT INTO note VALUES (11)")
    assert notes(primary)[-1] == 11 and notes(standby)[-1] == 10
    standby.stop()


def check_lag(cluster, primary):
    step("a standby that lags, promoted, lacks what was committed since")
    lagging = cluster.standby(primary, "lagging", synchronous=False)
    third = cluster.standby(primary, "third", synchronous=False)
    lagging.cut_stream()
    primary.sql("INSERT INTO note VALUES (12)")
    primary.stop("immediate")
    lagging.promote()
    assert 11 in notes(lagging) and 12 not in notes(lagging)
    primary.start()
    third.await_replay(primary)
    assert 12 in notes(third)

    step("a standby that has nothing too much follows the promoted one")
    fourth = cluster.standby(lagging, "fourth", synchronous=False)
    fourth.cut_stream()
    fourth.follow(lagging)
    lagging.sql("INSERT INTO note VALUES (13)")
    fourth.await_replay(lagging)
    assert 13 in notes(fourth)

    step("another server in the place of one that is removed")
    third.stop()
    cluster.remove(third)
    assert not third.folder.exists()
    again = cluster.standby(lagging, "third", synchronous=False, port=third.port)
    assert again.port == third.port and 13 in notes(again)


def check_leash():
    step("a harness that is killed leaves nothing behind")
    here = pathlib.Path(__file__).with_name("cluster.py")
    harness = subprocess.Popen(
        [sys.executable, str(here), "--run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert harness.stdout.readline().startswith(b"postgresql://")
    (guard,) = children_of(harness.pid)
    (server,) = children_of(guard)
    folder = pathlib.Path(f"/proc/{guard}/cmdline").read_text().rstrip("\0").split("\0")[-1]
    assert os.path.isdir(folder)
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    await_that(lambda: not is_alive(server) and not os.path.exists(folder), "all is gone", 20)
    harness.stdin.close()
    harness.stdout.close()


def notes(node):
    return [int(line) for line in node.sql("SELECT id FROM note ORDER BY id").split()]


def identity(node):
    return node.value("SELECT system_identifier FROM pg_control_system()")


def timeline(node):
    """pg_control_checkpoint() would tell the old one until the next checkpoint."""
    if node.value("SELECT pg_is_in_recovery()") == "t":
        return int(node.value("SELECT received_tli FROM pg_stat_wal_receiver") or 1)
    return int(node.value("SELECT pg_walfile_name(pg_current_wal_lsn())")[:8], 16)


def is_waiting(process):
    try:
        process.wait(timeout=0.5)
    except subprocess.TimeoutExpired:
        return True
    return False


def refuses(action):
    try:
        action()
    except ClusterError:
        return
    raise AssertionError("this should have failed")


def step(words):
    print(f"-- {time.monotonic() - BEGAN:4.1f} s: {words}", flush=True)
