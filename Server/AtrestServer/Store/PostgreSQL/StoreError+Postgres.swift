// SPDX-License-Identifier: Apache-2.0
// What a failure at the database means for a store's caller.

import AtrestPostgreSQL

extension StoreError {
  /// The failure of a transaction. What did not happen, and may be repeated, is
  /// `unavailable` or `busy`.
  init(_ error: PostgresError) {
    self =
      switch error.meaning {
      case .unknown: .outcomeUnknown(reason: error.reason)
      case .connectionLost, .refused: .unavailable(reason: error.reason)
      case .busy, .conflict: .busy(reason: error.reason)
      case .diskFull: .full
      case .failed: .failed(reason: error.reason)
      case .closed: .closed
      }
  }
}
