// SPDX-License-Identifier: Apache-2.0
// The tables of a replica.

/// The tables of a replica. A later version is reached from the one before in a single transaction.
enum Schema {
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
    PRAGMA user_version = 1;
    """
}
