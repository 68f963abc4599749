// SPDX-License-Identifier: Apache-2.0
// The contract for wrong pairing codes, of a store that several daemons share.

import AtrestReplication

/// The buckets of `AttemptLimiter`, once for all daemons of a store. Wrong attempts alone are
/// written: there are at most as many as the server's bucket has tokens.
package protocol AttemptStore: AnyObject {
  /// Whether each bucket has a token, the one of all callers included. By the store's clock.
  ///
  /// - Parameter keys: See `AttemptLimiter.keys(of:)`.
  func hasLeft(for keys: [[UInt8]]) throws(StoreError) -> Bool

  /// Consumes a token of each bucket, for a code that was wrong. After `hasLeft` in the same
  /// transaction.
  func spend(_ keys: [[UInt8]]) throws(StoreError)
}
