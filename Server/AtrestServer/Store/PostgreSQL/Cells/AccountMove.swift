// SPDX-License-Identifier: Apache-2.0
// Moves an account from one cell to another, in steps after each of which it may be interrupted.

import AtrestPostgreSQL
import AtrestReplication

/// Moves accounts between two open cells. Each arrow is one commit:
///
///     source   here ── freeze ──▶ frozen ───────────────────────────▶ remove ──▶ forwards devices
///                ▲                  │                                  ▲               │
///                └──── cancel ◀─────┤                                  │               ▼
///     target   nothing ─────────────┴▶ reserve ─▶ page ─▶ … ─▶ page ─▶ live ───────▶ settled
///
/// Nothing of a frozen account is read or written, so nothing is acknowledged in the source that
/// the target lacks. The copy keeps sequences and the names of commits: devices stay paired and go
/// on where they were. What is live in the target was compared row by row with the source, in the
/// transaction that made it live. Pairing codes end.
///
/// A move that was interrupted, wherever it was, is finished by the same call.
package struct AccountMove: Sendable {
  /// What has just been committed.
  package enum Step: Hashable, Sendable {
    case frozen
    case reserved
    case copied(ArchiveTable)
    case live
    case removed
    case settled
  }

  /// What was moved.
  package struct Report: Hashable, Sendable {
    package let from: CellNumber
    package let to: CellNumber
    /// Its number in the target.
    package var account: AccountID
    /// Whether an earlier run had begun.
    package var isResumed = false
    /// Rows that this run copied, by table.
    package var rows: [ArchiveTable: Int] = [:]
    /// See `MovedRows.digest`, under the number in the target; empty if an earlier run made the
    /// account live.
    package var digest: [UInt8] = []
  }

  private let source: PostgresBackend
  private let target: PostgresBackend
  private let pages: ArchivePages
  private let step: @Sendable (Step) throws(StoreError) -> Void

  /// - Parameters:
  ///   - pages: The bounds of pages.
  ///   - step: Called after each commit. What it throws interrupts the move there.
  package init(
    from source: PostgresBackend, to target: PostgresBackend, pages: ArchivePages = ArchivePages(),
    step: @escaping @Sendable (Step) throws(StoreError) -> Void = { _ in }
  ) {
    self.source = source
    self.target = target
    self.pages = pages
    self.step = step
  }

  /// Moves an account, or finishes moving it.
  ///
  /// - Throws: `AccountMoveError`. If it `isRefusal`, nothing has changed and the account is in use
  ///   in the source. Otherwise it may be frozen, until the same call succeeds or `cancel` does.
  /// - Complexity: Reads everything of the account twice, and writes it once; memory for a few
  ///   pages.
  package func run(_ name: String) async throws(AccountMoveError) -> Report {
    do throws(AccountMoveError) {
      return try await withCells { cells throws(AccountMoveError) in try await run(name, cells) }
    } catch {
      // On fresh sessions: what the failed ones held ends with them.
      if error.hasToBeUndone {
        _ = try await withCells { cells throws(AccountMoveError) in try await undo(name, cells) }
      }
      throw error
    }
  }

  /// Lets an account stay whose move was interrupted before it was live in the target.
  ///
  /// - Throws: `AccountMoveError`: `notMoving`, `isLive` if only going on is left.
  package func cancel(_ name: String) async throws(AccountMoveError) {
    try await withCells { cells throws(AccountMoveError) in
      guard try await undo(name, cells) else { throw .notMoving }
    }
  }

  // MARK: Sessions

  /// A session with each cell.
  private struct Cells: Sendable {
    let source: MoveSource
    let target: MoveTarget
  }

  private func withCells<R: Sendable>(
    _ body: (Cells) async throws(AccountMoveError) -> R
  ) async throws(AccountMoveError) -> R {
    guard source.cell != target.cell else { throw .sameCell }
    let ours = try await reading { () async throws(StoreError) in
      MoveSource(try await source.openSession(), to: target.cell)
    }
    let theirs: MoveTarget
    do throws(StoreError) {
      theirs = MoveTarget(try await target.openSession(), from: source.cell)
    } catch {
      await ours.connection.close()
      throw .target(error)
    }
    let result: Result<R, AccountMoveError>
    do throws(AccountMoveError) {
      result = .success(try await body(Cells(source: ours, target: theirs)))
    } catch {
      result = .failure(error)
    }
    await ours.connection.close()
    await theirs.connection.close()
    return try result.get()
  }

  private func reading<R: Sendable>(
    _ body: () async throws(StoreError) -> R
  ) async throws(AccountMoveError) -> R {
    do throws(StoreError) { return try await body() } catch { throw .source(error) }
  }

  private func writing<R: Sendable>(
    _ body: () async throws(StoreError) -> R
  ) async throws(AccountMoveError) -> R {
    do throws(StoreError) { return try await body() } catch { throw .target(error) }
  }

  // MARK: Steps

  private func run(_ name: String, _ cells: Cells) async throws(AccountMoveError) -> Report {
    guard let account = try await found(name, cells) else { return try await settle(name, cells) }
    var report = Report(from: source.cell, to: target.cell, account: .server)
    var arrival = try await writing { () async throws(StoreError) in
      try await cells.target.arrival(of: account.id)
    }
    if account.movingTo == nil {
      // Of a move that was cancelled by half, or before the source was restored.
      if let arrival { try await discard(arrival, cells) }
      arrival = nil
      try await freeze(account, cells)
    } else {
      report.isResumed = true
    }
    let place: Arrival
    if let arrival { place = arrival } else { place = try await reserve(account, cells) }
    report.account = place.account
    if !place.isLive {
      try await copy(place, cells, &report)
      report.digest = try await goLive(account.id, place, cells)
    }
    try await reading { () async throws(StoreError) in try await cells.source.remove(account.id) }
    source.tellMoving(account.id)
    try interrupt(after: .removed)
    try await settle(place, cells)
    return report
  }

  /// The account in the source, which nobody else moves meanwhile.
  private func found(
    _ name: String, _ cells: Cells
  ) async throws(AccountMoveError) -> MoveSource.Account? {
    let first = try await reading { () async throws(StoreError) in
      try await cells.source.find(name)
    }
    guard let first else { return nil }
    let isLocked = try await reading { () async throws(StoreError) in
      try await cells.source.lock(first.id)
    }
    guard isLocked else { throw .underWay }
    // It may have been moved, or removed, while this waited.
    let account = try await reading { () async throws(StoreError) in
      try await cells.source.find(name)
    }
    guard let account, account.id == first.id else { return nil }
    if let cell = account.movingTo, cell != target.cell { throw .movesElsewhere(cell) }
    return account
  }

  private func freeze(
    _ account: MoveSource.Account, _ cells: Cells
  ) async throws(AccountMoveError) {
    let isTaken = try await writing { () async throws(StoreError) in
      try await cells.target.hasAccount(account.name)
    }
    guard !isTaken else { throw .nameTaken }
    let codes = try await reading { () async throws(StoreError) in
      try await cells.source.freeze(account.id)
    }
    source.tellMoving(account.id, codes: codes)
    try interrupt(after: .frozen)
  }

  private func reserve(
    _ account: MoveSource.Account, _ cells: Cells
  ) async throws(AccountMoveError) -> Arrival {
    let arrival = try await writing { () async throws(StoreError) in
      try await cells.target.reserve(account.name, for: account.id)
    }
    guard let arrival else { throw .nameTaken }
    try interrupt(after: .reserved)
    return arrival
  }

  private func copy(
    _ arrival: Arrival, _ cells: Cells, _ report: inout Report
  ) async throws(AccountMoveError) {
    var arrival = arrival
    let rows = MovedRows(
      of: arrival.origin, shownAs: arrival.account, on: cells.source.connection, pages)
    for table in Arrival.tables where table.rawValue >= arrival.stage.rawValue {
      let key = table == arrival.stage ? arrival.key : .start
      var reader = ArchiveReader(rows, table, after: key)
      while true {
        let page: [ArchiveRow]
        do throws(StoreError) { page = try await reader.nextPage() } catch { throw .source(error) }
        guard let last = page.last else { break }
        if table == .devices {
          let isTaken = try await writing { () async throws(StoreError) in
            try await cells.target.hasDevices(page)
          }
          guard !isTaken else { throw .deviceTaken }
        }
        do throws(StoreError) { try await cells.target.append(page, table, &arrival) } catch {
          throw .target(error)
        }
        arrival.key = last.key
        report.rows[table, default: 0] += page.count
        try interrupt(after: .copied(table))
      }
    }
  }

  private func goLive(
    _ account: AccountID, _ arrival: Arrival, _ cells: Cells
  ) async throws(AccountMoveError) -> [UInt8] {
    let original = MovedRows(
      of: account, shownAs: arrival.account, on: cells.source.connection, pages)
    let digest = try await cells.target.goLive(arrival, like: original, pages)
    try interrupt(after: .live)
    return digest
  }

  private func settle(_ arrival: Arrival, _ cells: Cells) async throws(AccountMoveError) {
    try await writing { () async throws(StoreError) in try await cells.target.settle(arrival) }
    try interrupt(after: .settled)
  }

  /// Finishes the move of an account that the source has no more.
  private func settle(
    _ name: String, _ cells: Cells
  ) async throws(AccountMoveError) -> Report {
    let arrival = try await writing { () async throws(StoreError) in
      try await cells.target.liveArrival(named: name)
    }
    guard let arrival else { throw .unknownAccount }
    try await settle(arrival, cells)
    return Report(
      from: source.cell, to: target.cell, account: arrival.account, isResumed: true)
  }

  // MARK: Back

  /// - Returns: False if the account was not being moved.
  private func undo(_ name: String, _ cells: Cells) async throws(AccountMoveError) -> Bool {
    guard let account = try await found(name, cells) else {
      let arrival = try await writing { () async throws(StoreError) in
        try await cells.target.liveArrival(named: name)
      }
      throw arrival == nil ? .unknownAccount : .isLive
    }
    let arrival = try await writing { () async throws(StoreError) in
      try await cells.target.arrival(of: account.id)
    }
    // First the target: what is thawed must not become live there.
    if let arrival { try await discard(arrival, cells) }
    guard account.movingTo != nil else { return arrival != nil }
    try await reading { () async throws(StoreError) in try await cells.source.thaw(account.id) }
    return true
  }

  private func discard(_ arrival: Arrival, _ cells: Cells) async throws(AccountMoveError) {
    guard !arrival.isLive else { throw .isLive }
    try await writing { () async throws(StoreError) in try await cells.target.discard(arrival) }
  }

  private func interrupt(after done: Step) throws(AccountMoveError) {
    do throws(StoreError) { try step(done) } catch { throw .source(error) }
  }
}
