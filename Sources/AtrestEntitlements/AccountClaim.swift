// SPDX-License-Identifier: Apache-2.0
// An account's claim to a statement, and the stored form of an accepted one.

import AtrestCrypto
import AtrestReplication
import Foundation

/// A statement that passed the checks that do not depend on an account.
public enum AuthenticStatement: Hashable, Sendable {
  /// A purchase, of any account.
  case transaction(AuthenticTransaction)
  /// Renewal information of a subscription, of any account.
  case renewal(RenewalFact)
}

/// A purchase that the App Store signed for this app. Its account is not checked yet. Only a
/// verifier creates one.
public struct AuthenticTransaction: Hashable, Sendable {
  /// The fact once it is admitted.
  let fact: TransactionFact
  let isOwnershipKnown: Bool

  /// The identifier by which an account holds the purchase.
  public var originalID: TransactionFact.ID { fact.originalID }
  /// Whether it revokes a purchase: a refund, or the end of family sharing.
  public var isRevocation: Bool { fact.revoked != nil }
}

/// An account's claim to a statement. Built from authenticated data, never from what the caller
/// sent.
public struct AccountClaim: Sendable {
  /// The UUID that the app passes to the App Store for this account; nil if unknown.
  public var appAccountToken: UUID?
  /// Whether test purchases count for this account.
  public var isTester: Bool
  /// The number of facts that the account holds, excluding an existing one of the same purchase,
  /// which is only replaced.
  public var heldFacts: Int
  /// Whether the person asks to move a purchase from another account.
  public var asksForTransfer: Bool
  /// Returns the holder of an original transaction's purchases. A device knows only its own account
  /// and answers `.nobody`.
  public var holder: @Sendable (TransactionFact.ID) -> PurchaseHolder

  /// Creates a claim.
  public init(
    appAccountToken: UUID?, isTester: Bool = false, heldFacts: Int = 0,
    asksForTransfer: Bool = false,
    holder: @escaping @Sendable (TransactionFact.ID) -> PurchaseHolder = { _ in .nobody }
  ) {
    self.appAccountToken = appAccountToken
    self.isTester = isTester
    self.heldFacts = heldFacts
    self.asksForTransfer = asksForTransfer
    self.holder = holder
  }
}

/// Which account holds a purchase, as the server records it.
public enum PurchaseHolder: Hashable, Sendable {
  /// No account; the first claim binds it.
  case nobody
  /// The claiming account.
  case thisAccount
  /// Another account, since the given time.
  case another(since: WallTime)
}

/// The stored form of an accepted statement: its text and the hash at acceptance.
public struct StoredStatement: Hashable, Sendable {
  /// JWS compact form.
  public let jws: [UInt8]
  /// The SHA-256 at acceptance, 32 bytes.
  public let hash: [UInt8]

  /// Restores a statement from storage.
  public init(jws: [UInt8], hash: [UInt8]) {
    self.jws = jws
    self.hash = hash
  }

  /// Wraps a statement that was just accepted.
  public init(accepted jws: [UInt8]) {
    self.init(jws: jws, hash: SHA256.hash(jws))
  }

  /// Check 15: the text, if it still matches its hash. Every reader verifies it again; nothing else
  /// is stored of it.
  ///
  /// - Throws: `.altered` if the hash differs.
  public func intact() throws(EntitlementRejection) -> [UInt8] {
    guard SHA256.hash(jws) == hash else { throw .altered }
    return jws
  }
}
