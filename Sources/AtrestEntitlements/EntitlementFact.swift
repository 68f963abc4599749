// SPDX-License-Identifier: Apache-2.0
// Verified facts, and the order of statements about one purchase.

import AtrestReplication
import Foundation

/// The order of statements about one purchase: by the App Store's signing date, then by hash. No
/// device's clock takes part.
public struct StatementOrder: Hashable, Comparable, Sendable {
  /// The time of the App Store's signature.
  public let signed: WallTime
  /// The statement's SHA-256, 32 bytes: breaks ties within a millisecond.
  public let hash: [UInt8]

  package init(signed: WallTime, hash: [UInt8]) {
    self.signed = signed
    self.hash = hash
  }

  /// Orders by time of signature, then by hash.
  public static func < (a: StatementOrder, b: StatementOrder) -> Bool {
    if a.signed != b.signed { return a.signed < b.signed }
    return a.hash.lexicographicallyPrecedes(b.hash)
  }
}

/// How an account came by a purchase.
public enum Ownership: String, Hashable, Sendable, CaseIterable {
  /// It bought it.
  case purchased = "PURCHASED"
  /// A family member shares it. A later statement with a revocation ends that.
  case familyShared = "FAMILY_SHARED"
}

/// A purchase that the App Store signed. Only a verifier creates one, so a client can write nothing
/// in it.
public struct TransactionFact: Hashable, Sendable {
  /// Identifies a purchase within an environment, because ids of the two environments could
  /// collide.
  public struct ID: Hashable, Comparable, Sendable {
    /// The App Store environment.
    public let environment: StoreEnvironment
    /// The App Store's transaction id.
    public let transactionID: String

    package init(environment: StoreEnvironment, transactionID: String) {
      self.environment = environment
      self.transactionID = transactionID
    }

    /// Orders by environment, then by id.
    public static func < (a: ID, b: ID) -> Bool {
      (a.environment, a.transactionID) < (b.environment, b.transactionID)
    }
  }

  /// The purchase.
  public let id: ID
  /// The subscription's first purchase, or this one. At most one account holds it.
  public let originalID: ID
  /// The App Store's product identifier.
  public let productID: String
  /// The product's type.
  public let type: ProductType
  /// How the account came by it.
  public let ownership: Ownership
  /// The end of a subscription's period; nil for a lifetime purchase.
  public let expires: WallTime?
  /// When it was refunded or its sharing ended; nil if neither, or if a refund was reversed.
  public let revoked: WallTime?
  /// The refunded share in the App Store's units; nil unless partial. A partial refund ends the
  /// purchase like a full one.
  public let revokedShare: Int64?
  /// The account token that the app passed at the purchase; nil if none.
  public let appAccountToken: UUID?
  /// The order among statements about this purchase.
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

/// Signed information on a subscription's next renewal. It counts only together with a purchase of
/// the subscription.
public struct RenewalFact: Hashable, Sendable {
  /// The subscription.
  public let originalID: TransactionFact.ID
  /// The end of the grace period after a failed payment; nil if there is none.
  public let graceExpires: WallTime?
  /// The order among statements about this subscription's renewal.
  public let order: StatementOrder

  package init(
    originalID: TransactionFact.ID, graceExpires: WallTime?, order: StatementOrder
  ) {
    self.originalID = originalID
    self.graceExpires = graceExpires
    self.order = order
  }
}
