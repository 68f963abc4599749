// SPDX-License-Identifier: Apache-2.0
// Group commit: batches the jobs queued during the previous commit.

import AtrestRPC
import AtrestReplication
import Dispatch
import Logging
import Synchronization

/// The serial queue that writes a store; forwards reads to the `ReadQueue`s. Thread-safe.
///
/// Answers a job after its commit returned, never before. A fatal error (`StoreError.isFatal`) ends
/// the process.
package final class CommitQueue: StorageQueue, @unchecked Sendable {
  // Sendable because only what `schedule` runs touches `store`, `disk` and the members below them.

  private let jobs: JobQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let logger: Logger
  private let onFatal: @Sendable (StoreError) -> Void
  private let store: any SyncStore
  private let disk: DiskGuard
  package let counter = EventCounter()
  private var failure: StoreError?
  private var isRefusingWrites = false
  private var logAge = LogAge()
  private let unreadable: UnreadableLog
  /// Empty: this queue serves reads, too.
  private let readers: [ReadQueue]

  /// Takes ownership of a store.
  ///
  /// - Parameters:
  ///   - readers: Of the same store. Each account is always read by the same one.
  ///   - schedule: The queue; nil for one of Dispatch's. A simulation gives its own.
  ///   - onFatal: Ends the process; a test records the error. Nothing is acknowledged after it.
  package convenience init(
    store: sending any SyncStore, readers: [ReadQueue] = [], disk: sending DiskGuard,
    registry: SessionRegistry, environment: Environment, logger: Logger,
    schedule: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil,
    onFatal: @escaping @Sendable (StoreError) -> Void
  ) {
    self.init(
      store: store, readers: readers, disk: disk, registry: registry,
      environment: environment, logger: logger, limits: JobQueue.Limits(), schedule: schedule,
      onFatal: onFatal)
  }

  init(
    store: sending any SyncStore, readers: [ReadQueue] = [], disk: sending DiskGuard,
    registry: SessionRegistry, environment: Environment, logger: Logger, limits: JobQueue.Limits,
    schedule: JobQueue.Schedule? = nil, onFatal: @escaping @Sendable (StoreError) -> Void
  ) {
    self.store = store
    self.disk = disk
    self.registry = registry
    self.environment = environment
    self.logger = logger
    self.onFatal = onFatal
    self.readers = readers
    unreadable = readers.first?.unreadable ?? UnreadableLog(logger)
    jobs = JobQueue(
      limits: limits, schedule: schedule ?? Self.queue(), meter: environment.nanoseconds)
  }

  private static func queue() -> JobQueue.Schedule {
    let queue = DispatchQueue(label: "atrest.storage")
    return { work in queue.async(execute: work) }
  }

  package func submit(_ job: any StorageJob) -> Bool {
    if job.use == .reads, !readers.isEmpty, case .account(let id) = job.payer.party {
      return readers[Int(truncatingIfNeeded: id.rawValue.magnitude % UInt64(readers.count))]
        .submit(job)
    }
    return jobs.submit(job) { self.serve() }
  }

  package var waitingBytes: Int {
    readers.reduce(jobs.waitingBytes) { $0 + $1.waitingBytes }
  }

  package func close() async {
    for reader in readers { await reader.close() }
    await jobs.close { self.serveBatch() }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      jobs.schedule { [self] in
        if failure == nil { flushNotes() }
        store.close()
        done.resume()
      }
    }
  }

  /// Drops what is queued, unanswered: for the end of a process that is simulated.
  package func abandon() { jobs.abandon() }

  /// Runs `step` between commits, again and again, until it returns false. Its last argument is nil
  /// if the store failed or was closed.
  package func interleave(_ step: @escaping @Sendable ((any SyncStore)?) -> Bool) {
    jobs.schedule { [self] in
      let isUsable = failure == nil && !jobs.isClosed
      if step(isUsable ? store : nil), isUsable { interleave(step) }
    }
  }

  package func erase(_ done: @escaping @Sendable (Bool) -> Void) {
    jobs.schedule { [self] in done(eraseNow()) }
  }

  package func eraseIfOwed() {
    jobs.schedule { [self] in
      guard store.owesErasure, eraseNow() else { return }
      logger.notice("what was removed is gone from the database's files")
    }
  }

  package func emptyLogIfQuiet() {
    jobs.schedule { [self] in
      guard failure == nil else { return }
      if !store.noteWithdrawn() {
        logger.error(
          "What was removed from the store could not be noted in the file `withdrawn`: a backup that is restored would bring it back. It is tried again each minute. Check the data folder's disk and rights."
        )
      }
      guard logAge.isDue() else { return }
      do throws(StoreError) {
        if try store.emptyLog() { logAge.emptied() }
      } catch {
        guard error != .closed else { return }
        logger.warning(
          "the database's log could not be emptied, which is tried again",
          metadata: ["error": "\(error.userMessage)"])
        endIfFatal(error)
      }
    }
  }

  private func endIfFatal(_ error: StoreError) {
    guard error.isFatal else { return }
    failure = error
    onFatal(error)
  }

  private func eraseNow() -> Bool {
    guard failure == nil else { return false }
    do throws(StoreError) {
      try store.erase()
      return true
    } catch {
      // Still owed when the store is opened again.
      guard error != .closed else { return false }
      logger.warning(
        """
        What was removed may still be in the database's files: they could not be made anew. It is tried again each hour. Making them anew takes \
        twice their room.
        """, metadata: ["error": "\(error.userMessage)"])
      endIfFatal(error)
      return false
    }
  }

  private func serve() {
    jobs.takeArrivals()
    serveBatch()
    if jobs.goesOn() { jobs.schedule { self.serve() } }
  }

  private func serveBatch() {
    guard jobs.hasWork else { return }
    if let failure {
      while let job = jobs.takeNext() { jobs.finish([job], failure) }
      return
    }
    var batch = JobQueue.Batch()
    do throws(StoreError) {
      try commit { run throws(StoreError) in
        try jobs.run(&batch, run)
      } then: {
        jobs.finish(batch) { self.serve() }
      }
    } catch {
      jobs.forget(batch)
      // No transaction could begin: one job has to fail, or the queue would never advance.
      if batch.jobs.isEmpty, let job = jobs.takeNext() {
        process([job])
      } else {
        recover(batch.jobs, from: error)
      }
    }
  }

  /// Runs the jobs of a transaction again that was rolled back.
  private func process(_ list: [QueuedJob]) {
    guard !list.isEmpty else { return }
    if let failure { return jobs.finish(list, failure) }
    do throws(StoreError) {
      try commit { run throws(StoreError) in
        for job in list { try run(job) }
      } then: {
        jobs.finish(list, nil)
      }
    } catch {
      recover(list, from: error)
    }
  }

  private func recover(_ list: [QueuedJob], from error: StoreError) {
    environment.metrics?.failed(error)
    if error.isFatal {
      failure = error
      logger.critical("the store failed", metadata: ["error": "\(error.userMessage)"])
      onFatal(error)
      jobs.finish(list, error)
    } else if error == .full, list.contains(where: { $0.use == .writes }) {
      refuse(.writes, of: list)
    } else if error == .full, list.contains(where: { $0.use == .clears }) {
      // The ballast is reserved for these.
      if disk.giveBallastUp() { process(list) } else { refuse(.clears, of: list) }
    } else if list.count > 1 {
      // One job is at fault: the others succeed by themselves.
      for job in list { process([job]) }
    } else {
      logger.error("a job failed", metadata: ["error": "\(error.userMessage)"])
      jobs.finish(list, error)
    }
  }

  /// The disk is full: refuses the jobs of one use, and runs the others.
  private func refuse(_ use: StorageUse, of list: [QueuedJob]) {
    if !isRefusingWrites {
      logger.warning(
        "the disk is full: writes are refused",
        metadata: ["error": "\(StoreError.full.userMessage)"])
    }
    isRefusingWrites = true
    jobs.finish(list.filter { $0.use == use }, .full)
    process(list.filter { $0.use != use })
  }

  /// Runs jobs in one transaction.
  ///
  /// - Parameters:
  ///   - runJobs: Hands each job to the function that it is given.
  ///   - answer: Called after the commit.
  private func commit(
    _ runJobs: (_ run: (QueuedJob) throws(StoreError) -> Void) throws(StoreError) -> Void,
    then answer: () -> Void
  ) throws(StoreError) {
    var notes: SessionRegistry.Notes?
    let all: [AccountFeed]
    let start = environment.metrics.map { _ in environment.nanoseconds() }
    var done: [QueuedJob] = []
    do throws(StoreError) {
      all = try store.transaction { transaction throws(StoreError) in
        let batch = Batch(transaction, environment: environment)
        try runJobs { job throws(StoreError) in
          if job.use.mayWrite, notes == nil {
            let new = registry.takeNotes()
            notes = new
            batch.isDiskFull = !disk.allowsWrites()
            // First: housekeeping reads the devices' progress.
            try new.write(to: transaction.devices)
          }
          if job.use == .writes { try expectRoom(batch) }
          if start != nil { done.append(job) }
          try job.job.run(in: batch)
        }
        return try batch.finish()
      }
    } catch {
      // The next transaction writes them.
      if let notes { registry.putBack(notes) }
      throw error
    }
    if let start {
      environment.metrics?.committed(done, nanoseconds: environment.nanoseconds() &- start)
    }
    logAge.wrote()
    let feeds = all.filter { $0.head != $0.start }
    for feed in all { unreadable.report(feed.unreadable) }
    // Before the answers: a device may call again as soon as it has one.
    for feed in feeds { registry.account(feed.account)?.advance(to: feed.head) }
    answer()
    for feed in feeds { publish(feed) }
  }

  private func expectRoom(_ batch: Batch) throws(StoreError) {
    guard !batch.isDiskFull else { throw .full }
    disk.renewBallast()
    if isRefusingWrites { logger.notice("there is room on the disk again: writes go on") }
    isRefusingWrites = false
  }

  private func flushNotes() {
    // A failure costs little: a time on a list is a minute old, and something is pruned later.
    let notes = registry.takeNotes()
    try? store.transaction { transaction throws(StoreError) in
      try notes.write(to: transaction.devices)
    }
  }

  private func publish(_ feed: AccountFeed) {
    registry.account(feed.account)?.publish(feed, serverTime: environment.now())
  }
}
