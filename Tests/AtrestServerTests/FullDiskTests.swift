// SPDX-License-Identifier: Apache-2.0
// A full or nearly full disk: what continues to work, and what is refused.

import AtrestHTTP2
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct FullDiskTests {
  @Test(
    "a full disk refuses writes, serves reads of the same batch, and goes on when there is room")
  func fullDisk() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1)))
    storage.failFlush { () throws(StoreError) in throw .full }
    let session = try storage.session(phone)
    async let write = outcome { later throws(Status) in
      try storage.sync.exchange(
        session, request(nil, water(2)).encoded, answerLater: later)
    }
    #expect(try await storage.exchange(tablet, request()).records == [water(1).encoded])
    #expect(await write.failure?.code == .resourceExhausted)
    #expect(storage.fatal.all.isEmpty)
    storage.failFlush(nil)
    let after = try await storage.exchange(phone, request(start.cursor, water(2)))
    #expect(after.cursor.sequence == 2)
    await storage.queue.close()
  }

  @Test("below the watermark writes are refused before they reach the store")
  func watermark() async throws {
    let storage = try Storage()
    _ = try await storage.exchange(phone, request(nil, water(1)))
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes - 1 }
    await #expect(throws: Status(StoreError.full)) {
      try await storage.exchange(phone, request(nil, water(2)))
    }
    #expect(try await storage.exchange(tablet, request()).records.count == 1)
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes }
    #expect(try await storage.exchange(phone, request(nil, water(2))).cursor.sequence == 2)
    await storage.queue.close()
  }

  @Test("below the watermark deleting goes on, and so does sending a device away")
  func deletingBelowTheWatermark() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1)))
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes - 1 }
    let gone = deleted(1)
    let answer = try await storage.exchange(
      phone, ExchangeRequest(cursor: start.cursor, offers: [deletion(gone)]))
    #expect(answer.refusals.isEmpty && answer.cursor.sequence == 2)
    await storage.queue.close()
  }

  @Test("below the watermark a deletion brings nothing new with it: the rest is for letting go")
  func growingBelowTheWatermark() async throws {
    let storage = try Storage()
    let start = try await storage.exchange(phone, request(nil, water(1), water(2)))
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes - 1 }
    var heavier = deleted(2)
    // A bytes field of a hundred bytes.
    heavier.set(
      Register(
        field: 9, stamp: stamp(noon + 1000, phone),
        value: [0x4A, 100] + [UInt8](repeating: 1, count: 100)))
    let offers = [deletion(deleted(1)), deletion(heavier), deletion(deleted(3))]
    let answer = try await storage.exchange(
      phone, ExchangeRequest(cursor: start.cursor, offers: offers))
    #expect(answer.refusals.map(\.index) == [1, 2])
    #expect(answer.refusals.allSatisfy { $0.reason == .quota && $0.message.contains("disk") })
    storage.free.bytes.withLock { $0 = DiskGuard.lowWaterBytes }
    let later = try await storage.exchange(
      phone, ExchangeRequest(cursor: answer.cursor, offers: offers))
    #expect(later.refusals.isEmpty)
    await storage.queue.close()
  }

  @Test("on a full disk deleting takes the ballast's room, once")
  func ballastForDeleting() async throws {
    let storage = try Storage()
    storage.free.bytes.withLock { $0 = 1 << 30 }
    let start = try await storage.exchange(phone, request(nil, water(1)))
    let tries = Recorder<Void>()
    storage.failFlush { () throws(StoreError) in
      tries.note(())
      if tries.all.count == 1 { throw .full }
    }
    let gone = deleted(1)
    let answer = try await storage.exchange(
      phone, ExchangeRequest(cursor: start.cursor, offers: [deletion(gone)]))
    #expect(answer.cursor.sequence == 2 && tries.all.count == 2)
    storage.failFlush { () throws(StoreError) in throw .full }
    await #expect(throws: Status(StoreError.full)) {
      try await storage.exchange(
        phone,
        ExchangeRequest(
          cursor: answer.cursor, offers: [deletion(deleted(1, at: noon + 5000))]))
    }
    await storage.queue.close()
  }
}
