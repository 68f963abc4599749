// SPDX-License-Identifier: Apache-2.0
// Records lost in a server restore and offered again by the devices.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("What a server lost", .timeLimit(.minutes(20)))
struct LostRecordTests {
  /// A server and two up-to-date devices with one fast.
  private func twoInStep() async throws -> (ModelServer, TestReplica, TestReplica, Session) {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let session = try Session.sample()
    try await mine.replica.save(session)
    for test in [mine, theirs] { try await test.sync(server) }
    return (server, mine, theirs, session)
  }

  @Test("put back to before a record was brought back, and pruning it then, lists that")
  func revivedRecord() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    var session = try Session.sample()
    try await test.replica.save(session)
    try await test.sync(server)
    try test.replica.delete(session.key)
    try await test.sync(server)
    let copy = server.backUp()
    session.targetMinutes += 60
    try await test.replica.save(session)
    try await test.sync(server)
    server.restore(copy)
    let pruned = try #require(server.records.first).pruned()
    #expect(pruned.floor != nil)
    server.state.withLock { $0.put(pruned) }

    for _ in 0..<2 { try await test.sync(server) }
    #expect(try test.replica.record(session.key) == pruned)
    let entry = try #require(try await test.replica.conflicts().first)
    #expect(try test.waitingCount == 0)
    try await test.replica.restore(entry)
    try await test.sync(server)
    #expect(try test.replica.session(session.id) == session)
  }

  @Test("lists its edit of a record that was pruned meanwhile, and can write it back whole")
  func editedWhilePruned() async throws {
    let (server, mine, theirs, start) = try await twoInStep()
    try theirs.replica.delete(start.key)
    let deletion = try #require(try theirs.replica.record(start.key))
    mine.clock.advance(60_000)
    let session = try Session.sample(id: start.id, start: -5, target: start.targetMinutes)
    try await mine.replica.save(session)
    let quiet = ExchangeRequest(cursor: try await mine.replica.position().cursor)
    let answer = ExchangeResponse(
      records: [deletion.pruned().encoded], cursor: quiet.cursor ?? .start,
      serverTime: mine.clock.now())
    try await mine.apply(answer, to: quiet)
    #expect(try mine.replica.session(start.id) == nil, "the deletion is final")

    server.state.withLock { $0.put(deletion.pruned()) }
    for _ in 0..<2 { try await mine.sync(server) }
    #expect(server.records == (try mine.replica.allRecords()))
    let entry = try #require(try await mine.replica.conflicts().first)
    try await mine.replica.restore(entry)
    try await mine.sync(server)
    for _ in 0..<2 { try await theirs.sync(server) }
    for test in [mine, theirs] { #expect(try test.replica.session(start.id) == session) }
  }

  /// Seed 0x88ef0 of 200 steps: the account was full, so the server took one and not the other.
  @Test("offers again what a server took that did not have what beat it, if it goes back again")
  func takenWithoutWhatBeatIt() async throws {
    let (server, mine, theirs, start) = try await twoInStep()
    let copy = server.backUp()
    func edit(_ test: TestReplica, after seconds: Int64) async throws -> Register {
      var session = start
      test.clock.advance(seconds * 1000)
      session.targetMinutes += Int(seconds)
      try await test.replica.save(session)
      return try #require(try test.replica.record(start.key)?[SessionField.target])
    }
    let lost = try await edit(mine, after: 1)
    let kept = try await edit(theirs, after: 2)
    try await theirs.sync(server)
    server.state.withLock { $0.refuses = { _ in .quota } }
    try await mine.sync(server)
    #expect(try mine.replica.record(start.key)?[SessionField.target] == kept)

    // A server without the later edit takes the earlier one, and has no room for the later one.
    server.restore(copy)
    server.state.withLock { $0.refuses = { $0[SessionField.target] == kept ? .quota : nil } }
    for _ in 0..<2 { try await mine.sync(server) }
    #expect(server.records.first { $0.key == start.key }?[SessionField.target] == lost)
    server.restore(copy)
    server.state.withLock { $0.refuses = { _ in nil } }
    for _ in 0..<2 { try await mine.sync(server) }
    #expect(server.records.first { $0.key == start.key }?[SessionField.target] == kept)
    #expect(server.journal.map(\.lost) == [lost])
    #expect(try mine.waitingCount == 0)
  }

  /// Seed 0x1de of 200 steps: the journal listed the action, but its value was gone everywhere.
  @Test("gets an entry back whose action the server, which pruned the record, never had")
  func prunedBeforeItWasBack() async throws {
    let (server, mine, theirs, start) = try await twoInStep()
    var session = start
    let copy = server.backUp()
    mine.clock.advance(1000)
    session.targetMinutes += 60
    try await mine.replica.save(session)
    theirs.clock.advance(2000)
    try theirs.replica.delete(session.key)
    let deletion = try #require(try theirs.replica.record(session.key))
    for test in [mine, theirs, mine] { try await test.sync(server) }
    let value = try #require(try mine.replica.record(session.key)?[SessionField.target])
    try #require(server.journal.map(\.field) == [Register.deletedField])

    server.restore(copy)
    server.state.withLock { $0.put(deletion.pruned()) }
    for _ in 0..<2 { try await mine.sync(server) }
    #expect(server.journal.map(\.values) == [[value]])
  }

  @Test("lists what was written to a record that it lost, and pruned meanwhile")
  func lostUnderPruning() async throws {
    let (server, mine, theirs, start) = try await twoInStep()
    let third = try TestReplica(3)
    try await third.sync(server)
    let copy = server.backUp()
    var session = start
    mine.clock.advance(1000)
    session.span = try later(start, by: 60)
    try await mine.replica.save(session)
    try await mine.sync(server)
    let lost = try #require(try mine.replica.record(session.key)?[SessionField.span])
    server.restore(copy)

    theirs.clock.advance(2000)
    try theirs.replica.delete(session.key)
    try await theirs.sync(server)
    server.state.withLock { [pruned = server.records[0].pruned()] in $0.put(pruned) }
    mine.clock.advance(60_000)
    session.targetMinutes += 60
    try await mine.replica.save(session)
    third.clock.advance(120_000)
    var other = start
    other.span = try later(start, by: 120)
    try await third.replica.save(other)
    for test in [mine, third, theirs, mine] { try await test.sync(server) }
    #expect(try mine.replica.session(session.id) == nil)
    #expect(server.journal.flatMap(\.values).contains(lost))
    #expect(server.journal.count == 3)
    #expect(try mine.replica.digest() == third.replica.digest())
  }

  private func later(_ session: Session, by seconds: TimeInterval) throws -> Session.Span {
    let start = session.span.start.advanced(bySeconds: seconds)
    return try #require(Session.Span(start: start, end: nil, outcome: .active))
  }

  /// Found by the simulator: a pending entry covered the record, so the server's loss beside it was
  /// not offered separately.
  @Test(
    "put back from a copy notes what it lost and another has written over, beside a write that waits"
  )
  func lostBesideWaiting() async throws {
    let (server, mine, theirs, start) = try await twoInStep()
    var session = start
    let copy = server.backUp()
    mine.clock.advance(1000)
    let span = try #require(
      Session.Span(start: session.span.start.advanced(bySeconds: 60), end: nil, outcome: .active))
    session.span = span
    try await mine.replica.save(session)
    try await mine.sync(server)
    let lost = try #require(try mine.replica.record(session.key)?[SessionField.span])
    server.restore(copy)

    theirs.clock.advance(2000)
    var other = try #require(try theirs.replica.session(session.id))
    other.span = try #require(
      Session.Span(start: session.span.start.advanced(bySeconds: 120), end: nil, outcome: .active))
    try await theirs.replica.save(other)
    try await theirs.sync(server)
    session.targetMinutes += 60
    try await mine.replica.save(session)
    for test in [mine, theirs, mine] { try await test.sync(server) }
    #expect(server.journal.map(\.lost).contains(lost))
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  /// Seed 0x1c9 of 200 steps: a full account refused the pending write, and the values it would
  /// have brought along were never judged.
  @Test(
    "is offered what it lost as restored, though a write of the record waits",
    arguments: [true, false])
  func restoredBesideWaiting(isLoss: Bool) async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    var session = try Session.sample()
    try await test.replica.save(session)
    try await test.sync(server)
    session.targetMinutes += 60
    try await test.replica.save(session)
    try test.replica.write { transaction in
      for _ in 0..<2 { try transaction.work.outbox.offerAgain(session.key, afterLoss: isLoss) }
    }
    let offers = try await test.attempt().page.offers.map { try Offer(decoding: $0) }
    #expect(offers.map(\.isRestored) == (isLoss ? [false, true] : [false]))
    let record = try #require(try test.replica.record(session.key))
    #expect(
      offers.last?.record[SessionField.span] == record[SessionField.span]
        && offers.last?.written.contains(SessionField.span) == false)
  }

  /// Found by the simulator: the device had to pair again, and assumed that the server had lost
  /// nothing.
  @Test("put back, knows nothing of a device, and learns from it what was pruned")
  func forgotDevice() async throws {
    let (server, mine, theirs, start) = try await twoInStep()
    var session = start
    try mine.replica.delete(session.key)
    for test in [mine, theirs] { try await test.sync(server) }
    let copy = server.backUp()
    let pruned = try #require(server.records.first).pruned()
    server.state.withLock { $0.put(pruned) }
    try await mine.sync(server)
    #expect(try mine.replica.record(session.key) == pruned)
    server.restore(copy)

    theirs.clock.advance(1000)
    session.span = try #require(
      Session.Span(start: session.span.start.advanced(bySeconds: 60), end: nil, outcome: .active))
    try await theirs.replica.save(session)
    try await theirs.sync(server)
    try mine.replica.unpair()
    try mine.pair(3)
    let action = try #require(try theirs.replica.record(session.key)?[Register.deletedField])
    for test in [mine, theirs, mine] { try await test.sync(server) }
    #expect(try theirs.replica.record(session.key) == pruned)
    #expect(server.journal.map(\.lost) == [action], "what it had taken since")
    #expect(try mine.waitingCount == 0)
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  @Test("put back from a copy gets back what it lost, and only that")
  func restored() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    for _ in 0..<200 { try await mine.replica.save(WaterEntry.sample()) }
    try await mine.sync(server)
    try await theirs.sync(server)
    let copy = server.backUp()
    let lost = [try WaterEntry.sample(), try WaterEntry.sample()]
    try await mine.replica.save(lost[0])
    try await theirs.replica.save(lost[1])
    try await mine.sync(server)
    try await theirs.sync(server)
    server.restore(copy)

    let waiting = try WaterEntry.sample()
    try await mine.replica.save(waiting)
    let transport = ModelTransport(server: server)
    let report = try await mine.engine(transport).sync()
    #expect(report.restarted && !report.isRenewed)
    #expect(report.pushed == 2, "what waited, and what was lost")
    #expect(transport.traffic.value.bytes < 4000)
    #expect(try await mine.replica.reconcileDemand() == nil)
    try await theirs.sync(server)
    try await mine.sync(server)
    #expect(try mine.replica.digest() == theirs.replica.digest())
    #expect(try mine.replica.allRecords() == server.records)
    #expect(server.records.count == 203)
    #expect(try await !mine.sync(server).restarted)
  }

  @Test(
    "gets what it lost as acknowledged once, and new to nobody",
    arguments: [true, false])
  func offeredAsRestored(isLoss: Bool) async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let water = try WaterEntry.sample()
    try await test.replica.save(water)
    try await test.sync(server)
    if isLoss {
      server.wipe()
    } else {
      // No loss was reported: the comparison finds the difference.
      server.state.withLock { state in
        state.records[water.key] = nil
        state.sorted = nil
      }
      try await test.replica.writing { $0.work.demandReconcile(afterLoss: false) }
    }
    let count = server.requests.count
    #expect(try await test.sync(server).restarted == isLoss)
    let offers = try server.requests[count...].flatMap(\.offers).map { try Offer(decoding: $0) }
    let record = try #require(try test.replica.record(water.key))
    #expect(offers == [Offer(record: record, written: [], isRestored: isLoss)])
    #expect(server.records == [record])
  }

  /// Found by the simulator: by the time of the new offer, the record was the other device's.
  @Test("gets what it lost, too, where somebody wrote over it before it was offered")
  func overtakenRestore() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    try await mine.sync(server)
    try await theirs.sync(server)
    let copy = server.backUp()
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    try await mine.sync(server)
    server.restore(copy)

    var transport = ModelTransport(server: server)
    let isWritten = Shared(false)
    transport.before = { call in
      // After the comparison and before the offer.
      guard call > 0, !isWritten.value else { return }
      isWritten.value = true
      theirs.clock.advance(1000)
      try await theirs.replica.save(WaterEntry.sample(id: id, 300))
      try await theirs.sync(server)
    }
    try await mine.engine(transport).sync()
    #expect(isWritten.value)
    let lost = FieldValue.intake(try WaterEntry.sample(200).intake)
    #expect(server.journal.map { FieldValue($0.lost, of: .water) } == [lost])
    try await theirs.sync(server)
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  /// A replica that has to offer water again because its server lost it, and another device's later
  /// record of that water, not received yet.
  private func afterLoss() async throws -> (
    mine: TestReplica, server: ModelServer, water: WaterEntry, received: Record
  ) {
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let server = ModelServer(clock: TestClock())
    let water = try WaterEntry.sample(200)
    try await mine.replica.save(water)
    try await mine.sync(server)
    try await mine.replica.writing { try $0.work.outbox.offerAgain(water.key, afterLoss: true) }
    theirs.clock.advance(1000)
    try await theirs.replica.save(WaterEntry.sample(id: water.id, 300))
    let received = try #require(try theirs.replica.record(water.key))
    return (mine, server, water, received)
  }

  @Test("what is to be offered after a loss does not go before, however long the server refuses it")
  func refusedRestore() async throws {
    let (mine, server, water, received) = try await afterLoss()
    let held = try #require(try mine.replica.record(water.key))
    _ = try await mine.replica.merge(
      records: [received.encoded], offering: [], at: server.head)
    #expect(try mine.replica.record(water.key) == received)
    #expect(try mine.offers().contains(Offer(record: held, written: [], isRestored: true)))
  }

  @Test("what was sent after a loss is offered again as it is by now, after the next loss")
  func lostAgain() async throws {
    let (mine, server, water, received) = try await afterLoss()
    let sent = try await mine.replica.nextPage(after: 0).offers
    _ = try await mine.replica.merge(records: [received.encoded], offering: [], at: server.head)
    for _ in 0..<2 {
      try await mine.replica.writing { try $0.work.outbox.offerAgain(water.key, afterLoss: true) }
    }
    let again = Offer(record: received, written: [], isRestored: true)
    #expect(try await mine.replica.nextPage(after: 0).offers == sent + [again.encoded])
  }

  @Test("what is offered again waits once, and not beside a write of the same record")
  func offeredOnce() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let entries = try (0..<2).map { _ in try WaterEntry.sample() }
    for entry in entries { try await test.replica.save(entry) }
    try await test.sync(server)
    try await test.replica.save(WaterEntry.sample(id: entries[0].id, 300))
    let keys = entries.map(\.key) + [try WaterEntry.sample().key]
    for _ in 0..<2 {
      _ = try await test.replica.merge(records: [], offering: keys, at: server.head)
    }
    let pending = try test.replica.pending()
    #expect(pending.map(\.key) == [keys[0], keys[1]])
    #expect(pending.map(\.written.isEmpty) == [false, true])
  }
}
