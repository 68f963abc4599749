# SPDX-License-Identifier: Apache-2.0
"""Files as earlier versions of the programs made them, out of those that this one made: what an
upgrade finds. Steps are not to be changed when the product is.
"""

import contextlib
import pathlib
import shutil
import sqlite3
import tempfile
import textwrap

SERVER_1 = """
    CREATE TABLE meta (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      epoch INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE account (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      created_ms INTEGER NOT NULL,
      head INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE device (
      replica INTEGER PRIMARY KEY,
      account INTEGER NOT NULL REFERENCES account (id),
      name TEXT NOT NULL,
      token_hash BLOB NOT NULL,
      paired_ms INTEGER NOT NULL,
      seen_ms INTEGER,
      revoked_ms INTEGER
    ) STRICT;
    CREATE INDEX device_by_account ON device (account, paired_ms);
    CREATE TABLE invitation (
      handle TEXT PRIMARY KEY,
      secret_hash BLOB NOT NULL,
      account INTEGER NOT NULL REFERENCES account (id),
      expires_ms INTEGER NOT NULL,
      tries_left INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE record (
      account INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      key BLOB NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (account, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX record_by_key ON record (account, key);
    PRAGMA application_id = 1098150515;
"""

SERVER_2 = """
    CREATE TABLE life (
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
      epoch INTEGER NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE life_start (
      account INTEGER NOT NULL,
      life INTEGER NOT NULL,
      head INTEGER NOT NULL,
      PRIMARY KEY (account, life)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE meta ADD COLUMN writes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN live INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE device ADD COLUMN sync_token INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE device ADD COLUMN token_life INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE device ADD COLUMN stands_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE record ADD COLUMN due_ms INTEGER;
    CREATE INDEX record_by_due ON record (account, due_ms) WHERE due_ms IS NOT NULL;
"""

SERVER_3 = """
    CREATE TABLE purchase (
      environment TEXT NOT NULL,
      original TEXT NOT NULL,
      account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      since_ms INTEGER NOT NULL,
      PRIMARY KEY (environment, original)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX purchase_by_account ON purchase (account);
    CREATE TABLE app_account (
      account INTEGER PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      token BLOB NOT NULL UNIQUE
    ) STRICT;
"""

SERVER_4 = """
    ALTER TABLE account ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE invitation ADD COLUMN inviter INTEGER;
    ALTER TABLE invitation ADD COLUMN needs_approval INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE invitation ADD COLUMN used_by BLOB;
    CREATE TABLE event (
      number INTEGER PRIMARY KEY,
      account INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      actor INTEGER NOT NULL,
      subject INTEGER NOT NULL,
      detail INTEGER NOT NULL,
      count INTEGER NOT NULL,
      hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX event_by_account ON event (account, number);
    CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are not changed'); END;
    CREATE TRIGGER event_is_not_removed BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'events are not removed'); END;
"""

REPLICA_1 = """
    CREATE TABLE replica (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      id INTEGER NOT NULL,
      clock INTEGER NOT NULL,
      epoch INTEGER,
      sequence INTEGER,
      account TEXT,
      server TEXT,
      token TEXT,
      last_sync INTEGER,
      server_offset INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE record (
      kind INTEGER NOT NULL,
      id BLOB NOT NULL,
      body BLOB NOT NULL,
      UNIQUE (kind, id)
    ) STRICT;
    CREATE TABLE outbox (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      kind INTEGER NOT NULL,
      id BLOB NOT NULL,
      offer BLOB,
      refused_reason INTEGER,
      refused_message TEXT
    ) STRICT;
    CREATE INDEX outbox_by_record ON outbox (kind, id);
    CREATE TABLE device (
      replica INTEGER PRIMARY KEY,
      name TEXT NOT NULL
    ) STRICT;
    PRAGMA application_id = 1635021379;
"""

REPLICA_2 = """
    ALTER TABLE replica ADD COLUMN seen_epoch INTEGER;
    ALTER TABLE replica ADD COLUMN seen_sequence INTEGER;
    ALTER TABLE replica ADD COLUMN must_reconcile INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE replica ADD COLUMN token_held INTEGER;
    ALTER TABLE replica ADD COLUMN token_attempts BLOB NOT NULL DEFAULT x'';
    ALTER TABLE outbox ADD COLUMN lowest INTEGER;
    ALTER TABLE outbox ADD COLUMN highest INTEGER;
"""

REPLICA_3 = "ALTER TABLE replica ADD COLUMN renewal BLOB;"

REPLICA_4 = """
    ALTER TABLE replica ADD COLUMN joining BLOB;
    ALTER TABLE replica ADD COLUMN joining_link TEXT;
"""

REPLICA_5 = """
    ALTER TABLE record ADD COLUMN state INTEGER;
    ALTER TABLE record ADD COLUMN at INTEGER;
    CREATE INDEX record_by_time ON record (kind, state, at) WHERE state IS NOT NULL;
    CREATE TABLE action (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      what INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE action_step (
      action INTEGER NOT NULL,
      place INTEGER NOT NULL,
      before BLOB,
      after BLOB NOT NULL,
      PRIMARY KEY (action, place)
    ) STRICT;
"""

# The statements that create each format from the previous one, to the letter, because the tables'
# SQL texts are compared. Changes to rows are omitted.
SERVER_STEPS = [SERVER_1, SERVER_2, SERVER_3, SERVER_4]
REPLICA_STEPS = [REPLICA_1, REPLICA_2, REPLICA_3, REPLICA_4, REPLICA_5]

# Renamed columns: old table and column to the new one.
RENAMED = {
    ("meta", "epoch"): "name",
    ("device", "sync_token"): "outbox_token",
    ("device", "stands_at"): "acknowledged_sequence",
    ("replica", "epoch"): "cursor_commit",
    ("replica", "sequence"): "cursor_sequence",
    ("replica", "seen_epoch"): "head_commit",
    ("replica", "seen_sequence"): "head_sequence",
}

SERVER_FILE, REPLICA_FILE = "atrest.db", "replica.sqlite"


def make_server_old(data, version=1):
    """The store of an older format that could have been where this one is. Nobody may have it open.

    Returns the epoch under which devices that are up to date are there.
    """
    with contextlib.closing(sqlite3.connect(data / SERVER_FILE)) as now:
        (epoch,) = now.execute("SELECT name FROM feed_commit ORDER BY sequence DESC").fetchone()
    changes = ["UPDATE meta SET epoch = :epoch"]
    if version >= 2:
        changes.append("INSERT INTO life (epoch) VALUES (:epoch)")
        changes.append("UPDATE device SET token_life = 1 WHERE sync_token <> 0")
    make_old(data / SERVER_FILE, SERVER_STEPS[:version], changes, epoch)
    (data / "progress").unlink(missing_ok=True)
    return epoch


def make_replica_old(folder, epoch, version=1):
    """The same of a companion's replica."""
    changes = ["UPDATE replica SET epoch = :epoch WHERE epoch IS NOT NULL"]
    if version >= 2:
        changes.append("UPDATE replica SET seen_epoch = :epoch WHERE seen_epoch IS NOT NULL")
        changes.append("UPDATE replica SET token_held = nullif(taken_token, 0) FROM now.replica")
    path = folder / REPLICA_FILE
    make_old(path, REPLICA_STEPS[:version], changes, epoch, [attempts] if version >= 2 else [])


def attempts(old):
    """The newest token, if the server has not confirmed it: it was sent, or may have been."""
    newest = old.execute(
        "SELECT token FROM now.outbox_token ORDER BY through DESC LIMIT 1"
    ).fetchone()
    (held,) = old.execute("SELECT token_held FROM main.replica").fetchone()
    if newest and newest[0] != held:
        sent = newest[0].to_bytes(8, "little", signed=True)
        old.execute("UPDATE main.replica SET token_attempts = ?", (sent,))


def make_old(path, steps, changes, epoch, more=()):
    """Copies all rows into tables of the older format, but for the columns that one of the two lacks."""
    draft = path.with_name("draft")
    with sqlite3.connect(draft) as old:
        for step in steps:
            old.executescript(textwrap.dedent(step))
        old.execute(f"PRAGMA user_version = {len(steps)}")
        old.execute("ATTACH ? AS now", (str(path),))
        query = "SELECT name FROM {}.sqlite_schema WHERE type = 'table'"
        old_tables, new_tables = (
            {name for (name,) in old.execute(query.format(schema))} for schema in ("main", "now")
        )
        for table in sorted(old_tables & new_tables - {"sqlite_sequence"}):
            there = columns_of(old, table, "now")
            columns = {name: RENAMED.get((table, name), name) for name in columns_of(old, table)}
            columns = {name: now for name, now in columns.items() if now in there}
            old.execute(
                f"INSERT INTO main.{table} ({', '.join(columns)}) "
                f"SELECT {', '.join(columns.values())} FROM now.{table}"
            )
        for change in changes:
            old.execute(change, {"epoch": epoch} if ":epoch" in change else {})
        for change in more:
            change(old)
        old.execute("DELETE FROM main.sqlite_sequence WHERE name <> 'life'")
        old.execute(
            """
            INSERT INTO main.sqlite_sequence
              SELECT * FROM now.sqlite_sequence WHERE name IN (SELECT name FROM main.sqlite_schema)
            """
        )
    old.execute("DETACH now")
    old.execute("PRAGMA journal_mode = WAL")
    old.close()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    draft.chmod(0o600)
    draft.replace(path)


def columns_of(connection, table, schema="main"):
    rows = connection.execute("SELECT name FROM pragma_table_info(?, ?)", (table, schema))
    return [name for (name,) in rows]


class Shape:
    """What an upgrade must not leave half done."""

    def __init__(self, path, counted, new_columns, oldest=1, newest=2):
        """`counted`: tables that keep their rows. `new_columns`: what the formats after the oldest add to a table."""
        self.counted, self.new_columns = counted, new_columns
        self.oldest, self.newest = oldest, newest
        _, self.rows, _ = self._look(path)

    def _look(self, path):
        """Of a copy, as looking at a file can change it."""
        with tempfile.TemporaryDirectory() as folder:
            for suffix in ("", "-wal"):
                file = path.with_name(path.name + suffix)
                if file.exists():
                    shutil.copy(file, pathlib.Path(folder) / file.name)
            connection = sqlite3.connect(pathlib.Path(folder) / path.name)
            try:
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                (finding,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
                assert finding == "ok", finding
                rows = {
                    table: connection.execute(
                        f"SELECT count(*), sum(length(CAST({column} AS BLOB))) FROM {table}"
                    ).fetchone()
                    for table, column in self.counted.items()
                }
                new = {
                    (table, column): column in columns_of(connection, table)
                    for table, column in self.new_columns
                }
                return version, rows, new
            finally:
                connection.close()

    def complaint(self, path):
        """What is wrong with the file: nothing, if it is of one format or of the other."""
        try:
            version, rows, new = self._look(path)
        except (sqlite3.Error, AssertionError) as error:
            return f"the file cannot be read: {error}"
        if version not in (self.oldest, self.newest) or set(new.values()) != {version == self.newest}:
            return f"the file is half of format {version}: {new}"
        if rows != self.rows:
            return f"rows are missing: {rows} of {self.rows}"
        return None

    def version(self, path):
        return self._look(path)[0]
