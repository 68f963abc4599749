// SPDX-License-Identifier: Apache-2.0
// Where jobs wait for storage: bounded, in fair order, and charged with what they take.

import AtrestHTTP2
import AtrestLedger
import AtrestRPC
import Synchronization

/// Jobs for one serial queue. `submit` is thread-safe; all else happens on that queue.
///
/// Whoever submits is charged: bytes while a job waits, time while it runs, and the bytes of its
/// answer until they have left for their connection. A party that has too many of these under way
/// has no turn until some have left, so that nobody has the server read faster than it can send.
final class JobQueue: @unchecked Sendable {
  // Sendable because the members below `inbox` are touched only in what `schedule` runs.

  /// Bounds on what waits, on what is on its way, and on what is done in one go.
  struct Limits: Sendable {
    /// Bytes that may wait in all; beyond it work is refused.
    var waitingBytes = 64 * 1024 * 1024
    /// Bytes that a party may have the server hold, here and anywhere else, when it hands over
    /// more.
    var partyBufferedBytes = 16 * 1024 * 1024
    /// Bytes of answers that are on their way to their connections, in all and of one party.
    var answerBytes = 16 * 1024 * 1024
    var partyAnswerBytes = 2 * 1024 * 1024
    /// Answers below it are not counted: there are many, and they are gone at once.
    var smallAnswerBytes = 4096
    /// Of one batch: jobs, bytes that they held, bytes of their answers. One job may go beyond.
    var batchJobs = 1024
    var batchBytes = 8 * 1024 * 1024
    var batchAnswerBytes = 4 * 1024 * 1024
    /// Time that the jobs of one batch take, so that nobody waits for very many others.
    var batchNanoseconds: UInt64 = 25_000_000
  }

  /// Runs work on the one queue, in order.
  typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

  private struct Inbox {
    var jobs: [QueuedJob] = []
    /// Answers that have left since: their bytes.
    var left: [[Payer.Party: Int]] = []
    var isScheduled = false
    /// Somebody has to be told when answers leave.
    var awaitsAnswers = false
    var isClosed = false
  }

  let schedule: Schedule
  private let inbox = Mutex(Inbox())
  private let limits: Limits
  /// Where jobs are booked from `submit` to `finish`, and who pays for those that no device asked
  /// for.
  private let waiting = Holder()
  private let server = Holder()
  private let unauthenticated = Holder()
  private let meter: @Sendable () -> UInt64
  private var turns = StorageTurns()
  private var answerBytes = 0
  private var answerBytesOf: [Payer.Party: Int] = [:]

  /// - Parameters:
  ///   - meter: Nanoseconds by a clock that only goes on.
  init(limits: Limits, schedule: @escaping Schedule, meter: @escaping @Sendable () -> UInt64) {
    self.limits = limits
    self.schedule = schedule
    self.meter = meter
  }

  /// What one batch has taken so far.
  struct Batch {
    /// In the order in which they were run.
    fileprivate(set) var jobs: [QueuedJob] = []
    fileprivate var nanoseconds: UInt64 = 0
    fileprivate var bytes = 0
    fileprivate var answers: [Payer.Party: Int] = [:]
    fileprivate var answerBytes = 0
  }

  // MARK: From any thread

  /// Whether nothing is taken any more.
  var isClosed: Bool { inbox.withLock { $0.isClosed } }

  /// Hands work over. False: too much waits already, or the queue is closed; nothing will be
  /// called.
  ///
  /// - Parameter serve: Scheduled if it is not on its way already.
  func submit(_ job: any StorageJob, _ serve: @escaping @Sendable () -> Void) -> Bool {
    let (isTaken, isFirst) = inbox.withLock { inbox in
      let payer = holder(of: job.payer)
      guard !inbox.isClosed, waiting.chargedBytes + job.costBytes <= limits.waitingBytes,
        payer.root.chargedBytes + job.costBytes <= limits.partyBufferedBytes
      else { return (false, false) }
      inbox.jobs.append(QueuedJob(job, at: waiting, by: payer))
      defer { inbox.isScheduled = true }
      return (true, !inbox.isScheduled)
    }
    if isFirst { schedule(serve) }
    return isTaken
  }

  private func holder(of payer: Payer) -> Holder {
    payer.holder ?? (payer.party == .unauthenticated ? unauthenticated : server)
  }

  /// Takes nothing any more, and has all that waits served.
  ///
  /// - Parameter serveBatch: Runs what waits, or a part of it, on the queue.
  func close(_ serveBatch: @escaping @Sendable () -> Void) async {
    inbox.withLock { $0.isClosed = true }
    await withCheckedContinuation { done in
      schedule { [self] in
        repeat {
          takeArrivals()
          letAllGoOn()
          serveBatch()
        } while hasWork
        done.resume()
      }
    }
  }

  // MARK: On the queue

  /// Lines up what came since, and lets those go on whose answers have left.
  func takeArrivals() {
    let (jobs, left) = inbox.withLock { inbox in
      defer { (inbox.jobs, inbox.left) = ([], []) }
      return (inbox.jobs, inbox.left)
    }
    for job in jobs { turns.append(job) }
    for answers in left { release(answers) }
  }

  /// Whether `serve` has to come again at once; if not, it is scheduled by what comes.
  func goesOn() -> Bool {
    inbox.withLock { inbox in
      let isBlocked = answerBytes > limits.answerBytes
      inbox.awaitsAnswers = isBlocked || turns.holdsAnyBack
      inbox.isScheduled =
        (inbox.awaitsAnswers && !inbox.left.isEmpty)
        || (!isBlocked && !(inbox.jobs.isEmpty && turns.isEmpty))
      return inbox.isScheduled
    }
  }

  /// Runs the jobs whose turn it is, until the batch is full or nobody waits. Those that nobody
  /// waits for any more are finished at once.
  func run(
    _ batch: inout Batch, _ run: (QueuedJob) throws(StoreError) -> Void
  ) throws(StoreError) {
    var left: [QueuedJob] = []
    defer { if !left.isEmpty { finish(left, .notAwaited) } }
    while batch.jobs.count < limits.batchJobs, batch.bytes < limits.batchBytes,
      batch.answerBytes < limits.batchAnswerBytes, batch.nanoseconds < limits.batchNanoseconds,
      // What is urgent comes first, but has no more than half of the time.
      let job = turns.next(urgentFirst: batch.nanoseconds < limits.batchNanoseconds / 2)
    {
      guard job.use == .clears || job.job.isAwaited else {
        // It costs nobody anything more, and what it asked for was not acknowledged.
        left.append(job)
        turns.charge(job.payer, 0)
        continue
      }
      try self.run(job, &batch, run)
    }
  }

  private func run(
    _ job: QueuedJob, _ batch: inout Batch, _ run: (QueuedJob) throws(StoreError) -> Void
  ) throws(StoreError) {
    let party = job.payer.party
    let start = meter()
    batch.jobs.append(job)
    batch.bytes += job.job.costBytes
    var isUnfinished = false
    defer {
      let nanoseconds = meter() &- start
      batch.nanoseconds += nanoseconds
      turns.charge(job.payer, nanoseconds)
      // Behind what its device asked for since.
      if isUnfinished { turns.append(job) }
    }
    try run(job)
    isUnfinished = job.job.isUnfinished
    guard !isUnfinished else {
      batch.jobs.removeLast()
      return
    }
    job.noteAnswer()
    let bytes = job.job.answerBytes
    guard bytes >= limits.smallAnswerBytes else { return }
    batch.answers[party, default: 0] += bytes
    batch.answerBytes += bytes
    let underWay = answerBytesOf[party, default: 0] + batch.answers[party, default: 0]
    if underWay > limits.partyAnswerBytes { turns.holdBack(party) }
  }

  /// Takes the job out whose turn it is, to be run outside a batch.
  func takeNext() -> QueuedJob? {
    guard let job = turns.next(urgentFirst: true) else { return nil }
    turns.charge(job.payer, 0)
    return job
  }

  /// The batch was committed: its answers leave, and are charged until they have.
  func finish(_ batch: Batch, _ serve: @escaping @Sendable () -> Void) {
    for (party, bytes) in batch.answers { answerBytesOf[party, default: 0] += bytes }
    answerBytes += batch.answerBytes
    let answers = batch.answers
    finish(batch.jobs, nil) { [self] in hasLeft(answers, serve) }
  }

  /// The batch came to nothing: its jobs are finished in other ways, and answer little.
  func forget(_ batch: Batch) {
    for party in batch.answers.keys where answerBytesOf[party, default: 0] == 0 {
      turns.letGoOn(party)
    }
  }

  /// Finishes jobs, and lets go of what they held while they waited.
  ///
  /// - Parameter done: Called when their answers have left for their connections.
  func finish(
    _ jobs: [QueuedJob], _ error: StoreError?, _ done: (@Sendable () -> Void)? = nil
  ) {
    var answers = ResponseBatch()
    for job in jobs {
      job.job.finish(error, &answers)
      job.wasFinished()
    }
    answers.deliver(done)
  }

  /// Nobody is held back any more: what waits is to be finished, and nothing comes after it.
  private func letAllGoOn() {
    (answerBytes, answerBytesOf) = (0, [:])
    turns.letAllGoOn()
  }

  /// Whether a job could be run now.
  var hasWork: Bool { !turns.isEmpty && answerBytes <= limits.answerBytes }

  private func hasLeft(_ answers: [Payer.Party: Int], _ serve: @escaping @Sendable () -> Void) {
    guard !answers.isEmpty else { return }
    let isAwaited = inbox.withLock { inbox in
      inbox.left.append(answers)
      guard inbox.awaitsAnswers, !inbox.isScheduled else { return false }
      inbox.isScheduled = true
      return true
    }
    if isAwaited { schedule(serve) }
  }

  private func release(_ answers: [Payer.Party: Int]) {
    for (party, bytes) in answers {
      let rest = max(0, answerBytesOf[party, default: 0] - bytes)
      answerBytesOf[party] = rest > 0 ? rest : nil
      answerBytes = max(0, answerBytes - bytes)
      if rest <= limits.partyAnswerBytes { turns.letGoOn(party) }
    }
  }
}
