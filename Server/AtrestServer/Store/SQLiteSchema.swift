// SPDX-License-Identifier: Apache-2.0
// The tables, and how a store of an older format becomes one of this format.

import GRDB

/// The format of the SQLite store.
enum SQLiteSchema {
  /// "Atrs": tells our files from other SQLite databases.
  static let applicationID: Int32 = 0x4174_7273

  /// What leads from each format to the next; the first makes an empty file a store. Append only.
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
    """
  ]

  /// The format this build reads and writes.
  static var version: Int { steps.count }

  /// Brings a store up to date in one transaction: afterwards it has this format, or is as it was.
  static func migrate(
    _ db: Database, path: String, drawEpoch: () -> UInt64
  ) throws {
    try db.inTransaction(.exclusive) {
      let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
      let objects = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
      guard application == applicationID || (application == 0 && found == 0 && objects == 0) else {
        throw StoreError.notAStore(path: path)
      }
      guard found <= version else {
        throw StoreError.newerVersion(path: path, found: found, supported: version)
      }
      guard found < version else { return .commit }
      for step in steps.dropFirst(found) { try db.execute(sql: step) }
      if found == 0 {
        let epoch = Int64(bitPattern: max(1, drawEpoch()))
        try db.execute(sql: "INSERT INTO meta (one, epoch) VALUES (1, ?)", arguments: [epoch])
      }
      try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(version)")
      return .commit
    }
  }
}
