// SPDX-License-Identifier: Apache-2.0
// Set reconciliation: what a round finds, how responses are cut, and that both sides converge.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class ReconcileTests: OneAccount {
  private func fill(_ numbers: some Sequence<Int>) throws {
    let offers = numbers.map { offer(water($0)) }
    for start in stride(from: 0, to: offers.count, by: 1000) {
      let page = Array(offers[start..<min(start + 1000, offers.count)])
      _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: page))
    }
  }

  private func ask(_ ranges: KeyRange...) throws -> ReconcileResponse {
    let request = try ReconcileRequest(decoding: ReconcileRequest(ranges: ranges).encoded)
    let answer = try store.reconcile(
      request, account: kim, at: WallTime(milliseconds: noon))
    let bytes = answer.encoded
    #expect(bytes.count <= 256 * 1024)
    return try ReconcileResponse(decoding: bytes)
  }

  private func item(_ record: Record) -> KeyRange.Item {
    KeyRange.Item(
      key: record.key.storageKey, hash: Fingerprint.hash(ofRecord: record.encoded))
  }

  private func key(_ number: Int) -> [UInt8] { water(number).key.storageKey }

  private func fingerprint(_ numbers: some Sequence<Int>) -> Fingerprint {
    numbers.reduce(into: Fingerprint()) {
      $0.add(Fingerprint.hash(ofRecord: water($1).encoded))
    }
  }

  private func range(_ numbers: some Sequence<Int>, to end: [UInt8] = []) -> KeyRange {
    KeyRange(end: end, content: .fingerprint(fingerprint(numbers)))
  }

  @Test("equal ranges are settled, and nothing more is said of them")
  func equal() throws {
    #expect(try ask(range(0..<0)).ranges.isEmpty)
    try fill(0..<100)
    let answer = try ask(range(0..<100))
    #expect(answer.ranges.isEmpty && answer.records.isEmpty && answer.wanted.isEmpty)
    #expect(answer.serverTime == WallTime(milliseconds: noon))
    #expect(try ask(range(0..<40, to: key(40)), range(40..<100)).ranges.isEmpty)
  }

  @Test("a range that differs and is small on either side is told as it is")
  func small() throws {
    try fill(0..<64)
    #expect(try ask(range(0..<32)).ranges == [range(0..<64)])
    // 32 records on this side and more on the other.
    #expect(
      try ask(range(1..<60, to: key(32)), range(60..<64)).ranges == [
        range(0..<32, to: key(32)), range(32..<64),
      ])
    // Settled ranges around it keep their positions.
    #expect(
      try ask(range(0..<10, to: key(10)), range(0..<0, to: key(20)), range(20..<64)).ranges == [
        KeyRange(end: key(10), content: .settled), range(10..<20, to: key(20)),
      ])
  }

  @Test("a range that differs and is large is split into sixteen that are about equal")
  func split() throws {
    try fill(0..<1000)
    let ranges = try ask(range(1..<1000)).ranges
    #expect(ranges.count == 16)
    #expect(ranges.last?.end == [])
    var sum = Fingerprint()
    var begin = 0
    for range in ranges {
      guard case .fingerprint(let part) = range.content else {
        Issue.record("\(range)")
        continue
      }
      #expect((40...63).contains(part.count))
      #expect(part == fingerprint(begin..<begin + Int(part.count)))
      begin += Int(part.count)
      sum.count += part.count
      sum.sum &+= part.sum
      // End keys are no longer than necessary to separate two records.
      #expect(range.end.count <= key(0).count)
    }
    #expect(sum == fingerprint(0..<1000))
  }

  @Test("what is settled is not looked into")
  func settled() throws {
    try fill(0..<100)
    let answer = try ask(
      KeyRange(end: key(50), content: .settled),
      KeyRange(end: [], content: .items((50..<99).map { item(water($0)) })))
    #expect(answer.records == [water(99).encoded])
    #expect(answer.ranges.isEmpty)
  }

  @Test(
    "by items: what the replica lacks is sent, what the account lacks wanted, what differs both")
  func items() throws {
    try fill(0..<10)
    let edited = water(3, millilitres: 900)
    let held =
      [0, 1, 2].map { item(water($0)) } + [item(edited)]
      + [4, 6, 7, 8, 9, 20, 21].map { item(water($0)) }
    let answer = try ask(KeyRange(end: [], content: .items(held)))
    #expect(answer.records == [water(3).encoded, water(5).encoded])
    #expect(answer.wanted == [key(3), key(20), key(21)])
    #expect(answer.ranges.isEmpty)
  }

  @Test(
    "a record that rotted is settled as it is: neither sent nor wanted, and no end of the comparison"
  )
  func rotten() throws {
    try fill(0..<10)
    let account = kim
    try store.transaction { t throws(StoreError) in
      for number in [3, 5] {
        try t.overwrite(
          water(number).key.storageKey,
          by: StoredRecord(sequence: UInt64(number + 1), body: [0xFF]), of: account)
      }
    }
    // The replica holds one of the two.
    let held = (0..<5).map { item(water($0)) }
    let answer = try ask(KeyRange(end: [], content: .items(held)))
    #expect(answer.records == (6..<10).map { water($0).encoded })
    #expect(answer.wanted.isEmpty && answer.ranges.isEmpty)
  }

  @Test("an account that has nothing wants everything; a replica that has nothing is sent it")
  func oneSided() throws {
    let wanting = try ask(KeyRange(end: [], content: .items((0..<50).map { item(water($0)) })))
    #expect(wanting.wanted == (0..<50).map { key($0) } && wanting.records.isEmpty)
    try fill(0..<50)
    let sending = try ask(KeyRange(end: [], content: .items([])))
    #expect(sending.records == (0..<50).map { water($0).encoded } && sending.wanted.isEmpty)
  }

  @Test("a page holds a thousand records; what is left is told as a range from there")
  func pageOfRecords() throws {
    try fill(0..<1100)
    let answer = try ask(KeyRange(end: key(1050), content: .items([])), range(1050..<1100))
    #expect(answer.records.count == 1000)
    #expect(
      answer.ranges == [
        KeyRange(end: key(1000), content: .settled), range(1000..<1050, to: key(1050)),
      ])
    let first = KeyRange(end: key(1000), content: .items([]))
    let second = KeyRange(end: [], content: .items([]))
    #expect(
      try ask(first, second).ranges == [
        KeyRange(end: key(1000), content: .settled), range(1000..<1100),
      ])
  }

  @Test("an answer fits a message, however large records and however long keys are")
  func pageOfBytes() throws {
    func large(_ number: UInt8) throws -> Record {
      try #require(
        Record(
          key: RecordKey(
            kind: RecordKind(rawValue: 900), id: [number] + [UInt8](repeating: 7, count: 95)),
          registers: (2...5).map {
            Register(
              field: $0, stamp: stamp(noon, phone), value: [UInt8](repeating: 7, count: 16_000))
          }))
    }
    for number in 0..<12 {
      _ = try store.exchange(kim, request(nil, try large(UInt8(number))))
    }
    // Also included: a thousand keys of maximum length that the account does not have.
    let foreign = (0..<1000).map { number in
      KeyRange.Item(
        key: RecordKey(
          kind: RecordKind(rawValue: 901),
          id: [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 1, count: 94)
        ).storageKey, hash: 1)
    }
    var items = foreign
    var begin: [UInt8] = []
    var (sent, wanted) = (Set<[UInt8]>(), Set<[UInt8]>())
    for _ in 0..<20 {
      var ranges = [KeyRange(end: [], content: .items(items))]
      if !begin.isEmpty { ranges.insert(KeyRange(end: begin, content: .settled), at: 0) }
      let answer = try store.reconcile(
        ReconcileRequest(ranges: ranges), account: kim, at: WallTime(milliseconds: noon))
      #expect(answer.encoded.count <= 256 * 1024)
      #expect(!answer.records.isEmpty || !answer.wanted.isEmpty)
      sent.formUnion(answer.records)
      wanted.formUnion(answer.wanted)
      guard answer.ranges.count == 2 else { break }
      begin = answer.ranges[0].end
      items = foreign.filter { !$0.key.lexicographicallyPrecedes(begin) }
    }
    #expect(sent.count == 12 && wanted.count == 1000)
  }

  @Test("a thousand ranges are answered by no more than a thousand")
  func manyRanges() throws {
    try fill(0..<4000)
    let asked = (0..<1000).map { number in
      KeyRange(
        end: number == 999 ? [] : key(number * 4 + 4),
        content: number % 2 == 0 ? .items([]) : .fingerprint(Fingerprint(count: 99, sum: 1)))
    }
    let answer = try store.reconcile(
      ReconcileRequest(ranges: asked), account: kim, at: WallTime(milliseconds: noon))
    #expect(answer.ranges.count <= 1000)
    _ = try ReconcileResponse(decoding: answer.encoded)
  }

  @Test("other accounts are not compared")
  func isolation() throws {
    try fill(0..<10)
    let sam = try store.makeAccount("sam")
    let answer = try store.reconcile(
      ReconcileRequest(ranges: [range(0..<10)]), account: sam, at: WallTime(milliseconds: noon))
    #expect(answer.ranges == [range(0..<0)])
  }

  @Test(
    "following the answers ends with both sides equal",
    arguments: seeds(8))
  func converges(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var held: [[UInt8]: Record] = [:]
    let total = [5, 60, 300, 900][Int(seed % 4)]
    let common = Int.random(in: 0...total, using: &random)
    try fill(0..<common)
    for number in 0..<common { held[key(number)] = water(number) }
    for number in common..<total {
      if Bool.random(using: &random) {
        try fill([number])
      } else {
        held[key(number)] = water(number)
      }
    }
    for _ in 0..<Int.random(in: 0..<20, using: &random) {
      let number = Int.random(in: 0..<total, using: &random)
      held[key(number)] = water(number, millilitres: 700, at: noon + 5, by: tablet)
    }
    var sizes = ComparisonSizes()
    if random.oneIn(2) {
      sizes.blockRecords = Int.random(in: 1...10, using: &random)
      sizes.smallRange = UInt64.random(in: 1...10, using: &random)
      sizes.fanOut = Int.random(in: 2...5, using: &random)
    }
    var rounds = 0
    var open = [(begin: [UInt8](), end: [UInt8](), isSmall: false)]
    while !open.isEmpty {
      rounds += 1
      try #require(rounds < 60, "seed \(seed)")
      try step(&open, &held, sizes)
    }
    var stored: [[UInt8]: Record] = [:]
    var cursor: Cursor?
    while true {
      let page = try store.exchange(kim, ExchangeRequest(cursor: cursor))
      for record in try page.decodedRecords where record.key.kind != .conflict {
        stored[record.key.storageKey] = record
      }
      cursor = page.cursor
      if !page.more { break }
    }
    #expect(stored == held.filter { $0.value.key.kind != .conflict }, "seed \(seed)")
  }

  /// One round of a minimal client.
  private func step(
    _ open: inout [(begin: [UInt8], end: [UInt8], isSmall: Bool)],
    _ held: inout [[UInt8]: Record], _ sizes: ComparisonSizes
  ) throws {
    let all = held.values.map(item).sorted { $0.key.lexicographicallyPrecedes($1.key) }
    func items(_ begin: [UInt8], _ end: [UInt8]) -> [KeyRange.Item] {
      all.filter { item in
        !item.key.lexicographicallyPrecedes(begin)
          && (end.isEmpty || item.key.lexicographicallyPrecedes(end))
      }
    }
    func sum(_ begin: [UInt8], _ end: [UInt8]) -> Fingerprint {
      begin.isEmpty && end.isEmpty
        ? all.reduce(into: Fingerprint()) { $0.add($1.hash) }
        : items(begin, end).reduce(into: Fingerprint()) { $0.add($1.hash) }
    }
    var ranges: [KeyRange] = []
    for part in open.prefix(60) {
      if part.begin != ranges.last?.end ?? [] {
        ranges.append(KeyRange(end: part.begin, content: .settled))
      }
      ranges.append(
        KeyRange(
          end: part.end,
          content: part.isSmall
            ? .items(items(part.begin, part.end)) : .fingerprint(sum(part.begin, part.end))))
    }
    open.removeFirst(min(60, open.count))
    let answer = try store.reconcile(
      try ReconcileRequest(decoding: ReconcileRequest(ranges: ranges).encoded), account: kim,
      at: WallTime(milliseconds: noon), sizes: sizes)
    for bytes in answer.records {
      let record = try Record(decoding: bytes)
      held[record.key.storageKey, default: Record(key: record.key)].merge(record)
    }
    let offers = answer.wanted.compactMap { held[$0] }.map {
      Offer(record: $0, written: []).encoded
    }
    #expect(offers.count == answer.wanted.count)
    for start in stride(from: 0, to: offers.count, by: 1000) {
      let page = Array(offers[start..<min(start + 1000, offers.count)])
      let answer = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: page))
      #expect(answer.refusals.isEmpty)
    }
    var begin: [UInt8] = []
    for range in answer.ranges {
      if case .fingerprint(let theirs) = range.content {
        // The state at the time of the request. Later changes are compared again.
        let mine = sum(begin, range.end)
        if mine != theirs {
          let isSmall = min(mine.count, theirs.count) <= KeyRange.smallCount
          open.append((begin, range.end, isSmall))
        }
      }
      begin = range.end
    }
    open.sort { $0.begin.lexicographicallyPrecedes($1.begin) }
  }
}

@Suite(.timeLimit(.minutes(20))) struct ReconcileServiceTests {
  private let storage: Storage

  init() throws {
    storage = try Storage()
  }

  private func reconcile(_ session: DeviceSession, _ bytes: [UInt8]) async -> UnaryOutcome {
    await outcome { later throws(Status) in
      try storage.sync.reconcile(session, bytes, answer: later)
    }
  }

  @Test("one comparison at a time for each device, and the next after it")
  func oneAtATime() async throws {
    let (kim, other) = (try storage.session(phone), try storage.session(tablet))
    let bytes = ReconcileRequest(ranges: []).encoded
    let waiting = Recorder<UnaryOutcome>()
    try await storage.whileReading {
      _ = try storage.sync.reconcile(kim, bytes) { Answer { outcome, _ in waiting.note(outcome) } }
      #expect(throws: Status.busy) {
        _ = try storage.sync.reconcile(kim, bytes) { Answer { _, _ in } }
      }
      _ = try storage.sync.reconcile(other, bytes) {
        Answer { outcome, _ in waiting.note(outcome) }
      }
    }
    _ = try await waiting.next().reply
    _ = try await waiting.next().reply
    _ = try await reconcile(kim, bytes).reply
    await storage.queue.close()
    // A closed queue leaves no slot occupied.
    for _ in 0..<2 { #expect(await reconcile(kim, bytes).failure == .busy) }
  }

  @Test("ranges out of order break a rule; a device without access is told so")
  func refused() async throws {
    let kim = try storage.session(phone)
    let bad = ReconcileRequest(ranges: [
      KeyRange(end: [5], content: .settled), KeyRange(end: [4], content: .settled),
    ])
    #expect(await reconcile(kim, bad.encoded).failure?.code == .invalidArgument)
    #expect(await reconcile(kim, [0xFF]).failure?.code == .internal)
    kim.revoke(at: WallTime(milliseconds: noon))
    let bytes = ReconcileRequest(ranges: []).encoded
    #expect(await reconcile(kim, bytes).failure == .unknownDevice)
    await storage.queue.close()
  }
}
