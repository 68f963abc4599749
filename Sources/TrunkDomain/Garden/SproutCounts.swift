// SPDX-License-Identifier: Apache-2.0
// How many sprouts are in each state.

/// How many sprouts are in each state.
public struct SproutCounts: Hashable, Sendable {
  /// Not planted yet.
  public var drafts: Int
  /// Planted, and not ended.
  public var growing: Int
  /// Harvested with any result.
  public var harvested: Int
  /// Uprooted.
  public var uprooted: Int

  /// Counts.
  public init(drafts: Int = 0, growing: Int = 0, harvested: Int = 0, uprooted: Int = 0) {
    self.drafts = drafts
    self.growing = growing
    self.harvested = harvested
    self.uprooted = uprooted
  }

  /// The counts of some sprouts.
  public init(of sprouts: [Sprout]) {
    self.init()
    for sprout in sprouts { add(sprout) }
  }

  /// All of them.
  public var all: Int { drafts + growing + harvested + uprooted }

  /// Counts one more.
  public mutating func add(_ sprout: Sprout) {
    switch sprout.state {
    case .draft: drafts += 1
    case .active: growing += 1
    case .completed: harvested += 1
    case .failed: uprooted += 1
    }
  }

  /// Adds counts.
  public static func + (a: SproutCounts, b: SproutCounts) -> SproutCounts {
    SproutCounts(
      drafts: a.drafts + b.drafts, growing: a.growing + b.growing,
      harvested: a.harvested + b.harvested, uprooted: a.uprooted + b.uprooted)
  }
}
