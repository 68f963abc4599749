#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL servers of a test's own: a primary, standbys, backups and copies, on loopback.

    with Cluster() as cluster:
        primary = cluster.primary()
        standby = cluster.standby(primary)              # synchronous, and in sync on return
        start_daemon(cluster.url(primary, standby))
        primary.kill()
        standby.promote()

Operations return when their effect is there: they wait for a state, with a bound, and raise
ClusterError beyond it. Durability is PostgreSQL's default. The folder and every server end with the
process that made the cluster, however that ends.

    Tests/Nodes/cluster.py --check              exercises each operation
    Tests/Nodes/cluster.py --run [--standby]    prints a URL, and stays until its input ends

ATREST_POSTGRESQL_BIN names the folder of another version's programs.
"""

import atexit
import glob
import json
import os
import pathlib
import pwd
import random
import re
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

LIMIT_SECONDS = 60
# From one look at a state to the next.
PAUSE_SECONDS = 0.02
# Below the ports that systems give out to whoever connects.
PORTS = range(20000, 32000)
# Roles: the servers' owner, the daemons', and the standbys'.
SUPERUSER, OWNER, REPLICATOR = "postgres", "atrest", "atrest_replicator"
DATABASE = "atrest"
STOPS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "32MB",
    "max_connections": "200",
    "wal_level": "replica",
    "max_wal_senders": "10",
    # A standby that was cut off for a while finds what it missed.
    "wal_keep_size": "512MB",
    "wal_retrieve_retry_interval": "100ms",
    "log_line_prefix": "%m [%p] %a ",
}


class ClusterError(Exception):
    """A server, or one of its programs, did not do what it was told."""


def await_that(holds, words, limit_seconds=LIMIT_SECONDS):
    """Asks until the answer is true. Returns it."""
    until = time.monotonic() + limit_seconds
    while True:
        answer = holds()
        if answer:
            return answer
        if time.monotonic() > until:
            raise ClusterError(f"waited {limit_seconds} s in vain: {words}")
        time.sleep(PAUSE_SECONDS)


def free_port():
    """A port at which nobody listens. The caller has to be ready for losing it."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def programs_folder():
    """PostgreSQL's programs: Debian keeps them off PATH."""
    candidates = [os.environ.get("ATREST_POSTGRESQL_BIN", "")]
    candidates += sorted(
        glob.glob("/usr/lib/postgresql/*/bin"),
        key=lambda path: int(re.sub(r"\D", "", path) or 0),
        reverse=True,
    )
    if shutil.which("initdb"):
        candidates.append(os.path.dirname(shutil.which("initdb")))
    for folder in filter(None, candidates):
        if os.access(f"{folder}/initdb", os.X_OK):
            return pathlib.Path(folder)
    raise ClusterError("PostgreSQL is not installed: Scripts/install-missing test installs it")


class Cluster:
    """Servers that share a folder, their roles' passwords, and an end.

    - archive: every segment of WAL is copied into `archive`, and restores read it. Otherwise a
      restore leads to the end of its base backup and no further.
    - fsync: False only where nothing that a crash could lose is looked at. Daemons refuse it.
    - settings: for every server, in place of SETTINGS.
    """

    def __init__(self, folder=None, *, archive=False, fsync=True, settings=None):
        self.programs = programs_folder()
        # Short: the paths of Unix sockets have 107 bytes.
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="atrest-pg-"))
        self.passwords = {role: secrets.token_hex(12) for role in (SUPERUSER, OWNER, REPLICATOR)}
        self.settings = SETTINGS | {"fsync": "on" if fsync else "off"} | (settings or {})
        self.nodes = {}
        self.user = None
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root. Its package has made a user.
            self.user = pwd.getpwnam("postgres")
        self.folder.chmod(0o700)
        self._own(self.folder)
        self.archive = self.make_folder("archive") if archive else None
        self._lock = threading.Lock()
        self._guard = subprocess.Popen(
            [sys.executable, "-E", "-S", os.path.abspath(__file__), "--guard", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._process = os.getpid()
        # A fork that runs no other program would hold the leash, too.
        os.register_at_fork(after_in_child=self._let_go)
        atexit.register(self.close)

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        if kind and not issubclass(kind, (KeyboardInterrupt, SystemExit)):
            for node in self.nodes.values():
                print(f"-- {node.name}\n{node.log_tail()}", file=sys.stderr)
        self.close()

    def close(self):
        """Stops every server at once, as a crash would, and removes the folder."""
        if self._guard is None or os.getpid() != self._process:
            return
        guard, self._guard = self._guard, None
        guard.stdin.close()
        try:
            guard.wait(timeout=LIMIT_SECONDS)
        finally:
            guard.stdout.close()
            atexit.unregister(self.close)

    # Making servers

    def primary(self, name="primary", *, data=None, **settings):
        """Makes a server with the role and the database of the daemons, and starts it.

        - data: another place for its files, such as a small file system that will be full.
        """
        node = self._new_node(name, data, settings)
        password = node.folder / "password"
        password.write_text(self.passwords[SUPERUSER])
        self._own(password)
        # Checksums: pg_rewind asks for them, and they find what a crash damaged.
        self.run(
            *["initdb", "-D", node.data, "-U", SUPERUSER, "-A", "scram-sha-256", "-k", "--no-sync"],
            *["--pwfile", password, "-E", "UTF8", "--locale=C"],
        )
        password.unlink()
        node.include_settings()
        node.start()
        node.sql(
            f"CREATE ROLE {OWNER} LOGIN PASSWORD '{self.passwords[OWNER]}';"
            f"CREATE ROLE {REPLICATOR} LOGIN REPLICATION PASSWORD '{self.passwords[REPLICATOR]}';",
            database="postgres",
        )
        node.sql(f"CREATE DATABASE {DATABASE} OWNER {OWNER}", database="postgres")
        return node

    def standby(
        self, primary, name="standby", *, synchronous=True, data=None, port=None, **settings
    ):
        """Copies a running server and has the copy follow it.

        A synchronous one is in sync on return, and no commit is confirmed without it from then on.
        An asynchronous one streams.
        - port: that of a stopped server, whose URL then leads here.
        """
        node = self._new_node(name, data, settings, port)
        self._base_backup(primary, node.data, name)
        (node.data / "standby.signal").touch()
        self._own(node.data / "standby.signal")
        node.settings["primary_conninfo"] = primary.connection_words(name)
        node.start()
        if synchronous:
            primary.configure(synchronous_standby_names=f'FIRST 1 ("{name}")')
        primary.await_standby(node, "sync" if synchronous else None)
        return node

    def restore(self, backup, name, *, until="immediate", port=None, **settings):
        """A server from a base backup, which is left as it is. On return it takes writes.

        - until: "immediate", the end of the backup; the name of a restore point; or None, as far as
          the archive goes. The last two need an archive.
        - port: that of a stopped server, whose URL then leads here.
        """
        node = self._new_node(name, None, settings, port)
        self._copy_tree(backup.path, node.data)
        command = f"cp {self.archive}/%f %p" if self.archive else "false"
        targets = {None: {}, "immediate": {"recovery_target": "immediate"}}
        recovery = targets.get(until, {"recovery_target_name": until}) | {
            "restore_command": command,
            "recovery_target_action": "promote",
            # The backup's own: other restored servers leave theirs in the archive.
            "recovery_target_timeline": "current",
        }
        node.settings |= recovery
        (node.data / "recovery.signal").touch()
        self._own(node.data / "recovery.signal")
        node.start()
        await_that(lambda: not node.is_running() or node.is_writable(), f"{name} recovers")
        if not node.is_running():
            raise ClusterError(f"{name} did not recover:\n{node.log_tail()}")
        for setting in recovery:
            node.settings.pop(setting)
        return node

    def copy(self, node, name, *, port=None):
        """A stopped server's files in another place, as a copied disk: not started yet."""
        if node.is_running():
            raise ClusterError(f"{node.name} has to be stopped before its files are copied")
        copied = self._new_node(name, None, node.own_settings, port)
        self._copy_tree(node.data, copied.data)
        return copied

    def remove(self, node):
        """Takes away a stopped server with its files. Its name and its port are free again."""
        if node.is_running():
            raise ClusterError(f"{node.name} has to be stopped before it is removed")
        del self.nodes[node.name]
        shutil.rmtree(node.folder)

    # Reaching them

    def url(self, *nodes, user=OWNER, database=DATABASE, ports=None, **parameters):
        """The URL for a daemon. With several servers it leads to the one that takes writes.

        - ports: in place of the servers' own, those of proxies before them.
        """
        ports = [str(port) for port in ports or (node.port for node in nodes)]
        words = {"host": ",".join(["127.0.0.1"] * len(ports)), "port": ",".join(ports)}
        if len(ports) > 1:
            words["target_session_attrs"] = "read-write"
        query = urllib.parse.urlencode(words | parameters, safe=",")
        return f"postgresql://{user}:{self.passwords[user]}@/{database}?{query}"

    def psql(self, url, query, **options):
        """What a query answers at a URL, as text. Raises if it fails."""
        return self.run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", query, **options)

    # Programs and files

    def run(self, program, *arguments, environment=None, timeout=LIMIT_SECONDS):
        """Runs one of PostgreSQL's programs to its end. Returns what it printed."""
        command = self.command(program, *arguments)
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                cwd=self.folder,
                timeout=timeout,
                env=os.environ | {"LC_ALL": "C", "PGCONNECT_TIMEOUT": "5"} | (environment or {}),
            )
        except subprocess.TimeoutExpired:
            raise ClusterError(f"{program} took longer than {timeout} s") from None
        if done.returncode != 0:
            raise ClusterError(f"{program}: {done.stderr.strip() or done.returncode}")
        return done.stdout

    def command(self, program, *arguments, death_signal="KILL"):
        """A command line that runs as PostgreSQL's user, and ends with the process that starts it."""
        words = ["setpriv", f"--pdeathsig={death_signal}"]
        if self.user:
            words += ["--reuid=postgres", "--regid=postgres", "--init-groups"]
        return [*words, str(self.programs / program), *map(str, arguments)]

    def make_folder(self, name):
        path = self.folder / name
        path.mkdir(mode=0o700)
        self._own(path)
        return path

    def start_server(self, node):
        """Has the guard start a server. Returns its process id."""
        command = self.command("postgres", "-D", node.data, death_signal="QUIT")
        with self._lock:
            self._guard.stdin.write(json.dumps([command, str(node.log)]).encode() + b"\n")
            self._guard.stdin.flush()
            return int(self._guard.stdout.readline())

    def _new_node(self, name, data, settings, port=None):
        if name in self.nodes:
            raise ClusterError(f"there is a {name} already")
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", name):
            raise ClusterError("a server's name is lowercase letters, digits and underscores")
        node = Node(self, name, data and pathlib.Path(data), settings, port)
        self.nodes[name] = node
        return node

    def _base_backup(self, node, target, label):
        words = node.connection_words(label)
        self.run(
            *["pg_basebackup", "-d", words, "-D", target, "-X", "stream", "-c", "fast"],
            *["-l", label, "--no-sync"],
        )

    def _copy_tree(self, source, target):
        shutil.copytree(source, target, symlinks=True)
        target.chmod(0o700)
        if self.user:
            for path in [target, *target.rglob("*")]:
                self._own(path)

    def _own(self, path):
        if self.user:
            os.lchown(path, self.user.pw_uid, self.user.pw_gid)

    def _let_go(self):
        if self._guard is not None:
            os.close(self._guard.stdin.fileno())
            self._guard = None


class Backup:
    """A base backup, from which any number of servers can be restored."""

    def __init__(self, path):
        self.path = path


class Node:
    """One server: its files, its port, and what can happen to it."""

    def __init__(self, cluster, name, data, settings, port):
        self.cluster, self.name = cluster, name
        self.folder = cluster.make_folder(name)
        self.data = data or self.folder / "data"
        self.log = self.folder / "log"
        self.own_settings = settings
        archiving = {}
        if cluster.archive:
            target = f"{cluster.archive}/%f"
            # After a crash a segment may be archived twice. It succeeds if it is the same one.
            archiving = {
                "archive_mode": "on",
                "archive_command": f"cmp -s %p {target} || {{ test ! -e {target} "
                f"&& cp %p {target}.new && mv {target}.new {target}; }}",
            }
        own = {"cluster_name": name, "unix_socket_directories": str(self.folder)}
        self.settings = cluster.settings | own | archiving | settings
        self.has_own_port = port is None
        self.port = port or free_port()
        self.process_id = None
        self._cut = None

    # Running

    def start(self):
        """Starts it, at the port that it had. Returns when it takes connections."""
        if self.is_running():
            raise ClusterError(f"{self.name} runs already")
        while True:
            self._write_settings()
            before = self.log.stat().st_size if self.log.exists() else 0
            self.process_id = self.cluster.start_server(self)
            if await_that(self._startup, f"{self.name} starts") == "up":
                self.has_own_port = False
                return
            self.process_id = None
            said = self.log.read_text(errors="replace")[before:]
            if not self.has_own_port or "Address already in use" not in said:
                raise ClusterError(f"{self.name} did not start:\n{said[-2000:]}")
            self.port = free_port()

    def stop(self, mode="fast"):
        """Stops it: smart (waits for its clients), fast, or immediate (as a crash)."""
        self._end(STOPS[mode], [])

    def kill(self, *, everything=False):
        """Kills the postmaster, which leaves a server that has to recover.

        Its processes notice, and end after what they are doing, which may be a commit.
        - everything: kills them in the same moment.
        """
        # Stopped, it starts no process that is not on the list.
        os.kill(self._process(), signal.SIGSTOP)
        children = children_of(self.process_id)
        if everything:
            for child in children:
                send(child, signal.SIGSTOP)
            for child in children:
                send(child, signal.SIGKILL)
        self._end(signal.SIGKILL, children)

    def freeze(self):
        """Stops every process of it: connections stay, and nothing is answered."""
        # The postmaster first, so that it starts no process that is not on the list.
        os.kill(self._process(), signal.SIGSTOP)
        for child in children_of(self.process_id):
            send(child, signal.SIGSTOP)

    def thaw(self):
        """Lets a frozen server go on."""
        for child in children_of(self._process()):
            send(child, signal.SIGCONT)
        os.kill(self.process_id, signal.SIGCONT)

    def is_running(self):
        return self.process_id is not None and is_alive(self.process_id)

    def configure(self, **settings):
        """Changes settings that need no restart; None takes one back. They stay after a restart."""
        for name, value in settings.items():
            if value is None:
                self.settings.pop(name, None)
            else:
                self.settings[name] = str(value)
        self._write_settings()
        loaded = self.value("SELECT pg_conf_load_time()")
        os.kill(self._process(), signal.SIGHUP)
        await_that(
            lambda: self.value("SELECT pg_conf_load_time()") != loaded,
            f"{self.name} reads its settings",
        )

    # Asking

    def sql(self, query, *, database=DATABASE, user=SUPERUSER, timeout=LIMIT_SECONDS):
        """What psql prints for a query: a line for each row, columns separated by `|`."""
        return self.cluster.run(
            *["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", self.port],
            *["-U", user, "-d", database, "-c", query],
            environment={"PGPASSWORD": self.cluster.passwords[user]},
            timeout=timeout,
        )

    def value(self, query, **options):
        """The only value of an answer, as text."""
        return self.sql(query, database=options.pop("database", "postgres"), **options).strip()

    def begin_sql(self, query, *, database=DATABASE, user=SUPERUSER):
        """Starts psql with a query that may have to wait. The process is the caller's to end."""
        words = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", self.port]
        return subprocess.Popen(
            self.cluster.command(*words, "-U", user, "-d", database, "-c", query),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.cluster.folder,
            env=os.environ | {"LC_ALL": "C", "PGPASSWORD": self.cluster.passwords[user]},
        )

    def is_writable(self):
        """Whether it answers, and is no standby."""
        try:
            return self.value("SELECT pg_is_in_recovery()") == "f"
        except ClusterError:
            return False

    def connection_words(self, name):
        """What a standby or a base backup connects with, in libpq's words."""
        password = self.cluster.passwords[REPLICATOR]
        return (
            f"host=127.0.0.1 port={self.port} user={REPLICATOR} password={password} "
            f"application_name={name} sslmode=disable"
        )

    def log_tail(self, bytes_limit=3000):
        return self.log.read_text(errors="replace")[-bytes_limit:] if self.log.exists() else ""

    # Its sessions

    def backends(self, condition="true"):
        """Process ids of its clients' sessions, for which a condition on pg_stat_activity holds."""
        found = self.sql(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
            f"AND pid <> pg_backend_pid() AND ({condition}) ORDER BY backend_start",
            database="postgres",
        )
        return [int(line) for line in found.split()]

    def kill_backend(self, process_id):
        """Kills one session's process. The postmaster then ends all others and recovers."""
        checkpointer = self._checkpointer()
        os.kill(process_id, signal.SIGKILL)
        await_that(
            lambda: self._checkpointer() not in (None, checkpointer), f"{self.name} recovers"
        )

    def terminate_backends(self, condition="true"):
        """Ends sessions as an administrator does (57P01). Returns how many."""
        ended = self.backends(condition)
        for process_id in ended:
            self.value(f"SELECT pg_terminate_backend({process_id}, 10000)")
        return len(ended)

    # Replication

    def await_standby(self, standby, state=None):
        """Waits until a standby streams from here and has written all that is here now.

        - state: "sync", "quorum", "potential" or "async", if it has to be that one.
        """
        now = self.value("SELECT pg_current_wal_lsn()")
        condition = f" AND sync_state = '{state}'" if state else ""
        query = (
            "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND "
            f"application_name = '{standby.name}' AND flush_lsn >= '{now}'{condition}"
        )
        await_that(
            lambda: self.value(query) == "1", f"{standby.name} follows {self.name}, {state or 'up'}"
        )

    def await_replay(self, source):
        """Waits until this standby shows all that its primary holds now."""
        now = source.value("SELECT pg_current_wal_lsn()")
        await_that(
            lambda: self.value(f"SELECT pg_last_wal_replay_lsn() >= '{now}'") == "t",
            f"{self.name} replays",
        )

    def pause_replay(self):
        """A standby that receives, confirms, and shows nothing new. A promotion ends it."""
        self.value("SELECT pg_wal_replay_pause()")
        await_that(
            lambda: self.value("SELECT pg_get_wal_replay_pause_state()") == "paused",
            f"{self.name} pauses",
        )

    def resume_replay(self):
        self.value("SELECT pg_wal_replay_resume()")

    def cut_stream(self):
        """A standby that receives nothing: promoted now, it lacks what is committed from here on."""
        self._cut = self.settings["primary_conninfo"]
        self.configure(primary_conninfo="")
        await_that(
            lambda: self.value("SELECT count(*) FROM pg_stat_wal_receiver") == "0",
            f"{self.name} is cut off",
        )

    def join_stream(self):
        self.configure(primary_conninfo=self._cut)
        await_that(
            lambda: self.value("SELECT status FROM pg_stat_wal_receiver") == "streaming",
            f"{self.name} streams",
        )

    def follow(self, primary):
        """Has a standby follow another server, such as one that was promoted."""
        self.configure(primary_conninfo=primary.connection_words(self.name))
        primary.await_standby(self)

    def promote(self):
        """Makes a primary of a standby. The old one is not touched, and may take writes, too."""
        self.value("SELECT pg_promote(true, 60)", timeout=70)
        await_that(self.is_writable, f"{self.name} is promoted")
        self.settings.pop("primary_conninfo", None)

    # Backups

    def base_backup(self, label):
        """A backup that `Cluster.restore` takes."""
        path = self.cluster.folder / f"backup-{label}"
        self.cluster._base_backup(self, path, label)
        return Backup(path)

    def restore_point(self, name):
        """Names this moment, and waits until the archive leads to it."""
        self.value(f"SELECT pg_create_restore_point('{name}')")
        segment = self.value("SELECT pg_walfile_name(pg_switch_wal())")

        woken = time.monotonic()

        def is_archived():
            nonlocal woken
            # After a crash an archiver starts ten seconds after the last one, if anything wakes the
            # postmaster then.
            if time.monotonic() > woken + 1:
                woken = time.monotonic()
                os.kill(self._process(), signal.SIGHUP)
            return (self.cluster.archive / segment).exists()

        await_that(is_archived, f"{segment} is archived")

    def dump(self, name, database=DATABASE):
        """A dump of a database. Returns its path."""
        path = self.cluster.folder / f"{name}.dump"
        self.cluster.run(
            *["pg_dump", "-Fc", "-h", self.folder, "-p", self.port, "-U", SUPERUSER],
            *["-f", path, database],
            environment={"PGPASSWORD": self.cluster.passwords[SUPERUSER]},
        )
        return path

    def load(self, dump, database=DATABASE):
        """Puts a dump in place of a database, whose sessions end."""
        for query in (
            f"DROP DATABASE IF EXISTS {database} WITH (FORCE)",
            f"CREATE DATABASE {database} OWNER {OWNER} TEMPLATE template0",
        ):
            self.sql(query, database="postgres")
        self.cluster.run(
            *["pg_restore", "-h", self.folder, "-p", self.port, "-U", SUPERUSER],
            *["-d", database, "--exit-on-error", dump],
            environment={"PGPASSWORD": self.cluster.passwords[SUPERUSER]},
        )

    # Inside

    def include_settings(self):
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write("include 'node.conf'\n")

    def _write_settings(self):
        """In place of what a copy brought along from the server that it was made of."""
        path = self.data / "node.conf"
        values = self.settings | {"port": str(self.port)}
        quoted = {name: str(value).replace("'", "''") for name, value in values.items()}
        path.write_text("".join(f"{name} = '{value}'\n" for name, value in quoted.items()))
        path.chmod(0o600)
        self.cluster._own(path)

    def _startup(self):
        """"up", "gone", or nothing yet: what the server writes beside its process id."""
        if not is_alive(self.process_id):
            return "gone"
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return None
        if len(lines) < 8 or lines[0] != str(self.process_id):
            return None
        return "up" if lines[7].strip() in ("ready", "standby") else None

    def _checkpointer(self):
        try:
            query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"
            return self.value(query) or None
        except ClusterError:
            return None

    def _process(self):
        if not self.is_running():
            raise ClusterError(f"{self.name} does not run")
        return self.process_id

    def _end(self, kind, children):
        process_id = self._process()
        watched = [open_process(each) for each in (process_id, *children)]
        try:
            os.kill(process_id, kind)
            until = time.monotonic() + LIMIT_SECONDS
            for descriptor in filter(None, watched):
                left = max(0, until - time.monotonic())
                if not select.select([descriptor], [], [], left)[0]:
                    raise ClusterError(f"{self.name} did not stop within {LIMIT_SECONDS} s")
        finally:
            for descriptor in filter(None, watched):
                os.close(descriptor)
        self.process_id = None


# Processes


def open_process(process_id):
    """A descriptor that is readable once a process has ended; None if it has."""
    try:
        return os.pidfd_open(process_id)
    except ProcessLookupError:
        return None


def is_alive(process_id):
    descriptor = open_process(process_id)
    if descriptor is None:
        return False
    try:
        return not select.select([descriptor], [], [], 0)[0]
    finally:
        os.close(descriptor)


def send(process_id, kind):
    try:
        os.kill(process_id, kind)
    except ProcessLookupError:
        pass  # It ended by itself.


def children_of(process_id):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                # The name, in parentheses, may contain anything.
                words = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(words[1]) == process_id:
                found.append(int(entry))
    return found


# The guard: a process that starts the servers, and ends them when its input ends


def guard(folder):
    """Reads command lines, one a line, and answers process ids.

    Its input is a pipe that only the harness holds, so the input's end is the harness's. Servers
    die with the guard as well, should that be killed.
    """
    servers, buffer = {}, b""

    def reap():
        for process in [each for each in servers.values() if each.poll() is not None]:
            del servers[process.pid]

    while chunk := os.read(0, 65536):
        buffer += chunk
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            reap()
            command, log = json.loads(line)
            with open(log, "ab") as output:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder
                )
            servers[process.pid] = process
            os.write(1, b"%d\n" % process.pid)
    reap()
    for process in servers.values():
        # A server that is stopped does not hear the other signal.
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGQUIT)
    for process in servers.values():
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            break
        time.sleep(PAUSE_SECONDS)  # Somebody still writes there.


def run(with_standby):
    with Cluster() as cluster:
        nodes = [cluster.primary()]
        if with_standby:
            nodes.append(cluster.standby(nodes[0]))
        print(cluster.url(*nodes), flush=True)
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    if sys.argv[1:2] == ["--guard"]:
        guard(sys.argv[2])
    elif sys.argv[1:2] == ["--run"]:
        run("--standby" in sys.argv[2:])
    elif sys.argv[1:] == ["--check"]:
        import check_cluster

        check_cluster.main()
    else:
        sys.exit(__doc__)
