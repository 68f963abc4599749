// SPDX-License-Identifier: Apache-2.0
// A bounded, fair queue of storage jobs that charges each party for its use.

import AtrestHTTP2
import AtrestLedger
import AtrestRPC
import Synchronization

/// The jobs of one serial queue. `submit` is thread-safe. Everything else runs on that queue.
///
/// The submitting party is charged for three things: bytes while a job waits, time while it runs,
/// and the bytes of its response until they are handed to their connection. A party with too many
/// response bytes in transit gets no turn until some have left. So no party can make the server
/// read faster than it can send.
final class JobQueue: @unchecked Sendable {
  // Sendable: the members below `inbox` are touched only in blocks that `schedule` runs.

  /// Bounds on waiting jobs, responses in transit, and one batch.
  struct Limits: Sendable {
    /// Maximum bytes of all waiting jobs. Beyond it, jobs are refused.
    var waitingBytes = 64 * 1024 * 1024
    /// Maximum bytes that a party may have charged anywhere in the server when it submits a job.
    var partyBufferedBytes = 16 * 1024 * 1024
    /// Maximum bytes of responses in transit to their connections: in all, and per party.
    var answerBytes = 16 * 1024 * 1024
    var partyAnswerBytes = 2 * 1024 * 1024
    /// Smaller responses are not counted: there are many, and they leave at once.
    var smallAnswerBytes = 4096
    /// Bounds of one batch: jobs, their bytes, their response bytes. The last job may exceed them.
    var batchJobs = 1024
    var batchBytes = 8 * 1024 * 1024
    var batchAnswerBytes = 4 * 1024 * 1024
    /// Maximum time for the jobs of one batch, in nanoseconds. Bounds how long one job waits for
    /// others.
    var batchNanoseconds: UInt64 = 25_000_000
  }

  /// Runs blocks on the serial queue, in order.
  typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

  private struct Inbox {
    var jobs: [QueuedJob] = []
    /// The bytes of responses that have left since.
    var left: [[Payer.Party: Int]] = []
    var isScheduled = false
    /// A party waits for responses to leave.
    var awaitsAnswers = false
    var isClosed = false
  }

  let schedule: Schedule
  private let inbox = Mutex(Inbox())
  private let limits: Limits
  /// The holder of waiting jobs, and the payers of jobs that no device submitted.
  private let waiting = Balance()
  private let server = Balance()
  private let unauthenticated = Balance()
  private let meter: @Sendable () -> UInt64
  private var turns = StorageTurns()
  private var answerBytes = 0
  private var answerBytesOf: [Payer.Party: Int] = [:]

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - meter: A monotonic clock in nanoseconds.
  init(limits: Limits, schedule: @escaping Schedule, meter: @escaping @Sendable () -> UInt64) {
    self.limits = limits
    self.schedule = schedule
    self.meter = meter
  }

  /// The accumulated cost of one batch.
  struct Batch {
    /// In execution order.
    fileprivate(set) var jobs: [QueuedJob] = []
    fileprivate var nanoseconds: UInt64 = 0
    fileprivate var bytes = 0
    fileprivate var answers: [Payer.Party: Int] = [:]
    fileprivate var answerBytes = 0
  }

  // MARK: From any thread

  /// Whether new jobs are refused.
  var isClosed: Bool { inbox.withLock { $0.isClosed } }

  /// Bytes of the jobs that wait.
  var waitingBytes: Int { waiting.chargedBytes }

  /// Submits a job. False if the queue is full or closed; the job is not called then.
  ///
  /// - Parameter serve: Scheduled unless it already is.
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

  private func holder(of payer: Payer) -> Balance {
    payer.holder ?? (payer.party == .unauthenticated ? unauthenticated : server)
  }

  /// Closes the queue and runs all waiting jobs.
  ///
  /// - Parameter serveBatch: Runs some or all waiting jobs, on the queue.
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

  /// Refuses jobs from now on. The first step of a queue that closes by itself.
  func refuseArrivals() { inbox.withLock { $0.isClosed = true } }

  /// Drops all jobs unanswered, as the end of the process does. They hold the services that hold
  /// the queue, which a process that is only simulated would leave behind.
  func abandon() {
    inbox.withLock { ($0.jobs, $0.isClosed) = ([], true) }
    turns = StorageTurns()
  }

  // MARK: On the queue

  /// Enqueues submitted jobs, and resumes parties whose responses have left.
  func takeArrivals() {
    let (jobs, left) = inbox.withLock { inbox in
      defer { (inbox.jobs, inbox.left) = ([], []) }
      return (inbox.jobs, inbox.left)
    }
    for job in jobs { turns.append(job) }
    for answers in left { release(answers) }
  }

  /// Whether `serve` must run again at once. Otherwise the next arrival schedules it.
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

  /// Runs jobs in turn until the batch is full or none waits. Jobs whose callers have gone are
  /// finished without running.
  func run(
    _ batch: inout Batch, _ run: (QueuedJob) throws(StoreError) -> Void
  ) throws(StoreError) {
    var left: [QueuedJob] = []
    defer { if !left.isEmpty { finish(left, .notAwaited) } }
    while batch.jobs.count < limits.batchJobs, batch.bytes < limits.batchBytes,
      batch.answerBytes < limits.batchAnswerBytes, batch.nanoseconds < limits.batchNanoseconds,
      // Urgent jobs come first, but get at most half of the time.
      let job = turns.next(urgentFirst: batch.nanoseconds < limits.batchNanoseconds / 2)
    {
      guard job.use == .clears || job.job.isAwaited else {
        // The caller is gone and nothing was acknowledged, so the job can be dropped.
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
    let start = meter()
    batch.jobs.append(job)
    batch.bytes += job.job.costBytes
    var isUnfinished = false
    defer {
      let nanoseconds = meter() &- start
      batch.nanoseconds += nanoseconds
      turns.charge(job.payer, nanoseconds)
      // Requeue it behind its device's newer jobs.
      if isUnfinished { turns.append(job) }
    }
    try run(job)
    isUnfinished = job.job.isUnfinished
    guard !isUnfinished else {
      batch.jobs.removeLast()
      return
    }
    noteAnswer(of: job, in: &batch)
  }

  private func noteAnswer(of job: QueuedJob, in batch: inout Batch) {
    job.noteAnswer()
    let party = job.payer.party
    let bytes = job.job.answerBytes
    guard bytes >= limits.smallAnswerBytes else { return }
    batch.answers[party, default: 0] += bytes
    batch.answerBytes += bytes
    let underWay = answerBytesOf[party, default: 0] + batch.answers[party, default: 0]
    if underWay > limits.partyAnswerBytes { turns.holdBack(party) }
  }

  /// Takes jobs in turn for a batch that is run as a whole, perhaps more than once. Jobs whose
  /// callers have gone are finished without running.
  ///
  /// Each party has paid for a turn only: `settle` or `charge` adds what the jobs cost.
  func take() -> [QueuedJob] {
    var (taken, left): ([QueuedJob], [QueuedJob]) = ([], [])
    var bytes = 0
    while taken.count < limits.batchJobs, bytes < limits.batchBytes,
      let job = turns.next(urgentFirst: 2 * taken.count < limits.batchJobs)
    {
      turns.charge(job.payer, 0)
      guard job.use == .clears || job.job.isAwaited else {
        left.append(job)
        continue
      }
      bytes += job.job.costBytes
      taken.append(job)
    }
    if !left.isEmpty { finish(left, .notAwaited) }
    return taken
  }

  /// Accounts for jobs that were taken and have run.
  ///
  /// - Parameters:
  ///   - jobs: With the time of each one's last run, in nanoseconds. Unfinished ones wait for
  ///     another turn.
  ///   - elapsed: The time that others have waited for the batch: see `shares`.
  /// - Returns: The batch to be finished once it is committed.
  func settle(
    _ jobs: [(job: QueuedJob, nanoseconds: UInt64)], within elapsed: UInt64
  ) -> Batch {
    var batch = Batch()
    let shares = Self.shares(of: elapsed, jobs.map(\.nanoseconds))
    for ((job, _), nanoseconds) in zip(jobs, shares) {
      turns.charge(job.payer, nanoseconds)
      guard !job.job.isUnfinished else {
        turns.append(job)
        continue
      }
      batch.jobs.append(job)
      noteAnswer(of: job, in: &batch)
    }
    return batch
  }

  /// The parts of a batch's time that its jobs pay: by the time of their own runs, of which each
  /// counts as a microsecond at least. So loads, locks, earlier runs and the commit are paid by
  /// those for whom they were.
  static func shares(of elapsed: UInt64, _ runs: [UInt64]) -> [UInt64] {
    let weights = runs.map { Double(max(1000, $0)) }
    let sum = weights.reduce(0, +)
    return weights.map { UInt64(Double(elapsed) * ($0 / sum)) }
  }

  /// Accounts for jobs that were taken, and whose batch failed after this time.
  func charge(_ jobs: [QueuedJob], _ elapsed: UInt64) {
    for job in jobs { turns.charge(job.payer, elapsed / UInt64(max(1, jobs.count))) }
  }

  /// Puts jobs back that were taken and did not fit into the batch.
  func putBack(_ jobs: [QueuedJob]) {
    for job in jobs { turns.append(job) }
  }

  /// Takes the job whose turn it is, to run it outside a batch.
  func takeNext() -> QueuedJob? {
    guard let job = turns.next(urgentFirst: true) else { return nil }
    turns.charge(job.payer, 0)
    return job
  }

  /// Finishes a committed batch: sends its responses and charges them until they have left.
  func finish(_ batch: Batch, _ serve: @escaping @Sendable () -> Void) {
    for (party, bytes) in batch.answers { answerBytesOf[party, default: 0] += bytes }
    answerBytes += batch.answerBytes
    let answers = batch.answers
    finish(batch.jobs, nil) { [self] in hasLeft(answers, serve) }
  }

  /// Discards a failed batch. Its jobs are finished in other ways, with small responses.
  func forget(_ batch: Batch) {
    for party in batch.answers.keys where answerBytesOf[party, default: 0] == 0 {
      turns.letGoOn(party)
    }
  }

  /// Finishes jobs and releases their charges.
  ///
  /// - Parameter done: Called when their responses have been handed to the connections.
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

  /// Resumes all parties, because the queue is closing and all waiting jobs must finish.
  func letAllGoOn() {
    (answerBytes, answerBytesOf) = (0, [:])
    turns.letAllGoOn()
  }

  /// Whether a job can run now.
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
