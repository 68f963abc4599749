# SPDX-License-Identifier: Apache-2.0
"""Every moment and action of proxy.py, against a real server: `Tests/Nodes/proxy.py --check`."""

import time

from client import Client, Closed, execute, extended, kinds, message, parse, text
from cluster import DATABASE, OWNER, Cluster, ClusterError, await_that
from proxy import DOWN, Action, Moment, Proxy

BEGAN = time.monotonic()
# What the client sees of the messages that run COMMIT, and whether the row is there afterwards.
# ParseComplete and BindComplete come first in the extended protocol.
COMMIT_CASES = {
    Moment.BEFORE_COMMIT: ([], False),
    Moment.AFTER_COMMIT: ([], True),
    Moment.BEFORE_COMMIT_ANSWER: ([], True),
    Moment.AFTER_COMMIT_ANSWER: (["COMMIT"], True),
}
SYNC_CASES = {
    Moment.BEFORE_SYNC: (None, False),
    Moment.AFTER_SYNC: (None, True),
    Moment.BEFORE_SYNC_ANSWER: (["1", "2", "INSERT 0 1"], True),
    Moment.AFTER_SYNC_ANSWER: (["1", "2", "INSERT 0 1", "Z"], True),
}


def main():
    with Cluster() as cluster:
        primary = cluster.primary()
        with Proxy(primary.port) as proxy:
            scene = Scene(cluster, primary, proxy)
            check_passing(scene)
            check_commits(scene)
            check_syncs(scene)
            check_rows(scene)
            check_choice(scene)
            check_stalls(scene)
            check_delays(scene)
            check_refusal(scene)
    step("done")


class Scene:
    def __init__(self, cluster, primary, proxy):
        self.cluster, self.primary, self.proxy = cluster, primary, proxy
        self.url = cluster.url(primary, ports=[proxy.port])
        self.last = 0
        cluster.psql(self.url, "CREATE TABLE note (id int PRIMARY KEY)")

    def client(self, application="client"):
        password = self.cluster.passwords[OWNER]
        return Client(self.proxy.port, OWNER, password, DATABASE, application)

    def insert(self):
        """A statement that adds the next row."""
        self.last += 1
        return f"INSERT INTO note VALUES ({self.last})"

    def has_last(self):
        query = f"SELECT count(*) FROM note WHERE id = {self.last}"
        return self.primary.sql(query).strip() == "1"

    def await_no_sessions(self):
        """The server has ended what the proxy cut, so nothing is under way any more."""
        await_that(lambda: not self.primary.backends("usename = 'atrest'"), "sessions end")


def check_passing(scene):
    step("what is not named passes: encryption asked for, large messages, cancels, errors")
    assert scene.cluster.psql(scene.url, "SELECT 1").strip() == "1"  # psql asks for TLS first.
    with scene.client() as client:
        (answer,) = [b for k, b in client.query(f"SELECT '{'x' * 3_000_000}'") if k == "D"]
        assert len(answer) == 3_000_006
        assert kinds(client.pipeline("SELECT 1", "SELECT 2")) == ["1", "2", "D", "SELECT 1"] * 2 + ["Z"]
        assert kinds(client.pipeline("SELECT 1/0", "SELECT 2")) == ["1", "E", "Z"]
        client.send(message("Q", text("SELECT pg_sleep(60)")))
        await_that(lambda: scene.primary.backends("wait_event = 'PgSleep'"), "it sleeps")
        client.cancel()
        assert kinds(client.answers()) == ["T", "E", "Z"]
    assert scene.proxy.seen[Moment.BEFORE_SYNC] == 2
    assert scene.proxy.seen[Moment.AFTER_SYNC_ANSWER] == 2
    scene.await_no_sessions()


def check_commits(scene):
    for moment, (answers, is_there) in COMMIT_CASES.items():
        for form, begin in {
            "a simple query": lambda client: client.send(message("Q", text("COMMIT"))),
            "an extended query": lambda client: client.send(*extended("COMMIT"), message("S")),
            "a prepared statement": prepared_commit,
            "the last of several": lambda client: client.send(message("Q", text("SELECT; commit"))),
        }.items():
            for action in (Action.CUT, Action.RESET):
                step(f"{action.name} {moment.name}, {form}")
                with scene.client() as client:
                    client.send(parse("COMMIT", "done"), message("S"))
                    client.answers()
                    client.query("BEGIN")
                    client.query(scene.insert())
                    rule = scene.proxy.at(moment, action=action)
                    begin(client)
                    seen = [each for each in heard(client) if each in ("COMMIT", "Z")]
                    rule.wait()
                    if action is Action.CUT:
                        assert seen == answers, seen
                scene.await_no_sessions()
                assert scene.has_last() == is_there


def prepared_commit(client):
    """Binds what was prepared before the transaction, as a daemon does."""
    client.send(*execute("done", portal="p"), message("S"))


def check_syncs(scene):
    for moment, (answers, is_there) in SYNC_CASES.items():
        step(f"CUT {moment.name}")
        with scene.client() as client:
            rule = scene.proxy.at(moment)
            client.send(*extended(scene.insert()), message("S"))
            seen = heard(client)
            rule.wait()
            assert answers is None or seen == answers, seen
        scene.await_no_sessions()
        assert scene.has_last() == is_there


def check_rows(scene):
    step("CUT after the second row of an answer")
    with scene.client() as client:
        rule = scene.proxy.at(Moment.AFTER_ROW, nth=2)
        client.send(*extended("SELECT generate_series(1, 4)"), message("S"))
        assert heard(client) == ["1", "2", "D", "D"]
        rule.wait()
    scene.await_no_sessions()


def check_choice(scene):
    step("the third of one application, while others go on")
    with scene.client("writer-1") as writer, scene.client("listener") as listener:
        rule = scene.proxy.at(Moment.BEFORE_COMMIT_ANSWER, nth=3, application="writer")
        for _ in range(2):
            assert kinds(writer.pipeline("BEGIN", scene.insert(), "COMMIT"))[-2:] == ["COMMIT", "Z"]
            assert kinds(listener.pipeline("BEGIN", "COMMIT"))[-2:] == ["COMMIT", "Z"]
        assert not rule.has_fired
        writer.send(*extended("BEGIN"), *extended(scene.insert()), *extended("COMMIT"), message("S"))
        assert "COMMIT" not in heard(writer) and rule.has_fired
        assert kinds(listener.query("SELECT 1"))[-1] == "Z"
        assert scene.proxy.cut_all(application="listener") == 1
        assert heard(listener) == []
    scene.await_no_sessions()
    assert scene.has_last()

    step("a rule that is taken back, and a commit that the server refuses")
    with scene.client() as client:
        rule = scene.proxy.at(Moment.BEFORE_COMMIT)
        scene.proxy.disarm()
        client.pipeline("BEGIN", "COMMIT")
        rule = scene.proxy.at(Moment.AFTER_COMMIT_ANSWER)
        client.query("BEGIN")
        client.query("SELECT 1/0")
        assert kinds(client.query("COMMIT")) == ["ROLLBACK", "Z"] and not rule.has_fired
        scene.proxy.disarm()


def check_stalls(scene):
    step("a stalled answer comes after the release; the commit was there before")
    with scene.client() as client:
        rule = scene.proxy.at(Moment.BEFORE_COMMIT_ANSWER, action=Action.STALL)
        parts = *extended("BEGIN"), *extended(scene.insert()), *extended("COMMIT")
        client.send(*parts, message("S"))
        rule.wait()
        assert scene.has_last()
        client.socket.settimeout(0.2)
        for _ in range(6):
            client.answer()  # BEGIN and INSERT.
        client.answer(), client.answer()  # COMMIT is parsed and bound.
        times_out(client.answer)
        client.socket.settimeout(20)
        scene.proxy.release()
        assert kinds(client.answers()) == ["COMMIT", "Z"]

        step("a stalled direction, for old and new connections")
        scene.proxy.stall(DOWN)
        client.socket.settimeout(0.2)
        client.send(message("Q", text(scene.insert())))
        await_that(scene.has_last, "the row is there")
        times_out(client.answer)
        client.socket.settimeout(20)
        scene.proxy.release()
        assert kinds(client.answers()) == ["INSERT 0 1", "Z"]


def check_delays(scene):
    step("delayed messages keep their order, and overlap")
    with scene.client() as client:
        scene.proxy.delay(0.1, jitter=0.05)
        began = time.monotonic()
        for number in range(10):
            client.send(message("Q", text(f"SELECT {number}")))
        values = [next(b[6:] for k, b in client.answers() if k == "D") for _ in range(10)]
        took = time.monotonic() - began
        scene.proxy.delay(0)
        assert values == [b"%d" % number for number in range(10)], values
        assert 0.2 <= took < 1, took
        assert kinds(client.query("SELECT 1"))[-1] == "Z"


def check_refusal(scene):
    step("new connections are refused while old ones go on, and taken again at the same port")
    with scene.client() as client:
        scene.proxy.refuse()
        try:
            scene.cluster.psql(scene.url, "SELECT 1")
        except ClusterError as error:
            assert "refused" in str(error), error
        else:
            raise AssertionError("it should have been refused")
        assert kinds(client.query("SELECT 1"))[-1] == "Z"
        scene.proxy.allow()
        assert scene.cluster.psql(scene.url, "SELECT 1").strip() == "1"
        assert scene.proxy.cut_all(Action.RESET, "client") == 1
        assert heard(client) == []


def heard(client):
    """What comes until the connection ends."""
    found = []
    try:
        while True:
            found.append(client.answer())
    except (Closed, ConnectionResetError):
        return kinds(found)


def times_out(action):
    try:
        action()
    except TimeoutError:
        return
    raise AssertionError("nothing should have come")


def step(words):
    print(f"-- {time.monotonic() - BEGAN:4.1f} s: {words}", flush=True)
