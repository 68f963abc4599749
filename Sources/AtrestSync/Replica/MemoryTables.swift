// SPDX-License-Identifier: Apache-2.0
// A replica's tables in memory, for owners that keep them durably elsewhere.

import AtrestReplication
import AtrestWire

/// All tables of a replica in memory: for a store that cannot be read while a transaction runs,
/// like a browser's, and for tests.
///
/// Its owner loads what it has kept, runs one transaction after another, and keeps what each one
/// changed:
///
///     let tables = MemoryTables(name: "replica", loading: kept)
///     var work = UnitOfWork(tables, now: now, random: random)
///     do { try work.save(session) } catch { tables.rollBack(); throw error }
///     try await commit(tables.takeChanges())
///
/// A write is durable once the owner has committed it, and only then may the owner say so. If it
/// does not know whether it has, it loads everything again.
package final class MemoryTables: ReplicaTables {
  /// The row of `replica`.
  package var state = ReplicaState()

  private let name: String
  private var records = MemoryTable<RecordRow>()
  private var outbox = MemoryTable<OutboxRow>()
  private var tokens = MemoryTable<OutboxPosition>()
  private var actions = MemoryTable<StoredAction>()
  private var listings: [Listing: SortedKeys<ListedRecord>] = [:]
  private var sequences: [RecordKey: SortedKeys<Int64>] = [:]
  private var numbers = SortedKeys<NumberedRow>()
  private var refused = SortedKeys<Int64>()
  private var lastSequence: Int64 = 0
  private var lastAction: Int64 = 0
  private var isDamaged = false
  /// The state and the last sequences before the transaction.
  private var before = (state: ReplicaState(), sequence: Int64(0), action: Int64(0))

  /// The tables of a replica.
  ///
  /// - Parameters:
  ///   - name: Names the replica in errors.
  ///   - kept: All of its rows.
  package init(name: String, loading kept: ReplicaChanges = ReplicaChanges()) {
    self.name = name
    state = kept.state ?? ReplicaState()
    for row in kept.records.stored { set(row.key, row) }
    for row in kept.outbox.stored { set(row.sequence, row) }
    for row in kept.tokens.stored { tokens.set(row.number, row) }
    for row in kept.actions.stored { actions.set(row.action.sequence, row) }
    lastSequence = max(kept.lastSequence, outbox.keys.last ?? 0)
    lastAction = max(kept.lastAction, actions.keys.last ?? 0)
    begin()
  }

  // MARK: Transactions

  /// Ends the transaction and begins the next one.
  ///
  /// - Returns: What it changed, for the owner to commit.
  /// - Throws: `.damaged` if a row could not be read. The transaction is rolled back then.
  package func takeChanges() throws(ReplicaError) -> ReplicaChanges {
    guard !isDamaged else {
      rollBack()
      throw .damaged(path: name)
    }
    var changes = ReplicaChanges()
    if state != before.state { changes.state = state }
    changes.records = records.changes
    changes.outbox = outbox.changes
    changes.tokens = tokens.changes
    changes.actions = actions.changes
    changes.lastSequence = lastSequence
    changes.lastAction = lastAction
    begin()
    return changes
  }

  /// Ends the transaction without effect and begins the next one.
  package func rollBack() {
    for (key, row) in records.originals { set(key, row) }
    for (key, row) in outbox.originals { set(key, row) }
    for (key, row) in tokens.originals { tokens.set(key, row) }
    for (key, row) in actions.originals { actions.set(key, row) }
    (state, lastSequence, lastAction) = before
    begin()
  }

  /// All rows.
  package var contents: ReplicaChanges {
    var contents = ReplicaChanges()
    contents.state = state
    contents.records = records.contents
    contents.outbox = outbox.contents
    contents.tokens = tokens.contents
    contents.actions = actions.contents
    contents.lastSequence = lastSequence
    contents.lastAction = lastAction
    return contents
  }

  private func begin() {
    records.forgetOriginals()
    outbox.forgetOriginals()
    tokens.forgetOriginals()
    actions.forgetOriginals()
    before = (state, lastSequence, lastAction)
    isDamaged = false
  }

  /// See `ReplicaTables`.
  package func damaged() -> ReplicaError {
    isDamaged = true
    return .damaged(path: name)
  }

  /// Has the owner commit at least the newest token.
  package func makeDurable() {
    if let number = tokens.keys.last { tokens.set(number, tokens[number]) }
  }

  // MARK: record

  private func set(_ key: RecordKey, _ row: RecordRow?) {
    if let old = records.set(key, row)?.listing {
      listings[Listing(key.kind, old.state)]?.remove(ListedRecord(at: old.at, id: key.id))
    }
    if let new = row?.listing {
      listings[Listing(key.kind, new.state), default: SortedKeys()]
        .insert(ListedRecord(at: new.at, id: key.id))
    }
  }

  /// See `ReplicaTables`.
  package func recordBody(_ key: RecordKey) -> [UInt8]? { records[key]?.body }

  /// See `ReplicaTables`.
  package func insertRecord(_ row: RecordRow) -> Bool {
    guard records[row.key] == nil else { return false }
    set(row.key, row)
    return true
  }

  /// See `ReplicaTables`.
  package func putRecord(_ row: RecordRow) { set(row.key, row) }

  /// See `ReplicaTables`.
  package func forEachRecord(
    of kind: RecordKind?, _ visit: (RecordKey, [UInt8]) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    let keys = records.keys
    let first = kind.map { records.index(notBefore: RecordKey(kind: $0, id: [])) } ?? 0
    for key in keys[first...] {
      if let kind, key.kind != kind { return }
      if let row = records[key] { try visit(key, row.body) }
    }
  }

  /// See `ReplicaTables`.
  package func forEachListed(
    _ range: ListingRange, _ visit: ([UInt8]) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    guard let listing = listings[Listing(range.kind, range.state)] else { return }
    let first = listing.index(notBefore: ListedRecord(at: range.from, id: []))
    let end = listing.index(notBefore: ListedRecord(at: range.before, id: []))
    guard first < end else { return }
    for listed in listing.keys[first..<end].reversed().prefix(range.limit ?? .max) {
      if let row = records[RecordKey(kind: range.kind, id: listed.id)] { try visit(row.body) }
    }
  }

  /// See `ReplicaTables`.
  package func countListed(_ kind: RecordKind, in states: [ListingPosition.State]) -> Int {
    states.reduce(0) { $0 + (listings[Listing(kind, $1)]?.keys.count ?? 0) }
  }

  /// See `ReplicaTables`.
  package func nearestIDs(to key: RecordKey) -> [[UInt8]] {
    let keys = records.keys
    let index = records.index(notBefore: key)
    let after = index < keys.count && keys[index] == key ? index + 1 : index
    return [index - 1, after].compactMap { neighbour in
      guard keys.indices.contains(neighbour), keys[neighbour].kind == key.kind else { return nil }
      return keys[neighbour].id
    }
  }

  // MARK: outbox

  private func set(_ sequence: Int64, _ row: OutboxRow?) {
    if let old = outbox.set(sequence, row) {
      if let number = old.number { numbers.remove(NumberedRow(number, sequence)) }
      sequences[old.key]?.remove(sequence)
      if sequences[old.key]?.keys.isEmpty == true { sequences[old.key] = nil }
      refused.remove(sequence)
    }
    guard let row else { return }
    if let number = row.number { numbers.insert(NumberedRow(number, sequence)) }
    sequences[row.key, default: SortedKeys()].insert(sequence)
    if row.refusal != nil { refused.insert(sequence) }
  }

  private func change(_ sequence: Int64, _ change: (inout OutboxRow) -> Void) {
    guard var row = outbox[sequence] else { return }
    change(&row)
    set(sequence, row)
  }

  /// See `ReplicaTables`.
  package func appendOutbox(_ key: RecordKey, _ offer: [UInt8]?, isRestoring: Bool) {
    lastSequence += 1
    set(
      lastSequence,
      OutboxRow(sequence: lastSequence, key: key, offer: offer, isRestoring: isRestoring))
  }

  /// See `ReplicaTables`.
  package func outboxRow(_ sequence: Int64) -> OutboxRow? { outbox[sequence] }

  /// See `ReplicaTables`.
  package func outboxRows(of key: RecordKey) -> [OutboxRow] {
    (sequences[key]?.keys ?? []).compactMap { outbox[$0] }
  }

  /// See `ReplicaTables`.
  package func forEachOutboxRow(
    _ visit: (OutboxRow) throws(ReplicaError) -> Void
  ) throws(ReplicaError) {
    for sequence in outbox.keys {
      if let row = outbox[sequence] { try visit(row) }
    }
  }

  /// See `ReplicaTables`.
  package func forEachNumberedRow(
    after number: UInt64, limit: Int, _ visit: (OutboxRow) throws(ReplicaError) -> Bool
  ) throws(ReplicaError) {
    var left = limit
    for numbered in numbers.keys[numbers.index(notBefore: NumberedRow(number, .max))...] {
      guard let row = outbox[numbered.sequence], row.refusal == nil else { continue }
      guard left > 0, try visit(row) else { return }
      left -= 1
    }
  }

  /// See `ReplicaTables`.
  package func forEachUnnumberedRow(
    notBehind reasons: [Refusal.Reason], limit: Int,
    _ visit: (OutboxRow) throws(ReplicaError) -> Bool
  ) throws(ReplicaError) {
    var left = limit
    for sequence in outbox.keys {
      guard let row = outbox[sequence], row.number == nil, row.refusal == nil else { continue }
      let isBehind = outboxRows(of: row.key).contains { earlier in
        guard earlier.sequence < sequence, let refusal = earlier.refusal else { return false }
        return reasons.contains(refusal.reason)
      }
      if isBehind { continue }
      guard left > 0, try visit(row) else { return }
      left -= 1
    }
  }

  /// See `ReplicaTables`.
  package func refusedRows() -> [(sequence: Int64, reason: Refusal.Reason)] {
    refused.keys.compactMap { sequence in
      outbox[sequence]?.refusal.map { (sequence, $0.reason) }
    }
  }

  /// See `ReplicaTables`.
  package func outboxCount() -> Int { outbox.keys.count }

  /// See `ReplicaTables`.
  package func hasNumberedRow() -> Bool { !numbers.keys.isEmpty }

  /// See `ReplicaTables`.
  package func setOffer(_ offer: [UInt8], at sequence: Int64) {
    change(sequence) { $0.offer = offer }
  }

  /// See `ReplicaTables`.
  package func setNumber(_ number: UInt64?, at sequence: Int64) {
    change(sequence) { $0.number = number }
  }

  /// See `ReplicaTables`.
  package func removeNumbers() {
    for numbered in numbers.keys { setNumber(nil, at: numbered.sequence) }
  }

  /// See `ReplicaTables`.
  package func setRefusal(_ refusal: OutboxRefusal?, at sequence: Int64) {
    change(sequence) { $0.refusal = refusal }
  }

  /// See `ReplicaTables`.
  package func removeOutboxRow(_ sequence: Int64) {
    if outbox[sequence] != nil { set(sequence, nil) }
  }

  /// See `ReplicaTables`.
  package func removeOutboxRows(numberedThrough number: UInt64) {
    let end = numbers.index(notBefore: NumberedRow(number, .max))
    for numbered in Array(numbers.keys[..<end]) {
      guard let row = outbox[numbered.sequence] else { continue }
      let isKept = outboxRows(of: row.key).contains {
        $0.isRestoring && $0.number.map { $0 > number } ?? true
      }
      if !isKept { set(numbered.sequence, nil) }
    }
  }

  // MARK: outbox_token

  /// See `ReplicaTables`.
  package func newestToken() -> OutboxPosition? { tokens.keys.last.flatMap { tokens[$0] } }

  /// See `ReplicaTables`.
  package func hasToken(atOrAfter position: OutboxPosition) -> Bool {
    tokens.keys[tokens.index(notBefore: position.number)...].contains {
      tokens[$0]?.token == position.token
    }
  }

  /// See `ReplicaTables`.
  package func insertToken(_ position: OutboxPosition) { tokens.set(position.number, position) }

  /// See `ReplicaTables`.
  package func removeTokens(butNewest count: Int) {
    for number in tokens.keys.dropLast(count) { tokens.set(number, nil) }
  }

  // MARK: action, action_step

  /// See `ReplicaTables`.
  package func insertAction(_ what: Int, at time: WallTime, _ steps: [ActionStepRow]) {
    lastAction += 1
    actions.set(
      lastAction,
      StoredAction(action: ActionRow(sequence: lastAction, what: what, at: time), steps: steps))
  }

  /// See `ReplicaTables`.
  package func newestAction(of what: Int?, before end: Int64?) -> ActionRow? {
    for sequence in actions.keys.reversed() {
      if let action = actions[sequence]?.action, what == nil || action.what == what,
        end.map({ sequence < $0 }) ?? true
      {
        return action
      }
    }
    return nil
  }

  /// See `ReplicaTables`.
  package func actionSteps(_ sequence: Int64) -> [ActionStepRow] { actions[sequence]?.steps ?? [] }

  /// See `ReplicaTables`.
  package func setActionSteps(_ sequence: Int64, _ steps: [ActionStepRow]) {
    guard let action = actions[sequence]?.action else { return }
    actions.set(sequence, StoredAction(action: action, steps: steps))
  }

  /// See `ReplicaTables`.
  package func removeAction(_ sequence: Int64) {
    if actions[sequence] != nil { actions.set(sequence, nil) }
  }

  /// See `ReplicaTables`.
  package func removeActions(before time: WallTime, orThrough sequence: Int64) {
    for key in actions.keys {
      if let action = actions[key]?.action, action.at < time || key <= sequence {
        actions.set(key, nil)
      }
    }
  }
}

/// Identifies a listing.
private struct Listing: Hashable {
  let kind: RecordKind
  let state: ListingPosition.State

  init(_ kind: RecordKind, _ state: ListingPosition.State) {
    self.kind = kind
    self.state = state
  }
}

/// A record's place in its listing.
private struct ListedRecord: Comparable {
  let at: Int64
  let id: [UInt8]

  static func < (a: ListedRecord, b: ListedRecord) -> Bool {
    a.at == b.at ? a.id.lexicographicallyPrecedes(b.id) : a.at < b.at
  }
}

/// A row of the outbox that has a number.
private struct NumberedRow: Comparable {
  let number: UInt64
  let sequence: Int64

  init(_ number: UInt64, _ sequence: Int64) {
    self.number = number
    self.sequence = sequence
  }

  static func < (a: NumberedRow, b: NumberedRow) -> Bool {
    (a.number, a.sequence) < (b.number, b.sequence)
  }
}
