// SPDX-License-Identifier: Apache-2.0
// Verifies a whole store, and counts what it holds.

import AtrestCrypto
import AtrestReplication

/// What a store holds, in numbers, and what is wrong with it.
package struct ArchiveReport: Hashable, Sendable {
  package private(set) var accounts = 0
  /// Revoked ones included.
  package private(set) var devices = 0
  /// Deleted ones and journal entries included.
  package private(set) var records = 0
  package private(set) var events = 0
  /// The first ones, at most `problemLimit`.
  package private(set) var problems: [ArchiveProblem] = []
  package private(set) var problemCount = 0
  /// The same for the same contents, whatever the engine.
  package private(set) var digest: [UInt8] = []

  package static let problemLimit = 100

  /// Verifies an archive: heads have their commits' names, counters agree with rows, records can
  /// be decoded and carry their keys, and no event was changed.
  ///
  /// - Complexity: Reads every row once, in bounded memory but for the chains of events: about 200
  ///   bytes for each account that has one.
  package static func check(
    _ archive: any StoreArchive
  ) async throws(StoreError) -> ArchiveReport {
    var report = ArchiveReport()
    var digest = ArchiveDigest()
    digest.add(try await archive.summary())
    var walk = ArchiveWalk(archive, isChecking: true)
    while let account = try await walk.next() {
      if account.name != nil { report.accounts += 1 }
      report.devices += account.devices
      report.records += account.records
      digest.add(account)
      for kind in account.problems {
        report.note(kind, of: account.id, account.name)
      }
    }
    try await report.checkEvents(of: archive, &digest)
    report.digest = digest.finalized()
    return report
  }

  private mutating func checkEvents(
    of archive: any StoreArchive, _ digest: inout ArchiveDigest
  ) async throws(StoreError) {
    var reader = ArchiveReader(archive, .events)
    var chains = EventChains(archive.eventScope)
    var broken: Set<AccountID> = []
    while let row = try await reader.next() {
      guard case .event(let entry) = row else { continue }
      events += 1
      digest.add(row)
      // Of each chain only the first: those after it do not follow either.
      let chain = archive.eventScope == .store ? AccountID.server : row.account
      if !chains.follows(entry), broken.insert(chain).inserted {
        note(.event(number: entry.number), of: row.account, nil)
      }
    }
  }

  private mutating func note(_ kind: ArchiveProblem.Kind, of account: AccountID, _ name: String?) {
    problemCount += 1
    guard problems.count < Self.problemLimit else { return }
    problems.append(ArchiveProblem(account: account, accountName: name, kind: kind))
  }
}

/// A digest over a whole archive: its summary, each account's parts, the events.
struct ArchiveDigest: Sendable {
  private var hash = SHA256()

  mutating func add(_ summary: ArchiveSummary) {
    var bytes = CanonicalBytes()
    bytes.append(summary.lastAccount)
    hash.update(bytes.bytes)
  }

  mutating func add(_ account: WalkedAccount) {
    var bytes = CanonicalBytes()
    bytes.append(account.id.rawValue)
    for part in ArchivePart.allCases { bytes.append(account.digests[part]) }
    hash.update(bytes.bytes)
  }

  /// An event.
  mutating func add(_ row: ArchiveRow) {
    row.write { _, bytes in hash.update(bytes) }
  }

  func finalized() -> [UInt8] { hash.finalized() }
}
