# SPDX-License-Identifier: Apache-2.0
"""Files as the first version of the programs made them, out of those that this one made: what an
upgrade finds. Not to be changed when the product is.
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
    PRAGMA user_version = 1;
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
    PRAGMA user_version = 1;
"""

SERVER_FILE, REPLICA_FILE = "atrest.db", "replica.sqlite"


def make_server_old(data):
    """The store of format 1 that could have been where this one is. Nobody may have it open."""
    with contextlib.closing(sqlite3.connect(data / SERVER_FILE)) as now:
        # Format 1 knew one life, and its devices stand in it.
        (epoch,) = now.execute("SELECT epoch FROM life ORDER BY ordinal DESC").fetchone()
    make_old(data / SERVER_FILE, SERVER_1, {"meta": {"epoch": epoch}})
    (data / "progress").unlink(missing_ok=True)


def make_replica_old(folder):
    """The same of a companion's replica."""
    make_old(folder / REPLICA_FILE, REPLICA_1, {})


def make_old(path, schema, changes):
    """Copies all rows into tables of the older schema, but for the columns that it lacks."""
    draft = path.with_name("draft")
    with sqlite3.connect(draft) as old:
        old.executescript(textwrap.dedent(schema))  # To the letter: it is compared.
        old.execute("ATTACH ? AS now", (str(path),))
        tables = old.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            if table == "sqlite_sequence":
                continue
            columns = ", ".join(columns_of(old, table))
            old.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table}")
            for column, value in changes.get(table, {}).items():
                old.execute(f"UPDATE main.{table} SET {column} = ?", (value,))
        old.execute("DELETE FROM main.sqlite_sequence")
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


def columns_of(connection, table):
    return [row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]


class Shape:
    """What an upgrade must not leave half done."""

    def __init__(self, path, counted, new_columns, newest=2):
        """`counted`: tables that keep their rows. `new_columns`: what the format after the first adds to a table."""
        self.counted, self.new_columns, self.newest = counted, new_columns, newest
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
        if version not in (1, self.newest) or set(new.values()) != {version == self.newest}:
            return f"the file is half of format {version}: {new}"
        if rows != self.rows:
            return f"rows are missing: {rows} of {self.rows}"
        return None

    def version(self, path):
        return self._look(path)[0]
