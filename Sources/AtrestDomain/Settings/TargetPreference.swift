// SPDX-License-Identifier: Apache-2.0
// How a person's usual target is kept as a setting.

import Foundation

/// The setting that holds a person's usual target. The iOS app reads and writes the same one.
public enum TargetPreference {
  /// The setting's key.
  public static let key = "atrest.fasting.targetHours"

  /// The targets offered, in hours. Any other may be typed.
  public static let choicesHours = [12, 14, 16, 18, 20, 24]

  /// The target for a fast that starts without one of its own, in minutes.
  ///
  /// - Parameter value: The setting: hours as a decimal number, `16` or `16.5`. Where it is absent,
  ///   or nothing that can be meant, the default holds: a setting that another program damaged must
  ///   not keep anyone from starting.
  public static func minutes(_ value: String?) -> Int {
    minutes(hours: value.flatMap(Double.init))
  }

  /// The same, from a number. A target of 0, which is what an absent number reads as in some
  /// stores, is the default too.
  public static func minutes(hours: Double?) -> Int {
    guard let hours, hours > 0, hours <= 24 * 14 else { return Session.defaultTargetMinutes }
    let minutes = Int((hours * 60).rounded())
    return TypedRules.targetMinutes.contains(minutes) ? minutes : Session.defaultTargetMinutes
  }

  /// The setting's value for a target: `16`, `16.5`. Reading it gives the same minutes again.
  public static func value(minutes: Int) -> String {
    minutes % 60 == 0 ? String(minutes / 60) : String(Double(minutes) / 60)
  }
}
