// SPDX-License-Identifier: Apache-2.0
// How a harvest went.

/// How a harvest went, 1 to 5. The raw values are stored.
public enum HarvestResult: Int64, Hashable, Comparable, Sendable, CaseIterable {
  /// Showed up.
  case minimal = 1
  /// Some of it.
  case partial = 2
  /// Most of it.
  case good = 3
  /// All of it.
  case strong = 4
  /// All of it, and more.
  case exceptional = 5

  /// In a word.
  public var label: String {
    switch self {
    case .minimal: "minimal"
    case .partial: "partial"
    case .good: "good"
    case .strong: "strong"
    case .exceptional: "exceptional"
    }
  }

  /// Multiplies the reward.
  var rewardFactor: Double {
    switch self {
    case .minimal: 0.4
    case .partial: 0.55
    case .good: 0.7
    case .strong: 0.85
    case .exceptional: 1
    }
  }

  /// Orders results, lesser first.
  public static func < (a: HarvestResult, b: HarvestResult) -> Bool { a.rawValue < b.rawValue }
}
