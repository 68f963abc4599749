// SPDX-License-Identifier: Apache-2.0
// The verified facts of one account. Merging is idempotent and order-independent. Pure.

/// The latest verified statement about each purchase and each subscription's renewal.
///
/// A map whose values join by `StatementOrder`, hence a join-semilattice: the order and repetition
/// of statements do not matter, and replaying an old one changes nothing. A refund is a later
/// statement about its purchase, and so is the refund's reversal: revocation is not sticky.
public struct EntitlementFacts: Hashable, Sendable {
  /// The latest statement per purchase.
  public private(set) var transactions: [TransactionFact.ID: TransactionFact] = [:]
  /// The latest statement per subscription.
  public private(set) var renewals: [TransactionFact.ID: RenewalFact] = [:]

  /// Creates an empty set of facts.
  public init() {}

  /// Adds a purchase unless a later statement about it is known.
  ///
  /// - Returns: Whether anything changed.
  @discardableResult
  public mutating func insert(_ fact: TransactionFact) -> Bool {
    if let known = transactions[fact.id], known.order >= fact.order { return false }
    transactions[fact.id] = fact
    return true
  }

  /// Adds renewal information unless a later one is known.
  ///
  /// - Returns: Whether anything changed.
  @discardableResult
  public mutating func insert(_ fact: RenewalFact) -> Bool {
    if let known = renewals[fact.originalID], known.order >= fact.order { return false }
    renewals[fact.originalID] = fact
    return true
  }

  /// Merges another set of facts.
  public mutating func merge(_ other: EntitlementFacts) {
    for fact in other.transactions.values { insert(fact) }
    for fact in other.renewals.values { insert(fact) }
  }

  /// The latest statement about each purchase of a subscription.
  func purchases(of original: TransactionFact.ID) -> [TransactionFact] {
    transactions.values.filter { $0.originalID == original }
  }
}
