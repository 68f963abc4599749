// SPDX-License-Identifier: Apache-2.0
// The storage format of on/off settings.

/// An on/off setting.
public enum SwitchSetting {
  /// The stored form.
  public static func value(_ isOn: Bool) -> String { isOn ? "true" : "false" }

  /// Whether a stored value means on. Other programs write `true`, `1` or `YES`; anything else is
  /// off, because a damaged value must not turn something on.
  public static func isOn(_ value: String?) -> Bool {
    ["true", "1", "yes", "on"].contains(value?.lowercased())
  }

  /// Parses typed input: `on`, `yes`, `true` or `off`, `no`, `false`; also `an`, `ein`, `ja`,
  /// `aus` and `nein`.
  ///
  /// - Throws: `ChoiceProblem.notASwitch`.
  public static func typed(_ text: String) throws(ChoiceProblem) -> Bool {
    switch text.lowercased() {
    case "on", "yes", "true", "an", "ein", "ja": return true
    case "off", "no", "false", "aus", "nein": return false
    default: throw .notASwitch
    }
  }
}
