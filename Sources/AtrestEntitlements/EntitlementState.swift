// SPDX-License-Identifier: Apache-2.0
// Derives the entitlement from verified facts, completed fasts and the time. Pure.

import AtrestReplication

/// What an account may use. Derived on every read; never stored, never synced.
public enum EntitlementState: String, Hashable, Sendable, CaseIterable {
  /// A purchase grants everything.
  case premium
  /// Everything, for the first `EntitlementEvidence.trialFasts` completed fasts.
  case trial
  /// No purchase, and the trial is over. Requires complete evidence.
  case free
  /// Unknown, because something could not be verified or read. A caller keeps the last known state
  /// and never treats this as `free`.
  case unknown
}

/// The evidence that the state is derived from.
public struct EntitlementEvidence: Hashable, Sendable {
  /// The number of completed fasts in the trial.
  public static let trialFasts = 10

  /// The verified facts.
  public var facts: EntitlementFacts
  /// The fasts ever completed.
  public var completed: CompletedFasts
  /// Whether a statement could be neither accepted nor rejected, for lack of a policy or a
  /// revocation answer.
  public var hasUndecided: Bool
  /// Whether this is everything the account has: false before the first sync, and if something
  /// could not be read.
  public var isComplete: Bool
  /// Whether sandbox purchases grant: for tester accounts and on test servers.
  public var countsSandbox: Bool

  /// Creates evidence. The caller states whether it is complete.
  public init(
    facts: EntitlementFacts = EntitlementFacts(), completed: CompletedFasts = CompletedFasts(),
    hasUndecided: Bool = false, isComplete: Bool, countsSandbox: Bool = false
  ) {
    self.facts = facts
    self.completed = completed
    self.hasUndecided = hasUndecided
    self.isComplete = isComplete
    self.countsSandbox = countsSandbox
  }

  /// Derives the entitlement.
  ///
  /// A verified purchase suffices for `premium`. `trial` and `free` assert that there is no
  /// purchase, which takes complete evidence.
  /// - Parameter now: See `EntitlementTime.now`.
  /// - Complexity: O(n) in purchases, times subscriptions in grace.
  public func state(at now: WallTime) -> EntitlementState {
    if isPremium(at: now) { return .premium }
    guard isComplete, !hasUndecided else { return .unknown }
    return completed.count <= Self.trialFasts ? .trial : .free
  }

  private func isPremium(at now: WallTime) -> Bool {
    facts.transactions.values.contains { grants($0, at: now) }
      || facts.renewals.values.contains { grants($0, at: now) }
  }

  private func counts(_ environment: StoreEnvironment) -> Bool {
    environment == .production || countsSandbox
  }

  private func grants(_ fact: TransactionFact, at now: WallTime) -> Bool {
    guard counts(fact.id.environment), fact.revoked == nil else { return false }
    switch fact.type {
    case .lifetime: return true
    case .subscription: return fact.expires.map { now < $0 } ?? false
    }
  }

  /// Grace extends the last period. If that was refunded there is nothing to extend.
  private func grants(_ fact: RenewalFact, at now: WallTime) -> Bool {
    guard counts(fact.originalID.environment), let end = fact.graceExpires, now < end else {
      return false
    }
    let last = facts.purchases(of: fact.originalID).filter { $0.type == .subscription }
      .max { ($0.expires ?? .distantPast, $0.order) < ($1.expires ?? .distantPast, $1.order) }
    return last.map { $0.revoked == nil } ?? false
  }
}

/// The time for decisions that must not rely on the device's clock alone.
public enum EntitlementTime {
  /// The latest known time, so that setting the clock back does not extend a subscription.
  ///
  /// - Parameters:
  ///   - local: The device's clock.
  ///   - server: The server's time in its last answer.
  ///   - latestStamp: The latest stamp that this replica gave or observed.
  public static func now(local: WallTime, server: WallTime?, latestStamp: WallTime?) -> WallTime {
    [local, server, latestStamp].compactMap { $0 }.max() ?? local
  }
}

extension WallTime {
  fileprivate static let distantPast = WallTime(milliseconds: .min)
}
