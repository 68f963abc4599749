// SPDX-License-Identifier: Apache-2.0
// The verified facts of one account, in any order and any number of times. Pure.

/// The latest verified statement about each purchase and each subscription's renewal.
///
/// A map whose values join by `StatementOrder`, hence a join-semilattice: whatever the order and
/// repetition of what arrives, the result is the same, and an old statement that is played again
/// changes nothing. A refund is a later statement about its purchase, and so is a refund's
/// reversal: revocation is not sticky.
public struct EntitlementFacts: Hashable, Sendable {
  /// By purchase.
  public private(set) var transactions: [TransactionFact.ID: TransactionFact] = [:]
  /// By subscription.
  public private(set) var renewals: [TransactionFact.ID: RenewalFact] = [:]

  /// No facts.
  public init() {}

  /// Takes a purchase in, unless a later statement about it is known.
  ///
  /// - Returns: Whether anything changed.
  @discardableResult
  public mutating func insert(_ fact: TransactionFact) -> Bool {
    if let known = transactions[fact.id], known.order >= fact.order { return false }
    transactions[fact.id] = fact
    return true
  }

  /// Takes renewal information in, unless a later one is known.
  ///
  /// - Returns: Whether anything changed.
  @discardableResult
  public mutating func insert(_ fact: RenewalFact) -> Bool {
    if let known = renewals[fact.originalID], known.order >= fact.order { return false }
    renewals[fact.originalID] = fact
    return true
  }

  /// Takes everything in that somebody else knows.
  public mutating func merge(_ other: EntitlementFacts) {
    for fact in other.transactions.values { insert(fact) }
    for fact in other.renewals.values { insert(fact) }
  }

  /// The subscription's purchases, as the latest statement about each tells them.
  func purchases(of original: TransactionFact.ID) -> [TransactionFact] {
    transactions.values.filter { $0.originalID == original }
  }
}
