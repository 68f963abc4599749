// SPDX-License-Identifier: Apache-2.0
// What an account may use: derived from verified facts, completed fasts and now, each time anew.
// Pure.

import AtrestReplication

/// What an account may use. Derived on every read; never stored, never synced.
public enum EntitlementState: String, Hashable, Sendable, CaseIterable {
  /// A purchase grants everything.
  case premium
  /// Everything, for the first `EntitlementEvidence.trialFasts` completed fasts.
  case trial
  /// No purchase, and the trial is over. Said only by somebody who knows everything there is to
  /// know.
  case free
  /// Not known: something could not be verified or read. Whoever acts on the state keeps the last
  /// known one. Never to be taken for `free`.
  case unknown
}

/// What the state is derived from.
public struct EntitlementEvidence: Hashable, Sendable {
  /// The last completed fast that still belongs to the trial: ten are in it, the eleventh is not.
  public static let trialFasts = 10

  /// What was verified.
  public var facts: EntitlementFacts
  /// The fasts ever completed.
  public var completed: CompletedFasts
  /// Whether some statement is held that could neither be verified nor refused: no policy, no
  /// answer about a withdrawn certificate.
  public var hasUndecided: Bool
  /// Whether this is all the account has: false before the first sync, and when something could not
  /// be read.
  public var isComplete: Bool
  /// Whether test purchases grant: for accounts marked as testers, and on servers for tests.
  public var countsSandbox: Bool

  /// Evidence. Nothing is complete unless its owner says so.
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

  /// What an account may use.
  ///
  /// Only evidence moves it. A verified purchase is enough for `premium`, whatever else is missing;
  /// `trial` and `free` say that there is no purchase, which takes everything.
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

  /// Grace continues the last period; where that was refunded there is nothing to continue.
  private func grants(_ fact: RenewalFact, at now: WallTime) -> Bool {
    guard counts(fact.originalID.environment), let end = fact.graceExpires, now < end else {
      return false
    }
    let last = facts.purchases(of: fact.originalID).filter { $0.type == .subscription }
      .max { ($0.expires ?? .distantPast, $0.order) < ($1.expires ?? .distantPast, $1.order) }
    return last.map { $0.revoked == nil } ?? false
  }
}

/// What time it is where a device's clock alone is not to be trusted.
public enum EntitlementTime {
  /// The latest of what is known: a clock that is set back does not prolong a subscription.
  ///
  /// - Parameters:
  ///   - local: The device's clock.
  ///   - server: The time that the last answer of the server told.
  ///   - latestStamp: The latest stamp this replica gave or saw.
  public static func now(local: WallTime, server: WallTime?, latestStamp: WallTime?) -> WallTime {
    [local, server, latestStamp].compactMap { $0 }.max() ?? local
  }
}

extension WallTime {
  fileprivate static let distantPast = WallTime(milliseconds: .min)
}
