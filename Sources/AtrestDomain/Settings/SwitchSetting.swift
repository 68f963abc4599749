// SPDX-License-Identifier: Apache-2.0
// How a setting that is on or off is kept.

/// A setting that is on or off.
public enum SwitchSetting {
  /// What is stored.
  public static func value(_ isOn: Bool) -> String { isOn ? "true" : "false" }

  /// Whether a stored value means on. Anything that is not clearly on is off: other programs write
  /// `true`, `1` or `YES`, and whatever is damaged must not turn on what a person never chose.
  public static func isOn(_ value: String?) -> Bool {
    ["true", "1", "yes", "on"].contains(value?.lowercased())
  }

  /// Reads what a person typed: `on` or `off`, `yes` or `no`, `true` or `false`.
  ///
  /// - Throws: `ChoiceProblem.notASwitch`.
  public static func typed(_ text: String) throws(ChoiceProblem) -> Bool {
    switch text.lowercased() {
    case "on", "yes", "true": return true
    case "off", "no", "false": return false
    default: throw .notASwitch
    }
  }
}
