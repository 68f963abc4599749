// SPDX-License-Identifier: Apache-2.0
// Decides what shares a commit: everything that arrived while the last one was on its way to the disk.

import Dispatch
import GRPC
import Logging
import Replication
import Synchronization

/// What a job does to the disk: which jobs are refused when room gets scarce.
package enum StorageUse: Sendable {
  /// It only reads.
  case reads
  /// It writes a little, and takes something away by it: a deletion, a revocation. The reserve is kept for it.
  case clears
  /// It writes.
  case writes
}

/// Work for the storage queue.
///
/// `run` may be called again in a later transaction if the first did not happen; `finish` is called once, after.
/// Both on the storage queue.
package protocol StorageJob: AnyObject, Sendable {
  /// What it does to the disk.
  var use: StorageUse { get }
  /// Bytes it holds while it waits.
  var costBytes: Int { get }
  /// Whether somebody waits for what comes of it. Asked once, before it is run; a job that takes something away
  /// is run all the same.
  var isAwaited: Bool { get }
  /// Does the work in a transaction that other jobs share.
  func run(in batch: Batch) throws(StoreError)
  /// The transaction is committed (nil), or did not happen, or its outcome is unknown. Adds the answer.
  func finish(_ error: StoreError?, _ answers: inout ResponseBatch)
}

extension StorageJob {
  package var isAwaited: Bool { true }
}

/// One transaction as its jobs see it.
package final class Batch {
  /// The store's.
  package let transaction: any StoreTransaction
  /// Whether the rest of the disk is for jobs that take something away.
  package let isDiskFull: Bool
  fileprivate private(set) var feeds: [AccountID: AccountFeed] = [:]
  private var removed: Set<AccountID> = []
  private var revoked: Set<ReplicaID> = []

  private let environment: Environment
  /// The greatest time that the server's clock ever showed.
  private let clockHighWater: WallTime

  fileprivate init(
    _ transaction: any StoreTransaction, isDiskFull: Bool, environment: Environment
  ) {
    self.transaction = transaction
    self.isDiskFull = isDiskFull
    self.environment = environment
    clockHighWater = transaction.noteClock(environment.now())
  }

  /// The feed of an account, shared by the jobs of the batch.
  package func feed(of account: AccountID) throws(StoreError) -> AccountFeed {
    if let feed = feeds[account] { return feed }
    let feed = try AccountFeed(
      account: account, in: transaction, commit: environment.randomNumber(),
      clockHighWater: clockHighWater)
    feeds[account] = feed
    return feed
  }

  /// Removes an account with all that jobs of this batch did to it.
  func remove(_ account: AccountID) throws(StoreError) {
    try transaction.removeAccount(account)
    feeds[account] = nil
    removed.insert(account)
  }

  /// Ends a device's access, from the jobs of this batch that come later on.
  ///
  /// - Returns: False if there is no such device.
  func revoke(_ device: ReplicaID, at now: WallTime) throws(StoreError) -> Bool {
    guard try transaction.revokeDevice(device, at: now) else { return false }
    revoked.insert(device)
    return true
  }

  /// Whether a device may still do something. What an earlier job of this batch ended is not known to memory before the commit.
  func allows(_ session: Session) -> Bool {
    !session.isRevoked && !revoked.contains(session.replica)
      && !removed.contains(session.account.id)
  }
}

/// The one queue on which a store is used. Thread-safe.
///
/// Nothing is answered before its commit returned. What cannot be undone or trusted ends the process: see
/// `StoreError.isFatal`.
package final class CommitQueue: @unchecked Sendable {
  // Sendable because `store`, `disk` and the members below them are touched only in what `schedule` runs.

  /// Bounds on what waits and on what one commit takes.
  package struct Limits: Sendable {
    /// Bytes that may wait in all; beyond it work is refused.
    package var waitingBytes = 64 * 1024 * 1024
    /// Bytes of one transaction, so that one answer does not wait for very many others.
    package var batchBytes = 8 * 1024 * 1024
    /// Jobs of one transaction.
    package var batchJobs = 1024

    /// The defaults.
    package init() {}
  }

  private struct Inbox {
    var jobs: [any StorageJob] = []
    var waitingBytes = 0
    var isScheduled = false
    var isClosed = false
  }

  /// Runs work on the one queue, in order.
  package typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

  private let schedule: Schedule
  private let inbox = Mutex(Inbox())
  private let limits: Limits
  private let directory: Directory
  private let environment: Environment
  private let logger: Logger
  private let onFatal: @Sendable (StoreError) -> Void
  private let store: any SyncStore
  private let disk: DiskGuard
  let counter = EventCounter()
  private var failure: StoreError?
  private var isRefusingWrites = false
  /// Records that cannot be read, and that the log has named. At most as many as `unreadableLimit`.
  private var unreadable: Set<UnreadableRecord> = []
  /// A queue that owns a store from now on.
  /// - Parameters:
  ///   - schedule: The queue; nil for one of Dispatch's. A simulation gives its own.
  ///   - onFatal: Must end the process; in a test, it notes the error. Nothing is acknowledged after it.
  package init(
    store: sending any SyncStore, disk: sending DiskGuard, directory: Directory,
    environment: Environment, logger: Logger, limits: Limits = Limits(),
    schedule: Schedule? = nil, onFatal: @escaping @Sendable (StoreError) -> Void
  ) {
    self.store = store
    self.disk = disk
    self.directory = directory
    self.environment = environment
    self.logger = logger
    self.limits = limits
    self.onFatal = onFatal
    self.schedule =
      schedule
      ?? {
        let queue = DispatchQueue(label: "atrest.storage")
        return { work in queue.async(execute: work) }
      }()
  }

  /// Hands work over. False: too much waits already, or the queue is closed; nothing will be called.
  package func submit(_ job: any StorageJob) -> Bool {
    let (isTaken, isFirst) = inbox.withLock { inbox in
      guard !inbox.isClosed, inbox.waitingBytes + job.costBytes <= limits.waitingBytes else {
        return (false, false)
      }
      inbox.jobs.append(job)
      inbox.waitingBytes += job.costBytes
      defer { inbox.isScheduled = true }
      return (true, !inbox.isScheduled)
    }
    if isFirst { schedule { self.serve() } }
    return isTaken
  }

  /// Finishes what was submitted, then closes the store. Later submissions are refused. Idempotent.
  package func close() async {
    inbox.withLock { $0.isClosed = true }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      schedule { [self] in
        while case let jobs = takeJobs(), !jobs.isEmpty { process(jobs) }
        if failure == nil { flushNotes() }
        store.close()
        done.resume()
      }
    }
  }

  /// Runs `step` over and over, between commits, until it returns false. It is handed nil, for the last time, when the store is not to
  /// be used any more.
  package func interleave(_ step: @escaping @Sendable ((any SyncStore)?) -> Bool) {
    schedule { [self] in
      let isUsable = failure == nil && !inbox.withLock { $0.isClosed }
      if step(isUsable ? store : nil), isUsable { interleave(step) }
    }
  }

  /// Takes what is gone out of the store's log too, then calls `done`. If that fails it is logged, and the next start of the server does it.
  func emptyLog(_ done: @escaping @Sendable () -> Void) {
    schedule { [self] in
      defer { done() }
      // A store that was closed has no log.
      guard failure == nil else { return }
      do throws(StoreError) { try store.emptyLog() } catch {
        guard error != .closed else { return }
        logger.warning(
          "what was removed may be in the database's log until the server starts again",
          metadata: ["error": "\(error.userMessage)"])
        guard error.isFatal else { return }
        failure = error
        onFatal(error)
      }
    }
  }

  private func serve() {
    let jobs = takeJobs()
    // Whoever hung up costs nothing more. What it asked for was not acknowledged.
    var wanted: [any StorageJob] = []
    var left: [any StorageJob] = []
    for job in jobs {
      if job.use == .clears || job.isAwaited { wanted.append(job) } else { left.append(job) }
    }
    if !left.isEmpty { finish(left, .notAwaited) }
    process(wanted)
    let goesOn = inbox.withLock { inbox in
      inbox.isScheduled = !inbox.jobs.isEmpty
      return inbox.isScheduled
    }
    if goesOn { schedule { self.serve() } }
  }

  private func takeJobs() -> [any StorageJob] {
    inbox.withLock { inbox in
      var count = 0
      var bytes = 0
      for job in inbox.jobs {
        guard count < limits.batchJobs, count == 0 || bytes + job.costBytes <= limits.batchBytes
        else { break }
        count += 1
        bytes += job.costBytes
      }
      let taken = Array(inbox.jobs.prefix(count))
      inbox.jobs.removeFirst(count)
      inbox.waitingBytes -= bytes
      return taken
    }
  }

  private func process(_ jobs: [any StorageJob]) {
    guard !jobs.isEmpty else { return }
    if let failure { return finish(jobs, failure) }
    let hasWrites = jobs.contains { $0.use != .reads }
    let isDiskFull = hasWrites && !disk.allowsWrites()
    if jobs.contains(where: { $0.use == .writes }) {
      guard !isDiskFull else { return refuse(.writes, of: jobs) }
      disk.renewBallast()
      if isRefusingWrites { logger.notice("there is room on the disk again: writes go on") }
      isRefusingWrites = false
    }
    do throws(StoreError) {
      let all = try commit(jobs, hasWrites: hasWrites, isDiskFull: isDiskFull)
      let feeds = all.filter { $0.head != $0.start }
      for feed in all { report(feed.unreadable) }
      // Before the answers: whoever has one may ask again at once.
      for feed in feeds { directory.account(feed.account)?.advance(to: feed.head) }
      finish(jobs, nil)
      for feed in feeds { publish(feed) }
    } catch {
      recover(jobs, from: error)
    }
  }

  /// Lines of the log about records that cannot be read, in one run of the server.
  private static let unreadableLimit = 1000

  /// Names each record that cannot be read once.
  private func report(_ records: [UnreadableRecord]) {
    for record in records where unreadable.count < Self.unreadableLimit {
      guard unreadable.insert(record).inserted else { continue }
      logger.error(
        """
        A stored record cannot be read: the disk damaged it. It is left out, and the rest is served. Check the disk, and put a backup \
        back if the record is to be had again.
        """,
        metadata: [
          "account": "\(record.account.rawValue)",
          "kind": "\(record.kind.map { "\($0.rawValue)" } ?? "unknown")",
          "sequence": "\(record.sequence)",
        ])
    }
  }

  private func recover(_ jobs: [any StorageJob], from error: StoreError) {
    if error.isFatal {
      failure = error
      logger.critical("the store failed", metadata: ["error": "\(error.userMessage)"])
      onFatal(error)
      finish(jobs, error)
    } else if error == .full, jobs.contains(where: { $0.use == .writes }) {
      refuse(.writes, of: jobs)
    } else if error == .full, jobs.contains(where: { $0.use == .clears }) {
      // The ballast's room is for these.
      if disk.giveBallastUp() { process(jobs) } else { refuse(.clears, of: jobs) }
    } else if jobs.count > 1 {
      // Whatever it was, it is one job's; the others have nothing to do with it.
      for job in jobs { process([job]) }
    } else {
      logger.error("a job failed", metadata: ["error": "\(error.userMessage)"])
      finish(jobs, error)
    }
  }

  /// There is no room: these jobs are refused, the others are done.
  private func refuse(_ use: StorageUse, of jobs: [any StorageJob]) {
    if !isRefusingWrites {
      logger.warning(
        "the disk is full: writes are refused",
        metadata: ["error": "\(StoreError.full.userMessage)"])
    }
    isRefusingWrites = true
    finish(jobs.filter { $0.use == use }, .full)
    process(jobs.filter { $0.use != use })
  }

  private func commit(
    _ jobs: [any StorageJob], hasWrites: Bool, isDiskFull: Bool
  ) throws(StoreError) -> [AccountFeed] {
    let notes = hasWrites ? directory.takeNotes() : nil
    do throws(StoreError) {
      return try commit(jobs, notes, isDiskFull: isDiskFull)
    } catch {
      // They are written with the next transaction that happens.
      if let notes { directory.putBack(notes) }
      throw error
    }
  }

  private func commit(
    _ jobs: [any StorageJob], _ notes: Directory.Notes?, isDiskFull: Bool
  ) throws(StoreError) -> [AccountFeed] {
    try store.transaction { transaction throws(StoreError) in
      let batch = Batch(transaction, isDiskFull: isDiskFull, environment: environment)
      // First: housekeeping reads what devices hold.
      if let notes { try write(notes, transaction) }
      for job in jobs { try job.run(in: batch) }
      if Mutation.acknowledgedBeforeCommit.isActive { finish(jobs, nil) }
      for feed in batch.feeds.values { try feed.finish() }
      return Array(batch.feeds.values)
    }
  }

  private func write(
    _ notes: Directory.Notes, _ transaction: any StoreTransaction
  ) throws(StoreError) {
    for (replica, time) in notes.seen {
      try transaction.setSeen(time, device: replica)
    }
    for (replica, progress) in notes.progress {
      try transaction.setProgress(progress, of: replica)
    }
  }

  private func flushNotes() {
    // What is lost if this fails is a minute on a list, and that something is stripped a little later.
    let notes = directory.takeNotes()
    try? store.transaction { transaction throws(StoreError) in try write(notes, transaction) }
  }

  private func finish(_ jobs: [any StorageJob], _ error: StoreError?) {
    var answers = ResponseBatch()
    for job in jobs { job.finish(error, &answers) }
    answers.deliver()
  }

  private func publish(_ feed: AccountFeed) {
    directory.account(feed.account)?.publish(feed, serverTime: environment.now())
  }
}
