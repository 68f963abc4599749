// SPDX-License-Identifier: Apache-2.0
// Reconciliation finds exactly the differences, in few rounds and bytes, and terminates for any
// server response.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient
@testable import AtrestSync

@Suite("A comparison", .timeLimit(.minutes(20)))
struct ReconcilerTests {
  private static func record(_ id: UInt64, kind: RecordKind = .water, time: UInt64 = 1) -> Record {
    // Spread like random IDs, but in creation order.
    var random = SeededRandom(seed: id)
    let step = UInt64.max / 100_000
    var bytes: [UInt8] = []
    for half in [id * step + random.next() % step, random.next()] {
      withUnsafeBytes(of: half.bigEndian) { bytes.append(contentsOf: $0) }
    }
    var record = Record(key: RecordKey(kind: kind, id: bytes))
    for field: FieldNumber in [1, 2] {
      record.set(
        Register(
          field: field,
          stamp: Stamp(
            time: HybridTime(rawValue: time &* 1_700_000_000_000 << 16),
            replica: ReplicaID(rawValue: 9)),
          value: [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: field == 1 ? 0 : 14)))
    }
    return record
  }

  private static func items(_ records: [Record]) -> [KeyRange.Item] {
    records.sorted { $0.key < $1.key }.map {
      KeyRange.Item(
        key: $0.key.storageKey, hash: Fingerprint.hash(ofRecord: $0.encoded))
    }
  }

  private static func server(_ records: [Record]) -> ModelServer {
    let server = ModelServer(clock: TestClock())
    server.state.withLock { state in for record in records { state.put(record) } }
    return server
  }

  private struct Outcome {
    var rounds = 0
    var bytes = 0
    var received: [[UInt8]] = []
    var wanted: [RecordKey] = []
  }

  /// Reconciles through encoded messages, each within its limits.
  private static func compare(
    _ mine: [Record], with server: ModelServer, smallRange: UInt64 = KeyRange.smallCount
  ) throws -> Outcome {
    var outcome = Outcome()
    var reconciler = Reconciler(held: items(mine), smallRange: smallRange)
    while let request = reconciler.next() {
      let bytes = request.encoded
      #expect(bytes.count <= 256 * 1024)
      let answer = try server.reconcile(ReconcileRequest(decoding: bytes)).encoded
      outcome.rounds += 1
      outcome.bytes += bytes.count + answer.count
      let step = try reconciler.take(ReconcileResponse(decoding: answer))
      outcome.received += step.records
      outcome.wanted += step.wanted
      if outcome.rounds > 10_000 { throw SyncError.badAnswer("no end") }
    }
    return outcome
  }

  @Test("finds exactly what differs, whatever each side holds")
  func complete() throws {
    try checkLaw(cases: 60) { random in
      let count = [0, 3, 40, 300, 1500].randomElement(using: &random) ?? 0
      let all = (0..<UInt64(count)).map {
        Self.record($0, kind: RecordKind(rawValue: UInt32($0 % 3) * 77 + 1))
      }
      var (mine, theirs): ([Record], [Record]) = ([], [])
      let rare = Int.random(in: 1...60, using: &random)
      // Whole ranges that only one side has, and scattered single records.
      let block = UInt64.random(in: 0...9, using: &random)
      for (index, record) in all.enumerated() {
        let isBlock = UInt64(index) * 10 / UInt64(all.count) == block
        switch Int.random(in: 0..<(rare * 4), using: &random) {
        case 0: mine.append(record)
        case 1: theirs.append(record)
        case 2:
          mine.append(record)
          theirs.append(
            Self.record(UInt64(index), kind: record.key.kind, time: 2))
        default:
          mine.append(record)
          if !isBlock { theirs.append(record) }
        }
      }
      if Int.random(in: 0..<10, using: &random) == 0 { mine = [] }
      if Int.random(in: 0..<10, using: &random) == 0 { theirs = [] }
      let server = Self.server(theirs)
      let pageRecords = [3, 50, Page.records].randomElement(using: &random) ?? 3
      let fanOut = [1, 16].randomElement(using: &random) ?? 1
      server.state.withLock {
        $0.pageRecords = pageRecords
        $0.fanOut = fanOut
      }
      let smallRange: UInt64 = [2, 5, KeyRange.smallCount].randomElement(using: &random) ?? 2
      let outcome = try Self.compare(mine, with: server, smallRange: smallRange)
      let held = Dictionary(uniqueKeysWithValues: mine.map { ($0.key, $0) })
      let kept = Dictionary(uniqueKeysWithValues: theirs.map { ($0.key, $0) })
      let lacking = Set(theirs.filter { held[$0.key] != $0 }.map(\.encoded))
      let surplus = Set(mine.filter { kept[$0.key] != $0 }.map(\.key))
      return Set(outcome.received) == lacking && Set(outcome.wanted) == surplus
        && outcome.received.count == lacking.count && outcome.wanted.count == surplus.count
    }
  }

  @Test("of 10,000 equal records costs one round and some fifty bytes")
  func equal() throws {
    let all = (0..<10_000).map { Self.record($0) }
    let outcome = try Self.compare(all, with: Self.server(all))
    #expect(outcome.rounds == 1)
    #expect(outcome.bytes <= 60, "\(outcome.bytes)")
    #expect(outcome.received.isEmpty && outcome.wanted.isEmpty)
  }

  @Test("finds one of 100,000 records in three rounds and 3 KB", arguments: [5, many.count - 1])
  func oneOfMany(index: Int) throws {
    let mine = Self.many
    var theirs = mine
    theirs[index] = Self.record(UInt64(index), time: 2)
    let outcome = try Self.compare(mine, with: Self.server(theirs))
    #expect(outcome.received == [theirs[index].encoded])
    #expect(outcome.wanted == [theirs[index].key])
    #expect(outcome.rounds == 3, "and one to push it")
    #expect(outcome.bytes <= 3000, "\(outcome.bytes)")
  }

  private static let many = (0..<UInt64(caseCount(100_000))).map { record($0) }

  @Test("a server that holds nothing is told so once, and wants everything")
  func emptyServer() throws {
    let mine = (0..<5000).map { Self.record($0) }
    let outcome = try Self.compare(mine, with: Self.server([]))
    #expect(outcome.rounds == 1)
    #expect(Set(outcome.wanted) == Set(mine.map(\.key)))
  }

  @Test("a replica that holds nothing fetches page by page, and sends no keys")
  func emptyReplica() throws {
    let theirs = (0..<5000).map { Self.record($0) }
    let outcome = try Self.compare([], with: Self.server(theirs))
    #expect(outcome.rounds == 6, "one to find out, five pages")
    #expect(Set(outcome.received) == Set(theirs.map(\.encoded)))
  }

  /// Responses of a server that tries to keep a replica busy.
  enum Trick: CaseIterable {
    case sameAgain, elsewhere, stuck, creeping, nameless
  }

  @Test("ends with a server that neither narrows nor moves on", arguments: Trick.allCases)
  func hostile(trick: Trick) throws {
    var reconciler = Reconciler(held: Self.items((0..<2000).map { Self.record($0) }))
    var rounds = 0
    #expect {
      while let request = reconciler.next() {
        rounds += 1
        try #require(rounds < 200)
        var answer = ReconcileResponse(ranges: [], serverTime: WallTime(milliseconds: 0))
        switch trick {
        case .sameAgain:  // Everything always differs.
          answer.ranges = request.ranges.map {
            KeyRange(end: $0.end, content: .fingerprint(Fingerprint(count: 100_000, sum: 1)))
          }
        case .elsewhere:  // The second half is not requested after the first round.
          let half: [UInt8] = [0, 0, 0, 2, 0x80]
          answer.ranges =
            rounds == 1
            ? [KeyRange(end: half, content: .fingerprint(Fingerprint(count: 900, sum: 1)))]
            : [
              KeyRange(end: half, content: .settled),
              KeyRange(end: [], content: .fingerprint(Fingerprint(count: 900, sum: 1))),
            ]
        case .stuck:  // Item by item, but always everything.
          answer.ranges = request.ranges.map {
            KeyRange(end: $0.end, content: .fingerprint(Fingerprint(count: 5, sum: 1)))
          }
        case .creeping:  // A little progress, without a record.
          var ranges: [KeyRange] = []
          for range in request.ranges {
            let end = ranges.last?.end ?? []
            ranges.append(KeyRange(end: end + [0], content: .settled))
            ranges.append(
              KeyRange(end: range.end, content: .fingerprint(Fingerprint(count: 5, sum: 1))))
          }
          answer.ranges = ranges
        case .nameless: answer.wanted = [[1, 2, 3]]
        }
        _ = try reconciler.take(answer)
      }
    } throws: { error in
      SyncError.Code.badAnswer ~= error
    }
  }

  @Test("looks into parts only of what the server had otherwise")
  func bounded() throws {
    let mine = (0..<3000).map { Self.record($0) }
    var reconciler = Reconciler(held: Self.items(mine))
    // Everything differs: all of it must be compared item by item, within the limits of each
    // request.
    let server = Self.server((0..<3000).map { Self.record($0, time: 2) })
    var rounds = 0
    while let request = reconciler.next() {
      rounds += 1
      let items = request.ranges.reduce(0) { count, range in
        if case .items(let items) = range.content { count + items.count } else { count }
      }
      #expect(request.ranges.count <= KeyRange.limit && items <= KeyRange.itemLimit)
      #expect(throws: Never.self) { try ReconcileRequest(decoding: request.encoded) }
      _ = try reconciler.take(server.reconcile(request))
    }
    #expect(rounds < 12)
  }
}
