// SPDX-License-Identifier: Apache-2.0
// What becomes of a store of an older format: everything is there, and what the new format keeps beside it is right.

import Foundation
import GRDB
import Replication
import SyncProtocol
import TestSupport
import Testing

@testable import AtrestServer

@Suite struct MigrationTests {
  private let folder: Folder
  private var file: String { folder.data + "/atrest.db" }
  private let kim = AccountID(rawValue: 1)

  init() throws {
    folder = try Folder()
  }

  /// Format 1 as it was: not to be changed when the product is.
  private static let format1 = """
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
    PRAGMA application_id = 1098150515;
    PRAGMA user_version = 1;
    """

  /// What made format 2 of format 1, and format 3 of that: not to be changed either.
  private static let format2 = """
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
    PRAGMA user_version = 2;
    """
  private static let format3 = """
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
    PRAGMA user_version = 3;
    """

  private func makeFormat1(_ bodies: [(key: [UInt8], body: [UInt8])]) throws {
    try FileManager.default.createDirectory(
      atPath: folder.data, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let queue = try DatabaseQueue(path: file)
    try queue.write { db in
      try db.execute(sql: Self.format1)
      try db.execute(sql: "INSERT INTO meta VALUES (1, 4711)")
      try db.execute(
        sql: "INSERT INTO account (name, created_ms, head) VALUES ('kim', 5, ?), ('sam', 6, 0)",
        arguments: [bodies.count])
      try db.execute(
        sql: "INSERT INTO device VALUES (1, 1, 'phone', x'00', 7, 8, NULL)")
      for (index, record) in bodies.enumerated() {
        try db.execute(
          sql: "INSERT INTO record VALUES (1, ?, ?, ?)",
          arguments: [index + 1, Data(record.key), Data(record.body)])
      }
    }
    try queue.writeWithoutTransaction { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
    }
    try queue.close()
  }

  private func makeFormat1(_ records: Replication.Record...) throws {
    try makeFormat1(records.map { ($0.key.storageKey, $0.encoded) })
  }

  @Test("records, devices and places of format 1 are good in this one")
  func kept() throws {
    try makeFormat1(water(1), water(2))
    let store = try openStore(folder)
    defer { store.close() }
    let answer = try store.exchange(kim, request(Cursor(epoch: 4711, sequence: 1)))
    #expect(!answer.restarted && answer.records == [water(2).encoded])
    #expect(answer.cursor == Cursor(epoch: store.epoch, sequence: 2))
    #expect(store.epoch != 4711)
    #expect(try store.exchange(kim, request(Cursor(epoch: 4711, sequence: 3))).restarted)
    let account = kim
    let devices = try store.transaction { t throws(StoreError) in try t.devices(of: account) }
    #expect(devices.map(\.name) == ["phone"])
  }

  @Test("live records are counted, and what housekeeping waits for is dated")
  func filledIn() throws {
    let entry = Conflict(
      key: water(1).key, field: WaterField.intake,
      lost: Register(field: 2, stamp: stamp(noon, tablet), value: [0x12, 0]),
      kept: Register(field: 2, stamp: stamp(noon + 5, phone), value: [0x12, 1]),
      noticed: WallTime(milliseconds: noon + 9))
    let gone = deleted(3, at: noon + 60)
    try makeFormat1(water(1), water(2), gone, deleted(4, at: noon).stripped(), entry.journalRecord)
    try openStore(folder).close()
    let queue = try DatabaseQueue(path: file)
    defer { try? queue.close() }
    let (live, due) = try queue.read { db in
      (
        try Int.fetchAll(db, sql: "SELECT live FROM account ORDER BY id"),
        try Row.fetchAll(db, sql: "SELECT sequence, due_ms FROM record WHERE due_ms IS NOT NULL")
          .map { [$0["sequence"] as Int64, $0["due_ms"]] }
      )
    }
    #expect(live == [2, 0])
    let day: Int64 = 24 * 3600 * 1000
    #expect(due == [[3, noon + 60 + 30 * day], [5, noon + 9 + 90 * day]])
  }

  @Test(
    "what accounts hold is counted, and codes of the time before are the owner's",
    arguments: 1...3)
  func held(format: Int) throws {
    let records = [water(1), water(2), deleted(3)]
    try makeFormat1(records.map { ($0.key.storageKey, $0.encoded) })
    let old = try DatabaseQueue(path: file)
    try old.write { db in
      try db.execute(
        sql: "INSERT INTO invitation VALUES ('BCDF', x'01', 2, ?, 5)", arguments: [noon])
      if format > 1 { try db.execute(sql: Self.format2) }
      if format > 2 { try db.execute(sql: Self.format3) }
    }
    try old.close()
    let store = try openStore(folder)
    let (kim, sam) = (kim, AccountID(rawValue: 2))
    try store.transaction { t throws(StoreError) in
      let bytes = records.reduce(0) { $0 + $1.encoded.count }
      let holdings = try t.holdings(of: kim)
      #expect(holdings.records == 3 && holdings.bytes == bytes)
      #expect(try t.holdings(of: sam) == Holdings())
      #expect(try t.account(kim)?.bytes == bytes)
      #expect(
        try t.invitation(handle: "BCDF")
          == InvitationEntry(
            handle: "BCDF", secretHash: [1], account: sam, expires: WallTime(milliseconds: noon),
            triesLeft: 5, inviter: nil, needsApproval: false, usedBy: nil))
      #expect(try t.events(of: nil, before: nil, limit: 1).isEmpty)
    }
    store.close()
    // It is as good as one that was made in this format, and not brought up to date twice.
    try openStore(folder).close()
    #expect(try StoreCopy.check(file).records == 3)
  }

  @Test("a store that cannot be brought up to date stays as it was")
  func allOrNothing() throws {
    try makeFormat1([(water(1).key.storageKey, [0xFF])])
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(
      throws: StoreError.damaged(path: file, reason: "a stored record cannot be read")
    ) { _ = try openStore(folder) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
  }
}
