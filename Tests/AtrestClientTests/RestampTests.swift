// SPDX-License-Identifier: Apache-2.0
// Restamping, record by record, on a device whose clock was ahead.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("Stamping again", .timeLimit(.minutes(20)))
struct RestampTests {
  private static let hour: Int64 = 3_600_000

  /// Learns a server's time and restamps by it.
  private func restamp(_ test: TestReplica, by server: TestClock) async throws {
    let quiet = ExchangeRequest(cursor: try await test.replica.position().cursor)
    let answer = ExchangeResponse(cursor: quiet.cursor ?? .start, serverTime: server.now())
    try await test.apply(answer, to: quiet)
    try await test.replica.restamp(at: test.clock.now())
  }

  /// The record arrives as another device's deletion and the server's pruning left it.
  private func pullPruned(
    _ key: RecordKey, deletedAfter time: HybridTime, into test: TestReplica
  ) throws {
    let later = Stamp(
      time: HybridTime(time.wallTime.advanced(by: 30_000)), replica: ReplicaID(rawValue: 9))
    let floor = Register(
      field: Register.pruneFloorField, stamp: later, value: Register.pruneFloorValue)
    var pruned = Record(key: key)
    pruned.set(Register(field: Register.deletedField, stamp: later, value: Register.deletedValue))
    pruned.set(floor)
    let encoded = pruned.encoded
    try test.replica.write { transaction in
      var applied = AppliedAnswer()
      try transaction.work.merge([encoded], into: &applied)
    }
  }

  private func time(_ test: TestReplica, _ key: RecordKey) throws -> HybridTime {
    try #require(try test.replica.record(key)?.latestTime)
  }

  /// The time of a write that is made now.
  private func nextTime(_ test: TestReplica) async throws -> HybridTime {
    let next = try WaterEntry.sample()
    try await test.replica.save(next)
    return try time(test, next.key)
  }

  @Test(
    "moves what is too far ahead to when it was written by the server's clock, and nothing else")
  func onlyTooFarAhead() async throws {
    let server = TestClock()
    let test = try TestReplica(1)
    let (right, borne, ahead) = (
      try WaterEntry.sample(), try WaterEntry.sample(), try WaterEntry.sample()
    )
    try await test.replica.save(right)
    test.clock.advance(59_000)
    try await test.replica.save(borne)
    test.clock.advance(10 * 365 * 24 * Self.hour)
    try await test.replica.save(ahead)
    let before = try [right, borne].map { try time(test, $0.key) }
    test.clock.advance(5000)
    try await restamp(test, by: server)
    #expect(try [right, borne].map { try time(test, $0.key) } == before)
    #expect(
      try time(test, ahead.key).wallTime.milliseconds == server.now().milliseconds - 5000)
    for offer in try test.offers() {
      #expect(try test.replica.record(offer.record.key) == offer.record)
    }
    // After the excursion, the next write gets the present time.
    #expect(
      try await nextTime(test).wallTime.milliseconds <= server.now().milliseconds + 59_000)
  }

  /// Defect D2: one edit of a record with a far-ahead stamp blocked all later writes of the device.
  @Test("holds no record back for another one's stamp")
  func acrossRecords() async throws {
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    server.state.withLock { $0.isSkewJudgedByClock = true }
    let test = try TestReplica(1)
    let frozen = try WaterEntry.sample(100)
    // The server's clock is a year ahead and the device follows it. Then the server's clock is
    // corrected.
    clock.advance(365 * 24 * Self.hour)
    test.clock.set(clock.now().milliseconds)
    try await test.replica.save(frozen)
    try await test.sync(server)
    let far = try time(test, frozen.key)
    clock.advance(-365 * 24 * Self.hour)
    test.clock.set(clock.now().milliseconds)
    try await test.replica.save(WaterEntry.sample(id: frozen.id, 200))
    let others = try (0..<3).map { _ in try WaterEntry.sample() }
    for entry in others { try await test.replica.save(entry) }

    let report = try await test.sync(server)
    #expect(report.refused == 1, "by the clock alone, what follows on the far stamp is refused")
    #expect(try test.replica.pending().map(\.key) == [frozen.key])
    #expect(try time(test, frozen.key) > far, "it never loses to what it was written over")
    for entry in others {
      #expect(try time(test, entry.key) <= HybridTime(clock.now().advanced(by: 60_000)))
    }
    // Judged by what the account holds, it is accepted.
    server.state.withLock { $0.isSkewJudgedByClock = false }
    try await test.sync(server)
    #expect(try test.waitingCount == 0)
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("pays no regard to when the App Store says that a purchase was signed")
  func purchases() async throws {
    let server = TestClock()
    let test = try TestReplica(1)
    let year = 365 * 24 * Self.hour
    let signed = server.now().milliseconds + 5 * year
    let claims = #"{"transactionId":"1","signedDate":\#(signed)}"#
    let payload = Data(claims.utf8).base64EncodedString().filter { $0 != "=" }
    try test.replica.keep(signedTransaction: Array("head.\(payload).signature".utf8))
    test.clock.advance(10 * year)
    try await test.replica.save(WaterEntry.sample())
    try await restamp(test, by: server)
    #expect(
      try await nextTime(test).wallTime.milliseconds <= server.now().milliseconds + 59_000)
  }

  @Test("leaves what was refused for another reason in the sync's report")
  func reported() async throws {
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    server.state.withLock { $0.refuses = { $0.key.kind == .preference ? .quota : nil } }
    let test = try TestReplica(1)
    test.clock.set(clock.now().milliseconds)
    try await test.replica.setPreference("theme", to: "dark")
    test.clock.advance(3 * Self.hour)
    try await test.replica.save(WaterEntry.sample())
    let report = try await test.sync(server)
    #expect(try test.replica.pending().map { $0.refusal?.reason } == [.quota])
    #expect(report.pushed == 1 && report.refused == 1 && report.overQuota == 1)
  }

  @Test(
    "keeps each record's order, and neither what was acknowledged nor what was sent changes",
    arguments: seeds(40))
  func law(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    let test = try TestReplica(1)
    let ids = (0..<3).map { _ in random.uuid() }
    for round in 0..<2 {
      for _ in 0..<8 {
        test.clock.advance(Int64.random(in: -300_000...600_000, using: &random))
        let id = try #require(ids.randomElement(using: &random))
        if random.oneIn(4) {
          try test.replica.delete(RecordKey(kind: .water, id: id.bytes))
        } else {
          try await test.replica.save(
            WaterEntry.sample(id: id, Int.random(in: 1...2000, using: &random)))
        }
        // Some are sent and get no response.
        if random.oneIn(5), round == 1 { _ = try await test.replica.nextPage(after: 0) }
      }
      if round == 0 {
        test.clock.set(clock.now().milliseconds)
        try await test.sync(server)
      }
    }
    struct Entry {
      var number: UInt64?
      var offer: Offer
    }
    func entries() throws -> [Entry] {
      try zip(test.numbers(), test.offers()).map { Entry(number: $0, offer: $1) }
    }
    let acknowledged = Set(server.records.flatMap(\.registers))
    let before = try entries()
    try await restamp(test, by: clock)
    let after = try entries()
    try #require(after.count == before.count)
    let limit = HybridTime(clock.now().advanced(by: 60_000))
    var last: [RecordKey: Stamp] = [:]
    for (old, new) in zip(before, after) {
      #expect(new.number == old.number && new.offer.written == old.offer.written)
      #expect(new.offer.record.message == old.offer.record.message, "no value changes")
      if old.number != nil { #expect(new.offer == old.offer, "seed \(seed)") }
      for field in new.offer.written {
        let (oldRegister, register) = (
          try #require(old.offer.record[field]), try #require(new.offer.record[field])
        )
        #expect(register.replaced.map { $0 < register.stamp } ?? true, "seed \(seed)")
        #expect(last[old.offer.record.key].map { $0 < register.stamp } ?? true, "seed \(seed)")
        let before = new.offer.record.registers.compactMap {
          new.offer.written.contains($0.field) ? $0.replaced : $0.stamp
        }
        #expect(before.allSatisfy { $0 < register.stamp }, "seed \(seed)")
        if oldRegister.stamp.time <= limit, new.offer == old.offer || register != oldRegister {
          // Only an earlier write of the same record can have shifted it.
          #expect(
            register.stamp == oldRegister.stamp || last[old.offer.record.key] != nil,
            "seed \(seed)")
        }
      }
      last[old.offer.record.key] = new.offer.record[Register.deletedField]?.stamp
      for register in old.offer.record.registers where acknowledged.contains(register) {
        #expect(new.offer.record[register.field] == register, "seed \(seed)")
      }
    }
    // The record equals its youngest entry, and all of it is synced.
    for key in Set(after.map(\.offer.record.key)) {
      let youngest = after.last { $0.offer.record.key == key }
      #expect(try test.replica.record(key) == youngest?.offer.record, "seed \(seed)")
    }
    let held = try test.replica.water().map(\.intake.millilitres)
    try await test.sync(server)
    #expect(try test.waitingCount == 0, "seed \(seed)")
    #expect(try test.replica.water().map(\.intake.millilitres) == held, "seed \(seed)")
    #expect(server.records == (try test.replica.allRecords()), "seed \(seed)")
    #expect(server.journal.isEmpty, "seed \(seed)")
  }

  /// Seed 0xf5cc9 of 40 steps: with another field's stamp, a deletion counted as knowing the write,
  /// and no entry reported it.
  @Test("keeps a write later than all that its record held, whatever field it wrote")
  func beyondOtherFields() async throws {
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    let test = try TestReplica(1)
    let id = RecordUUID.random()
    func edit(_ round: Int) throws {
      try test.replica.save(Session.sample(id: id, start: round - 1, target: 600 + round))
      try test.replica.save(Session.sample(id: id, start: round, target: 600 + round))
    }
    try edit(1)
    try await test.sync(server)
    let key = RecordKey(kind: .session, id: id.bytes)
    let held = try time(test, key)
    // From here on the server's clock is an hour behind.
    clock.advance(-Self.hour)
    try edit(2)
    let offer = try #require(try test.offers().first)
    #expect(Set(offer.record.registers.map(\.stamp)).count == 2, "two actions wait as one")
    try await restamp(test, by: clock)
    let record = try #require(try test.replica.record(key))
    #expect(record.registers.allSatisfy { $0.stamp.time > held })
    #expect(Set(record.registers.map(\.stamp)).count == 2)
    #expect(record.registers.allSatisfy { $0.stamp.time.wallTime <= held.wallTime })
  }

  /// Seed 0x113 of 200 steps: a write restored after a loss is offered beside the pending ones.
  @Test("leaves a write its time under a new identity, though two entries offer it")
  func offeredTwice() throws {
    let test = try TestReplica(1)
    let entry = try WaterEntry.sample()
    try test.replica.save(entry)
    let offer = try #require(try test.offers().first)
    let written = try time(test, entry.key)
    try test.replica.write { transaction in
      var again = offer
      again.isRestored = true
      try transaction.work.outbox.append(again)
      try transaction.work.restamp(as: ReplicaID(rawValue: 2))
    }
    let offers = try test.offers()
    #expect(offers.count == 2 && offers[0].record == offers[1].record)
    #expect(try test.replica.record(entry.key) == offers[0].record)
    #expect(try time(test, entry.key) == written)
  }

  @Test("leaves a write its time under a new identity, though the record was pruned since")
  func belowFloor() throws {
    let test = try TestReplica(1)
    let entry = try WaterEntry.sample()
    try test.replica.save(entry)
    let written = try time(test, entry.key)
    try pullPruned(entry.key, deletedAfter: written, into: test)
    try test.replica.write { try $0.work.restamp(as: ReplicaID(rawValue: 2)) }
    let offer = try #require(try test.offers().first)
    #expect(
      Set(offer.record.registers.map(\.stamp)) == [
        Stamp(time: written, replica: ReplicaID(rawValue: 2))
      ])
    #expect(try test.replica.record(entry.key)?.isDeleted == true)
  }

  /// Seed 0x30ddd of 200 steps: the server had taken it, and the device showed it under a stamp
  /// that no other device had.
  @Test("leaves what was sent its time though the record was pruned since and the clock was ahead")
  func sentBelowFloor() async throws {
    let server = TestClock()
    let test = try TestReplica(1)
    let entry = try WaterEntry.sample()
    try await test.replica.save(entry)
    let written = try time(test, entry.key)
    _ = try await test.replica.nextPage(after: 0)
    try pullPruned(entry.key, deletedAfter: written, into: test)
    try await restamp(test, by: server)
    #expect(try test.offers().first?.record.latestTime == written)
    #expect(try test.replica.record(entry.key)?.isDeleted == true)
  }

  @Test("gives what a deletion held the new identity where that was this replica's and waits")
  func held() async throws {
    let server = ModelServer(clock: TestClock())
    let test = try TestReplica(1)
    let entry = try WaterEntry.sample()
    try await test.replica.save(entry)
    try await test.sync(server)
    let acknowledged = try #require(try test.replica.record(entry.key)?.registers.first).stamp
    try await test.replica.save(WaterEntry.sample(id: entry.id, 500))
    _ = try await test.replica.nextPage(after: 0)
    try test.replica.delete(entry.key)
    try test.replica.write { try $0.work.restamp(as: ReplicaID(rawValue: 2)) }
    let deletion = try #require(try test.offers().last?.record[Register.deletedField])
    let edited = try #require(try test.offers().first?.record[Register.deletedField]).stamp
    #expect(edited.replica == ReplicaID(rawValue: 2))
    #expect(deletion.held == [acknowledged, edited])
    #expect(try test.replica.record(entry.key)?[Register.deletedField] == deletion)
  }
}
