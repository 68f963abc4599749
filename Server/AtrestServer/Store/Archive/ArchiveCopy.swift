// SPDX-License-Identifier: Apache-2.0
// Copies one store into another, and compares the two afterwards.

import AtrestReplication

/// A copy of a whole store. One that was interrupted goes on where it was.
///
///     empty ── begin ──▶ unfinished ── page, page, … ──▶ compared ── equal ──▶ finished
///                          ▲      │                          │
///                          └──────┘ interrupted: again       └─ different: it stays unfinished
package struct ArchiveCopy: Sendable {
  /// What a copy is doing.
  package struct Step: Hashable, Sendable {
    package enum Work: Hashable, Sendable {
      case copying(ArchiveTable)
      /// Comparing accounts.
      case comparing
    }

    package var work: Work
    /// Rows of the table in this run; records where accounts are compared.
    package var rows: Int
  }

  /// What was copied in this run.
  package struct Result: Hashable, Sendable {
    /// Rows, by table.
    package var rows: [ArchiveTable: Int] = [:]
    /// Whether an earlier run had begun.
    package var isResumed = false
    package var digest: [UInt8] = []
  }

  private let source: any StoreArchive
  private let target: any StoreArchive
  private let report: @Sendable (Step) -> Void

  /// - Parameter report: Called after each page.
  package init(
    from source: any StoreArchive, to target: any StoreArchive,
    report: @escaping @Sendable (Step) -> Void = { _ in }
  ) {
    self.source = source
    self.target = target
    self.report = report
  }

  /// Copies everything, and compares.
  ///
  /// - Throws: `ArchiveCopyError`. What was copied stays, and the same copy goes on from there.
  /// - Complexity: Reads the source twice and the target once; memory for a few pages.
  package func run() async throws(ArchiveCopyError) -> Result {
    guard source.name != target.name else { throw .sameStore }
    let summary = try await reading { () async throws(StoreError) in try await source.summary() }
    var result = Result()
    let start: ArchiveProgress
    let known = try await writing { () async throws(StoreError) in
      try await target.unfinishedCopy()
    }
    if let known {
      guard known.source == source.name else { throw .otherCopy }
      start = known
      result.isResumed = true
    } else {
      let name = source.name
      let isEmpty = try await writing { () async throws(StoreError) in
        try await target.beginCopy(of: name, summary)
      }
      guard isEmpty else { return try await finishedBefore(summary) }
      start = ArchiveProgress(source: name, table: nil, key: .start)
    }
    for table in ArchiveTable.allCases where table.rawValue >= start.table?.rawValue ?? 0 {
      let key = table == start.table ? start.key : .start
      result.rows[table] = try await copy(table, after: key)
    }
    result.digest = try await compare(summary)
    try await writing { () async throws(StoreError) in try await target.finishCopy() }
    return result
  }

  /// A copy that was finished, but nobody was told: the answer was lost.
  private func finishedBefore(
    _ summary: ArchiveSummary
  ) async throws(ArchiveCopyError) -> Result {
    let held = try await writing { () async throws(StoreError) in try await target.summary() }
    guard held == summary else { throw .notEmpty }
    do throws(ArchiveCopyError) {
      return Result(rows: [:], isResumed: true, digest: try await compare(summary))
    } catch {
      if case .differs = error { throw .notEmpty }
      throw error
    }
  }

  private func copy(
    _ table: ArchiveTable, after key: ArchiveKey
  ) async throws(ArchiveCopyError) -> Int {
    var rows = 0
    var reader = ArchiveReader(source, table, after: key)
    while true {
      let page: [ArchiveRow]
      do throws(StoreError) { page = try await reader.nextPage() } catch { throw .source(error) }
      guard !page.isEmpty else { return rows }
      do throws(StoreError) { try await target.append(page, to: table) } catch {
        throw .target(error)
      }
      rows += page.count
      report(Step(work: .copying(table), rows: rows))
    }
  }

  private func reading<R: Sendable>(
    _ body: () async throws(StoreError) -> R
  ) async throws(ArchiveCopyError) -> R {
    do throws(StoreError) { return try await body() } catch { throw .source(error) }
  }

  private func writing<R: Sendable>(
    _ body: () async throws(StoreError) -> R
  ) async throws(ArchiveCopyError) -> R {
    do throws(StoreError) { return try await body() } catch { throw .target(error) }
  }
}

// MARK: - Comparing

extension ArchiveCopy {
  /// Differences that are named, at most.
  private static let differenceLimit = 20

  /// Compares the stores account by account.
  ///
  /// - Returns: The digest that both have.
  private func compare(_ summary: ArchiveSummary) async throws(ArchiveCopyError) -> [UInt8] {
    var differences: [ArchiveDifference] = []
    var digest = ArchiveDigest()
    digest.add(summary)
    let copied = try await writing { () async throws(StoreError) in try await target.summary() }
    if copied != summary { differences.append(ArchiveDifference(accountName: nil, part: nil)) }
    let report = report
    report(Step(work: .comparing, rows: 0))
    var ours = ArchiveWalk(source, isChecking: false) { report(Step(work: .comparing, rows: $0)) }
    var theirs = ArchiveWalk(target, isChecking: false)
    var original = try await next(&ours, as: ArchiveCopyError.source)
    var copy = try await next(&theirs, as: ArchiveCopyError.target)
    while differences.count < Self.differenceLimit,
      let least = [original?.id, copy?.id].compactMap({ $0 }).min(by: { $0.rawValue < $1.rawValue })
    {
      let (a, b) = (original?.id == least ? original : nil, copy?.id == least ? copy : nil)
      differences += Self.differences(a, b)
      if let a {
        digest.add(a)
        original = try await next(&ours, as: ArchiveCopyError.source)
      }
      if b != nil { copy = try await next(&theirs, as: ArchiveCopyError.target) }
    }
    if let difference = try await differenceOfEvents(&digest) { differences.append(difference) }
    guard differences.isEmpty else { throw .differs(differences) }
    return digest.finalized()
  }

  private func next(
    _ walk: inout ArchiveWalk, as side: (StoreError) -> ArchiveCopyError
  ) async throws(ArchiveCopyError) -> WalkedAccount? {
    do throws(StoreError) { return try await walk.next() } catch { throw side(error) }
  }

  private static func differences(
    _ original: WalkedAccount?, _ copy: WalkedAccount?
  ) -> [ArchiveDifference] {
    let id = original?.id ?? copy?.id ?? .server
    let name = original?.name ?? copy?.name ?? "number \(id.rawValue)"
    return ArchivePart.allCases.filter { original?.digests[$0] != copy?.digests[$0] }
      .map { ArchiveDifference(accountName: name, part: $0) }
  }

  /// The first event that differs; and the target's chains.
  private func differenceOfEvents(
    _ digest: inout ArchiveDigest
  ) async throws(ArchiveCopyError) -> ArchiveDifference? {
    var ours = ArchiveReader(source, .events)
    var theirs = ArchiveReader(target, .events)
    var chains = EventChains(target.eventScope)
    while true {
      let (a, b): (ArchiveRow?, ArchiveRow?)
      do throws(StoreError) { a = try await ours.next() } catch { throw .source(error) }
      do throws(StoreError) { b = try await theirs.next() } catch { throw .target(error) }
      guard a != nil || b != nil else { return nil }
      guard let a, let b, case .event(let entry) = b, a.isSame(as: b), chains.follows(entry) else {
        let account = (a ?? b)?.account ?? .server
        let name = account == .server ? nil : try await nameOfAccount(account)
        return ArchiveDifference(accountName: name, part: .events)
      }
      digest.add(a)
    }
  }

  private func nameOfAccount(_ id: AccountID) async throws(ArchiveCopyError) -> String {
    let before = ArchiveKey(account: id.rawValue - 1, number: .max)
    let page = try await reading { () async throws(StoreError) in
      try await source.page(of: .accounts, after: before)
    }
    guard case .account(let row)? = page.first, row.id == id else { return "number \(id.rawValue)" }
    return row.name
  }
}

extension ArchiveRow {
  /// Whether two rows say the same.
  func isSame(as other: ArchiveRow) -> Bool {
    func parts(_ row: ArchiveRow) -> [[UInt8]] {
      var parts: [[UInt8]] = []
      row.write { _, bytes in parts.append(bytes) }
      return parts
    }
    return parts(self) == parts(other)
  }
}

/// What differs between a store and its copy.
package struct ArchiveDifference: Hashable, Sendable {
  /// Nil: the server itself.
  package let accountName: String?
  /// Nil: what belongs to no account.
  package let part: ArchivePart?

  /// One line. The name of the account is as it was given.
  package var sentence: String {
    let place = accountName.map { "account \($0)" } ?? "the server itself"
    return switch part {
    case .account: "\(place): the account"
    case .purchases: "\(place): its purchases"
    case .devices: "\(place): its devices"
    case .commits: "\(place): the names of its commits"
    case .records: "\(place): its records"
    case .events: "\(place): its events"
    case nil: "\(place): the last account's number, the clock, or how much it holds"
    }
  }
}

/// Why a store was not copied.
package enum ArchiveCopyError: Error, Equatable {
  /// Reading failed.
  case source(StoreError)
  /// Writing, or reading what was written, failed.
  case target(StoreError)
  /// Source and target are one store.
  case sameStore
  /// The target holds something.
  case notEmpty
  /// The target holds an unfinished copy of another store.
  case otherCopy
  /// The copy is not like its source.
  case differs([ArchiveDifference])

  /// The message for the owner: what happened, then what to do.
  ///
  /// - Parameters:
  ///   - source: How the owner calls the store that is copied.
  ///   - target: How the owner calls the copy.
  package func userMessage(from source: String, to target: String) -> String {
    switch self {
    case .source(let error):
      "\(source) could not be read. \(error.userMessage)\n\(Self.goesOn)"
    case .target(let error):
      "\(target) could not be written. \(error.userMessage)\n\(Self.goesOn)"
    case .sameStore: "\(source) and \(target) are one store. Name another one with --to."
    case .notEmpty:
      "\(target) holds something already, and was not changed. Name an empty store with --to."
    case .otherCopy:
      "\(target) holds an unfinished copy of another store, and was not changed. Go on with that "
        + "one, or name an empty store with --to."
    case .differs(let differences):
      "\(target) is not like \(source):\n"
        + differences.map { "  " + $0.sentence + "\n" }.joined()
        + "No daemon serves the copy. Either \(source) was used after the copy had begun, or "
        + "something is damaged: `atrest-syncd store check` tells. Empty \(target), and copy again."
    }
  }

  private static let goesOn = "What was copied is kept: the same command goes on from there."
}
