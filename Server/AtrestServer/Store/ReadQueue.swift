// SPDX-License-Identifier: Apache-2.0
// Reads beside the commits: nobody's push waits for somebody else's pull.

import AtrestRPC
import Dispatch

/// A queue for jobs that only read. Thread-safe.
///
/// A job sees all that was acknowledged before it was submitted, and one state of the store in all
/// that it reads. It does not see what is committed meanwhile.
package final class ReadQueue: @unchecked Sendable {
  // Sendable because `reader` and `sums` are touched only in what `jobs` schedules.

  private let jobs: JobQueue
  private let environment: Environment
  let unreadable: UnreadableLog
  private let onFatal: @Sendable (StoreError) -> Void
  private let reader: any StoreReader
  private let sums = SumsCache()

  /// A queue that owns a reader from now on.
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

  /// Finishes what was submitted, then closes the reader. Later submissions are refused.
  /// Idempotent.
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
      // Whatever it was, it is one job's; the others have nothing to do with it.
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
      return Array(batch.feeds.values)
    }
    for feed in feeds { unreadable.report(feed.unreadable) }
  }
}
