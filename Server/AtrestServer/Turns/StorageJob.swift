// SPDX-License-Identifier: Apache-2.0

import AtrestRPC

/// What a job does to the disk: which jobs are refused when room gets scarce.
package enum StorageUse: Sendable {
  /// It only reads. If it is an account's, it may do so beside the commits, and sees all that was
  /// answered before it was handed over.
  case reads
  /// It touches nothing: what counts is to be between two commits.
  case waits
  /// It writes a little, and takes something away by it: a deletion, a revocation. The reserve is
  /// kept for it.
  case clears
  /// It writes.
  case writes

  var mayWrite: Bool { self == .clears || self == .writes }
}

/// Work for the storage queue.
///
/// `run` may be called again in a later transaction if the first did not happen; `finish` is called
/// once, after. Both on the storage queue.
package protocol StorageJob: AnyObject, Sendable {
  /// Who is charged for it.
  var payer: Payer { get }
  /// What it does to the disk.
  var use: StorageUse { get }
  /// Bytes it holds while it waits.
  var costBytes: Int { get }
  /// Bytes of its answer, after `run`; 0 if they are few.
  var answerBytes: Int { get }
  /// Whether somebody waits for what comes of it. Asked before it is run; a job that takes
  /// something away is run all the same.
  var isAwaited: Bool { get }
  /// Whether it did a part of its work, after `run`, and is to be run again when it is its turn.
  /// Only one that reads, on a queue that only reads: a transaction that did not happen would take
  /// the part back.
  var isUnfinished: Bool { get }
  /// Does the work in a transaction that other jobs share.
  func run(in batch: Batch) throws(StoreError)
  /// The transaction is committed (nil), or did not happen, or its outcome is unknown. Adds the
  /// answer.
  func finish(_ error: StoreError?, _ answers: inout ResponseBatch)
}

extension StorageJob {
  package var answerBytes: Int { 0 }
  package var isAwaited: Bool { true }
  package var isUnfinished: Bool { false }
}
