// SPDX-License-Identifier: Apache-2.0
// Walks through an archive account by account, with a digest of each kind of rows.

import AtrestCrypto
import AtrestProtocol
import AtrestReplication

/// What an archive holds of one account.
struct WalkedAccount: Sendable {
  let id: AccountID
  /// Nil: rows whose account does not exist.
  let name: String?
  let digests: [ArchivePart: [UInt8]]
  let devices: Int
  let records: Int
  let problems: [ArchiveProblem.Kind]
}

/// Walks through accounts ascending by number; events have a walk of their own.
///
/// - Complexity: Reads every row once. Memory for two pages of each table.
struct ArchiveWalk: ~Copyable {
  /// Records between two reports.
  private static let reportRecords = 10_000

  private let isChecking: Bool
  private let report: (Int) -> Void
  private var walked = 0
  private var accounts: ArchiveReader
  private var devices: ArchiveReader
  private var commits: ArchiveReader
  private var records: ArchiveReader

  /// - Parameters:
  ///   - isChecking: Whether rows are decoded and compared with each other.
  ///   - report: Called now and then with the number of records walked through.
  init(
    _ archive: any ArchiveRows, isChecking: Bool, report: @escaping (Int) -> Void = { _ in }
  ) {
    self.isChecking = isChecking
    self.report = report
    accounts = ArchiveReader(archive, .accounts)
    devices = ArchiveReader(archive, .devices)
    commits = ArchiveReader(archive, .commits)
    records = ArchiveReader(archive, .records)
  }

  /// The next account; nil at the end.
  mutating func next() async throws(StoreError) -> WalkedAccount? {
    let heads = [
      try await accounts.peek()?.account, try await devices.peek()?.account,
      try await commits.peek()?.account, try await records.peek()?.account,
    ]
    guard let id = heads.compactMap({ $0 }).min(by: { $0.rawValue < $1.rawValue }) else {
      return nil
    }
    var account: ArchivedAccount?
    var digests = PartDigests()
    if let row = try await accounts.peek(), row.account == id {
      _ = try await accounts.next()
      if case .account(let entry) = row { account = entry }
      digests.add(row)
    }
    var check = AccountCheck(account, isDecoding: isChecking)
    while let row = try await devices.peek(), row.account == id {
      _ = try await devices.next()
      digests.add(row)
      check.add(row)
    }
    while let row = try await commits.peek(), row.account == id {
      _ = try await commits.next()
      digests.add(row)
      check.add(row)
    }
    while let row = try await records.peek(), row.account == id {
      _ = try await records.next()
      walked += 1
      if walked % Self.reportRecords == 0 { report(walked) }
      digests.add(row)
      check.add(row)
    }
    return WalkedAccount(
      id: id, name: account?.name, digests: digests.finalized(), devices: check.devices,
      records: check.held.records, problems: isChecking ? check.problems() : [])
  }
}

/// One hash for each part of an account.
private struct PartDigests {
  private var parts: [ArchivePart: SHA256] = [:]

  mutating func add(_ row: ArchiveRow) {
    row.write { part, bytes in parts[part, default: SHA256()].update(bytes) }
  }

  func finalized() -> [ArchivePart: [UInt8]] { parts.mapValues { $0.finalized() } }
}

/// Compares the rows of an account with what the account says of them.
private struct AccountCheck {
  private let account: ArchivedAccount?
  private let isDecoding: Bool
  private(set) var held = Holdings()
  private(set) var devices = 0
  private var lastCommit: Cursor?
  private var lastRecord: UInt64 = 0
  private var findings: [ArchiveProblem.Kind] = []

  init(_ account: ArchivedAccount?, isDecoding: Bool) {
    self.account = account
    self.isDecoding = isDecoding
  }

  mutating func add(_ row: ArchiveRow) {
    switch row {
    case .device(let row):
      devices += 1
      guard isDecoding else { return }
      if row.device.tokenHash.count != 32 || DeviceOutbox.refusals(decoding: row.refusals) == nil {
        findings.append(.device(row.device.replica))
      }
    case .commit(let row): lastCommit = row.cursor
    case .record(let row):
      held.records += 1
      held.bytes += row.record.bytes
      lastRecord = max(lastRecord, row.record.sequence)
      if isDecoding { decode(row) }
    case .account, .event: break
    }
  }

  private mutating func decode(_ row: ArchivedRecord) {
    guard let record = try? Record(unpacking: row.record.body) else {
      findings.append(.unreadable(sequence: row.record.sequence))
      return
    }
    if record.key.storageKey != row.address.key {
      findings.append(.misplaced(sequence: row.record.sequence))
    }
    if record.isLive { held.live += 1 }
  }

  func problems() -> [ArchiveProblem.Kind] {
    guard let account else { return [.noAccount] }
    var found = findings
    let head = account.headCommit.map { Cursor(commit: $0, sequence: account.head) }
    if head != lastCommit || (account.head > 0) != (head != nil) { found.append(.head) }
    if lastRecord > account.head { found.append(.beyondHead) }
    if held.records != account.holdings.records { found.append(.counter("records")) }
    if held.bytes != account.holdings.bytes { found.append(.counter("bytes")) }
    if held.live != account.holdings.live { found.append(.counter("live records")) }
    return found
  }
}
