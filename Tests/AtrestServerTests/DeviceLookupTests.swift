// SPDX-License-Identifier: Apache-2.0
// Who pays for looking a device up, and how often the store is asked.

import AtrestHTTP2
import AtrestReplication
import AtrestSockets
import AtrestTestSupport
import AtrestWire
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct DeviceLookupTests {
  /// A queue that notes who pays, and holds jobs back on request.
  private final class HeldQueue: StorageQueue {
    private let base: CommitQueue
    let payers = Recorder<Payer>()
    private let held = Mutex<[any StorageJob]?>(nil)

    init(_ base: CommitQueue) {
      self.base = base
    }

    var counter: EventCounter { base.counter }

    func submit(_ job: any StorageJob) -> Bool {
      payers.note(job.payer)
      let isHeld = held.withLock { held in
        held?.append(job)
        return held != nil
      }
      return isHeld || base.submit(job)
    }

    func hold() { held.withLock { $0 = [] } }

    /// Runs what was held, and returns when it is done.
    func release() async {
      let jobs = held.withLock { held in
        defer { held = nil }
        return held ?? []
      }
      for job in jobs { _ = base.submit(job) }
      await base.settle()
    }

    func close() async { await base.close() }
  }

  private let storage: Storage
  private let queue: HeldQueue
  private let registry = SessionRegistry(
    trust: CacheTrust(lifetime: .seconds(3600)) { Instant(nanoseconds: 1) })
  private let lookup: DeviceLookup

  init() throws {
    storage = try Storage()
    queue = HeldQueue(storage.queue)
    lookup = DeviceLookup(
      queue: queue, registry: registry, environment: storage.world.environment,
      clock: { Instant(nanoseconds: 1) })
  }

  private func token(_ replica: ReplicaID = phone, secret: UInt8 = 1) -> Token {
    Token(replica: replica, secret: [UInt8](repeating: secret, count: 32))
  }

  private func authenticate(
    _ token: Token, from peer: [UInt8]? = nil
  ) async throws -> DeviceLookup.Outcome {
    try await withCheckedThrowingContinuation { done in
      lookup.authenticate(token, from: peer) { done.resume(with: $0) }
    }
  }

  @Test("a device whose token was proved before pays itself; others take turns by address")
  func payers() async throws {
    #expect(try await authenticate(token(), from: [192, 0, 2, 1]).device != nil)
    #expect(try await authenticate(token(), from: [192, 0, 2, 1]).device != nil)
    #expect(try await authenticate(token(secret: 9), from: [192, 0, 2, 2]).device == nil)
    let account = try #require(registry.session(phone)).account.id
    let payers = queue.payers.all
    #expect(payers.map(\.party) == [.unauthenticated, .account(account), .unauthenticated])
    #expect(payers[0].device != nil && payers[0].device != payers[2].device)
    #expect(payers[1].device == phone)
    await queue.close()
  }

  @Test("an address has a bounded number of lookups under way, and takes no place of another one's")
  func flood() async throws {
    queue.hold()
    let refused = Runs()
    for number in 0..<DeviceLookup.lookupsPerAddress + 5 {
      lookup.authenticate(
        token(ReplicaID(rawValue: UInt64(number + 100))), from: [192, 0, 2, 1]
      ) { if case .failure = $0 { refused.note() } }
    }
    #expect(refused.count == 5)
    async let other = authenticate(token(), from: [192, 0, 2, 2])
    try await waitUntil { queue.payers.all.count == DeviceLookup.lookupsPerAddress + 1 }
    await queue.release()
    #expect(try await other.device != nil)
    #expect(try await authenticate(token(secret: 9), from: [192, 0, 2, 1]).device == nil)
    await queue.close()
  }

  @Test("a token that was refused a moment ago is not looked up again, another one is")
  func refusedAgain() async throws {
    for _ in 0..<3 { #expect(try await authenticate(token(secret: 9)).device == nil) }
    #expect(queue.payers.all.count == 1)
    #expect(try await authenticate(token()).device != nil)
    var refused = RefusedTokens()
    let start = MonotonicClock.now()
    refused.note(token(), at: start)
    let end = start.advanced(by: RefusedTokens.lifetime)
    #expect(refused.contains(token(), at: start) && !refused.contains(token(), at: end))
    await queue.close()
  }

  @Test("news of a revocation end the access of whom the store has revoked, and nobody else's")
  func revoked() async throws {
    let kim = try #require(try await authenticate(token()).device)
    let tab = try #require(try await authenticate(token(tablet)).device)
    for session in [kim, tab] { lookup.hear(.revoked(session.replica)) }
    await storage.queue.settle()
    #expect(!kim.isRevoked && !tab.isRevoked)
    let outcome = await outcome { later throws(Status) in
      try storage.devices.revoke(
        storage.registry.session(phone) ?? kim, DevicesRevokeRequest(replica: tablet).encoded,
        answer: later)
    }
    _ = try outcome.reply
    lookup.hear(.revoked(tablet))
    await storage.queue.settle()
    #expect(!kim.isRevoked && tab.isRevoked)
    await queue.close()
  }

  @Test("of an account there is one read under way, and one more for what is heard meanwhile")
  func coalesced() async throws {
    _ = try await authenticate(token())
    let before = queue.payers.all.count
    queue.hold()
    for _ in 0..<20 { lookup.hear(.revoked(phone)) }
    #expect(queue.payers.all.count == before + 1)
    await queue.release()
    await storage.queue.settle()
    #expect(queue.payers.all.count == before + 2)
    await queue.close()
  }

  @Test("a stream is told of another daemon's commit by what the store says, not by what was said")
  func heads() async throws {
    let session = try #require(try await authenticate(token()).device)
    let sync = SyncService(
      queue: queue, registry: registry, environment: storage.world.environment)
    let sink = RecordingSink()
    _ = try sync.watch(session, WatchRequest(cursor: nil).encoded, sink: sink)
    #expect(try await sink.nextEvent().cursor == .start)
    lookup.hear(.head(session.account.id, Cursor(commit: 3, sequence: 1 << 40)))
    await storage.queue.settle()
    #expect(session.account.trustedHead == .start)
    let head = try await storage.exchange(phone, request(nil, water(1))).cursor
    lookup.hear(.head(session.account.id, head))
    #expect(try await sink.nextEvent().cursor == head)
    #expect(session.account.trustedHead == head && sink.sent.all.count == 2)
    await queue.close()
  }
}
