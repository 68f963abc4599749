# SPDX-License-Identifier: Apache-2.0
"""Three daemons on a primary and its standby, with a proxy on each way from the one to the other,
and what can break among them."""

import itertools

from Nodes.cluster import await_that
from Nodes.proxy import Action, Proxy
from world import Server

DAEMONS = 3
SESSIONS = "usename = 'atrest'"
WAITS = "wait_event = 'SyncRep'"


class Fleet:
    """Servers take turns in two places, each with a port of its own. Every daemon knows both, and
    uses the one that takes writes."""

    def __init__(self, binaries, folder, cluster):
        self.cluster = cluster
        self._names = (f"server{number}" for number in itertools.count(1))
        self.primary = cluster.primary(next(self._names))
        self.standby = cluster.standby(self.primary, next(self._names))
        self.servers, self._ways = [], []
        for number in range(1, DAEMONS + 1):
            ways = {node.port: Proxy(node.port) for node in (self.primary, self.standby)}
            ports = [proxy.port for proxy in ways.values()]
            home = folder / f"node{number}"
            home.mkdir()
            store = cluster.url(self.primary, self.standby, ports=ports)
            self.servers.append(Server(binaries, home, store=store))
            self._ways.append(ways)

    def up(self):
        for server in self.servers:
            server.up()

    def end(self):
        for server in self.servers:
            server.kill()
        for ways in self._ways:
            for proxy in ways.values():
                proxy.close()

    # Connections

    def ways_to(self, node):
        """The proxies through which the daemons reach a server, in their order."""
        return [ways[node.port] for ways in self._ways]

    def cut_off(self, node, daemons=range(DAEMONS)):
        """These daemons reach a server no longer."""
        for number in daemons:
            proxy = self.ways_to(node)[number]
            proxy.refuse()
            proxy.cut_all(Action.RESET)

    def clear(self):
        """Every way is open, and no rule waits for its moment."""
        for ways in self._ways:
            for proxy in ways.values():
                proxy.disarm()
                proxy.release()
                proxy.delay(0)
                proxy.allow()

    # Servers

    def let_commits_wait(self):
        """Has the standby confirm nothing. Returns when commits wait for it."""
        self.standby.cut_stream()
        await_that(lambda: self.primary.backends(WAITS), "a commit waits for its standby")

    def cancel_commits(self):
        """Has commits that wait for the standby wait no longer. They are on the primary only, and
        visible there. Returns how many there were."""
        query = (
            f"SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE {SESSIONS} AND {WAITS}"
        )
        return int(self.primary.value(query))

    def end_sessions(self, share):
        """Ends so many of the daemons' sessions as an administrator does. Returns how many."""
        query = (
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            f"WHERE {SESSIONS} AND random() < {share}"
        )
        return int(self.primary.value(query))

    def kill_a_session(self, rng):
        """Kills the process of one of the daemons' sessions. False if there is none."""
        sessions = self.primary.backends(SESSIONS)
        if sessions:
            self.primary.kill_backend(rng.choice(sessions))
        return bool(sessions)

    def trail(self):
        """The standby becomes asynchronous, and lags from here on."""
        self.primary.configure(synchronous_standby_names=None)
        self.primary.await_standby(self.standby)
        self.standby.cut_stream()

    def promote(self):
        """The standby becomes the primary. The old one is as it was, and no standby."""
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary

    def replace_standby(self):
        """Makes a synchronous standby in the place of the one that is gone."""
        port = self.standby.port
        if self.standby.is_running():
            self.standby.kill(everything=True)
        self.cluster.remove(self.standby)
        self.standby = self.cluster.standby(self.primary, next(self._names), port=port)
