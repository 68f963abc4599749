// SPDX-License-Identifier: Apache-2.0
// The outbox as a log: numbers assigned once, tokens that identify a replica's own past, and
// entries that a response settles.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

@testable import AtrestClient

@Suite("The outbox's log", .timeLimit(.minutes(20)))
struct OutboxLogTests {
  /// A response with a server position: every offer up to `number` was judged.
  private func answer(
    _ number: UInt64, _ token: UInt64, refused: [Int] = [], server: ModelServer
  ) -> ExchangeResponse {
    ExchangeResponse(
      refusals: refused.map { Refusal(index: $0, reason: .quota, message: "Full.") },
      cursor: .start, serverTime: server.state.withLock { $0.clock.now() },
      takenThrough: OutboxPosition(number: number, token: token))
  }

  // MARK: - Numbers and tokens

  @Test("a write gets its number when it is first sent, and both are durable before that")
  func durable() async throws {
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    try await test.replica.save(WaterEntry.sample())
    #expect(try test.numbers() == [nil, nil])
    #expect(try test.tokens().isEmpty)
    let page = try await test.replica.nextPage(after: 0)
    let segment = try #require(page.segment)
    #expect(
      segment.confirmed == .start && segment.settledThrough == 0 && segment.numbers == [1, 2])
    // Only the file remains.
    let reopened = try test.reopened()
    let tokens = [OutboxPosition(number: 2, token: segment.token)]
    #expect(try test.tokens() == tokens)
    #expect(try reopened.read { $0.state.lastNumber } == 2)
    #expect(try await reopened.nextPage(after: 0) == page, "the same bytes, numbers and token")
  }

  @Test("a token is drawn for new numbers, and for nothing else")
  func tokens() async throws {
    let test = try TestReplica(1)
    var sent: [OutboxSegment] = []
    for _ in 0..<40 {
      try await test.replica.save(WaterEntry.sample())
      let page = try await test.reopened().nextPage(after: 0)
      #expect(try await test.replica.nextPage(after: 0) == page)
      sent.append(try #require(page.segment))
    }
    #expect(Set(sent.map(\.token)).count == 40 && sent.allSatisfy { $0.token != 0 })
    #expect(sent.map(\.numbers) == (1...40).map { Array(1...$0) })
    // Whichever request arrived last, the replica recognizes it.
    func isInPast(_ number: UInt64, _ token: UInt64) throws -> Bool {
      try test.replica.read {
        try $0.work.outbox.isInPast(OutboxPosition(number: number, token: token))
      }
    }
    for segment in sent {
      let number = try #require(segment.numbers.last)
      #expect(try isInPast(number, segment.token))
      #expect(try isInPast(0, segment.token))
      #expect(try !isInPast(number + 1, segment.token), "not given when this token was drawn")
      #expect(try !isInPast(number, segment.token ^ 1))
      #expect(try !isInPast(.max, segment.token))
    }
    #expect(try isInPast(0, 0), "a server that has nothing yet")
  }

  /// The first hundreds are whole syncs. The others run only the part that assigns numbers and
  /// draws tokens: it would take 35 s otherwise.
  @Test("trying again costs nothing: 10,000 failed syncs with one waiting write leave one token")
  func tenThousandFailures() async throws {
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    struct Dead: TestTransport {
      let calls = Counter()
      func exchange(_ request: ExchangeRequest) async throws(SyncError) -> ExchangeResponse {
        _ = calls.next()
        throw .unreachable("cut")
      }
    }
    let transport = Dead()
    let engine = test.engine(transport)
    for _ in 0..<500 { _ = try? await engine.sync() }
    #expect(transport.calls.count == 500)
    let offered = try test.replica.write { transaction in
      try (500..<10_000).reduce(0) { count, _ in
        try count + transaction.work.outbox.page(after: 0).offers.count
      }
    }
    #expect(offered == 9500)
    #expect(try test.tokens().map(\.number) == [1])
    #expect(try test.numbers() == [1])
  }

  /// Seed 0x690c4: a process was killed inside the commit that assigned the numbers, another
  /// process sent them, and the power failed. The numbers were lost, and the device took itself for
  /// a copy.
  @Test("what is sent once more is written once more: it may be in the system's memory only")
  func sentAgain() async throws {
    let test = try TestReplica(1)
    try await test.replica.save(WaterEntry.sample())
    let page = try await test.replica.nextPage(after: 0)
    let other = try test.reopened()
    func version() throws -> Int {
      try other.read { try Int.fetchOne($0.database, sql: "PRAGMA data_version") } ?? 0
    }
    let before = try version()
    #expect(try version() == before)
    #expect(try await test.replica.nextPage(after: 0) == page)
    #expect(try version() != before)
  }

  @Test("of very many tokens the newest 50,000 are kept")
  func pruning() async throws {
    let folder = try Folder()
    // Happens at random; here each time.
    let replica = try Replica(
      directory: folder.replica, clock: TestClock(), random: { 0xABC0_0000 })
    try replica.write { transaction in
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50100)
          INSERT INTO outbox_token (through, token) SELECT i, i FROM n;
          """)
      transaction.state.lastNumber = 50_100
    }
    try await replica.save(WaterEntry.sample())
    _ = try await replica.nextPage(after: 0)
    let kept = try replica.read { transaction in
      try Int64.fetchAll(
        transaction.database, sql: "SELECT through FROM outbox_token ORDER BY through")
    }
    #expect(kept == Array(102...50_101))
    for number: UInt64 in [101, 102] {
      let position = OutboxPosition(number: number, token: number)
      #expect(try replica.read { try $0.work.outbox.isInPast(position) } == (number == 102))
    }
  }

  /// Seed 0x62928: no fault but a server clock set back. The late request was accepted, and the
  /// replica's writes meanwhile got earlier stamps than the writes they replaced.
  @Test("a request that another process still tries is not judged once its numbers were taken back")
  func lateRequest() async throws {
    let test = try TestReplica(1)
    let server = ModelServer(clock: TestClock())
    test.clock.advance(3_600_000)
    var session = try Session.sample()
    try await test.replica.save(session)
    let (first, firstPage) = try await test.attempt()
    try await test.replica.save(WaterEntry.sample())
    session.targetMinutes += 60
    try await test.replica.save(session)
    let (late, _) = try await test.attempt()
    #expect(late.segment?.numbers == [1, 2, 3])
    try await test.apply(server.exchange(first, as: "secret-1"), to: first, page: firstPage)
    // The other record is judged, and the refusal is settled with it.
    let (next, nextPage) = try await test.attempt()
    #expect(next.segment?.numbers == [2] && next.segment?.settledThrough == 1)
    try await test.apply(server.exchange(next, as: "secret-1"), to: next, page: nextPage)

    let answer = try server.exchange(late, as: "secret-1")
    #expect(!server.records.contains { $0.key == session.key })
    #expect(answer.takenThrough?.token == next.segment?.token)
    session.targetMinutes += 60
    try await test.replica.save(session)
    for _ in 0..<2 { try await test.sync(server) }
    #expect(server.records == (try test.replica.allRecords()))
    #expect(try test.replica.session(session.id) == session)
  }

  // MARK: - Which entries have numbers

  /// Otherwise the later write would be accepted first.
  @Test("a write that is refused for now takes the numbers of the record's later ones, too")
  func order() async throws {
    let test = try TestReplica(1)
    let server = ModelServer(clock: test.clock)
    let water = try WaterEntry.sample(100)
    try await test.replica.save(water)
    _ = try await test.replica.nextPage(after: 0)
    test.clock.advance(1000)
    try await test.replica.save(WaterEntry.sample(id: water.id, 200))
    try await test.replica.save(WaterEntry.sample())
    // Another process sent these.
    _ = try await test.replica.nextPage(after: 1)
    #expect(try test.numbers() == [1, 2, 3])
    server.state.withLock { $0.refuses = { $0.key.id == Array(water.id.bytes) ? .quota : nil } }
    try await test.sync(server)
    #expect(try test.numbers() == [nil, nil])
    server.state.withLock { $0.refuses = { _ in nil } }
    try await test.sync(server)
    #expect(try test.numbers().isEmpty)
    #expect(server.journal.isEmpty && server.records.count == 2)
    #expect(
      try test.replica.record(RecordKey(kind: .water, id: water.id.bytes))
        == server.records.first { $0.key.id == water.id.bytes })
  }

  @Test("what has a number never changes: an edit waits beside it, written over it")
  func notCoalesced() async throws {
    let test = try TestReplica(1)
    let water = try WaterEntry.sample(100)
    try await test.replica.save(water)
    let page = try await test.replica.nextPage(after: 0)
    for amount in [200, 300] {
      test.clock.advance(1000)
      try await test.replica.save(WaterEntry.sample(id: water.id, amount))
    }
    let offers = try test.offers()
    try #require(offers.count == 2)
    #expect(offers[0].encoded == page.offers[0])
    // 300 replaced 200, which is never sent.
    #expect(try WaterEntry(offers[1].record).intake.millilitres == 300)
    for field in offers[1].written {
      #expect(offers[1].record[field]?.replaced == offers[0].record[field]?.stamp)
    }
    #expect(try test.numbers() == [1, nil])
    let next = try await test.replica.nextPage(after: 0)
    #expect(next.offers.first == page.offers.first)
    #expect(next.segment?.numbers == [1, 2])
  }

  @Test("deleting, reviving and editing what was sent keeps each value that may be on the server")
  func deletionNotCoalesced() async throws {
    let test = try TestReplica(1)
    let water = try WaterEntry.sample(100)
    try await test.replica.save(water)
    _ = try await test.replica.nextPage(after: 0)
    try test.replica.delete(water.key)
    _ = try await test.replica.nextPage(after: 0)
    try await test.replica.save(WaterEntry.sample(id: water.id, 200))
    #expect(try test.offers().map(\.record.isDeleted) == [false, true, false])
    #expect(try test.numbers() == [1, 2, nil])
  }

  @Test("what has a number is not stamped again, however far ahead its stamp is")
  func notRestamped() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let id = RecordUUID.random()
    test.clock.advance(3_600_000)
    try await test.replica.save(WaterEntry.sample(id: id, 100))
    _ = try await test.replica.nextPage(after: 0)
    let sent = try test.offers()
    try await test.replica.save(WaterEntry.sample(id: id, 200))
    let quiet = ExchangeRequest(cursor: nil)
    try await test.apply(try server.exchange(quiet), to: quiet)
    try await test.replica.restamp(at: test.clock.now())
    let offers = try test.offers()
    #expect(offers.first == sent.first)
    // And the next write stays after it.
    let stamps = try offers.map { try #require($0.record[2]?.stamp) }
    #expect(stamps[0] < stamps[1])
    #expect(try test.replica.waterEntry(id)?.intake.millilitres == 200)
    // Refused, it has no number, and the next sync corrects it.
    let report = try await test.sync(server)
    #expect(report.refused == 0)
    #expect(try test.waitingCount == 0)
    #expect(try WaterEntry(#require(server.records.first)).intake.millilitres == 200)
    #expect(server.journal.isEmpty)
  }

  // MARK: - What a response settles

  /// The fate of three offers, numbered 1 to 3, for each position of the server.
  struct Settled: Sendable {
    /// The number up to which it judged them, with their own token.
    var through: UInt64
    var refused: [Int] = []
    var acknowledged = 0
    var numbers: [UInt64?] = []
    var isUnread = false
  }

  /// A replica that has sent three writes and heard nothing.
  private func threeSent() async throws -> (
    server: ModelServer, test: TestReplica, request: ExchangeRequest, page: OutboxPage
  ) {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    for _ in 0..<3 { try await test.replica.save(WaterEntry.sample()) }
    let (request, page) = try await test.attempt()
    return (server, test, request, page)
  }

  @Test(
    "an answer settles what lies up to the server's position: taken, or refused if it says so",
    arguments: [
      Settled(through: 3, acknowledged: 3),
      Settled(through: 3, refused: [1], acknowledged: 2, numbers: [nil]),
      Settled(through: 2, acknowledged: 2, numbers: [3], isUnread: true),
      Settled(through: 2, refused: [0], acknowledged: 1, numbers: [nil, 3], isUnread: true),
      Settled(through: 0, numbers: [1, 2, 3], isUnread: true),
      // A refusal of an offer not judged yet has no effect.
      Settled(through: 1, refused: [2], acknowledged: 1, numbers: [2, 3], isUnread: true),
    ])
  func settles(case known: Settled) async throws {
    let (server, test, request, page) = try await threeSent()
    let token = try #require(request.segment?.token)
    let applied = try await test.replica.apply(
      answer(known.through, token, refused: known.refused, server: server), to: request,
      page: page, at: test.clock.now())
    #expect(applied.acknowledged == known.acknowledged)
    #expect(applied.refused == 3 - known.acknowledged - known.numbers.compactMap { $0 }.count)
    #expect(applied.isUnread == known.isUnread && !applied.isForked)
    #expect(try test.numbers() == known.numbers)
    #expect(try test.replica.status().refusedCount == applied.refused)
    // The rest is offered again with its numbers, from a position that the server knows.
    let next = try await test.replica.nextPage(after: 0)
    #expect(next.segment?.numbers ?? [] == known.numbers.compactMap { $0 })
    #expect(next.segment.map { $0.confirmed.token == token } ?? true)
  }

  @Test("a server that tells a later position settles no more than it was asked about")
  func laterPosition() async throws {
    let (server, test, request, page) = try await threeSent()
    for _ in 0..<2 { try await test.replica.save(WaterEntry.sample()) }
    let later = try #require(try await test.attempt().page.segment)
    #expect(later.numbers == [1, 2, 3, 4, 5])
    let applied = try await test.replica.apply(
      answer(5, later.token, refused: [], server: server), to: request, page: page,
      at: test.clock.now())
    #expect(applied.acknowledged == 3 && !applied.isForked)
    // What was refused of those two it tells when they are offered again.
    #expect(try await test.replica.nextPage(after: 0).segment?.numbers == [4, 5])
  }

  @Test("a server at a position that this replica never was at settles nothing: this is a copy")
  func forked() async throws {
    let (server, test, request, page) = try await threeSent()
    let token = try #require(request.segment?.token)
    for position in [
      OutboxPosition(number: 3, token: token ^ 1), OutboxPosition(number: 4, token: token),
      OutboxPosition(number: 1, token: 1),
    ] {
      let applied = try await test.replica.apply(
        answer(position.number, position.token, refused: [0], server: server), to: request,
        page: page, at: test.clock.now())
      #expect(applied.isForked && !applied.isUnread)
      #expect(applied.acknowledged == 0 && applied.refused == 0)
      #expect(try test.numbers() == [1, 2, 3])
      #expect(try test.replica.status().refusedCount == 0)
      #expect(try test.replica.read { $0.state.takenThrough } == .start)
    }
  }

  @Test("a refused write loses its number, and gets a new one when it is offered again")
  func refusedAgain() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    server.state.withLock { $0.refuses = { $0.key.kind == .preference ? .quota : nil } }
    try await test.replica.setPreference("theme", to: "dusk")
    try await test.sync(server)
    #expect(try test.numbers() == [nil])
    server.state.withLock { $0.refuses = { _ in nil } }
    try await test.replica.save(WaterEntry.sample())
    try await test.sync(server)
    #expect(try test.waitingCount == 0)
    let numbers = server.requests.compactMap(\.segment?.numbers)
    #expect(numbers == [[1], [2], [3]], "last, and once")
    #expect(server.records.count == 2)
  }

  /// The server remembers its refusals, even if it would accept the write now.
  @Test("a refusal whose answer was lost is told again, though the server would take it now")
  func refusalLost() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    server.state.withLock { $0.refuses = { $0.key.kind == .preference ? .quota : nil } }
    try await test.replica.setPreference("theme", to: "dusk")
    try await test.replica.save(WaterEntry.sample())
    var transport = ModelTransport(server: server)
    transport.cut = { _ in .afterServer }
    _ = try? await test.engine(transport).sync()
    server.state.withLock { $0.refuses = { _ in nil } }
    let report = try await test.sync(server)
    #expect(report.refused == 1 && report.pushed == 1)
    #expect(try test.replica.pending().map(\.refusal?.reason) == [.quota])
    #expect(try await test.sync(server).pushed == 1)
    #expect(server.records.count == 2)
  }

  @Test("a late answer of another sync settles nothing that it was not asked about")
  func lateAnswer() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    server.state.withLock { $0.refuses = { $0.key.kind == .preference ? .quota : nil } }
    try await test.replica.setPreference("theme", to: "dusk")
    let (request, page) = try await test.attempt()
    let refusal = try server.exchange(request, as: "secret-1")
    try await test.apply(refusal, to: request, page: page)
    try await test.replica.retryRefused(through: try await test.replica.lastRefused())
    let again = try await test.attempt()
    #expect(try test.numbers() == [2])
    // The first response arrives again: the entry has another number now.
    try await test.apply(refusal, to: request, page: page)
    #expect(try test.numbers() == [2])
    #expect(try test.replica.status().refusedCount == 0)
    server.state.withLock { $0.refuses = { _ in nil } }
    try await test.apply(
      try server.exchange(again.request, as: "secret-1"), to: again.request, page: again.page)
    #expect(try test.waitingCount == 0)
  }

  @Test(
    "nothing is judged twice, whatever is lost and repeated",
    arguments: seeds(12))
  func judgedOnce(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    var count = 0
    for _ in 0..<20 {
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        try await test.replica.save(WaterEntry.sample())
        count += 1
      }
      var transport = ModelTransport(server: server)
      let (cut, kind) = (
        Int.random(in: 0..<3, using: &random),
        ModelTransport.Cut.allCases.randomElement(using: &random)
      )
      transport.cut = { $0 == cut ? kind : nil }
      _ = try? await test.engine(transport).sync()
    }
    #expect(try await !test.sync(server).isRenewed)
    #expect(server.state.withLock { $0.judgedCount } == count)
    #expect(server.records == (try test.replica.allRecords()))
    // A settled log keeps only its tokens.
    #expect(try test.waitingCount == 0)
  }
}
