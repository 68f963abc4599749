// SPDX-License-Identifier: Apache-2.0
// How a person's usual target is kept as a setting.

/// The setting that holds a person's usual target. The iOS app reads and writes the same one.
public enum TargetPreference {
  /// The setting's key.
  public static let key = "atrest.fasting.targetHours"

  /// The target for a fast that starts without one of its own, in minutes.
  ///
  /// - Parameter value: The setting: hours as a decimal number, `16` or `16.5`. Where it is absent,
  ///   or nothing that can be meant, the default holds: a setting that another program damaged must
  ///   not keep anyone from starting.
  public static func minutes(_ value: String?) -> Int {
    guard let hours = value.flatMap(Double.init), hours > 0, hours <= 24 * 14 else {
      return Session.defaultTargetMinutes
    }
    let minutes = Int((hours * 60).rounded())
    return TypedRules.targetMinutes.contains(minutes) ? minutes : Session.defaultTargetMinutes
  }
}
