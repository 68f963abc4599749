// SPDX-License-Identifier: Apache-2.0
// The tables of a replica and their migrations.

import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Record

/// The tables of a replica. Each version migrates from the previous one; all steps run in one
/// transaction.
enum Schema {
  /// The migration to each version from the one before; the first starts from an empty file.
  static let steps = [
    version1, version2, version3, version4, version5, version6, version7, version8,
  ]

  /// The version that this build reads and writes.
  static var version: Int { steps.count }

  /// - `replica`: one row with the identity and the sync position. Unsigned 64-bit numbers are
  ///   stored as their bit pattern.
  /// - `record`: the merged view, one row per record with its canonical bytes. Rows are in order of
  ///   arrival and only their short keys are indexed: ids are random, and a table sorted by them
  ///   would dirty almost a page per pulled record.
  /// - `outbox`: unacknowledged writes. The bytes under a sequence never change and sequences are
  ///   never reused, so an acknowledgement can only remove the entry that it is for. An entry
  ///   without an offer stands for the record's current state, acknowledged once, to be offered
  ///   again to a server that lost it.
  /// - `device`: the account's device names as last listed.
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

  /// - `seen_epoch`, `seen_sequence`: the account's head according to the newest answer. Version 1
  ///   had only the cursor.
  /// - `must_reconcile`: 0, or the identifier of a demand to reconcile.
  /// - `token_held`: the sync token that the server confirmed last. `token_attempts`: those sent
  ///   since, oldest first, eight bytes each, little-endian.
  /// - `outbox.lowest`, `outbox.highest`: the times of earlier writes that this write replaced and
  ///   that the server may have.
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

  /// - `renewal`: the nonce of a request for a new identity that may be in flight. A secret.
  static let version3 = "ALTER TABLE replica ADD COLUMN renewal BLOB;"

  /// - `joining`: the nonce of a join request that may be in flight. `joining_link`: the pairing
  ///   link it used. Secrets, both NULL or neither.
  static let version4 = """
    ALTER TABLE replica ADD COLUMN joining BLOB;
    ALTER TABLE replica ADD COLUMN joining_link TEXT;
    """

  /// - `record.state`, `record.at`: the sort and bound columns of listings, derived from the body;
  ///   see `ListingPosition`. NULL if the record is not listed.
  /// - `action`, `action_step`: the latest user actions on this device, for undo; see `UserAction`.
  ///   Never synced.
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

  /// - `replica.cursor_…`, `replica.head_…`: cursors by commit name. `confirmed_token`,
  ///   `last_number`, `outbox.number`, `outbox_token`: the outbox as a log; see `Outbox`.
  /// - `outbox.restored`: whether the server may have lost a record that is offered again.
  static let version6 = """
    ALTER TABLE replica RENAME COLUMN epoch TO cursor_commit;
    ALTER TABLE replica RENAME COLUMN sequence TO cursor_sequence;
    ALTER TABLE replica RENAME COLUMN seen_epoch TO head_commit;
    ALTER TABLE replica RENAME COLUMN seen_sequence TO head_sequence;
    ALTER TABLE replica ADD COLUMN confirmed_token INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE replica ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE replica ADD COLUMN server_clock_doubtful INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE outbox DROP COLUMN lowest;
    ALTER TABLE outbox DROP COLUMN highest;
    ALTER TABLE outbox ADD COLUMN number INTEGER;
    ALTER TABLE outbox ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
    CREATE UNIQUE INDEX outbox_by_number ON outbox (number) WHERE number IS NOT NULL;
    CREATE TABLE outbox_token (
      through INTEGER PRIMARY KEY,
      token INTEGER NOT NULL
    ) STRICT;
    """

  /// - `access_ended`: whether the server said last that the device has no access any more.
  static let version7 = "ALTER TABLE replica ADD COLUMN access_ended INTEGER NOT NULL DEFAULT 0;"

  /// - `taken_number`, `taken_token`: how far the server has taken the outbox. What it took stays
  ///   in the outbox until the cursor is at the head. Earlier versions removed it at once: a
  ///   replica that was on its way to the head then reconciles, in case the server lost something.
  static let version8 = """
    ALTER TABLE replica RENAME COLUMN confirmed_token TO taken_token;
    ALTER TABLE replica ADD COLUMN taken_number INTEGER NOT NULL DEFAULT 0;
    UPDATE replica SET must_reconcile = random() | 1
    WHERE must_reconcile = 0 AND (cursor_commit, cursor_sequence) IS NOT (head_commit, head_sequence);
    """

  /// Migrates a file to the newest version. Runs in the caller's transaction.
  static func migrate(_ database: Database, from version: Int) throws {
    guard version < steps.count else { return }
    for (index, step) in steps.enumerated().dropFirst(version) {
      try database.execute(sql: step)
      if index == 4, version > 0 { try fillListings(database) }
      if index == 5 { try numberOutbox(database) }
    }
    try database.execute(sql: "PRAGMA user_version = \(steps.count)")
  }

  /// Turns version 5's tokens into the start of the log and numbers all waiting entries, because
  /// any of them may have been sent.
  private static func numberOutbox(_ database: Database) throws {
    let row = try Row.fetchOne(database, sql: "SELECT token_held, token_attempts FROM replica")
    let held: Int64? = row?[0]
    let attempts = [UInt8]((row?[1] as Data?) ?? Data())
    var tokens = held.map { [$0] } ?? []
    for start in stride(from: 0, to: attempts.count - attempts.count % 8, by: 8) {
      tokens.append(
        attempts[start..<start + 8].reversed().reduce(0) { $0 << 8 | Int64($1) })
    }
    for (through, token) in tokens.enumerated() {
      try database.execute(
        sql: "INSERT INTO outbox_token (through, token) VALUES (?, ?)",
        arguments: [through, token])
    }
    try database.execute(
      sql: """
        UPDATE outbox SET number = n.number FROM (
          SELECT sequence, ? + row_number() OVER (ORDER BY sequence) AS number FROM outbox
          WHERE refused_reason IS NULL) AS n WHERE n.sequence = outbox.sequence
        """, arguments: [tokens.count])
    let numbered = try Int64.fetchOne(database, sql: "SELECT max(number) FROM outbox")
    try database.execute(
      sql: "UPDATE replica SET confirmed_token = coalesce(token_held, 0), last_number = ?",
      arguments: [numbered ?? Int64(tokens.count)])
    if let numbered {
      // If those entries were sent, it was with a token that the server may have. From now on this
      // new token is sent.
      try database.execute(
        sql: "INSERT INTO outbox_token (through, token) VALUES (?, ?)",
        arguments: [numbered, Int64.random(in: 1 ... .max)])
    }
    try database.execute(
      sql: """
        ALTER TABLE replica DROP COLUMN token_held;
        ALTER TABLE replica DROP COLUMN token_attempts;
        """)
  }

  /// Derives the position of every record: a migration for files of versions without positions.
  private static func fillListings(_ database: Database) throws {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT rowid, body FROM record WHERE kind IN (?, ?)",
      arguments: [RecordKind.session.rawValue, RecordKind.water.rawValue])
    var places: [(Int64, ListingPosition)] = []
    while let row = try rows.next() {
      // An unreadable record is reported when it is read.
      guard let record = try? Record(decoding: row.bytes(at: 1)),
        let place = ListingPosition(of: record)
      else { continue }
      places.append((try row.decode(atIndex: 0), place))
    }
    let update = try database.cachedStatement(
      sql: "UPDATE record SET state = ?, at = ? WHERE rowid = ?")
    for (row, place) in places {
      try update.execute(arguments: [place.state.rawValue, place.at, row])
    }
  }
}
