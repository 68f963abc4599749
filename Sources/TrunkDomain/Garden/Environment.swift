// SPDX-License-Identifier: Apache-2.0
// How hard the ground is that a sprout grows in.

/// How hard a goal is to reach. The raw values are stored.
public enum Environment: Int64, Hashable, Comparable, Sendable, CaseIterable {
  /// Easy to achieve.
  case fertile = 1
  /// A stretch.
  case firm = 2
  /// Very hard.
  case barren = 3

  /// As people type it and as the app writes it: `fertile`, `firm`, `barren`.
  public var code: String {
    switch self {
    case .fertile: "fertile"
    case .firm: "firm"
    case .barren: "barren"
    }
  }

  /// What it says of the goal.
  public var meaning: String {
    switch self {
    case .fertile: "easy to achieve"
    case .firm: "a stretch"
    case .barren: "very hard"
    }
  }

  /// Multiplies the reward of a harvest.
  var rewardFactor: Double {
    switch self {
    case .fertile: 1.1
    case .firm: 1.75
    case .barren: 2.4
    }
  }

  /// The environment of a code in any case, with surrounding spaces; nil for anything else.
  public init?(code text: String) {
    let code = text.lowercased().filter { $0 != " " }
    guard let found = Environment.allCases.first(where: { $0.code == code }) else { return nil }
    self = found
  }

  /// Orders environments, easier first.
  public static func < (a: Environment, b: Environment) -> Bool { a.rawValue < b.rawValue }
}
