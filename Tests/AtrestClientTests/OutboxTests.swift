// SPDX-License-Identifier: Apache-2.0
// The rules of the outbox: which entries a write adds, and what removes them.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("The outbox", .timeLimit(.minutes(20)))
struct OutboxTests {
  @Test("a new record is offered whole, every field written, nothing replaced")
  func newRecord() throws {
    let test = try TestReplica(5)
    let session = try Session.sample()
    try test.replica.save(session)
    let offer = try #require(try test.offers().first)
    #expect(offer.written == [1, 2, 3])
    #expect(Set(offer.record.registers.map(\.stamp)).count == 1)
    #expect(offer.record.registers.allSatisfy { $0.replaced == nil })
    #expect(offer.record[1]?.value == [])
    #expect(offer.record[1]?.stamp.replica == ReplicaID(rawValue: 5))
    #expect(try test.replica.record(session.key) == offer.record)
  }

  @Test("saving what is stored already writes nothing")
  func unchanged() throws {
    let test = try TestReplica(5)
    let session = try Session.sample()
    try test.replica.save(session)
    let offers = try test.offers()
    test.clock.advance(1000)
    try test.replica.save(session)
    #expect(try test.offers() == offers)
  }

  @Test("an edit writes the changed field and the deletion flag, with one stamp")
  func onlyChangedFields() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(5)
    var session = try Session.sample()
    try await test.replica.save(session)
    try await test.sync(server)
    let before = try #require(try test.replica.record(session.key))

    session.targetMinutes = 18 * 60
    test.clock.advance(1)
    try await test.replica.save(session)
    let offer = try #require(try test.offers().first)
    #expect(offer.written == [1, 3])
    #expect(offer.record[2] == before[2])
    #expect(offer.record[1]?.stamp == offer.record[3]?.stamp)
    #expect(offer.record[3]?.replaced == before[3]?.stamp)
  }

  /// Seed 0x865a2 of 200 steps.
  @Test(
    "a write over one that was refused for its stamp goes behind it, one over a full account's not")
  func overRefused() async throws {
    for (reason, isBehind) in [(RefusalReason.clockSkew, true), (.quota, false)] {
      let test = try TestReplica(5)
      var session = try Session.sample()
      try await test.replica.save(session)
      let page = try await test.replica.nextPage(after: 0)
      let segment = try #require(page.segment)
      try await test.apply(
        ExchangeResponse(
          refusals: [Refusal(index: 0, reason: reason, message: "")], cursor: .start,
          serverTime: test.clock.now(),
          takenThrough: OutboxPosition(number: 1, token: segment.token)),
        to: ExchangeRequest(cursor: nil, offers: page.offers, segment: segment), page: page)
      session.targetMinutes += 60
      try await test.replica.save(session)
      #expect(try test.offers().count == (isBehind ? 2 : 1))
    }
  }

  /// Seed 0x8409b of 200 steps: the record alone would lack its span, so it is sent with the edit.
  @Test("a write goes behind one that may have been sent with its record, which a server had lost")
  func besideItsRecord() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(5)
    var session = try Session.sample()
    try await test.replica.save(session)
    try await test.sync(server)
    let lengthen = {
      session.targetMinutes += 60
      try await test.replica.save(session)
    }
    try test.replica.write { try $0.work.outbox.offerAgain(session.key, afterLoss: true) }
    try await lengthen()
    let sent = try test.replica.write { try $0.work.outbox.page(after: 0, of: 1) }
    try await lengthen()
    #expect(try test.offers().map(\.isRestored) == [true, false, false])
    // Seed 0x9296a: what was sent again was the record as it was by then.
    let again = try await test.replica.nextPage(after: 0)
    #expect(again.offers.first == sent.offers.first)
    #expect(again.segment?.numbers.first == sent.segment?.numbers.first)
  }

  @Test("edits before a push become one entry, written over the last acknowledged value")
  func editsFold() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(5)
    var session = try Session.sample()
    try await test.replica.save(session)
    try await test.sync(server)
    let acknowledged = try #require(try test.replica.record(session.key))

    session.targetMinutes = 17 * 60
    try await test.replica.save(session)
    session.targetMinutes = 18 * 60
    try await test.replica.save(session)
    session.span = try Session.sample(start: 3).span
    try await test.replica.save(session)

    let offers = try test.offers()
    #expect(offers.count == 1)
    #expect(offers[0].written == [1, 2, 3])
    for field: FieldNumber in [1, 2, 3] {
      #expect(offers[0].record[field]?.replaced == acknowledged[field]?.stamp)
    }
    #expect(try test.numbers() == [nil], "a number is given when it is sent")
  }

  @Test("a deletion is a write like any other, and an edit brings the record back whole")
  func deleteAndRevive() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(5)
    let session = try Session.sample()
    try await test.replica.save(session)
    try await test.sync(server)
    #expect(try test.replica.delete(session.key))
    #expect(try !test.replica.delete(session.key))
    #expect(try test.replica.session(session.id) == nil)
    #expect(try test.replica.sessions().isEmpty)
    #expect(try test.offers().first?.written == [1])
    try await test.sync(server)

    try await test.replica.save(session)
    #expect(try test.replica.session(session.id) == session)
    try await test.sync(server)
    #expect(server.records.first?.isDeleted == false)
  }

  @Test("deleting what is not there does nothing")
  func deleteNothing() throws {
    let test = try TestReplica(5)
    #expect(try !test.replica.delete(RecordKey(kind: .water, id: RecordUUID.random().bytes)))
    #expect(try test.waitingCount == 0)
  }

  @Test("an acknowledgement on its way does not take away a newer edit", arguments: [0, 1])
  func editWhileInFlight(call: Int) async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(5)
    let id = RecordUUID.random()
    try await test.replica.save(WaterEntry.sample(id: id, 100))
    if call == 1 {
      try await test.sync(server)
      try await test.replica.save(WaterEntry.sample(id: id, 200))
    }
    let newest = try WaterEntry.sample(id: id, 300)
    let second = try test.reopened()
    var transport = ModelTransport(server: server)
    transport.meanwhile = { if $0 == 0 { try second.save(newest) } }
    let report = try await test.engine(transport).sync()
    #expect(report.pushed == 2)
    #expect(transport.calls.count == 2)
    #expect(try test.waitingCount == 0)
    #expect(try server.records.first.map { try WaterEntry($0) } == newest)
    #expect(server.journal.isEmpty, "our own writes follow each other")
  }

  @Test("an acknowledgement takes out the bytes it was given for, and nothing newer")
  func acknowledgement() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(5)
    let id = RecordUUID.random()
    try await test.replica.save(WaterEntry.sample(id: id, 100))
    try await test.replica.save(WaterEntry.sample())
    let (request, page) = try await test.attempt()
    let answer = try server.exchange(request)
    try await test.replica.save(WaterEntry.sample(id: id, 200))
    try await test.replica.setPreference("theme", to: "dusk")
    try await test.apply(answer, to: request, page: page)
    #expect(try test.offers().map(\.record.key.kind) == [.water, .preference])
    #expect(try test.offers().first.map { try WaterEntry($0.record) }?.intake.millilitres == 200)
    #expect(try await test.replica.position().cursor == answer.cursor)
  }

  @Test("a pending write that lost to a pulled one is still pushed and journalled")
  func pullOverPending() async throws {
    let scene = try await Disagreement()
    let (server, mine, theirs, id) = (scene.server, scene.mine, scene.theirs, scene.id)
    // The pull arrives without the push: another process of this device sent an empty request.
    let quiet = ExchangeRequest(cursor: try await mine.replica.position().cursor)
    try await mine.apply(try server.exchange(quiet), to: quiet)
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 300)
    mine.clock.advance(9000)
    try await mine.replica.save(WaterEntry.sample(id: id, 400))

    let offers = try mine.offers()
    try #require(offers.count == 2, "the write that lost waits as it was written")
    let theirRecord = try #require(try theirs.replica.record(offers[0].record.key))
    #expect(offers[1].record[2]?.replaced == theirRecord[2]?.stamp)

    try await mine.sync(server)
    try await theirs.sync(server)
    #expect(server.journal.map { FieldValue($0.lost, of: .water) }.count == 1)
    let lost = try #require(try await theirs.replica.conflicts().first)
    #expect(lost.lost == .intake(try WaterEntry.sample(200).intake))
    #expect(lost.kept == .intake(try WaterEntry.sample(300).intake))
    #expect(try mine.replica.digest() == theirs.replica.digest())
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 400)
  }

  /// Found by the simulator: the record was on the next page, and the server does not accept
  /// partial records.
  @Test("a value of a record that has not arrived yet is not restored")
  func restoredBeforeItsRecord() async throws {
    let test = try TestReplica(1)
    func stamp(_ number: UInt64) -> Stamp {
      Stamp(time: HybridTime(rawValue: number), replica: ReplicaID(rawValue: number))
    }
    let conflict = Conflict(
      key: RecordKey(kind: .session, id: [UInt8](repeating: 7, count: 16)), field: 3,
      lost: Register(field: 3, stamp: stamp(5), value: [24, 16]),
      kept: Register(field: 3, stamp: stamp(6), value: [24, 18]), noticed: test.clock.now())
    _ = try await test.replica.merge(
      records: [conflict.journalRecord.encoded], offering: [], at: nil)
    let entry = try #require(try await test.replica.conflicts().first)
    #expect(throws: ReplicaError.self) { try test.replica.restore(entry) }
    let left = try await test.replica.conflicts()
    #expect(try test.waitingCount == 0 && left == [entry])
  }

  /// Seed 0x6b7 of 200 steps: the record still equalled the entry, so nothing was written and the
  /// entry was dropped.
  @Test("nor is one of a record whose deletion has not arrived yet")
  func restoredBeforeItsDeletion() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    for test in [mine, theirs] { try await test.sync(server) }
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    theirs.clock.advance(5000)
    try theirs.replica.delete(try WaterEntry.sample(id: id).key)
    for test in [mine, theirs] { try await test.sync(server) }
    let conflict = try #require(server.journal.first)
    _ = try await mine.replica.merge(
      records: [conflict.journalRecord.encoded], offering: [],
      at: mine.replica.position().cursor)
    let entry = try #require(try await mine.replica.conflicts().first)
    #expect(throws: ReplicaError.self) { try mine.replica.restore(entry) }

    try await mine.sync(server)
    try await mine.replica.restore(entry)
    try await mine.sync(server)
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 200)
    await #expect(try mine.replica.conflicts().isEmpty)
  }

  @Test("a write that overwrites a value it has not seen is journalled, and can be restored")
  func conflictAndRestore() async throws {
    let scene = try await Disagreement()
    let (server, mine, theirs) = (scene.server, scene.mine, scene.theirs)
    for test in [mine, theirs] { try await test.sync(server) }

    let entry = try #require(try await theirs.replica.conflicts().first)
    await #expect(try theirs.replica.conflicts().count == 1)
    #expect(entry.lost == .intake(try WaterEntry.sample(200).intake))
    #expect(entry.conflict.lost.stamp.replica == ReplicaID(rawValue: 1))
    try await mine.replica.restore(entry)
    #expect(try mine.replica.waterEntry(scene.id)?.intake.millilitres == 200)
    await #expect(try mine.replica.conflicts().isEmpty)
    try await mine.sync(server)
    try await theirs.sync(server)
    #expect(try theirs.replica.waterEntry(scene.id)?.intake.millilitres == 200)
    await #expect(try theirs.replica.conflicts().isEmpty)
    #expect(server.journal.count == 1, "a restore is no new conflict")
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  @Test("a lost deletion can be restored")
  func restoreDeletion() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let water = try WaterEntry.sample()
    try await mine.replica.save(water)
    try await mine.sync(server)
    try await theirs.sync(server)
    try theirs.replica.delete(water.key)
    mine.clock.advance(5000)
    try await mine.replica.save(WaterEntry.sample(id: water.id, 200))
    try await theirs.sync(server)
    try await mine.sync(server)
    let entry = try #require(try await mine.replica.conflicts().first)
    #expect(entry.lost == .deleted(true))
    #expect(entry.kept == .deleted(false))
    try await mine.replica.restore(entry)
    #expect(try mine.replica.waterEntry(water.id) == nil)
  }

  @Test("conflicts are listed until the server deletes them, whatever this device's clock shows")
  func oldConflicts() async throws {
    let server = ModelServer(clock: TestClock())
    let (mine, theirs) = (try TestReplica(1), try TestReplica(2))
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    try await theirs.replica.save(WaterEntry.sample(id: id, 200))
    try await mine.sync(server)
    try await theirs.sync(server)
    try await mine.sync(server)
    await #expect(try mine.replica.conflicts().count == 1)
    mine.clock.advance(2 * Conflict.retentionMilliseconds)
    await #expect(try mine.replica.conflicts().count == 1)
  }

  @Test("a refused write stays, is listed with its reason, and is offered once a sync")
  func refused() async throws {
    let server = ModelServer(clock: TestClock())
    server.state.withLock { $0.refuses = { $0.key.kind == .preference ? .invalid : nil } }
    let test = try TestReplica(5)
    try await test.replica.setPreference("theme", to: "dusk")
    try await test.replica.save(WaterEntry.sample())
    let report = try await test.sync(server)
    #expect(report.pushed == 1 && report.refused == 1)
    let pending = try test.replica.pending()
    #expect(pending.map(\.key.kind) == [.preference])
    #expect(pending.first?.refusal?.reason == .invalid)
    #expect(pending.first?.refusal?.message == "It was refused.")
    #expect(try test.replica.status().refusedCount == 1)
    await #expect(try test.replica.preference("theme") == "dusk")

    let before = server.requests.count
    try await test.sync(server)
    #expect(server.requests.dropFirst(before).filter { !$0.offers.isEmpty }.count == 1)

    server.state.withLock { $0.refuses = { _ in nil } }
    try await test.sync(server)
    #expect(try test.waitingCount == 0)
    #expect(server.records.count == 2)
  }

  @Test("editing a refused record offers it anew, in place of what was refused")
  func editRefused() async throws {
    let server = ModelServer(clock: TestClock())
    server.state.withLock {
      $0.refuses = { (try? PreferenceField.value(of: $0)) == "bad" ? .invalid : nil }
    }
    let test = try TestReplica(5)
    try await test.replica.setPreference("theme", to: "bad")
    try await test.sync(server)
    try await test.replica.setPreference("theme", to: "good")
    #expect(try test.replica.pending().map(\.refusal) == [nil])
    #expect(try test.numbers() == [nil])
    try await test.sync(server)
    #expect(try test.waitingCount == 0)
  }

  @Test("many actions in one transaction have stamps of their own")
  func batch() throws {
    let test = try TestReplica(5)
    try test.replica.transaction { transaction in
      for amount in 1...1000 { try transaction.save(WaterEntry.sample(amount)) }
    }
    let stamps = try test.offers().map { $0.record.registers[0].stamp }
    #expect(Set(stamps).count == 1000)
    #expect(stamps == stamps.sorted())
  }

  @Test("pages are bounded by count and by bytes, and hold everything in order")
  func pages() async throws {
    let test = try TestReplica(5)
    let long = String(repeating: "x", count: 4000)
    try test.replica.transaction { transaction in
      for index in 0..<200 { try transaction.setPreference("key \(index)", to: long) }
      for _ in 0..<1500 { try transaction.save(WaterEntry.sample()) }
    }
    // In the second case, half of the pages already have numbers.
    for known in [0, 850] {
      var (sequences, numbers): ([Int64], [UInt64]) = ([], [])
      while known == 0 ? sequences.count < 850 : true {
        let page = try await test.replica.nextPage(after: numbers.last ?? 0)
        guard let segment = page.segment, !page.offers.isEmpty else { break }
        #expect(page.offers.count <= Page.records)
        #expect(page.offers.reduce(0) { $0 + $1.count } <= Page.recordBytes)
        #expect(segment.numbers.count == page.offers.count)
        sequences += page.sequences
        numbers += segment.numbers
      }
      #expect(sequences.count == 1700 || known == 0)
      #expect(sequences == sequences.sorted())
      #expect(numbers == Array(1...UInt64(numbers.count)))
    }
  }

  @Test("what cannot be stored is refused before anything is written")
  func invalid() throws {
    let test = try TestReplica(5)
    let digest = try test.replica.digest()
    func rejects(_ body: () throws -> Void) {
      #expect {
        try body()
      } throws: { error in
        ReplicaError.Code.invalid ~= error
      }
    }
    rejects { try test.replica.setPreference("", to: "x") }
    rejects { try test.replica.setPreference(String(repeating: "k", count: 97), to: "x") }
    rejects { try test.replica.setPreference("k", to: String(repeating: "v", count: 4097)) }
    rejects { try test.replica.setPreference("k", to: "a\0b") }
    rejects { try test.replica.save(Session.sample(target: 0)) }
    #expect(try test.replica.digest() == digest)
    #expect(try test.waitingCount == 0)
    try test.replica.setPreference("empty", to: "")
    #expect(try test.replica.preferences() == ["empty": ""])
  }
}
