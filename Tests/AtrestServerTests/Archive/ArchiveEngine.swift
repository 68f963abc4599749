// SPDX-License-Identifier: Apache-2.0
// The engines that the archives' suites run against, and a store with some of everything.

import AtrestDomain
import AtrestPostgreSQL
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

/// Archives, for each engine and each pair of engines.
@Suite(.serialized, .timeLimit(.minutes(20))) struct Archives {}

/// Opens stores of one kind, as stores and as archives.
struct ArchiveEngine: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let open: @Sendable (Folder) throws -> any SyncStore
  let archive: @Sendable (Folder, ArchiveUse) async throws -> any StoreArchive

  /// Small, so that a few rows fill several.
  private static let pages: ArchivePages = {
    var pages = ArchivePages()
    pages.accounts = 2
    pages.devices = 2
    pages.commits = 3
    pages.records = 4
    pages.bytes = 600
    pages.events = 3
    return pages
  }()

  /// - Parameter name: What a new store is known by.
  static func sqlite(_ name: UInt64) -> ArchiveEngine {
    ArchiveEngine(testDescription: "SQLite") { folder in
      try SQLiteStore(directory: folder.data) { name }
    } archive: { folder, use in
      try SQLiteArchive(directory: folder.data, for: use, pages: pages) { name }
    }
  }

  /// The databases of all tests are copies of one, so all are known by the same number.
  static let postgres = ArchiveEngine(testDescription: "PostgreSQL") { folder in
    try openPostgres(folder)
  } archive: { folder, use in
    try await PostgresArchive.open(
      PostgresAddress(parsing: Databases.shared.get().url(of: folder)), for: use, limits: .patient,
      pages: pages
    ) { 76 }
  }

  static let all = [sqlite(77), postgres]
  /// From one to the other.
  static let pairs = [
    EnginePair(source: sqlite(77), target: sqlite(78)),
    EnginePair(source: sqlite(77), target: postgres),
    EnginePair(source: postgres, target: sqlite(78)),
  ]
}

/// A store and what it is copied to.
struct EnginePair: Sendable, CustomTestStringConvertible {
  let source: ArchiveEngine
  let target: ArchiveEngine

  var testDescription: String { "\(source.testDescription) to \(target.testDescription)" }
}

/// What a test's store holds.
struct FilledStore {
  let kim: AccountID
  let sam: AccountID

  /// Fills an empty store with some of everything.
  init(_ store: any SyncStore) throws {
    kim = try store.makeAccount("kim")
    let gone = try store.makeAccount("gone")
    sam = try store.makeAccount("sam, whose name is löngest")
    let (kim, sam) = (kim, sam)
    try Self.addDevices(to: kim, in: store)
    try store.makeDevice(ReplicaID(rawValue: .max - 1), sam, secret: 9)
    for number in 1...9 {
      _ = try store.exchange(kim, request(nil, water(number), water(number + 20)), by: phone)
    }
    _ = try store.exchange(sam, request(nil, water(1), water(2)), by: ReplicaID(rawValue: .max - 1))
    let taken = ExchangeRequest(cursor: nil, offers: [deletion(deleted(3)), deletion(deleted(4))])
    _ = try store.exchange(kim, taken, by: tablet)
    try store.transaction { t throws(StoreError) in
      t.note(RetentionClock.Mark(time: WallTime(milliseconds: noon + 77)))
      try t.purchases.setHolder(
        kim, since: WallTime(milliseconds: 3),
        of: PurchaseKey(environment: "Sandbox", original: "1"))
      try t.purchases.setHolder(
        kim, since: WallTime(milliseconds: 4),
        of: PurchaseKey(environment: "Production", original: "2"))
      try t.purchases.setHolder(
        sam, since: WallTime(milliseconds: 5),
        of: PurchaseKey(environment: "Production", original: "3"))
      _ = try t.purchases.appAccountToken(of: sam, orElse: [UInt8](repeating: 7, count: 16))
      try t.events.append([
        NewEvent(.accountMade, of: kim, at: WallTime(milliseconds: 1)),
        NewEvent(.accountMade, of: gone, at: WallTime(milliseconds: 2)),
        NewEvent(.accountMade, of: sam, at: WallTime(milliseconds: 3), actor: phone, detail: -1),
        NewEvent(.backupMade, of: nil, at: WallTime(milliseconds: 4), count: .max),
        NewEvent(
          .deviceRevoked, of: kim, at: WallTime(milliseconds: 5), actor: tablet,
          subject: ReplicaID(rawValue: .max)),
        NewEvent(.accountRemoved, of: gone, at: WallTime(milliseconds: 6)),
        NewEvent(.codeMade, of: kim, at: WallTime(milliseconds: 7)),
      ])
    }
    // Its number is the greatest that was ever given.
    let last = try store.makeAccount("last")
    try store.transaction { t throws(StoreError) in
      try t.accounts.remove(gone)
      try t.accounts.remove(last)
      _ = try t.invitations.add(
        InvitationEntry(
          handle: "BCDF", secretHash: [1], account: kim, expires: WallTime(milliseconds: noon),
          triesLeft: 5))
    }
  }

  private static func addDevices(to kim: AccountID, in store: any SyncStore) throws {
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim, secret: 2)
    try store.transaction { t throws(StoreError) in
      _ = try t.devices.add(
        DeviceEntry(
          replica: ReplicaID(rawValue: .max), account: kim, name: "old", tokenHash: [],
          paired: WallTime(milliseconds: 1), seen: WallTime(milliseconds: 2),
          origin: DeviceOrigin(parent: phone, approver: tablet, isRenewed: false)))
      _ = try t.devices.add(
        DeviceEntry(
          replica: ReplicaID(rawValue: 9), account: kim, name: "new",
          tokenHash: Secret.hash([]), paired: WallTime(milliseconds: 3),
          origin: DeviceOrigin(parent: phone, approver: nil, isRenewed: true)))
      try t.devices.revoke(
        [DeviceAddress(account: kim, replica: ReplicaID(rawValue: .max))],
        at: WallTime(milliseconds: 8))
      let address = DeviceAddress(account: kim, replica: tablet)
      try t.devices.note(
        seen: [address: WallTime(milliseconds: noon)],
        progress: [address: DeviceProgress(acknowledgedSequence: 3, toldSequence: 4)])
      try t.devices.setOutbox(
        DeviceOutbox(
          takenThrough: OutboxPosition(number: 12, token: .max),
          refusals: [
            DeviceOutbox.RefusedOffer(number: 11, reason: Refusal.Reason(rawValue: 2))
          ]), of: address)
    }
  }
}

/// Everything that an archive holds.
struct ArchiveDump: Hashable, CustomTestStringConvertible {
  var summary: ArchiveSummary
  var rows: [ArchiveTable: [ArchiveRow]] = [:]
  var testDescription: String { "\(rows.mapValues(\.count))" }

  init(_ archive: any StoreArchive) async throws {
    summary = try await archive.summary()
    for table in ArchiveTable.allCases {
      var key = ArchiveKey.start
      while true {
        let page = try await archive.page(of: table, after: key)
        guard let last = page.last else { break }
        rows[table, default: []] += page
        key = last.key
      }
    }
  }

  /// Without what engines give of their own.
  var withoutNumbers: ArchiveDump {
    var copy = self
    copy.rows[.events] = rows[.events]?.enumerated().map { index, row in
      guard case .event(var entry) = row else { return row }
      entry.number = UInt64(index)
      entry.hash = []
      return .event(entry)
    }
    return copy
  }
}

extension ArchiveEngine {
  /// Opens an archive, and closes it.
  func withArchive<R: Sendable>(
    _ folder: Folder, _ use: ArchiveUse, _ body: (any StoreArchive) async throws -> R
  ) async throws -> R {
    let archive = try await archive(folder, use)
    do {
      let result = try await body(archive)
      await archive.close()
      return result
    } catch {
      await archive.close()
      throw error
    }
  }

  func dump(_ folder: Folder) async throws -> ArchiveDump {
    try await withArchive(folder, .check) { try await ArchiveDump($0) }
  }
}

/// What a test did not expect.
struct Unforeseen: Error {}
