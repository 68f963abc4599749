// SPDX-License-Identifier: Apache-2.0
// What services need of a store's queue.

/// Runs storage jobs in transactions, several at a time, and answers them once they are durable.
/// Thread-safe.
package protocol StorageQueue: AnyObject, Sendable {
  /// Queues a job.
  ///
  /// - Returns: False if too much is queued already or the queue is closed: the job is dropped.
  func submit(_ job: any StorageJob) -> Bool

  /// Bytes of the jobs that wait.
  var waitingBytes: Int { get }

  /// Counts events that anybody can cause.
  var counter: EventCounter { get }

  /// Erases what was removed from the store's files, and reports whether that succeeded. A failure
  /// is logged, and `eraseIfOwed` tries again.
  func erase(_ done: @escaping @Sendable (Bool) -> Void)

  /// Erases if erasure is owed.
  func eraseIfOwed()

  /// Empties the store's log at a quiet moment, at the latest a day after it was last empty. Called
  /// each minute.
  func emptyLogIfQuiet()

  /// Tells other daemons of the same store what a job that was committed has changed. Nothing where
  /// there are none.
  func announce(_ news: [StoreNews])

  /// Finishes the queued jobs, then closes the store. Later submissions are refused. Idempotent.
  func close() async
}

extension StorageQueue {
  package var waitingBytes: Int { 0 }
  package func erase(_ done: @escaping @Sendable (Bool) -> Void) { done(true) }
  package func eraseIfOwed() {}
  package func emptyLogIfQuiet() {}
  package func announce(_ news: [StoreNews]) {}
}
