// SPDX-License-Identifier: Apache-2.0
// The storage format of the usual target.

/// The setting with the usual target, shared with the iOS app.
public enum TargetPreference {
  /// The setting's key.
  public static let key = "atrest.fasting.targetHours"

  /// The suggested targets in hours. Others may be typed.
  public static let choicesHours = [12, 14, 16, 18, 20, 24]

  /// The target in minutes for a fast that specifies none.
  ///
  /// - Parameter value: The setting: decimal hours, `16` or `16.5`. If absent or invalid the
  ///   default applies: a damaged setting must not block a start.
  public static func minutes(_ value: String?) -> Int {
    minutes(hours: value.flatMap { DecimalNumber.value($0.utf8) })
  }

  /// Converts hours to minutes. 0, which an absent number reads as in some stores, gives the
  /// default too.
  public static func minutes(hours: Double?) -> Int {
    guard let hours, hours > 0, hours <= 24 * 14 else { return Session.defaultTargetMinutes }
    let minutes = Int((hours * 60).rounded())
    return TypedRules.targetMinutes.contains(minutes) ? minutes : Session.defaultTargetMinutes
  }

  /// The setting's value for a target, such as `16` or `16.5`. Round-trips through `minutes(_:)`.
  public static func value(minutes: Int) -> String {
    minutes % 60 == 0 ? String(minutes / 60) : String(Double(minutes) / 60)
  }
}
