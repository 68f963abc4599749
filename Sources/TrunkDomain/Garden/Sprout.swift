// SPDX-License-Identifier: Apache-2.0
// A goal on a twig, from draft to harvest.

import AtrestReplication

/// A goal that a person cultivates on a twig.
public struct Sprout: Hashable, Identifiable, Sendable {
  /// What a draft would be planted as: one choice, with one price.
  public struct Plan: Hashable, Sendable {
    /// How long it is meant to grow.
    public var season: Season
    /// How hard it is.
    public var environment: Environment

    /// A plan.
    public init(_ season: Season, _ environment: Environment) {
      (self.season, self.environment) = (season, environment)
    }

    /// In words: `3 months, firm`.
    public var label: String { "\(season.label), \(environment.code)" }

    /// The soil that it takes.
    public var cost: Soil { Progression.cost(season, environment) }
  }

  /// When a sprout was planted, and as what.
  public struct Planting: Hashable, Sendable {
    /// When.
    public let at: WallTime
    /// As what: decides the price.
    public let plan: Plan

    /// A planting.
    public init(at: WallTime, plan: Plan) {
      (self.at, self.plan) = (at, plan)
    }
  }

  /// How a sprout ended: one value, so that the words of one harvest never stand beside the result
  /// of another one.
  public struct Outcome: Hashable, Sendable {
    /// When. What is earlier than the planting counts as the time of the planting: another device's
    /// clock was behind.
    public let at: WallTime
    /// How the harvest went; nil for a sprout that was uprooted.
    public let result: HarvestResult?
    /// The words of the harvest.
    public var reflection: String?

    /// An outcome.
    public init(at: WallTime, result: HarvestResult?, reflection: String? = nil) {
      (self.at, self.result, self.reflection) = (at, result, reflection)
    }
  }

  /// Where a sprout is in its life. Derived, never stored.
  public enum State: Hashable, Sendable {
    /// Not planted yet.
    case draft
    /// Planted.
    case active
    /// Harvested.
    case completed(HarvestResult)
    /// Uprooted.
    case failed
  }

  /// What would be the case after a harvest, in the person's own words.
  public struct Blooms: Hashable, Sendable {
    /// For a result of 1 or 2.
    public var one: String?
    /// For a result of 3 or 4.
    public var three: String?
    /// For a result of 5.
    public var five: String?

    /// Descriptions; nil where there is none.
    public init(one: String? = nil, three: String? = nil, five: String? = nil) {
      (self.one, self.three, self.five) = (one, three, five)
    }

    /// The description of a result; nil if there is none.
    public func text(for result: HarvestResult) -> String? {
      switch result {
      case .minimal, .partial: one
      case .good, .strong: three
      case .exceptional: five
      }
    }
  }

  /// Chosen when the sprout is drafted or planted.
  public let id: RecordUUID
  /// In the person's words.
  public var title: String
  /// Where it grows.
  public var twig: Twig
  /// What it is, or would be, planted as.
  public var plan: Plan
  /// nil for a draft.
  public var planting: Planting?
  /// nil for a draft, and while it grows.
  public var outcome: Outcome?
  /// The saga that it belongs to. There may be no such leaf any more.
  public var leaf: RecordUUID?
  /// What harvests would look like.
  public var blooms: Blooms
  /// When it was drafted.
  public var created: WallTime

  /// A draft.
  public init(
    id: RecordUUID, title: String, twig: Twig, plan: Plan, created: WallTime,
    leaf: RecordUUID? = nil, blooms: Blooms = Blooms()
  ) {
    self.id = id
    self.title = title
    self.twig = twig
    self.plan = plan
    self.created = created
    self.leaf = leaf
    self.blooms = blooms
  }

  /// Where it is in its life. An outcome means nothing without a planting.
  public var state: State {
    guard planting != nil else { return .draft }
    guard let outcome else { return .active }
    return outcome.result.map { .completed($0) } ?? .failed
  }

  /// What it was planted as; for a draft what it would be.
  public var plantedPlan: Plan { planting?.plan ?? plan }

  /// When it ended, never before it was planted; nil while it has not.
  public var ended: WallTime? {
    guard let planting, let outcome else { return nil }
    return max(outcome.at, planting.at)
  }

  /// The words of the harvest; nil if there are none.
  public var reflection: String? { planting == nil ? nil : outcome?.reflection }

  /// When its season is over; nil for a draft.
  public var due: WallTime? {
    planting.map { $0.at.advanced(by: Int64($0.plan.season.days) * 86_400_000) }
  }

  /// How much of its season has passed, 0 to 1; 0 for a draft.
  public func progress(at now: WallTime) -> Double {
    guard let planting, let due else { return 0 }
    let whole = due.milliseconds(since: planting.at)
    let passed = min(ended ?? now, due).milliseconds(since: planting.at)
    return min(1, max(0, Double(passed) / Double(whole)))
  }
}
