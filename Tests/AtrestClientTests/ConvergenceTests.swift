// SPDX-License-Identifier: Apache-2.0
// Random histories on three replicas converge, and unknown kinds and fields survive.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("Convergence", .timeLimit(.minutes(20)))
struct ConvergenceTests {
  /// `SYNC_SEED` replays one history.
  static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["SYNC_SEED"].flatMap {
      UInt64($0.replacing("0x", with: ""), radix: 16)
    }.map { [$0] } ?? (1...UInt64(caseCount(16))).map { $0 &* 0x5DEE_CE66_D1CE }

  @Test(
    "replicas converge after loss, repeats, housekeeping, copies put back, and clock skew",
    arguments: seeds)
  func randomHistories(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let clock = TestClock()
    let server = ModelServer(clock: clock)
    server.state.withLock { $0.pageRecords = 5 }
    var replicas = try (1...3).map { _ in try TestReplica(clock: TestClock()) }
    var backups: [Int: TestReplica] = [:]
    var serverCopy: ModelServer.State?
    let ids = (0..<6).map { _ in random.uuid() }
    var paired = Set<Int>()
    let trace: Comment = "SYNC_SEED=0x\(String(seed, radix: 16))"

    for _ in 0..<120 {
      let index = Int.random(in: 0..<3, using: &random)
      let test = replicas[index]
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9:
        try act(on: test.replica, ids, &random)
      case 9..<11:
        clock.advance(Int64.random(in: 1...5000, using: &random))
      case 11:
        test.clock.set(
          clock.now().milliseconds + Int64.random(in: -500_000...500_000, using: &random))
      case 12:
        switch Int.random(in: 0..<6, using: &random) {
        case 0: server.wipe()
        case 1: server.forgetOldPositions()
        case 2: serverCopy = server.backUp()
        case 3: if let serverCopy { server.restore(serverCopy) }
        case 4 where paired.contains(index): backups[index] = try test.copied()
        default: if let backup = backups[index] { replicas[index] = try backup.copied() }
        }
      default:
        if paired.insert(index).inserted {
          try test.pair(UInt64(index + 1), serverTime: clock.now())
        }
        var transport = ModelTransport(server: server)
        let cut = Int.random(in: 0..<8, using: &random)
        let kind = ModelTransport.Cut.allCases.randomElement(using: &random)
        transport.cut = { $0 == cut ? kind : nil }
        do { try await test.engine(transport).sync() } catch {
          // The connection was cut; the next sync resumes. Any other error is a bug in the replica.
          #expect(error == .unreachable("cut"), trace)
        }
      }
    }
    for (index, test) in replicas.enumerated() where !paired.contains(index) {
      try test.pair(UInt64(index + 1), serverTime: clock.now())
    }
    clock.advance(120_000)
    for _ in 0..<3 {
      for test in replicas { try await test.sync(server) }
    }
    let digests = try replicas.map { try $0.replica.digest() }
    #expect(Set(digests).count == 1, trace)
    #expect(try replicas.allSatisfy { try $0.waitingCount == 0 }, trace)
    #expect(try replicas[0].replica.allRecords() == server.records, trace)
  }

  private func act(on replica: Replica, _ ids: [RecordUUID], _ random: inout SeededRandom) throws {
    guard let id = ids.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try replica.save(WaterEntry.sample(id: id, Int.random(in: 1...2000, using: &random)))
    case 1:
      try replica.save(
        Session.sample(
          id: id, start: Int.random(in: 0...9, using: &random),
          lasted: random.next() % 2 == 0 ? nil : 60, target: Int.random(in: 1...99, using: &random))
      )
    case 2: try replica.setPreference("theme", to: "\(random.next() % 5)")
    case 3: try replica.delete(RecordKey(kind: .water, id: id.bytes))
    case 4: try replica.delete(RecordKey(kind: .session, id: id.bytes))
    default:
      guard let entry = try replica.conflicts().first else { return }
      // The entry arrives before its record, and a cut may fall between the two.
      do { try replica.restore(entry) } catch {
        #expect(error == .invalid("The record itself has not arrived yet. Sync, then try again."))
      }
    }
  }

  @Test("kinds and fields this build does not know are stored, merged and offered again unchanged")
  func unknown() async throws {
    let server = ModelServer(clock: TestClock())
    let stamp = Stamp(time: HybridTime(rawValue: 77), replica: ReplicaID(rawValue: 8))
    let strange = try #require(
      Record(
        key: RecordKey(kind: RecordKind(rawValue: 4_000_000_000), id: [0, 255]),
        registers: [Register(field: 500, stamp: stamp, value: [1, 2, 3])]))
    let water = try WaterEntry.sample()
    let newer = try #require(
      Record(
        key: water.key,
        registers: [
          Register(field: 2, stamp: stamp, value: WaterField.encode(water.intake)),
          // Field 99, length-delimited: a possible addition of a newer version.
          Register(field: 99, stamp: stamp, value: [0x9A, 0x06, 0x01, 0x41]),
        ]))
    server.state.withLock {
      $0.put(strange)
      $0.put(newer)
    }
    let test = try TestReplica(9)
    try await test.sync(server)
    #expect(try test.replica.record(strange.key) == strange)
    #expect(try test.replica.waterEntry(water.id) == water)
    try await test.replica.save(WaterEntry.sample(id: water.id, 500))
    #expect(try test.offers().first?.record[99] == newer[99])
    server.wipe()
    try await test.sync(server)
    #expect(server.records.contains(strange))
    #expect(server.records == (try test.replica.allRecords()))
  }

  @Test("a record that cannot be read as its kind is kept, and shown as nothing")
  func undecodable() async throws {
    let server = ModelServer(clock: TestClock())
    let stamp = Stamp(time: HybridTime(rawValue: 77), replica: ReplicaID(rawValue: 8))
    let id = RecordUUID.random()
    for kind: RecordKind in [.session, .water, .preference, .conflict] {
      let odd = try #require(
        Record(
          key: RecordKey(kind: kind, id: id.bytes),
          registers: [Register(field: 2, stamp: stamp, value: [0x12, 0x02, 0x08, 0x80])]))
      server.state.withLock { $0.put(odd) }
    }
    let test = try TestReplica(9)
    try await test.sync(server)
    #expect(try test.replica.allRecords().count == 4)
    #expect(try test.replica.sessions().isEmpty)
    #expect(try test.replica.session(id) == nil)
    #expect(try test.replica.water().isEmpty)
    #expect(try test.replica.preferences().isEmpty)
    await #expect(try test.replica.conflicts().isEmpty)
  }

  @Test("the digest tells replicas apart that differ in one byte")
  func digest() throws {
    let (a, b) = (try TestReplica(1), try TestReplica(1))
    #expect(try a.replica.digest() == b.replica.digest())
    try a.replica.setPreference("theme", to: "dusk")
    try b.replica.setPreference("theme", to: "dust")
    #expect(try a.replica.digest() != b.replica.digest())
    try b.replica.setPreference("theme", to: "dusk")
    #expect(try a.replica.digest() != b.replica.digest(), "the stamps differ")
    #expect(try a.replica.digest().count == 16)
  }
}
