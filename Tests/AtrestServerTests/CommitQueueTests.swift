// SPDX-License-Identifier: Apache-2.0
// Group commit, and failures of commits and disks.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Dispatch
import Logging
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct CommitQueueTests {
  @Test("exchanges that arrive while a commit is on its way share the next one")
  func groupCommit() async throws {
    let storage = try Storage()
    let answers = Recorder<UnaryOutcome>()
    let session = try storage.session(tablet)
    try await storage.whileCommitting {
      for number in 0..<100 {
        _ = try storage.sync.exchange(session, request(nil, water(number, by: tablet)).encoded) {
          Answer { outcome, _ in answers.note(outcome) }
        }
      }
      #expect(storage.commitCount == 0)
    }
    for _ in 0..<100 { _ = try ExchangeResponse(decoding: try await answers.next().reply) }
    #expect(storage.commitCount == 2)
    #expect(try await storage.exchange(phone, request()).records.count == 101)
    await storage.queue.close()
  }

  /// Regression: a client that connected, requested everything a hundred times and disconnected, in
  /// a loop, delayed every account's pushes.
  @Test("what a caller asked for who hung up is not done, unless it takes something away")
  func hungUp() async throws {
    let storage = try Storage()
    let session = try storage.session(phone)
    let isThere = Atomic(true)
    let answers = Recorder<UnaryOutcome>()
    @Sendable func answer() -> Answer {
      let isAwaited: @Sendable () -> Bool = { isThere.load(ordering: .relaxed) }
      return Answer(isAwaited: isAwaited) { outcome, _ in answers.note(outcome) }
    }
    _ = try await storage.exchange(phone, request(nil, water(1)))
    try await storage.whileBusy {
      for bytes in [request(), request(nil, water(2))].map(\.encoded) {
        _ = try storage.sync.exchange(session, bytes, answerLater: answer)
      }
      _ = try storage.sync.reconcile(
        session, ReconcileRequest(ranges: []).encoded, answer: answer)
      _ = try storage.devices.list(session, [], answer: answer)
      _ = try storage.sync.exchange(session, request(nil, deleted(1)).encoded, answerLater: answer)
      isThere.store(false, ordering: .relaxed)
    }
    for _ in 0..<5 { _ = try await answers.next() }
    let failures = answers.all.compactMap(\.failure)
    #expect(failures.map(\.code) == [.cancelled, .cancelled, .cancelled, .cancelled])
    let stored = try await storage.exchange(tablet, request()).decodedRecords
    #expect(!stored.contains { $0.key == water(2).key })
    #expect(stored.first { $0.key == water(1).key }?.isDeleted == true)
    // The reconciliation slot is free again.
    _ = try storage.sync.reconcile(
      session, ReconcileRequest(ranges: []).encoded, answer: answer)
    await storage.queue.close()
  }

  @Test("nothing is answered, and nobody sees anything, before the commit returned")
  func answersAfterCommit() async throws {
    let storage = try Storage()
    let answers = Recorder<UnaryOutcome>()
    let session = try storage.session(phone)
    let entered = Recorder<Void>()
    let release = DispatchSemaphore(value: 0)
    storage.failCommit {
      entered.note(())
      release.wait()
    }
    _ = try storage.sync.exchange(session, request(nil, water(1)).encoded) {
      Answer { outcome, _ in answers.note(outcome) }
    }
    try await entered.next()
    #expect(answers.all.isEmpty)
    #expect(session.account.head == .start)
    storage.failCommit(nil)
    release.signal()
    #expect(try await answers.next().failure == nil)
    #expect(session.account.head.sequence == 1)
    await storage.queue.close()
  }

  @Test("a commit that returned an error acknowledges nothing, then or later")
  func unknownCommit() async throws {
    let storage = try Storage()
    storage.failCommit { () throws(StoreError) in throw .inputOutput(reason: "planted") }
    await #expect(throws: Status.self) {
      try await storage.exchange(phone, request(nil, water(1)))
    }
    #expect(storage.fatal.all == [.commitUnknown(reason: "planted")])
    storage.failCommit(nil)
    await #expect(throws: Status.self) {
      try await storage.exchange(phone, request(nil, water(2)))
    }
    #expect(storage.commitCount == 0)
    await storage.queue.close()
  }

  @Test("a job that fails for a reason of its own does not take the others of its batch along")
  func isolation() async throws {
    let storage = try Storage()
    let answers = Recorder<UnaryOutcome>()
    let failures = Recorder<StoreError?>()
    let session = try storage.session(tablet)
    try await storage.whileCommitting {
      _ = try storage.sync.exchange(session, request(nil, water(1, by: tablet)).encoded) {
        Answer { outcome, _ in answers.note(outcome) }
      }
      let poison = Operation(by: .server, use: .writes) { _ throws(StoreError) in
        throw StoreError.failed(reason: "planted")
      } completion: { result, _ in
        failures.note(result.failure)
      }
      #expect(storage.queue.submit(poison))
    }
    #expect(try await answers.next().failure == nil)
    #expect(try await failures.next() == .failed(reason: "planted"))
    #expect(try await storage.exchange(phone, request()).records.count == 2)
    await storage.queue.close()
  }

  @Test("what waits is bounded in bytes")
  func bounded() async throws {
    var limits = JobQueue.Limits()
    limits.waitingBytes = 4000
    let storage = try Storage(limits: limits)
    let session = try storage.session(tablet)
    try await storage.whileCommitting {
      let status = #expect(throws: Status.self) {
        for number in 0..<100 {
          _ = try storage.sync.exchange(session, request(nil, water(number, by: tablet)).encoded) {
            Answer { _, _ in }
          }
        }
      }
      #expect(status?.code == .resourceExhausted)
    }
    await storage.queue.close()
  }

  @Test("closing finishes what was submitted, and refuses what comes later")
  func close() async throws {
    let storage = try Storage()
    let answers = Recorder<UnaryOutcome>()
    let session = try storage.session(phone)
    _ = try storage.sync.exchange(session, request(nil, water(1)).encoded) {
      Answer { outcome, _ in answers.note(outcome) }
    }
    await storage.queue.close()
    #expect(answers.all.count == 1 && answers.all.first?.failure == nil)
    await #expect(throws: Status.self) { try await storage.exchange(phone, request()) }
    let again = try Storage(storage.folder)
    #expect(try await again.exchange(tablet, request()).records == [water(1).encoded])
    await again.queue.close()
  }

  @Test(
    "a record that rotted is named in the log once, by kind and place, and never by what it held")
  func unreadable() async throws {
    let lines = Recorder<String>()
    let storage = try Storage(logger: Logger(label: "test") { _ in RecordingLog(lines: lines) })
    _ = try await storage.exchange(phone, request(nil, water(1), water(2), water(3)))
    let rotten = water(2)
    let body = [0xFF] + rotten.encoded
    let account = try storage.session(phone).account.id
    let done = Recorder<Void>()
    let job = Operation(by: .server, use: .writes) { batch throws(StoreError) in
      try batch.transaction.overwrite(
        rotten.key.storageKey, by: StoredRecord(sequence: 2, body: body), of: account)
    } completion: { _, _ in
      done.note(())
    }
    #expect(storage.queue.submit(job))
    try await done.next()
    for _ in 0..<2 {
      let pulled = try await storage.exchange(tablet, request())
      #expect(pulled.records == [water(1).encoded, water(3).encoded])
      #expect(pulled.cursor.sequence == 3)
      let refused = try await storage.exchange(phone, request(pulled.cursor, rotten))
      #expect(refused.refusals.map(\.reason) == [.damaged])
      let session = try storage.session(phone)
      let compared = await outcome { later throws(Status) in
        try storage.sync.reconcile(
          session,
          ReconcileRequest(ranges: [KeyRange(end: [], content: .items([]))]).encoded,
          answer: later)
      }
      #expect(
        try ReconcileResponse(decoding: try compared.reply).records == [
          water(1).encoded, water(3).encoded,
        ])
    }
    await storage.queue.close()
    let told = lines.all.filter { $0.contains("cannot be read") }
    #expect(told.count == 1)
    #expect(told.first?.contains("account=\(account.rawValue) kind=2 sequence=2") == true)
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
