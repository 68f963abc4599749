// SPDX-License-Identifier: Apache-2.0
// Reads beside commits: what they see, and that neither blocks the other.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct ReadQueueTests {
  private let storage: Storage

  init() throws {
    storage = try Storage()
  }

  @Test("a pull is answered while a commit is on its way, and sees nothing of it")
  func besideCommit() async throws {
    _ = try await storage.exchange(phone, request(nil, water(1)))
    let pulled = try await storage.whileCommitting { try await storage.exchange(tablet, request()) }
    #expect(pulled.records == [water(1).encoded])
    #expect(pulled.head.sequence == 1)
    await storage.queue.close()
  }

  @Test("a push is answered while a read is on its way")
  func besideRead() async throws {
    try await storage.whileReading {
      let pushed = try await storage.exchange(phone, request(nil, water(1)))
      #expect(pushed.cursor.sequence == 1)
    }
    #expect(try await storage.exchange(tablet, request()).records.count == 1)
    await storage.queue.close()
  }

  @Test("what was acknowledged is seen by every read that is asked for after it")
  func ownWrites() async throws {
    for number in 1...50 {
      _ = try await storage.exchange(phone, request(nil, water(number)))
      let pulled = try await storage.exchange(tablet, request())
      #expect(pulled.records.count == number && pulled.head.sequence == UInt64(number))
    }
    await storage.queue.close()
  }

  @Test("a pull that confirms its outbox writes, and so it is not a read")
  func outbox() async throws {
    let segment = OutboxSegment(confirmed: .start, token: 7, settledThrough: 0, numbers: [])
    let asked = ExchangeRequest(cursor: nil, offers: [], segment: segment)
    _ = try await storage.exchange(phone, asked)
    #expect(storage.fatal.all.isEmpty)
    await storage.queue.close()
  }

  @Test("the files can be made anew while reads go on")
  func erase() async throws {
    _ = try await storage.exchange(phone, request(nil, water(1)))
    let erased = Recorder<Bool>()
    try await storage.whileReading { storage.queue.erase { erased.note($0) } }
    #expect(try await erased.next())
    #expect(try await storage.exchange(tablet, request()).records.count == 1)
    await storage.queue.close()
  }

  @Test("what waits is answered when the server goes away, and nothing is taken after it")
  func closed() async throws {
    let session = try storage.session(tablet)
    let answers = Recorder<UnaryOutcome>()
    try await storage.whileReading {
      for _ in 0..<20 {
        _ = try storage.sync.exchange(session, request(nil).encoded) {
          Answer { outcome, _ in answers.note(outcome) }
        }
      }
    }
    await storage.queue.close()
    #expect(answers.all.count == 20 && answers.all.allSatisfy { $0.failure == nil })
    #expect(throws: Status.busy) {
      _ = try storage.sync.exchange(session, request(nil).encoded) { Answer { _, _ in } }
    }
  }
}
