// SPDX-License-Identifier: Apache-2.0
// The six windows of a fast with their names and texts.

/// A window of a fast. No window ranks above another; each says what is likely happening.
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
  /// 24 hours and later.
  case prolongedFast = "prolonged_fast"

  /// The window at an elapsed time; nil before the start. Lower bounds are inclusive.
  public init?(elapsedMilliseconds elapsed: Int64) {
    guard
      let window = Self.allCases.last(where: {
        elapsed >= Int64($0.firstHour) * Milliseconds.perHour
      })
    else { return nil }
    self = window
  }

  /// The hour at which the window begins.
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

  /// The hour at which the next window begins; nil for the last.
  public var endHour: Int? {
    Self.allCases.first { $0.firstHour > firstHour }?.firstHour
  }

  /// Its part of Vigil's catalogue keys.
  var catalogueKey: String {
    switch self {
    case .digestionCompleting: "digestionCompleting"
    case .beginningToShift: "beginningToShift"
    case .metabolicTransition: "metabolicTransition"
    case .deeperRhythm: "deeperRhythm"
    case .extendedFast: "extendedFast"
    case .prolongedFast: "prolongedFast"
    }
  }

  /// The name in lower case, for use within a sentence.
  public var name: String { Catalogue.text("milestone.\(rawValue).name") }

  /// One or two sentences about what is likely happening.
  public var companionText: String { Catalogue.text("milestone.\(rawValue).text") }
}
