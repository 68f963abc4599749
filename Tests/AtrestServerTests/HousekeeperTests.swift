// SPDX-License-Identifier: Apache-2.0
// A round of housekeeping over a whole server, and its events on Watch streams.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct HousekeeperTests {
  @Test("a round prunes what was deleted thirty days ago, and tells watchers")
  func round() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1))).cursor
    let cursor = try await storage.exchange(
      phone, ExchangeRequest(cursor: start, offers: [deletion(deleted(1))])
    ).cursor
    let keeper = Housekeeper(
      queue: storage.queue, registry: storage.registry, environment: storage.world.environment)
    storage.world.now += 30 * day - 1
    await keeper.goRound()
    #expect(try await storage.exchange(tablet, request()).records == [deleted(1).encoded])
    storage.world.now += 1
    await keeper.goRound()
    let answer = try await storage.exchange(tablet, request(cursor))
    #expect(answer.records == [deleted(1).pruned().encoded])
    #expect(try storage.session(phone).account.head.sequence == 3)
    await storage.queue.close()
    await keeper.goRound()
  }

  /// Of a segment that asks for the position: memory has no answer to it.
  private static let question = OutboxSegment(
    confirmed: .start, token: 7, settledThrough: 0, numbers: [])

  @Test("a page that is not stored acknowledges nothing, whether memory or storage answers")
  func peek() async throws {
    let storage = try Storage()
    storage.world.now = noon + 5000
    _ = storage.registry.authenticate(
      credentials(tablet), at: WallTime(milliseconds: storage.world.now))
    let start = try await storage.exchange(phone, request(nil, water(1))).cursor
    let cursor = try await storage.exchange(
      phone, ExchangeRequest(cursor: start, offers: [deletion(deleted(1))])
    ).cursor
    let unseen = try storage.session(tablet).progress
    for segment in [nil, Self.question] {
      _ = try await storage.exchange(
        tablet, ExchangeRequest(cursor: cursor, segment: segment, isPeek: true))
      #expect(try storage.session(tablet).progress == unseen)
    }
    _ = try await storage.exchange(tablet, request(cursor))
    #expect(try storage.session(tablet).progress.acknowledgedSequence == 2)
    await storage.queue.close()
  }

  @Test("what devices acknowledged, and the heads they were told, outlive a restart")
  func persistent() async throws {
    let storage = try Storage()
    let cursor = try await storage.exchange(phone, request(nil, water(1))).cursor
    _ = try await storage.exchange(phone, request(cursor, water(2)))
    _ = try await storage.exchange(tablet, request(cursor))
    await storage.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    let devices = try store.transaction { t throws(StoreError) in try t.devices.list(of: nil) }
    func progress(_ device: ReplicaID) -> DeviceProgress? {
      devices.first { $0.replica == device }?.progress
    }
    #expect(progress(phone) == DeviceProgress(acknowledgedSequence: 0, toldSequence: 2))
    #expect(progress(tablet) == DeviceProgress(acknowledgedSequence: 1, toldSequence: 2))
  }
}
