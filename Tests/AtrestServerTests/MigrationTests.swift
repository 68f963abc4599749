// SPDX-License-Identifier: Apache-2.0
// Migration of older store formats: all data is preserved, and the columns of the new format are
// correct.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct MigrationTests {
  private let folder: Folder
  private var file: String { folder.data + "/atrest.db" }
  private let kim = AccountID(rawValue: 1)

  init() throws {
    folder = try Folder()
  }

  /// Format 1 as released. Do not change it with the product.
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

  /// The migrations between released formats. Do not change these either.
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
  private static let format4 = """
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
    PRAGMA user_version = 4;
    """

  /// Migrates a store of format 1 to an older format.
  private func advance(to format: Int, _ more: (Database) throws -> Void = { _ in }) throws {
    let queue = try DatabaseQueue(path: file)
    try queue.write { db in
      for step in [Self.format2, Self.format3, Self.format4].prefix(format - 1) {
        try db.execute(sql: step)
      }
      try more(db)
    }
    try queue.close()
  }

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

  private func makeFormat1(_ records: AtrestReplication.Record...) throws {
    try makeFormat1(records.map { ($0.key.storageKey, $0.encoded) })
  }

  @Test("records and devices of any format are there, and devices go on", arguments: 1...4)
  func kept(format: Int) throws {
    try makeFormat1(water(1), water(2))
    try advance(to: format)
    let store = try openStore(folder)
    defer { store.close() }
    let head = Cursor(commit: 4711, sequence: 2)
    let answer = try store.exchange(kim, request(head, water(3)))
    #expect(!answer.restarted && answer.records.isEmpty)
    #expect(answer.cursor.sequence == 3 && answer.cursor.commit != 4711)
    // An earlier position of the last epoch is in the past. One beyond its end is not.
    let behind = try store.exchange(kim, request(Cursor(commit: 4711, sequence: 1)))
    #expect(!behind.restarted && behind.records == [water(2).encoded, water(3).encoded])
    #expect(try store.exchange(kim, request(Cursor(commit: 4711, sequence: 3))).restarted)
    let account = kim
    let devices = try store.transaction { t throws(StoreError) in try t.devices.list(of: account) }
    #expect(devices.map(\.name) == ["phone"])
  }

  /// A store of format 4 after three starts, with the epochs 4711, 4712 and 4713.
  private func makeFormat4() throws {
    try makeFormat1(water(1), water(2), water(3))
    try advance(to: 4) { db in
      try db.execute(
        sql: """
          INSERT INTO life (epoch) VALUES (4712), (4713);
          INSERT INTO life_start VALUES (1, 2, 1), (1, 3, 2);
          UPDATE meta SET writes = 9;
          UPDATE account SET live = 3 WHERE id = 1;
          UPDATE device SET sync_token = 10, token_life = 3, stands_at = 2;
          INSERT INTO device (replica, account, name, token_hash, paired_ms)
            VALUES (2, 1, 'tablet', x'00', 9);
          """)
    }
  }

  @Test("of format 4, whoever is up to date keeps its position, and the others reconcile once")
  func positions() throws {
    try makeFormat4()
    let store = try openStore(folder)
    defer { store.close() }
    let current = Cursor(commit: 4713, sequence: 3)
    let answer = try store.exchange(
      kim, ExchangeRequest(cursor: current), by: phone)
    #expect(!answer.restarted && answer.cursor == current && answer.records.isEmpty)
    // These were valid in format 4. The data that tells them from positions of a restored copy is
    // gone.
    for older in [Cursor(commit: 4711, sequence: 1), Cursor(commit: 4712, sequence: 2)] {
      let answer = try store.exchange(kim, request(older), by: tablet)
      #expect(answer.restarted && answer.cursor == current && answer.records.count == 3)
      #expect(try !store.exchange(kim, request(answer.cursor), by: tablet).restarted)
    }
    // An account without any commit.
    let sam = AccountID(rawValue: 2)
    #expect(try store.exchange(sam, request(nil)).cursor == .start)
  }

  @Test("a store of format 5 has the same records, and nothing is remembered of them yet")
  func format5() throws {
    try makeFormat4()
    try openStore(folder).close()
    let queue = try DatabaseQueue(path: file)
    try queue.write { db in
      // The only difference between the formats.
      try db.execute(sql: "ALTER TABLE record DROP COLUMN history; PRAGMA user_version = 5")
      try db.execute(sql: Self.withoutOrigins + Self.withoutPendingDevices + Self.withoutNinth)
    }
    try queue.close()
    let store = try openStore(folder)
    defer { store.close() }
    let account = kim
    try store.transaction { t throws(StoreError) in
      let stored = try t.record(water(1).key.storageKey, of: account)
      #expect(stored?.body == water(1).encoded && stored?.history == [])
    }
  }

  /// The columns that format 7 adds to format 6.
  private static let withoutOrigins = """
    ALTER TABLE device DROP COLUMN parent;
    ALTER TABLE device DROP COLUMN approver;
    ALTER TABLE device DROP COLUMN is_renewed;
    """

  @Test("of format 6, the log tells the origin of devices; where it does not, nobody knows")
  func format6() throws {
    try makeFormat4()
    let (kim, sam) = (kim, AccountID(rawValue: 2))
    func id(_ number: UInt64) -> ReplicaID { ReplicaID(rawValue: number) }
    let store = try openStore(folder)
    for number in 3...8 as ClosedRange<UInt64> { try store.makeDevice(id(number), kim) }
    try store.makeDevice(id(9), sam)
    try store.transaction { t throws(StoreError) in
      let events: [(AccountEvent.Kind, AccountID, ReplicaID?, ReplicaID)] = [
        (.devicePaired, kim, nil, id(3)), (.devicePaired, kim, id(3), id(4)),
        (.deviceRenewed, kim, id(4), id(5)), (.devicePaired, kim, id(3), id(6)),
        (.deviceApproved, kim, id(5), id(6)), (.devicePaired, kim, id(6), id(7)),
        (.deviceApproved, kim, id(6), id(7)), (.deviceRenamed, kim, id(3), id(8)),
        (.deviceRevoked, kim, id(3), id(4)),
        // An event about a device of another account. Device numbers are never reused, so it says
        // nothing about kim's devices.
        (.devicePaired, sam, id(9), id(8)),
      ]
      for (kind, account, actor, subject) in events {
        let event = NewEvent(
          kind, of: account, at: WallTime(milliseconds: noon), actor: actor, subject: subject)
        try t.events.append([event])
      }
    }
    store.close()
    let queue = try DatabaseQueue(path: file)
    try queue.write { db in
      try db.execute(
        sql: Self.withoutOrigins + Self.withoutPendingDevices + Self.withoutNinth
          + "PRAGMA user_version = 6")
    }
    try queue.close()
    let migrated = try openStore(folder)
    try migrated.transaction { t throws(StoreError) in
      let origins = try t.devices.list(of: nil).map { ($0.replica, $0.origin) }
      let known = Dictionary(origins) { first, _ in first }
      #expect(
        known == [
          phone: .owner, tablet: .owner, id(3): .owner,
          id(4): .invited(inviter: id(3), approver: nil), id(5): .renewed(from: id(4)),
          id(6): .invited(inviter: id(3), approver: id(5)),
          id(7): .invited(inviter: id(6), approver: id(6)), id(8): .owner, id(9): .owner,
        ])
    }
    migrated.close()
    // It is as good as a store created in this format.
    try openStore(folder).close()
    #expect(try StoreCopy.check(file).devices == 9)
  }

  /// The columns that format 8 adds to format 7.
  private static let withoutPendingDevices = """
    ALTER TABLE invitation DROP COLUMN pending_handle;
    ALTER TABLE invitation DROP COLUMN pending_name;
    ALTER TABLE invitation DROP COLUMN pending_digits;
    ALTER TABLE invitation DROP COLUMN pending_token_hash;
    ALTER TABLE invitation DROP COLUMN pending_since_ms;
    """

  /// The columns that format 9 adds to format 8.
  private static let withoutNinth = """
    ALTER TABLE meta DROP COLUMN wall_ms;
    ALTER TABLE account DROP COLUMN deletions;
    ALTER TABLE account DROP COLUMN deletions_since_ms;
    """

  @Test("of format 8, the store's clock goes on from the greatest time that the server's showed")
  func format8() throws {
    try makeFormat4()
    try openStore(folder).close()
    let queue = try DatabaseQueue(path: file)
    try queue.write { db in
      try db.execute(sql: Self.withoutNinth + "UPDATE meta SET clock_ms = \(noon)")
      try db.execute(sql: "PRAGMA user_version = 8")
    }
    try queue.close()
    let migrated = try openStore(folder)
    let time = WallTime(milliseconds: noon)
    #expect(migrated.clock == RetentionClock.Mark(time: time, wall: time))
    migrated.close()
  }

  @Test("of format 7, codes still work, and nobody waits with one")
  func format7() throws {
    let code = InvitationEntry(
      handle: "BCDF", secretHash: [1], account: kim, expires: WallTime(milliseconds: noon),
      triesLeft: 3, inviter: phone, needsApproval: true)
    try makeFormat4()
    let store = try openStore(folder)
    let isNew = try store.transaction { t throws(StoreError) in try t.invitations.add(code) }
    #expect(isNew)
    store.close()
    let queue = try DatabaseQueue(path: file)
    try queue.write { db in
      try db.execute(
        sql: Self.withoutPendingDevices + Self.withoutNinth + "PRAGMA user_version = 7")
    }
    try queue.close()
    let migrated = try openStore(folder)
    let list = try migrated.transaction { t throws(StoreError) in
      try t.invitations.list(of: code.account)
    }
    #expect(list == [code])
    migrated.close()
    // It is as good as a store created in this format.
    try openStore(folder).close()
    #expect(try StoreCopy.check(file).devices == 2)
  }

  @Test("of format 4, a token becomes the outbox's, with no number yet")
  func tokens() throws {
    try makeFormat4()
    let store = try openStore(folder)
    defer { store.close() }
    try store.transaction { t throws(StoreError) in
      #expect(
        try t.devices.outbox(of: kim[phone])
          == DeviceOutbox(takenThrough: OutboxPosition(number: 0, token: 10), refusals: []))
      #expect(try t.devices.outbox(of: kim[tablet]) == .empty)
      #expect(
        try t.devices.list(of: kim).map(\.progress) == [
          DeviceProgress(acknowledgedSequence: 2, toldSequence: 0), DeviceProgress(),
        ])
    }
    func push(_ number: Int, confirmed: UInt64, token: UInt64) throws -> ExchangeResponse {
      try store.exchange(
        kim,
        ExchangeRequest(
          cursor: nil, offers: [offer(water(number))],
          segment: OutboxSegment(
            confirmed: OutboxPosition(number: 0, token: confirmed), token: token, settledThrough: 0,
            numbers: [1])))
    }
    // A copy that never had the token is distinguished from the device, as before.
    let copy = try push(7, confirmed: 9, token: 30)
    #expect(copy.takenThrough == OutboxPosition(number: 0, token: 10))
    let device = try push(8, confirmed: 10, token: 11)
    #expect(device.takenThrough == OutboxPosition(number: 1, token: 11))
    #expect(try store.exchange(kim, request(nil)).records.last == water(8).encoded)
    #expect(try store.exchange(kim, request(nil)).records.count == 4)
  }

  @Test("live records are counted, and what housekeeping waits for is dated")
  func filledIn() throws {
    let entry = Conflict(
      key: water(1).key, field: WaterField.intake,
      lost: Register(field: 2, stamp: stamp(noon, tablet), value: [0x12, 0]),
      kept: Register(field: 2, stamp: stamp(noon + 5, phone), value: [0x12, 1]),
      noticed: WallTime(milliseconds: noon + 9))
    let gone = deleted(3, at: noon + 60)
    try makeFormat1(water(1), water(2), gone, deleted(4, at: noon).pruned(), entry.journalRecord)
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
    arguments: 1...4)
  func held(format: Int) throws {
    let records = [water(1), water(2), deleted(3)]
    try makeFormat1(records.map { ($0.key.storageKey, $0.encoded) })
    try advance(to: format) { db in
      try db.execute(
        sql: """
          INSERT INTO invitation (handle, secret_hash, account, expires_ms, tries_left)
            VALUES ('BCDF', x'01', 2, ?, 5)
          """, arguments: [noon])
    }
    let store = try openStore(folder)
    let (kim, sam) = (kim, AccountID(rawValue: 2))
    try store.transaction { t throws(StoreError) in
      let bytes = records.reduce(0) { $0 + $1.encoded.count }
      let holdings = try t.accounts.feedState(of: kim).holdings
      #expect(holdings.records == 3 && holdings.bytes == bytes)
      #expect(try t.accounts.feedState(of: sam).holdings == Holdings())
      #expect(try t.accounts.find(kim)?.bytes == bytes)
      #expect(
        try t.invitations.find("BCDF")
          == InvitationEntry(
            handle: "BCDF", secretHash: [1], account: sam, expires: WallTime(milliseconds: noon),
            triesLeft: 5, inviter: nil, needsApproval: false, usedBy: nil))
      #expect(try t.events.page(of: nil, before: nil, limit: 1).isEmpty)
    }
    store.close()
    // It is as good as a store created in this format, and is not migrated twice.
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
