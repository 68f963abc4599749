// SPDX-License-Identifier: Apache-2.0
// The order of storage jobs, and the bounds on a party's waiting jobs and responses.

import AtrestLedger
import AtrestRPC
import AtrestReplication
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct JobQueueTests {
  private let kim = AccountID(rawValue: 1)
  private let sam = AccountID(rawValue: 2)

  private let holders = [1: Balance(), 2: Balance()]

  private func device(_ number: UInt64, of account: AccountID) -> Payer {
    Payer(.account(account), ReplicaID(rawValue: number), holders[Int(account.rawValue)])
  }

  @Test("an account with a hundred jobs and one with two take turns")
  func accounts() {
    let desk = Desk()
    for number in 0..<100 { desk.submit("k\(number)", by: device(1, of: kim)) }
    for number in 0..<2 { desk.submit("s\(number)", by: device(2, of: sam)) }
    #expect(desk.serve().prefix(5) == ["k0", "s0", "k1", "s1", "k2"])
  }

  @Test("devices of an account take turns at its share, so that no device has the others wait")
  func devices() {
    let desk = Desk()
    for number in 0..<4 { desk.submit("k\(number)", by: device(1, of: kim)) }
    desk.submit("other", by: device(3, of: kim))
    for number in 0..<4 { desk.submit("s\(number)", by: device(2, of: sam)) }
    #expect(
      desk.serve() == ["k0", "s0", "other", "s1", "k1", "s2", "k2", "s3", "k3"])
  }

  @Test("sixty identities of one account have one account's share")
  func identities() {
    let desk = Desk()
    for number in 0..<60 { desk.submit("k\(number)", by: device(UInt64(number), of: kim)) }
    for number in 0..<3 { desk.submit("s\(number)", by: device(99, of: sam)) }
    #expect(desk.serve().prefix(6) == ["k0", "s0", "k1", "s1", "k2", "s2"])
  }

  @Test("jobs pay for all of their batch's time, by what each of them did in it")
  func shares() {
    #expect(JobQueue.shares(of: 9_000_000, [2_000_000, 1_000_000]) == [6_000_000, 3_000_000])
    #expect(JobQueue.shares(of: 9_000_000, [0, 0, 0]) == [3_000_000, 3_000_000, 3_000_000])
    #expect(JobQueue.shares(of: 9_000_000, []) == [])
  }

  @Test("what takes long is charged by the time it took")
  func time() {
    let desk = Desk()
    for number in 0..<3 { desk.submit("k\(number)", by: device(1, of: kim), nanoseconds: 1000) }
    for number in 0..<12 { desk.submit("s\(number)", by: device(2, of: sam), nanoseconds: 250) }
    #expect(
      desk.serve().prefix(11)
        == ["k0", "s0", "s1", "s2", "s3", "k1", "s4", "s5", "s6", "s7", "k2"])
  }

  @Test("a batch ends when its time is over, and the rest comes in the next")
  func slices() {
    var limits = JobQueue.Limits()
    limits.batchNanoseconds = 100
    let desk = Desk(limits)
    for number in 0..<5 { desk.submit("k\(number)", by: device(1, of: kim), nanoseconds: 60) }
    #expect(desk.serveBatch() == ["k0", "k1"])
    // A party that arrives in between is next.
    desk.submit("s", by: device(2, of: sam))
    #expect(desk.serveBatch() == ["s", "k2", "k3"])
    #expect(desk.serveBatch() == ["k4"])
    #expect(desk.serveBatch() == [])
  }

  @Test("what is urgent comes first, but has no more than half of a batch")
  func urgent() {
    var limits = JobQueue.Limits()
    limits.batchNanoseconds = 100
    let desk = Desk(limits)
    for number in 0..<5 { desk.submit("k\(number)", by: device(1, of: kim), nanoseconds: 25) }
    for number in 0..<5 { desk.submit("owner\(number)", by: .owner, nanoseconds: 25) }
    #expect(desk.serveBatch() == ["owner0", "owner1", "k0", "k1"])
    #expect(desk.serveBatch() == ["owner2", "owner3", "k2", "k3"])
  }

  @Test("a party with too much under way waits until it has left, and nobody else does")
  func answers() {
    var limits = JobQueue.Limits()
    limits.partyAnswerBytes = 20_000
    let desk = Desk(limits)
    for number in 0..<6 { desk.submit("k\(number)", by: device(1, of: kim), answerBytes: 9000) }
    for number in 0..<6 { desk.submit("s\(number)", by: device(2, of: sam)) }
    // The third response exceeds the bound.
    #expect(desk.serveBatch() == ["k0", "s0", "k1", "s1", "k2", "s2", "s3", "s4", "s5"])
    #expect(desk.serveBatch() == ["k3", "k4", "k5"])
  }

  @Test("no more answers are made at once than the server may hold")
  func allAnswers() {
    var limits = JobQueue.Limits()
    limits.batchAnswerBytes = 20_000
    let desk = Desk(limits)
    for number in 0..<6 {
      desk.submit(
        "\(number)", by: device(1, of: AccountID(rawValue: Int64(number))), answerBytes: 9000)
    }
    #expect(desk.serveBatch() == ["0", "1", "2"])
    #expect(desk.serveBatch() == ["3", "4", "5"])
  }

  @Test("a party that has much waiting is refused more, and nobody else is")
  func waiting() {
    var limits = JobQueue.Limits()
    limits.partyBufferedBytes = 1000
    limits.waitingBytes = 1800
    let desk = Desk(limits)
    let isTaken = (0..<5).map { _ in desk.submit("k", by: device(1, of: kim)) }
    #expect(isTaken == [true, true, true, false, false])
    #expect(desk.submit("s", by: device(2, of: sam)))
    #expect(desk.submit("s", by: device(2, of: sam)))
    // 1,500 bytes wait, so there is no room for anybody.
    #expect(!desk.submit("owner", by: .owner, costBytes: 301))
    _ = desk.serve()
    #expect(desk.submit("k", by: device(1, of: kim)) && desk.submit("owner", by: .owner))
  }

  @Test("what an account has the server hold elsewhere counts as well")
  func heldElsewhere() throws {
    var limits = JobQueue.Limits()
    limits.partyBufferedBytes = 1000
    let (desk, other) = (Desk(limits), Desk(limits))
    let holder = try #require(holders[1])
    let unread = Charge(500, at: Balance(), by: Balance(under: holder))
    #expect(desk.submit("k", by: device(1, of: kim)))
    #expect(!other.submit("k", by: device(1, of: kim)))
    #expect(other.submit("s", by: device(2, of: sam)))
    _ = desk.serve()
    #expect(holder.chargedBytes == 500)
    #expect(other.submit("k", by: device(1, of: kim)))
    #expect(unread.bytes == 500)
  }

  @Test("whoever hung up is told so at once, and takes nobody's turn")
  func hungUp() {
    let desk = Desk()
    let gone = desk.submit("k0", by: device(1, of: kim), isAwaited: false)
    desk.submit("k1", by: device(1, of: kim))
    #expect(gone && desk.serve() == ["k1"])
    #expect(desk.refused == [.notAwaited])
  }

  @Test("one that does its work in parts lets others have their turns between")
  func parts() {
    let desk = Desk()
    desk.submit("k0", by: device(1, of: kim), nanoseconds: 100, turns: 3)
    desk.submit("k1", by: device(1, of: kim), nanoseconds: 100)
    for number in 0..<3 { desk.submit("s\(number)", by: device(2, of: sam), nanoseconds: 100) }
    #expect(desk.serve() == ["s0", "k1", "s1", "s2", "k0"])
  }

  @Test("jobs whose batch came to nothing hold nobody back")
  func failed() {
    var limits = JobQueue.Limits()
    limits.partyAnswerBytes = 5000
    let desk = Desk(limits)
    for number in 0..<3 { desk.submit("k\(number)", by: device(1, of: kim), answerBytes: 9000) }
    #expect(desk.failBatch() == ["k0"])
    #expect(desk.serveBatch() == ["k1"])
  }
}

/// A queue that the test runs by hand, with a clock that only work advances.
private final class Desk: Sendable {
  private let queue: JobQueue
  private let time: Clock
  private let errors = Mutex<[StoreError]>([])

  private final class Clock: Sendable { let nanoseconds = Atomic<UInt64>(0) }

  init(_ limits: JobQueue.Limits = JobQueue.Limits()) {
    let time = Clock()
    self.time = time
    queue = JobQueue(
      limits: limits, schedule: { _ in },
      meter: { time.nanoseconds.load(ordering: .relaxed) })
  }

  /// The errors of jobs that were finished without running.
  var refused: [StoreError] { errors.withLock { $0 } }

  @discardableResult func submit(
    _ name: String, by payer: Payer, costBytes: Int = 300, nanoseconds: UInt64 = 1,
    answerBytes: Int = 0, isAwaited: Bool = true, turns: Int = 1
  ) -> Bool {
    let job = Job(
      name: name, payer: payer, costBytes: costBytes, nanoseconds: nanoseconds,
      answerBytes: answerBytes, isAwaited: isAwaited, turns: turns
    ) { error in self.errors.withLock { $0.append(error) } }
    return queue.submit(job) {}
  }

  /// Serves all waiting jobs. Returns their names in order.
  func serve() -> [String] {
    var names: [String] = []
    while case let batch = serveBatch(), !batch.isEmpty { names += batch }
    return names
  }

  /// Serves one batch. Its responses leave at once.
  func serveBatch() -> [String] {
    let batch = runBatch()
    queue.finish(batch) {}
    queue.takeArrivals()
    return names(batch)
  }

  /// Runs one batch that fails to commit.
  func failBatch() -> [String] {
    let batch = runBatch()
    queue.forget(batch)
    queue.finish(batch.jobs, .failed(reason: "planted"))
    return names(batch)
  }

  private func runBatch() -> JobQueue.Batch {
    queue.takeArrivals()
    var batch = JobQueue.Batch()
    do throws(StoreError) {
      try queue.run(&batch) { job throws(StoreError) in
        (job.job as? Job)?.haveTurn()
        let took = (job.job as? Job)?.nanoseconds ?? 0
        time.nanoseconds.wrappingAdd(took, ordering: .relaxed)
      }
    } catch {
      Issue.record(error)
    }
    return batch
  }

  private func names(_ batch: JobQueue.Batch) -> [String] {
    batch.jobs.compactMap { ($0.job as? Job)?.name }
  }

  private final class Job: StorageJob {
    let name: String
    let payer: Payer
    let use = StorageUse.reads
    let costBytes: Int
    let nanoseconds: UInt64
    let answerBytes: Int
    let isAwaited: Bool
    private let turnsLeft: Atomic<Int>
    private let refuse: @Sendable (StoreError) -> Void

    init(
      name: String, payer: Payer, costBytes: Int, nanoseconds: UInt64, answerBytes: Int,
      isAwaited: Bool, turns: Int, refuse: @escaping @Sendable (StoreError) -> Void
    ) {
      self.name = name
      self.payer = payer
      self.costBytes = costBytes
      self.nanoseconds = nanoseconds
      self.answerBytes = answerBytes
      self.isAwaited = isAwaited
      self.refuse = refuse
      turnsLeft = Atomic(turns)
    }

    var isUnfinished: Bool { turnsLeft.load(ordering: .relaxed) > 0 }

    func haveTurn() { turnsLeft.wrappingSubtract(1, ordering: .relaxed) }

    func run(in batch: Batch) throws(StoreError) {}

    func finish(_ error: StoreError?, _ answers: inout ResponseBatch) {
      if let error { refuse(error) }
    }
  }
}
