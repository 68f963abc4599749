# SPDX-License-Identifier: Apache-2.0
"""The PostgreSQL store beside its limit: the same rows, without daemon, gRPC and merge.

One Python client (psycopg) on one connection sends what the daemon would write, as arrays, in
transactions of 1,000 rows, to a PostgreSQL of its own with its default durability. It finds rows
through indexes, as the daemon's sessions do, and waits for each answer. With --daemon and --bench
the daemon has its turn after each run of the limit, on the same server.

    Benchmarks/run postgresql
    .venv/psycopg/bin/python Benchmarks/peers/measure_postgresql.py [--runs 5]
"""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import psycopg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Nodes"))
from cluster import Cluster  # noqa: E402

ROWS = 100_000
UPDATED_ROWS = 50_000
GROUPS = 200
GROUP_ACCOUNTS = 64
COMMITS = 1_000
BATCH = 1_000
KEY_BYTES, BODY_BYTES = 20, 100

TABLES = """
    DROP TABLE IF EXISTS record, account;
    CREATE TABLE account (id int8 PRIMARY KEY, head int8 NOT NULL) WITH (fillfactor = 60);
    CREATE TABLE record (
      account int8 NOT NULL, sequence int8 NOT NULL, key bytea NOT NULL, body bytea NOT NULL,
      due_ms int8, history bytea NOT NULL, PRIMARY KEY (account, key));
    CREATE UNIQUE INDEX record_by_sequence ON record (account, sequence);
    INSERT INTO account SELECT n, 0 FROM generate_series(1, 1000) AS n;
    CHECKPOINT
"""
# Plans that do not depend on how large a table was when it was last looked at.
SESSION = """
    SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;
    SET enable_mergejoin = off; SET jit = off; SET synchronous_commit = on
"""
LOCK = "SELECT id, head FROM account WHERE id = ANY (%b::int8[]) ORDER BY id FOR UPDATE"
LOAD = """
    SELECT q.n, r.sequence, r.body, r.due_ms, r.history
    FROM unnest(%b::int8[], %b::bytea[]) WITH ORDINALITY AS q (account, key, n)
    JOIN record AS r ON r.account = q.account AND r.key = q.key
"""
INSERT = """
    INSERT INTO record (account, key, sequence, body, due_ms, history)
    SELECT * FROM unnest(
      %b::int8[], %b::bytea[], %b::int8[], %b::bytea[], %b::int8[], %b::bytea[])
"""
UPDATE = """
    UPDATE record AS r SET sequence = q.sequence, body = q.body
    FROM unnest(%b::int8[], %b::bytea[], %b::int8[], %b::bytea[]) AS q (account, key, sequence, body)
    WHERE r.account = q.account AND r.key = q.key
"""
HEADS = """
    UPDATE account AS a SET head = q.head FROM unnest(%b::int8[], %b::int8[]) AS q (id, head)
    WHERE a.id = q.id
"""
PAGE = """
    SELECT sequence, key, body FROM record WHERE account = %b AND sequence > %b
    ORDER BY sequence LIMIT %b
"""


class Run:
    """One account's records written and read back, then many accounts' at once."""

    def __init__(self, connection, seed):
        self.connection = connection
        self.source = random.Random(seed)
        self.keys = [self.source.randbytes(KEY_BYTES) for _ in range(ROWS)]
        self.bodies = [self.source.randbytes(BODY_BYTES) for _ in range(BATCH)]
        self.sequence = 0
        with connection.cursor() as cursor:
            for statement in TABLES.split(";"):
                cursor.execute(statement, prepare=False)

    def figures(self):
        return {
            "inserts a second": self.insert(),
            "feed rows a second": self.read_feed(),
            "updates a second": self.update(),
            **self.exchange_groups(),
            **self.commit_single_rows(),
        }

    def insert(self):
        started = time.perf_counter()
        for at in range(0, ROWS, BATCH):
            keys = self.keys[at : at + BATCH]
            self._insert([1] * BATCH, keys)
        return ROWS / (time.perf_counter() - started)

    def update(self):
        keys = self.source.sample(self.keys, UPDATED_ROWS)
        bodies = self.bodies[::-1]
        started = time.perf_counter()
        for at in range(0, UPDATED_ROWS, BATCH):
            accounts, chosen = [1] * BATCH, keys[at : at + BATCH]
            with self.connection.transaction(), self.connection.cursor(binary=True) as cursor:
                cursor.execute(LOCK, [[1]]).fetchall()
                assert len(cursor.execute(LOAD, [accounts, chosen]).fetchall()) == BATCH
                cursor.execute(UPDATE, [accounts, chosen, self._sequences(BATCH), bodies])
                assert cursor.rowcount == BATCH
                cursor.execute(HEADS, [[1], [self.sequence]])
        return UPDATED_ROWS / (time.perf_counter() - started)

    def read_feed(self):
        after = count = 0
        started = time.perf_counter()
        with self.connection.cursor(binary=True) as cursor:
            while page := cursor.execute(PAGE, [1, after, BATCH]).fetchall():
                after, count = page[-1][0], count + len(page)
        assert count == ROWS
        return count / (time.perf_counter() - started)

    def exchange_groups(self):
        accounts = list(range(2, 2 + GROUP_ACCOUNTS))
        started = time.perf_counter()
        for _ in range(GROUPS):
            self._insert(accounts, [self.source.randbytes(KEY_BYTES) for _ in accounts])
        elapsed = time.perf_counter() - started
        return {
            f"group of {GROUP_ACCOUNTS} one-row exchanges, ms": elapsed / GROUPS * 1000,
            "exchanges a second, in such groups": GROUPS * GROUP_ACCOUNTS / elapsed,
        }

    def commit_single_rows(self):
        bodies = self.bodies[:1]
        started = time.perf_counter()
        with self.connection.cursor(binary=True) as cursor:
            for _ in range(COMMITS):
                key = [self.source.randbytes(KEY_BYTES)]
                cursor.execute(INSERT, [[900], key, self._sequences(1), bodies, [None], [b""]])
        elapsed = time.perf_counter() - started
        return {
            "one row, one commit, ms": elapsed / COMMITS * 1000,
            "one row, one commit, a second": COMMITS / elapsed,
        }

    def _insert(self, accounts, keys):
        """Four statements: lock the accounts, load what is there, write rows, advance heads."""
        count, touched = len(keys), sorted(set(accounts))
        with self.connection.transaction(), self.connection.cursor(binary=True) as cursor:
            cursor.execute(LOCK, [touched]).fetchall()
            assert not cursor.execute(LOAD, [accounts, keys]).fetchall()
            rows = [accounts, keys, self._sequences(count), self.bodies[:count]]
            cursor.execute(INSERT, [*rows, [None] * count, [b""] * count])
            cursor.execute(HEADS, [touched, [self.sequence] * len(touched)])

    def _sequences(self, count):
        self.sequence += count
        return list(range(self.sequence - count + 1, self.sequence + 1))


# What the daemon does, what it is compared with, and the ratio that is asked for.
ONE_WRITER, WRITERS = "commits a second, one writer", f"commits a second, {GROUP_ACCOUNTS} writers"
COMPARED = [
    ("records pushed a second, one device", "inserts a second", 0.5),
    ("records pushed a second, 4 devices", "inserts a second", 0.5),
    ("records pulled a second, one device", "feed rows a second", 0.5),
    ("records pulled a second, 4 devices", "feed rows a second", 0.5),
    (WRITERS, "exchanges a second, in such groups", None),
    (WRITERS, ONE_WRITER, 10),
    (ONE_WRITER, "one row, one commit, a second", None),
]


def measure_daemon(bench, daemon, url):
    """The load generator's figures, from its lines."""
    done = subprocess.run(
        [bench, daemon, "--store", url, "bulk", "writers", "delivery"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    pairs = (line.rpartition(": ") for line in done.stdout.splitlines())
    return {name: float(value) for name, _, value in pairs}


def print_figures(found):
    print(f"{'':<58}{'minimum':>12}{'median':>12}{'maximum':>12}")
    for name in found[0]:
        values = [figures[name] for figures in found]
        low, middle, high = min(values), statistics.median(values), max(values)
        form = ",.0f" if middle >= 100 else ".2f"
        print(f"{name:<58}{low:>12{form}}{middle:>12{form}}{high:>12{form}}")


def print_comparison(limits, ours):
    """Ratios within each run: what loads the machine loads both."""
    print(f"\n{'medians':<40}{'Atrest Sync':>12}  {'':<36}{'':>10}{'ratio':>8}{'required':>10}")
    for name, other, required in COMPARED:
        both = [(mine[name], (limit | mine)[other]) for limit, mine in zip(limits, ours)]
        middles = [statistics.median(values) for values in zip(*both)]
        ratio = statistics.median(mine / beside for mine, beside in both)
        print(
            f"{name:<40}{middles[0]:>12,.0f}  {other:<36}{middles[1]:>10,.0f}{ratio:>8.2f}"
            f"{'' if required is None else required:>10}"
        )


def main():
    form = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--daemon", help="an atrest-syncd")
    parser.add_argument("--bench", help="the load generator, atrest-bench")
    options = parser.parse_args()
    # Room for the write-ahead log: checkpoints come between runs, not within them.
    settings = {"shared_buffers": "256MB", "max_wal_size": "2GB", "checkpoint_timeout": "30min"}
    limits, ours = [], []
    with Cluster(settings=settings) as cluster:
        primary = cluster.primary()
        url = cluster.url(primary, user="postgres", host=str(primary.folder))
        with psycopg.connect(url, autocommit=True, prepare_threshold=0) as connection:
            connection.execute(SESSION, prepare=False)
            version = connection.info.server_version // 10_000
            for run in range(options.runs + 1):
                limit = Run(connection, run).figures()
                mine = {}
                if options.daemon and options.bench:
                    mine = measure_daemon(options.bench, options.daemon, cluster.url(primary))
                if run > 0:  # The first one warms up.
                    limits.append(limit)
                    ours.append(mine)
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    print(
        f"\nPostgreSQL {version}, one client (psycopg {psycopg.__version__}) on one connection, synchronous_commit = on,"
        f"\nkeys of {KEY_BYTES} bytes, bodies of {BODY_BYTES}, {BATCH:,} rows a transaction, {options.runs} runs; load {load}"
    )
    print_figures(limits)
    if ours[0]:
        print("\nAtrest Sync on the same server, over TLS, 1,000 records an exchange, in turns with it")
        print_figures(ours)
        print_comparison(limits, ours)


main()
