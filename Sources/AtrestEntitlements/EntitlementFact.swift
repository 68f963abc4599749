// SPDX-License-Identifier: Apache-2.0
// What a verified statement says, and which of two statements about one purchase is the later.

import AtrestReplication
import Foundation

/// Where a statement stands among others about the same purchase: the App Store's own date, then
/// its hash. No device's clock takes part.
public struct StatementOrder: Hashable, Comparable, Sendable {
  /// When the App Store signed.
  public let signed: WallTime
  /// SHA-256 of the statement, 32 bytes: a total order for two of one millisecond.
  public let hash: [UInt8]

  package init(signed: WallTime, hash: [UInt8]) {
    self.signed = signed
    self.hash = hash
  }

  /// The later signature is the greater.
  public static func < (a: StatementOrder, b: StatementOrder) -> Bool {
    if a.signed != b.signed { return a.signed < b.signed }
    return a.hash.lexicographicallyPrecedes(b.hash)
  }
}

/// How somebody came by a purchase.
public enum Ownership: String, Hashable, Sendable, CaseIterable {
  /// Bought it.
  case purchased = "PURCHASED"
  /// Shares a family member's; it ends with a later statement that names a revocation.
  case familyShared = "FAMILY_SHARED"
}

/// A purchase that the App Store signed for. Only a verifier makes one; nothing in it can be
/// written by a client.
public struct TransactionFact: Hashable, Sendable {
  /// Names the purchase in one environment: ids of the two could meet.
  public struct ID: Hashable, Comparable, Sendable {
    /// The App Store's world.
    public let environment: StoreEnvironment
    /// The App Store's id.
    public let transactionID: String

    package init(environment: StoreEnvironment, transactionID: String) {
      self.environment = environment
      self.transactionID = transactionID
    }

    /// By environment, then id.
    public static func < (a: ID, b: ID) -> Bool {
      (a.environment, a.transactionID) < (b.environment, b.transactionID)
    }
  }

  /// Which purchase.
  public let id: ID
  /// The first purchase of the same subscription, or this one. An account holds it, once over all
  /// accounts.
  public let originalID: ID
  /// What was bought.
  public let productID: String
  /// As what.
  public let type: ProductType
  /// By whom.
  public let ownership: Ownership
  /// The end of a subscription's period; nil for what is bought for good.
  public let expires: WallTime?
  /// When it was refunded, or its sharing ended; nil if neither, or if a refund was reversed.
  public let revoked: WallTime?
  /// How much was refunded, as the App Store counts it; nil unless in part. A refund in part ends
  /// the purchase like a whole one.
  public let revokedShare: Int64?
  /// The account that the app named at the purchase; nil if it named none.
  public let appAccountToken: UUID?
  /// Its place among statements about this purchase.
  public let order: StatementOrder

  package init(
    id: ID, originalID: ID, productID: String, type: ProductType,
    ownership: Ownership = .purchased, expires: WallTime? = nil, revoked: WallTime? = nil,
    revokedShare: Int64? = nil, appAccountToken: UUID? = nil, order: StatementOrder
  ) {
    self.id = id
    self.originalID = originalID
    self.productID = productID
    self.type = type
    self.ownership = ownership
    self.expires = expires
    self.revoked = revoked
    self.revokedShare = revokedShare
    self.appAccountToken = appAccountToken
    self.order = order
  }
}

/// What the App Store signed about a subscription's next renewal. It counts only together with a
/// purchase of the subscription.
public struct RenewalFact: Hashable, Sendable {
  /// Which subscription.
  public let originalID: TransactionFact.ID
  /// Until when the subscription goes on although a payment failed; nil where it does not.
  public let graceExpires: WallTime?
  /// Its place among statements about this subscription's renewal.
  public let order: StatementOrder

  package init(
    originalID: TransactionFact.ID, graceExpires: WallTime?, order: StatementOrder
  ) {
    self.originalID = originalID
    self.graceExpires = graceExpires
    self.order = order
  }
}
