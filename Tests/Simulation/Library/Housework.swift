// SPDX-License-Identifier: Apache-2.0
// The server's housekeeping as jobs of its queue, one slice each.

import AtrestRPC
import AtrestReplication
import AtrestServer

/// One slice of housekeeping.
final class Housework: StorageJob, @unchecked Sendable {
  // Sendable: a simulation has one thread.

  /// Small, so that a round takes several slices.
  static let slice = 20

  private let account: AccountID
  private let done: (Bool) -> Void
  private var isMore = false

  /// The same class as in production, so that a full disk prevents the work.
  let use = StorageUse.writes
  let costBytes = 0
  var payer: Payer { .account(account) }

  /// - Parameter done: Called with whether more records may be due.
  init(_ account: AccountID, _ done: @escaping (Bool) -> Void) {
    self.account = account
    self.done = done
  }

  func run(in batch: Batch) throws(StoreError) {
    isMore = try Housekeeping.run(try batch.feed(of: account), limit: Self.slice)
  }

  func finish(_ error: StoreError?, _ answers: inout ResponseBatch) {
    done(error == nil && isMore)
  }
}
