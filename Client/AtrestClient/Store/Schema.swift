// SPDX-License-Identifier: Apache-2.0
// The tables of a replica, and how older ones become them.

import GRDB

/// The tables of a replica. A later version is reached from the one before in a single transaction.
enum Schema {
  /// What leads from the version before to each version, the first from nothing.
  static let steps = [version1, version2, version3, version4, version5]

  /// The version that this build reads and writes.
  static var version: Int { steps.count }

  /// - `replica`: one row; who this replica is and where it stands. Unsigned 64-bit numbers are stored as their bit pattern.
  /// - `record`: the merged view, one row for each record: its canonical bytes. Rows lie in the order of arrival and only their
  ///   short keys are sorted: ids are random, and a table sorted by them dirties nearly a page for each record pulled.
  /// - `outbox`: what the server has not acknowledged. The bytes under a sequence never change, and sequences are never used
  ///   twice, so an acknowledgement can only ever remove what it was given for. An entry without an offer stands for the record
  ///   as it is, acknowledged once, to be offered again to a server that lost it.
  /// - `device`: names of the account's devices, as of the last time they were listed.
  static let version1 = """
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
    INSERT INTO replica (one, id, clock, server_offset) VALUES (1, 0, 0, 0);
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
    PRAGMA application_id = \(ReplicaFile.applicationID);
    """

  /// - `seen_epoch`, `seen_sequence`: the account's head, as the newest answer told it. Version 1 knew only its cursor.
  /// - `must_reconcile`: 0, or the name of a demand to compare everything held with the server.
  /// - `token_held`: the sync token that the server confirmed last. `token_attempts`: those it was sent since, oldest first, eight
  ///   bytes each, little-endian.
  /// - `outbox.lowest`, `outbox.highest`: times of the earlier writes that a write took the place of: the server may have them.
  static let version2 = """
    ALTER TABLE replica ADD COLUMN seen_epoch INTEGER;
    ALTER TABLE replica ADD COLUMN seen_sequence INTEGER;
    ALTER TABLE replica ADD COLUMN must_reconcile INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE replica ADD COLUMN token_held INTEGER;
    ALTER TABLE replica ADD COLUMN token_attempts BLOB NOT NULL DEFAULT x'';
    UPDATE replica SET seen_epoch = epoch, seen_sequence = sequence;
    ALTER TABLE outbox ADD COLUMN lowest INTEGER;
    ALTER TABLE outbox ADD COLUMN highest INTEGER;
    """

  /// - `renewal`: the name of a request for a new identity that may be under way. A secret.
  static let version3 = "ALTER TABLE replica ADD COLUMN renewal BLOB;"

  /// - `joining`: the name of a request to join an account that may be under way. `joining_link`: the pairing link it was made with. Secrets,
  ///   both NULL or neither.
  static let version4 = """
    ALTER TABLE replica ADD COLUMN joining BLOB;
    ALTER TABLE replica ADD COLUMN joining_link TEXT;
    """

  /// - `record.state`, `record.at`: what a look sorts and bounds by, derived from the body; see `Place`. NULL: in no listing.
  /// - `action`, `action_step`: what the person did last on this device, for undoing; see `UserAction`. Never synced.
  static let version5 = """
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

  /// Brings a file from one version to the newest. Runs in the caller's transaction.
  static func migrate(_ database: Database, from version: Int) throws {
    guard version < steps.count else { return }
    for step in steps[version...] { try database.execute(sql: step) }
    if version > 0, steps[version...].contains(version5) { try Place.fill(database) }
    try database.execute(sql: "PRAGMA user_version = \(steps.count)")
  }
}
