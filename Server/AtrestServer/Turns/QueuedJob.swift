// SPDX-License-Identifier: Apache-2.0

import AtrestLedger
import Synchronization

/// A job in a queue, and what it holds there at its payer's expense. Thread-safe.
final class QueuedJob: Sendable {
  let job: any StorageJob
  private let charge: Mutex<Charge>

  init(_ job: any StorageJob, at queue: Holder, by payer: Holder) {
    self.job = job
    charge = Mutex(Charge(job.costBytes, at: queue, by: payer))
  }

  var payer: Payer { job.payer }
  var use: StorageUse { job.use }

  /// It was run: its answer is held as well.
  func noteAnswer() { charge.withLock { $0.change(to: job.costBytes + job.answerBytes) } }

  /// It was finished: what it holds goes to the call, or away.
  func wasFinished() { charge.withLock { $0.change(to: 0) } }
}
