// SPDX-License-Identifier: Apache-2.0

import AtrestLedger
import Synchronization

/// A queued job and the memory charge for it. Thread-safe.
final class QueuedJob: Sendable {
  let job: any StorageJob
  private let charge: Mutex<Charge>

  init(_ job: any StorageJob, at queue: Balance, by payer: Balance) {
    self.job = job
    charge = Mutex(Charge(job.costBytes, at: queue, by: payer))
  }

  var payer: Payer { job.payer }
  var use: StorageUse { job.use }

  /// Also charges the response, after the job has run.
  func noteAnswer() { charge.withLock { $0.change(to: job.costBytes + job.answerBytes) } }

  /// Releases the charge. From now on the call holds the memory, if anything does.
  func wasFinished() { charge.withLock { $0.change(to: 0) } }
}
