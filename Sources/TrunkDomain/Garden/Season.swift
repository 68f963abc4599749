// SPDX-License-Identifier: Apache-2.0
// How long a sprout is meant to grow, and what that costs and brings.

/// How long a sprout is meant to grow. The raw values are stored.
public enum Season: Int64, Hashable, Comparable, Sendable, CaseIterable {
  /// 14 days.
  case twoWeeks = 1
  /// 30 days.
  case oneMonth = 2
  /// 90 days.
  case threeMonths = 3
  /// 180 days.
  case sixMonths = 4
  /// 365 days.
  case oneYear = 5

  /// As people type it and as the app writes it: `2w`, `1m`, `3m`, `6m`, `1y`.
  public var code: String {
    switch self {
    case .twoWeeks: "2w"
    case .oneMonth: "1m"
    case .threeMonths: "3m"
    case .sixMonths: "6m"
    case .oneYear: "1y"
    }
  }

  /// In words: `2 weeks`.
  public var label: String {
    switch self {
    case .twoWeeks: "2 weeks"
    case .oneMonth: "1 month"
    case .threeMonths: "3 months"
    case .sixMonths: "6 months"
    case .oneYear: "1 year"
    }
  }

  /// Its length in days of 24 hours.
  public var days: Int {
    switch self {
    case .twoWeeks: 14
    case .oneMonth: 30
    case .threeMonths: 90
    case .sixMonths: 180
    case .oneYear: 365
    }
  }

  /// The capacity that the best harvest would bring in plain ground, with all capacity still to
  /// gain.
  var baseReward: Double {
    switch self {
    case .twoWeeks: 0.26
    case .oneMonth: 0.56
    case .threeMonths: 1.95
    case .sixMonths: 4.16
    case .oneYear: 8.84
    }
  }

  /// The season of a code in any case, with surrounding spaces; nil for anything else.
  public init?(code text: String) {
    let code = text.lowercased().filter { $0 != " " }
    guard let season = Season.allCases.first(where: { $0.code == code }) else { return nil }
    self = season
  }

  /// Orders seasons, shorter first.
  public static func < (a: Season, b: Season) -> Bool { a.rawValue < b.rawValue }
}
