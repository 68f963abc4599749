// SPDX-License-Identifier: Apache-2.0
// Decides what shares a commit: everything that arrived while the last one was on its way to the
// disk.

import AtrestRPC
import AtrestReplication
import Dispatch
import Logging
import Synchronization

/// The one queue on which a store is written, and the way to those on which accounts are read.
/// Thread-safe.
///
/// Nothing is answered before its commit returned. What cannot be undone or trusted ends the
/// process: see `StoreError.isFatal`.
package final class CommitQueue: @unchecked Sendable {
  // Sendable because `store`, `disk` and the members below them are touched only in what `schedule`
  // runs.

  private let jobs: JobQueue
  private let registry: SessionRegistry
  private let environment: Environment
  private let logger: Logger
  private let onFatal: @Sendable (StoreError) -> Void
  private let store: any SyncStore
  private let disk: DiskGuard
  let counter = EventCounter()
  private var failure: StoreError?
  private var isRefusingWrites = false
  private let unreadable: UnreadableLog
  /// Empty: what reads does so here, too.
  private let readers: [ReadQueue]

  /// A queue that owns a store from now on.
  /// - Parameters:
  ///   - readers: Of the same store. An account is always read by the same of them.
  ///   - schedule: The queue; nil for one of Dispatch's. A simulation gives its own.
  ///   - onFatal: Must end the process; in a test, it notes the error. Nothing is acknowledged
  ///     after it.
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

  /// Hands work over. False: too much waits already, or the queue is closed; nothing will be
  /// called.
  package func submit(_ job: any StorageJob) -> Bool {
    if job.use == .reads, !readers.isEmpty, case .account(let id) = job.payer.party {
      return readers[Int(truncatingIfNeeded: id.rawValue.magnitude % UInt64(readers.count))]
        .submit(job)
    }
    return jobs.submit(job) { self.serve() }
  }

  /// Finishes what was submitted, then closes the store. Later submissions are refused. Idempotent.
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

  /// Runs `step` over and over, between commits, until it returns false. It is handed nil, for the
  /// last time, when the store is not to be used any more.
  package func interleave(_ step: @escaping @Sendable ((any SyncStore)?) -> Bool) {
    jobs.schedule { [self] in
      let isUsable = failure == nil && !jobs.isClosed
      if step(isUsable ? store : nil), isUsable { interleave(step) }
    }
  }

  /// Takes what was removed out of the store's files, then says whether it is gone from them. If
  /// not it is logged, and `eraseIfOwed` tries again.
  func erase(_ done: @escaping @Sendable (Bool) -> Void = { _ in }) {
    jobs.schedule { [self] in done(eraseNow()) }
  }

  /// Does so if something that was removed may still be in a file.
  func eraseIfOwed() {
    jobs.schedule { [self] in
      guard store.owesErasure, eraseNow() else { return }
      logger.notice("what was removed is gone from the database's files")
    }
  }

  private func eraseNow() -> Bool {
    guard failure == nil else { return false }
    do throws(StoreError) {
      try store.erase()
      return true
    } catch {
      // A store that was closed does it when it is open again.
      guard error != .closed else { return false }
      logger.warning(
        """
        What was removed may still be in the database's files: they could not be made anew. It is tried again each hour. Making them anew takes \
        twice their room.
        """, metadata: ["error": "\(error.userMessage)"])
      guard error.isFatal else { return false }
      failure = error
      onFatal(error)
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
      // No transaction could be begun: it is told to somebody, or nothing would ever move on.
      if batch.jobs.isEmpty, let job = jobs.takeNext() {
        process([job])
      } else {
        recover(batch.jobs, from: error)
      }
    }
  }

  /// Runs jobs again that shared a transaction which did not happen.
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
    if error.isFatal {
      failure = error
      logger.critical("the store failed", metadata: ["error": "\(error.userMessage)"])
      onFatal(error)
      jobs.finish(list, error)
    } else if error == .full, list.contains(where: { $0.use == .writes }) {
      refuse(.writes, of: list)
    } else if error == .full, list.contains(where: { $0.use == .clears }) {
      // The ballast's room is for these.
      if disk.giveBallastUp() { process(list) } else { refuse(.clears, of: list) }
    } else if list.count > 1 {
      // Whatever it was, it is one job's; the others have nothing to do with it.
      for job in list { process([job]) }
    } else {
      logger.error("a job failed", metadata: ["error": "\(error.userMessage)"])
      jobs.finish(list, error)
    }
  }

  /// There is no room: these jobs are refused, the others are done.
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
  ///   - answer: Called once the transaction is durable.
  private func commit(
    _ runJobs: (_ run: (QueuedJob) throws(StoreError) -> Void) throws(StoreError) -> Void,
    then answer: () -> Void
  ) throws(StoreError) {
    var notes: SessionRegistry.Notes?
    let all: [AccountFeed]
    do throws(StoreError) {
      all = try store.transaction { transaction throws(StoreError) in
        let batch = Batch(transaction, environment: environment)
        try runJobs { job throws(StoreError) in
          if job.use.mayWrite, notes == nil {
            let new = registry.takeNotes()
            notes = new
            batch.isDiskFull = !disk.allowsWrites()
            // First: housekeeping reads what devices hold.
            try transaction.devices.note(seen: new.seen, progress: new.progress)
          }
          if job.use == .writes { try expectRoom(batch) }
          try job.job.run(in: batch)
          if Mutation.acknowledgedBeforeCommit.isActive { jobs.finish([job], nil) }
        }
        return try batch.finish()
      }
    } catch {
      // They are written with the next transaction that happens.
      if let notes { registry.putBack(notes) }
      throw error
    }
    let feeds = all.filter { $0.head != $0.start }
    for feed in all { unreadable.report(feed.unreadable) }
    // Before the answers: whoever has one may ask again at once.
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
    // What is lost if this fails is a minute on a list, and that something is stripped a little
    // later.
    let notes = registry.takeNotes()
    try? store.transaction { transaction throws(StoreError) in
      try transaction.devices.note(seen: notes.seen, progress: notes.progress)
    }
  }

  private func publish(_ feed: AccountFeed) {
    registry.account(feed.account)?.publish(feed, serverTime: environment.now())
  }
}
