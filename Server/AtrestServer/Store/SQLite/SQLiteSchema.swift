// SPDX-License-Identifier: Apache-2.0
// The tables, as the steps that made them.

import GRDB

/// The format of the SQLite store.
enum SQLiteSchema {
  /// "Atrs": tells our files from other SQLite databases.
  static let applicationID: Int32 = 0x4174_7273

  /// The SQL that leads from each format to the next, from an empty file on. Append only.
  static let steps: [String] = [
    """
    CREATE TABLE meta (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      epoch INTEGER NOT NULL
    ) STRICT;
    -- AUTOINCREMENT: an account's number is never given twice, even after the account is gone.
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
    -- Clustered by sequence: a page of the feed is one sequential read. A record that changes moves to the end.
    CREATE TABLE record (
      account INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      key BLOB NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (account, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX record_by_key ON record (account, key);
    """,
    """
    -- The starts of the store, each under an epoch of its own. What `meta.epoch` held was the first; there it stays as
    -- the name of the store.
    CREATE TABLE life (
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
      epoch INTEGER NOT NULL UNIQUE
    ) STRICT;
    INSERT INTO life (epoch) SELECT epoch FROM meta;
    -- Where an account stood before it was first written to in a life.
    CREATE TABLE life_start (
      account INTEGER NOT NULL,
      life INTEGER NOT NULL,
      head INTEGER NOT NULL,
      PRIMARY KEY (account, life)
    ) STRICT, WITHOUT ROWID;
    -- Transactions that wrote.
    ALTER TABLE meta ADD COLUMN writes INTEGER NOT NULL DEFAULT 0;
    -- Records that are not deleted, but for the journal and entitlements.
    ALTER TABLE account ADD COLUMN live INTEGER NOT NULL DEFAULT 0;
    -- The token, and the life in which it was set.
    ALTER TABLE device ADD COLUMN sync_token INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE device ADD COLUMN token_life INTEGER NOT NULL DEFAULT 0;
    -- What the device said last that it holds all of.
    ALTER TABLE device ADD COLUMN stands_at INTEGER NOT NULL DEFAULT 0;
    -- When housekeeping is to look at the record; NULL: never.
    ALTER TABLE record ADD COLUMN due_ms INTEGER;
    CREATE INDEX record_by_due ON record (account, due_ms) WHERE due_ms IS NOT NULL;
    """,
    """
    -- Which account holds what an original transaction of the App Store grants: one at a time. They go with their account.
    CREATE TABLE purchase (
      environment TEXT NOT NULL,
      original TEXT NOT NULL,
      account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      since_ms INTEGER NOT NULL,
      PRIMARY KEY (environment, original)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX purchase_by_account ON purchase (account);
    -- What the App Store calls the account.
    CREATE TABLE app_account (
      account INTEGER PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      token BLOB NOT NULL UNIQUE
    ) STRICT;
    """,
    """
    -- What the account holds: kept by whoever adds records, changes them or takes them away.
    ALTER TABLE account ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
    UPDATE account SET
      records = (SELECT count(*) FROM record WHERE record.account = account.id),
      bytes = (SELECT coalesce(sum(length(body)), 0) FROM record WHERE record.account = account.id);
    -- The device that made the code; NULL: the server's owner. Whether a device has to let its user in, and the hash of the token it was
    -- used for.
    ALTER TABLE invitation ADD COLUMN inviter INTEGER;
    ALTER TABLE invitation ADD COLUMN needs_approval INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE invitation ADD COLUMN used_by BLOB;
    -- What happened, for good. Numbers only: it outlives accounts. Account 0: none. Each hash covers the row and the hash before it.
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
    """,
    """
    -- Each commit of an account has a random name, kept beside the last sequence that it gave: a position that a device shows is in this
    -- store's past if it has that name. Devices that are up to date keep their positions; the others reconcile once.
    CREATE TABLE feed_commit (
      account INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      name INTEGER NOT NULL,
      PRIMARY KEY (account, sequence)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO feed_commit (account, sequence, name)
    SELECT id, head, (SELECT epoch FROM life ORDER BY ordinal DESC LIMIT 1) FROM account WHERE head > 0;
    DROP TABLE life_start;
    DROP TABLE life;
    ALTER TABLE meta RENAME COLUMN epoch TO name;
    -- How far the server has gone through the device's outbox, and what it refused on the way: see `DeviceOutbox`.
    ALTER TABLE device RENAME COLUMN sync_token TO outbox_token;
    ALTER TABLE device DROP COLUMN token_life;
    ALTER TABLE device ADD COLUMN outbox_number INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE device ADD COLUMN outbox_refusals BLOB NOT NULL DEFAULT x'';
    -- What the device said last that it holds all of, and the head that it was told last.
    ALTER TABLE device RENAME COLUMN stands_at TO acknowledged_sequence;
    ALTER TABLE device ADD COLUMN told_sequence INTEGER NOT NULL DEFAULT 0;
    -- The greatest time of any stamp that the account took, and the greatest time that the server's clock showed.
    ALTER TABLE account ADD COLUMN latest_time INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE meta ADD COLUMN clock_ms INTEGER NOT NULL DEFAULT 0;
    """,
    """
    -- What is remembered of the record beside it: see `RecordHistory`.
    ALTER TABLE record ADD COLUMN history BLOB NOT NULL DEFAULT x'';
    """,
    """
    -- Which devices it descends from: see `DeviceOrigin`. NULL: the server's owner, or nobody knows. The log tells it of older devices:
    -- 5 is joined, 6 let in, 10 renewed. The plus signs keep the planner from reading an account's events anew for each device.
    ALTER TABLE device ADD COLUMN parent INTEGER;
    ALTER TABLE device ADD COLUMN approver INTEGER;
    ALTER TABLE device ADD COLUMN is_renewed INTEGER NOT NULL DEFAULT 0;
    UPDATE device SET parent = actor, is_renewed = (kind = 10) FROM event
    WHERE subject = replica AND +event.account = +device.account AND kind IN (5, 10) AND actor <> 0;
    UPDATE device SET approver = actor FROM event
    WHERE subject = replica AND +event.account = +device.account AND kind = 6 AND actor <> 0;
    """,
    """
    -- The device that waits with the code for approval: see `PendingDeviceEntry`. NULL: there was none.
    ALTER TABLE invitation ADD COLUMN pending_handle INTEGER;
    ALTER TABLE invitation ADD COLUMN pending_name TEXT;
    ALTER TABLE invitation ADD COLUMN pending_digits TEXT;
    ALTER TABLE invitation ADD COLUMN pending_token_hash BLOB;
    ALTER TABLE invitation ADD COLUMN pending_since_ms INTEGER;
    """,
    """
    -- What the wall clock showed when clock_ms was noted: see `RetentionClock`.
    ALTER TABLE meta ADD COLUMN wall_ms INTEGER NOT NULL DEFAULT 0;
    UPDATE meta SET wall_ms = clock_ms;
    -- The deletions of a day, and when it began: see `RecentDeletions`.
    ALTER TABLE account ADD COLUMN deletions INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN deletions_since_ms INTEGER NOT NULL DEFAULT 0;
    """,
  ]

  /// The format this build reads and writes.
  static var version: Int { steps.count }

  /// The table that is there while a copy of another store is unfinished: see `SQLiteArchive`.
  static let copyTable = "copy"

  /// The SQL of all tables of a file: it is stored in pages, which may be damaged. An unfinished
  /// copy's is passed over.
  static let textsQuery = """
    SELECT sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name <> '\(copyTable)' ORDER BY name
    """

  /// Whether these are the tables of a format, as this program's versions made them.
  ///
  /// - Parameter texts: What `textsQuery` finds.
  static func areIntact(_ texts: [String], format: Int) throws -> Bool {
    try texts == (format == version ? intactTexts.get() : makeTexts(format: format))
  }

  /// Why a file is damaged whose tables are not intact.
  static let alteredReason = "its tables are not as they were made"

  /// Checks that the tables are those of a format.
  /// - Throws: `StoreError.damaged`.
  static func check(_ db: Database, format: Int, path: String) throws {
    guard try areIntact(String.fetchAll(db, sql: textsQuery), format: format) else {
      throw StoreError.damaged(path: path, reason: alteredReason)
    }
  }

  private static let intactTexts = Result { try makeTexts(format: version) }

  private static func makeTexts(format: Int) throws -> [String] {
    try DatabaseQueue().writeWithoutTransaction { db in
      for step in steps.prefix(format) { try db.execute(sql: step) }
      return try String.fetchAll(db, sql: textsQuery)
    }
  }
}
