// SPDX-License-Identifier: Apache-2.0
// SQLite and memory hold a replica alike: random histories, all rows compared after each step.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

import struct AtrestReplication.Cursor
import struct AtrestReplication.Record

@testable import AtrestClient

@Suite("A replica's tables", .timeLimit(.minutes(20)))
struct TablesTests {
  @Test("are the same in SQLite and in memory after any history")
  func sameRows() throws {
    try checkLaw(cases: 60) { random in
      let sqlite = try SQLiteOwner()
      let memory = MemoryOwner()
      for _ in 0..<80 {
        let rows = memory.tables.contents
        let step = RandomStep(&random, on: rows)
        let nonces = random.next()
        let results = (
          try sqlite.run(step, nonces: nonces), try memory.run(step, nonces: nonces)
        )
        guard results.0 == results.1 else {
          Issue.record("\(step.action): \(results.0) in SQLite, \(results.1) in memory")
          return false
        }
        let stored = try sqlite.contents()
        guard stored == memory.tables.contents, stored == memory.kept.contents else {
          Issue.record("\(step.action): other rows")
          return false
        }
      }
      return true
    }
  }
}

// MARK: - Owners

/// Keeps a replica in a SQLite database.
private struct SQLiteOwner {
  private let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue()
    try queue.write { try Schema.migrate($0, from: 0) }
  }

  /// Runs a step as one transaction.
  /// - Returns: What it said, or its error.
  func run(_ step: RandomStep, nonces: UInt64) throws -> String {
    try queue.writeWithoutTransaction { database in
      var result = ""
      try database.inTransaction(.immediate) {
        let tables = try SQLiteTables(database, path: "twins")
        var work = UnitOfWork(tables, now: step.now, random: Nonces(nonces).next)
        do throws(ReplicaError) { result = try step.run(&work) } catch {
          result = "\(error)"
          return .rollback
        }
        try tables.finish()
        return .commit
      }
      return result
    }
  }

  /// All rows.
  func contents() throws -> ReplicaChanges {
    try queue.read { database in
      let tables = try SQLiteTables(database, path: "twins")
      let rows = try tables.contents()
      let steps = try Int.fetchOne(database, sql: "SELECT count(*) FROM action_step")
      #expect(steps == rows.actions.stored.reduce(0) { $0 + $1.steps.count })
      return rows
    }
  }
}

/// Keeps a replica in memory, and what its transactions changed in another place.
private final class MemoryOwner {
  let tables = MemoryTables(name: "twins")
  /// What an owner has that commits each transaction's changes, and loads them.
  private(set) var kept = MemoryTables(name: "kept")

  /// Runs a step as one transaction.
  /// - Returns: What it said, or its error.
  func run(_ step: RandomStep, nonces: UInt64) throws -> String {
    var work = UnitOfWork(tables, now: step.now, random: Nonces(nonces).next)
    let before = tables.contents
    do throws(ReplicaError) {
      let result = try step.run(&work)
      commit(try tables.takeChanges())
      return result
    } catch {
      tables.rollBack()
      #expect(tables.contents == before)
      return "\(error)"
    }
  }

  private func commit(_ changes: ReplicaChanges) {
    var rows = kept.contents
    rows.state = changes.state ?? rows.state
    merge(changes.records, into: &rows.records)
    merge(changes.outbox, into: &rows.outbox)
    merge(changes.tokens, into: &rows.tokens)
    merge(changes.actions, into: &rows.actions)
    (rows.lastSequence, rows.lastAction) = (changes.lastSequence, changes.lastAction)
    kept = MemoryTables(name: "kept", loading: rows)
  }

  private func merge<Row>(_ changes: RowChanges<Row>, into rows: inout RowChanges<Row>) {
    let gone = Set(changes.removed).union(changes.stored.map(\.rowKey))
    rows.stored.removeAll { gone.contains($0.rowKey) }
    rows.stored = (rows.stored + changes.stored).sorted { $0.rowKey < $1.rowKey }
  }
}

/// The same unpredictable numbers for both owners.
private final class Nonces {
  private var random: SeededRandom

  init(_ seed: UInt64) { random = SeededRandom(seed: seed) }

  func next() -> UInt64 { random.next() }
}

// MARK: - Steps

/// One transaction, the same on any store.
private struct RandomStep {
  enum Action {
    case write(RecordKey, [UInt8])
    case delete(RecordKey)
    case act(UserAction, RecordKey, [UInt8], thenFails: Bool)
    case actOften(RecordKey, [[UInt8]])
    case undo(UserAction?)
    case undoOf(Set<RecordKind>)
    case restore(Conflict)
    case exchange(after: UInt64, limit: Int, ExchangeResponse, refusing: [Int], taking: Int)
    case lateAnswer(OutboxPage, ExchangeResponse)
    case event(WatchResponse)
    case merge([[UInt8]], offering: [RecordKey], isInOrder: Bool)
    case retry(Int64)
    case hold(areAllowed: Bool)
    case restamp(ReplicaID)
    case restampAhead
    case newLog
    case demand(afterLoss: Bool)
    case endReconcile
    case read(RecordKey)
  }

  let action: Action
  let now: WallTime

  private static let start: Int64 = 1_800_000_000_000

  /// - Parameter rows: What the replica holds.
  init(_ random: inout SeededRandom, on rows: ReplicaChanges) {
    let skew = random.oneIn(12) ? 3_600_000 : 0
    let minutes = Int64.random(in: 0..<2000, using: &random)
    now = WallTime(milliseconds: Self.start + minutes * 60_000 + Int64(skew))
    let key = Self.key(&random)
    let refused = rows.outbox.stored.filter { $0.refusal != nil }.map(\.sequence)
    let conflicts = rows.records.stored.filter { $0.key.kind == .conflict }.compactMap {
      try? Conflict(Record(decoding: $0.body))
    }
    let kept = UserAction.allCases.randomElement(using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<10: action = .write(key, Self.value(&random, of: key.kind))
    case 10..<15: action = .delete(key)
    case 15..<18:
      action = .act(
        kept ?? .edit, key, Self.value(&random, of: key.kind), thenFails: random.oneIn(8))
    case 18 where random.oneIn(3): action = .undoOf([key.kind])
    case 18..<20: action = .undo(random.oneIn(2) ? kept : nil)
    case 20 where random.oneIn(3):
      action = .actOften(key, (0..<30).map { _ in Self.value(&random, of: key.kind) })
    case 20 where !conflicts.isEmpty, 21 where !conflicts.isEmpty:
      action = .restore(conflicts[Int.random(in: conflicts.indices, using: &random)])
    case 22, 23: action = Self.lateAnswer(&random, rows, now)
    case 20..<30:
      let limit = Int.random(in: 1...6, using: &random)
      let last = random.oneIn(4) ? rows.outbox.stored.compactMap(\.number).max() ?? 0 : 0
      action = .exchange(
        after: last, limit: limit, Self.answer(&random, rows, now),
        refusing: random.oneIn(3) ? [Int.random(in: 0..<limit, using: &random)] : [],
        taking: random.oneIn(4) ? 1 : limit)
    case 30:
      let after = random.oneIn(3) ? Self.cursor(&random, rows) : rows.state?.cursor ?? .start
      action = .event(
        WatchResponse(
          after: after, records: Self.records(&random), cursor: Self.cursor(&random, rows),
          serverTime: now))
    case 31:
      action = .merge(
        Self.records(&random), offering: [key, Self.key(&random)], isInOrder: !random.oneIn(4))
    case 32: action = .retry(random.oneIn(2) ? .max : refused.first ?? 0)
    case 33, 34: action = .hold(areAllowed: random.oneIn(3))
    case 35: action = .restamp(ReplicaID(rawValue: UInt64.random(in: 1...4, using: &random)))
    case 36: action = .restampAhead
    case 37: action = random.oneIn(3) ? .newLog : .demand(afterLoss: random.oneIn(2))
    case 38: action = .endReconcile
    default: action = .read(key)
    }
  }

  /// Runs the step's rules.
  /// - Returns: What they said.
  func run<Tables>(_ work: inout UnitOfWork<Tables>) throws(ReplicaError) -> String {
    switch action {
    case .write(let key, let value):
      try work.write(key, Self.fields(key, value))
    case .delete(let key):
      return "\(try work.delete(key))"
    case .act(let what, let key, let value, let thenFails):
      work.beginAction()
      try work.write(key, Self.fields(key, value))
      if thenFails { throw .invalid("given up") }
      try work.endAction(what)
    case .actOften(let key, let values):
      for value in values {
        work.beginAction()
        try work.write(key, Self.fields(key, value))
        try work.endAction(.edit)
      }
    case .undo(let what):
      return try work.undo(what).map { "\($0)" } ?? "nothing"
    case .undoOf(let kinds):
      return try work.undo(of: kinds).map { "\($0)" } ?? "nothing"
    case .restore(let conflict):
      try work.restore(conflict)
    case .exchange(let number, let limit, var answer, let refused, let count):
      let page = try work.outbox.page(after: number, of: limit)
      let request = ExchangeRequest(
        cursor: work.tables.state.cursor, offers: page.offers,
        segment: page.segment, deviceTime: now)
      let reasons: [Refusal.Reason] = [.clockSkew, .invalid, .quota, .massDeletion]
      answer.refusals = refused.filter { $0 < page.offers.count }.map {
        Refusal(
          index: $0, reason: reasons[(Int(now.milliseconds / 60_000) + $0) % reasons.count],
          message: "no")
      }
      let numbers = page.segment?.numbers.prefix(count) ?? []
      answer.takenThrough = page.segment.map {
        OutboxPosition(number: numbers.last ?? 0, token: $0.token)
      }
      let reading = Reading(now: now, waited: 5)
      return "\(page) \(try work.apply(answer, to: request, page: page, at: reading))"
    case .lateAnswer(let page, let answer):
      let request = ExchangeRequest(
        cursor: work.tables.state.cursor, offers: page.offers,
        segment: page.segment, deviceTime: now)
      let reading = Reading(now: now, waited: nil)
      return "\(try work.apply(answer, to: request, page: page, at: reading))"
    case .event(let event):
      return try work.apply(event, at: now).map { "\($0)" } ?? "elsewhere"
    case .merge(let records, let wanted, let isInOrder):
      let head = isInOrder ? work.tables.state.cursor : Cursor(commit: 1, sequence: 99)
      return "\(try work.merge(records, offering: wanted, at: head))"
    case .retry(let sequence):
      let last = try work.outbox.lastRefused()
      try work.outbox.retryRefused(through: sequence)
      return "\(last)"
    case .hold(let areAllowed):
      let decision = try work.massDeletions.decide(areAllowed: areAllowed)
      try work.massDeletions.hold(decision)
      return "\(String(describing: decision.held)) \(decision.isSettled)"
    case .restamp(let replica):
      try work.restamp(as: replica)
      work.tables.state.replica = replica
    case .restampAhead:
      try work.restamp(at: now)
    case .newLog:
      try work.outbox.restartLog()
    case .demand(let afterLoss):
      work.demandReconcile(afterLoss: afterLoss)
    case .endReconcile:
      if let demand = work.tables.state.mustReconcile { try work.endReconcile(demand) }
      work.noteSync(at: now)
    case .read(let key):
      return try read(key, in: work)
    }
    return "\(work.written.sorted()) \(work.received.sorted())"
  }

  private func read<Tables>(
    _ key: RecordKey, in work: UnitOfWork<Tables>
  ) throws(ReplicaError) -> String {
    let later = now.advanced(by: 40 * 3_600_000)
    var waiting: [Int64] = []
    try work.outbox.forEachEntry { entry throws(ReplicaError) in waiting.append(entry.sequence) }
    let texts = [
      "\(try work.listings.openSessions())",
      "\(try work.listings.history(from: now, before: later, limit: 3))",
      "\(try work.listings.history(from: nil, before: nil, limit: nil))",
      "\(try work.listings.historyCount()) \(try work.listings.completedCount())",
      "\(try work.listings.water(from: now, before: later))",
      "\(try work.listings.distinctDigits(of: key)) \(try work.records.hashes())",
      "\(try work.conflicts()) \(waiting) \(try work.tables.outboxCount())",
      "\(try work.outbox.hasWaiting()) \(try work.tables.hasNumberedRow())",
      "\(try work.outbox.entries(for: key).map { $0.sequence })",
    ]
    return texts.joined(separator: "\n")
  }

  // MARK: Values

  /// One of few, so that steps meet.
  private static func key(_ random: inout SeededRandom) -> RecordKey {
    let number = UInt8.random(in: 0..<14, using: &random)
    switch random.next() % 5 {
    case 0: return RecordKey(kind: .session, id: [UInt8](repeating: number, count: 16))
    case 1: return RecordKey(kind: RecordKind(rawValue: 1024), id: [number])
    default: return RecordKey(kind: .water, id: [number] + [UInt8](repeating: 7, count: 15))
    }
  }

  private static func value(_ random: inout SeededRandom, of kind: RecordKind) -> [UInt8] {
    let at = WallTime(
      milliseconds: start + Int64.random(in: 0..<500, using: &random) * 3_600_000)
    switch kind {
    case .session:
      let end = random.oneIn(2) ? nil : at.advanced(by: 5 * 3_600_000)
      return Session.Span(start: at, end: end, outcome: end == nil ? .active : .completed)
        .map { SessionField.encode($0) } ?? []
    case .water:
      let amount = Int.random(in: 1...4, using: &random) * 100
      return WaterEntry.Intake(at: at, millilitres: amount).map { WaterField.encode($0) } ?? []
    default:
      var fields = RecordFields()
      fields[integer: 2] = Int64.random(in: 0..<4, using: &random)
      return fields[register: 2] ?? []
    }
  }

  private static func fields(
    _ key: RecordKey, _ value: [UInt8]
  ) -> [(field: FieldNumber, value: [UInt8])] {
    guard key.kind == .session else { return [(WaterField.intake, value)] }
    return [
      (SessionField.span, value), (SessionField.target, SessionField.encode(targetMinutes: 960)),
    ]
  }

  private static func cursor(_ random: inout SeededRandom, _ rows: ReplicaChanges) -> Cursor {
    let known = rows.state?.head?.sequence ?? 0
    let sequence = random.oneIn(10) ? known / 2 : known + UInt64.random(in: 0..<3, using: &random)
    return Cursor(commit: sequence &* 77 &+ 1, sequence: sequence)
  }

  private static func answer(
    _ random: inout SeededRandom, _ rows: ReplicaChanges, _ now: WallTime
  ) -> ExchangeResponse {
    let head = cursor(&random, rows)
    return ExchangeResponse(
      records: records(&random), cursor: head, restarted: random.oneIn(15), serverTime: now,
      head: head)
  }

  /// An answer to a page that was made before: another sync may have settled some of it. Now and
  /// then it is of a server that knows another replica's outbox.
  private static func lateAnswer(
    _ random: inout SeededRandom, _ rows: ReplicaChanges, _ now: WallTime
  ) -> Action {
    let sent = rows.outbox.stored.filter { _ in !random.oneIn(3) }
    let numbers = sent.map { ($0.number ?? 3) + (random.oneIn(4) ? 1 : 0) }.sorted()
    let token = rows.tokens.stored.randomElement(using: &random)?.token ?? 5
    var answer = answer(&random, rows, now)
    answer.takenThrough = OutboxPosition(
      number: numbers.last ?? 0, token: random.oneIn(5) ? token ^ 1 : token)
    if random.oneIn(3), !sent.isEmpty {
      answer.refusals = [Refusal(index: 0, reason: .quota, message: "full")]
    }
    let page = OutboxPage(
      sequences: sent.map(\.sequence), offers: sent.map { _ in [] },
      segment: OutboxSegment(confirmed: .start, token: token, settledThrough: 0, numbers: numbers))
    return .lateAnswer(page, answer)
  }

  /// Records as other devices wrote them, deleted, pruned and journal entries among them.
  private static func records(_ random: inout SeededRandom) -> [[UInt8]] {
    (0..<Int.random(in: 0..<4, using: &random)).map { _ in
      let key = key(&random)
      let minutes = Int64.random(in: 0..<2000, using: &random)
      let time = HybridTime(WallTime(milliseconds: start + minutes * 60_000))
      let stamp = Stamp(
        time: time, replica: ReplicaID(rawValue: UInt64.random(in: 5...6, using: &random)))
      let later = Stamp(time: HybridTime(rawValue: time.rawValue + 5), replica: stamp.replica)
      var record = Record(key: key)
      for (field, value) in fields(key, value(&random, of: key.kind)) {
        record.set(Register(field: field, stamp: stamp, value: value))
      }
      let isDeleted = random.oneIn(4)
      record.set(
        Register(
          field: Register.deletedField, stamp: isDeleted ? later : stamp,
          value: isDeleted ? Register.deletedValue : []))
      if random.oneIn(6), let kept = record.registers.last {
        let lost = Register(
          field: kept.field, stamp: Stamp(time: time, replica: ReplicaID(rawValue: 1)),
          value: value(&random, of: key.kind))
        return Conflict(
          key: key, field: kept.field, lost: lost, kept: kept,
          noticed: WallTime(milliseconds: start)
        ).journalRecord.encoded
      }
      return (random.oneIn(2) ? record.pruned() : record).encoded
    }
  }
}
