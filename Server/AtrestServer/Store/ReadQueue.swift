// SPDX-License-Identifier: Apache-2.0
// Reads beside the commits: no push waits for a pull.

import AtrestRPC
import Dispatch

/// A serial queue for jobs that only read. Thread-safe.
///
/// A job reads one snapshot: everything acknowledged before it was submitted, nothing committed
/// while it runs.
package final class ReadQueue: @unchecked Sendable {
  // Sendable because only what `jobs` schedules touches `reader` and `sums`.

  private let jobs: JobQueue
  private let environment: Environment
  let unreadable: UnreadableLog
  private let onFatal: @Sendable (StoreError) -> Void
  private let reader: any StoreReader
  private let sums = SumsCache()

  /// Takes ownership of a reader.
  ///
  /// - Parameters:
  ///   - onFatal: See `CommitQueue`.
  init(
    reader: sending any StoreReader, limits: JobQueue.Limits = JobQueue.Limits(),
    environment: Environment, unreadable: UnreadableLog,
    onFatal: @escaping @Sendable (StoreError) -> Void
  ) {
    self.reader = reader
    self.environment = environment
    self.onFatal = onFatal
    self.unreadable = unreadable
    let queue = DispatchQueue(label: "atrest.reads")
    jobs = JobQueue(
      limits: limits, schedule: { work in queue.async(execute: work) },
      meter: environment.nanoseconds)
  }

  /// See `CommitQueue.submit(_:)`.
  func submit(_ job: any StorageJob) -> Bool { jobs.submit(job) { self.serve() } }

  /// Bytes of the jobs that wait.
  var waitingBytes: Int { jobs.waitingBytes }

  /// Finishes the queued jobs, then closes the reader. Later submissions are refused. Idempotent.
  func close() async {
    await jobs.close { self.serveBatch() }
    await withCheckedContinuation { done in
      jobs.schedule { [self] in
        reader.close()
        done.resume()
      }
    }
  }

  private func serve() {
    jobs.takeArrivals()
    serveBatch()
    if jobs.goesOn() { jobs.schedule { self.serve() } }
  }

  private func serveBatch() {
    guard jobs.hasWork else { return }
    var batch = JobQueue.Batch()
    do throws(StoreError) {
      try read { run throws(StoreError) in try jobs.run(&batch, run) }
      jobs.finish(batch) { self.serve() }
    } catch {
      jobs.forget(batch)
      let failed = batch.jobs.isEmpty ? jobs.takeNext().map { [$0] } ?? [] : batch.jobs
      // One job is at fault: the others succeed by themselves.
      for job in failed { serveAlone(job) }
    }
  }

  private func serveAlone(_ job: QueuedJob) {
    do throws(StoreError) {
      repeat { try read { run throws(StoreError) in try run(job) } } while job.job.isUnfinished
      jobs.finish([job], nil)
    } catch {
      if error.isFatal { onFatal(error) }
      jobs.finish([job], error)
    }
  }

  private func read(
    _ runJobs: (_ run: (QueuedJob) throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) {
    let feeds = try reader.read { transaction throws(StoreError) in
      let batch = Batch(transaction, environment: environment, sums: sums)
      try runJobs { job throws(StoreError) in try job.job.run(in: batch) }
      batch.sums?.keep()
      if let sums = batch.sums { environment.metrics?.lookedUp(sums) }
      return Array(batch.feeds.values)
    }
    for feed in feeds { unreadable.report(feed.unreadable) }
  }
}
