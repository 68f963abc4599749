// SPDX-License-Identifier: Apache-2.0

import AtrestRPC

/// How a job uses the disk. Decides which jobs are refused when space is scarce.
package enum StorageUse: Sendable {
  /// Only reads. An account's reads may run concurrently with commits. They see everything that was
  /// acknowledged before they were submitted.
  case reads
  /// Touches nothing. Only its position between two commits matters.
  case waits
  /// Writes a little to remove something, as a deletion or a revocation does. May use the disk
  /// reserve.
  case clears
  /// Writes.
  case writes

  var mayWrite: Bool { self == .clears || self == .writes }
}

/// A job for the storage queue.
///
/// `run` is a function of what it reads. It may be called again: in a later transaction, if the
/// first one fails, and in the same one, if an engine across a network had not loaded all of it.
/// So it sets its results anew each time, and changes nothing else that outlives it. `finish` is
/// called once, afterwards: what counts is applied there. Both run on the storage queue.
package protocol StorageJob: AnyObject, Sendable {
  /// The party that is charged.
  var payer: Payer { get }
  /// How the job uses the disk.
  var use: StorageUse { get }
  /// The memory charged while it waits, in bytes.
  var costBytes: Int { get }
  /// The size of the response after `run`, in bytes. 0 if it is small.
  var answerBytes: Int { get }
  /// Whether a caller waits for the result. Checked before `run`. A `clears` job runs regardless.
  var isAwaited: Bool { get }
  /// Whether `run` did only a part of the work and must be called again at the next turn. Only for
  /// reading jobs on a read queue: a failed transaction would undo the part.
  var isUnfinished: Bool { get }
  /// Notes what `run` is known to read. An engine across a network loads it with the first trip; a
  /// read that was not noted costs another one.
  func prefetch(_ queries: inout StoreQueries)
  /// Does the work in a transaction that other jobs share.
  func run(in batch: Batch) throws(StoreError)
  /// Adds the response to `answers`. `error` is nil if the transaction was committed. Otherwise it
  /// failed or its outcome is unknown.
  func finish(_ error: StoreError?, _ answers: inout ResponseBatch)
}

extension StorageJob {
  package var answerBytes: Int { 0 }
  package var isAwaited: Bool { true }
  package var isUnfinished: Bool { false }
  package func prefetch(_ queries: inout StoreQueries) {}
}
