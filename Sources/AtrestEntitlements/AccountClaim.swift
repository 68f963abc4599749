// SPDX-License-Identifier: Apache-2.0
// What an account brings to the checks, and what is kept of a statement that passed them.

import AtrestReplication
import Crypto
import Foundation

/// What passed the checks that do not depend on an account.
public enum AuthenticStatement: Hashable, Sendable {
  /// A purchase, of whomever.
  case transaction(AuthenticTransaction)
  /// About the renewal of a subscription, of whomever.
  case renewal(RenewalFact)
}

/// A purchase that the App Store signed for this app; whose it is was not asked yet. Only a
/// verifier makes one.
public struct AuthenticTransaction: Hashable, Sendable {
  /// What it will say once it is admitted.
  let fact: TransactionFact
  let isOwnershipKnown: Bool

  /// Names what an account holds.
  public var originalID: TransactionFact.ID { fact.originalID }
  /// Whether it takes a purchase away: refunded, or not shared any more.
  public var isRevocation: Bool { fact.revoked != nil }
}

/// Who says that a statement is theirs. Made by whoever authenticated them, never from what they
/// sent.
public struct AccountClaim: Sendable {
  /// The UUID that the app gives the App Store for this account; nil where it is not known yet.
  public var appAccountToken: UUID?
  /// Whether test purchases count for this account.
  public var isTester: Bool
  /// How many facts the account holds; of a purchase that it holds already, one less, as that one
  /// is only replaced.
  public var heldFacts: Int
  /// Whether the person asks that a purchase of another account be moved to this one.
  public var asksForTransfer: Bool
  /// Who holds the purchases of an original transaction. A device, which knows its own account
  /// only, answers `.nobody`.
  public var holder: @Sendable (TransactionFact.ID) -> PurchaseHolder

  /// A claim.
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

/// Who holds a purchase.
public enum PurchaseHolder: Hashable, Sendable {
  /// No account; the first claim binds it.
  case nobody
  /// The claiming account.
  case thisAccount
  /// Another one, since then.
  case another(since: WallTime)
}

/// What is stored of an accepted statement: its own text, and the hash it was accepted with.
public struct StoredStatement: Hashable, Sendable {
  /// JWS compact form.
  public let jws: [UInt8]
  /// SHA-256 of it when it was accepted, 32 bytes.
  public let hash: [UInt8]

  /// From storage.
  public init(jws: [UInt8], hash: [UInt8]) {
    self.jws = jws
    self.hash = hash
  }

  /// A statement that was just accepted.
  public init(accepted jws: [UInt8]) {
    self.init(jws: jws, hash: Array(SHA256.hash(data: jws)))
  }

  /// Check 15: the text, if it is still the one that was accepted. Every reader verifies it again;
  /// nothing else is stored of it.
  public func intact() throws(EntitlementRejection) -> [UInt8] {
    guard Array(SHA256.hash(data: jws)) == hash else { throw .altered }
    return jws
  }
}
