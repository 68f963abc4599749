// SPDX-License-Identifier: Apache-2.0
// The contract for purchases: each is held by one account.

import AtrestReplication

/// Which account holds which purchase. The rows are removed with their account.
package protocol PurchaseStore: AnyObject {
  /// The account that holds a purchase, and since when; nil if none does.
  func holder(of purchase: PurchaseKey) throws(StoreError) -> (account: AccountID, since: WallTime)?

  /// Makes an account the only holder of a purchase.
  func setHolder(
    _ account: AccountID, since: WallTime, of purchase: PurchaseKey
  ) throws(StoreError)

  /// The account's token in the App Store, which is set to `token` if it has none.
  ///
  /// - Returns: Nil if another account has `token`; nothing happens then.
  func appAccountToken(of account: AccountID, orElse token: [UInt8]) throws(StoreError) -> [UInt8]?
}

/// Names a purchase across all accounts.
package struct PurchaseKey: Hashable, Sendable {
  /// Production or sandbox.
  package let environment: String
  /// The original transaction's identifier in the App Store.
  package let original: String

  package init(environment: String, original: String) {
    self.environment = environment
    self.original = original
  }
}
