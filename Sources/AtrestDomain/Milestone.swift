// SPDX-License-Identifier: Apache-2.0
// The six windows of a fast, their names, and one quiet sentence about each.

import Foundation

/// A window of a fast. No window is better than another; they only say what is likely going on.
public enum Milestone: String, Hashable, Sendable, CaseIterable {
  /// From the start to 4 hours.
  case digestionCompleting = "digestion_completing"
  /// 4 to 8 hours.
  case beginningToShift = "beginning_to_shift"
  /// 8 to 12 hours.
  case metabolicTransition = "metabolic_transition"
  /// 12 to 16 hours.
  case deeperRhythm = "deeper_rhythm"
  /// 16 to 24 hours.
  case extendedFast = "extended_fast"
  /// From 24 hours on.
  case prolongedFast = "prolonged_fast"

  /// The window that a fast is in after so many seconds; nil before its start. A window includes
  /// its first instant.
  public init?(elapsed: TimeInterval) {
    guard elapsed >= 0,
      let window = Self.allCases.last(where: { elapsed >= Double($0.firstHour) * 3600 })
    else { return nil }
    self = window
  }

  /// The hour at which it begins.
  public var firstHour: Int {
    switch self {
    case .digestionCompleting: 0
    case .beginningToShift: 4
    case .metabolicTransition: 8
    case .deeperRhythm: 12
    case .extendedFast: 16
    case .prolongedFast: 24
    }
  }

  /// Its name, in lower case, to stand in a sentence.
  public var name: String {
    switch self {
    case .digestionCompleting: "digestion completing"
    case .beginningToShift: "beginning to shift"
    case .metabolicTransition: "metabolic transition"
    case .deeperRhythm: "deeper rhythm"
    case .extendedFast: "extended fast"
    case .prolongedFast: "prolonged fast"
    }
  }

  /// One sentence about what is likely going on.
  public var companionText: String {
    switch self {
    case .digestionCompleting:
      "Your body is likely still working through its last meal."
    case .beginningToShift:
      "Insulin typically settles now, and stored energy may begin to be drawn on."
    case .metabolicTransition:
      "Your body may be moving from its sugar stores toward fat."
    case .deeperRhythm:
      "Fat is likely a larger share of what you run on now; a quieter rhythm may be settling in."
    case .extendedFast:
      "A long fast. Your body may be tending to slower kinds of upkeep."
    case .prolongedFast:
      "A very long fast. Notice how you feel; stopping is always a fine choice."
    }
  }
}
