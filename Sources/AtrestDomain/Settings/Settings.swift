// SPDX-License-Identifier: Apache-2.0
// The settings: names, defaults and valid values.

/// A setting. Settings are synced records; keys are the iOS app's where it has the setting.
public enum Setting: String, Hashable, Sendable, CaseIterable {
  /// The usual target in hours; see `TargetPreference`.
  case target = "atrest.fasting.targetHours"
  /// The unit of water: `ml` or `oz`.
  case waterUnit = "atrest.hydration.unit"
  /// The amount of a quick addition in millilitres.
  case quickAdd = "atrest.hydration.quickAdd"
  /// Whether Vigil is on.
  case vigil = "atrest.vigil.enabled"
  /// Whether an open timer gives a notice when a fast reaches its target. Off by default.
  case notice = "atrest.notice.enabled"
  /// Whether the transition moment was seen. Only programs write it.
  case transitionDismissed = "atrest.transition.dismissed"

  /// The name that people use; nil if people cannot set it.
  public var name: String? {
    switch self {
    case .target: "target"
    case .waterUnit: "unit"
    case .quickAdd: "quick-add"
    case .vigil: "vigil"
    case .notice: "notice"
    case .transitionDismissed: nil
    }
  }

  /// The setting with a name or key.
  ///
  /// - Throws: `ChoiceProblem.unknownSetting` or `.notForPeople`.
  public static func named(_ text: String) throws(ChoiceProblem) -> Setting {
    let lower = text.lowercased()
    guard let found = allCases.first(where: { $0.name == lower || $0.rawValue == text }) else {
      throw .unknownSetting
    }
    guard found.name != nil else { throw .notForPeople }
    return found
  }

  /// The value if nothing is stored.
  public var defaultValue: String {
    switch self {
    case .target: TargetPreference.value(minutes: Session.defaultTargetMinutes)
    case .waterUnit: WaterUnit.millilitres.rawValue
    case .quickAdd: String(Settings.defaultQuickAdd)
    case .vigil, .notice, .transitionDismissed: SwitchSetting.value(false)
    }
  }

  /// The suggested values, as people type them. Target and quick addition accept others too.
  public var choices: [String] {
    switch self {
    case .target: TargetPreference.choicesHours.map { "\($0)h" }
    case .waterUnit: WaterUnit.allCases.map { $0.rawValue }
    // With a unit, because a bare number may be read in another one.
    case .quickAdd: Settings.quickAddChoices.map { "\($0)ml" }
    case .vigil, .notice: ["on", "off"]
    case .transitionDismissed: []
    }
  }

  /// Parses a typed value to the stored form.
  ///
  /// - Parameter unit: The person's unit, for an amount without one.
  public func stored(
    typed text: String, unit: WaterUnit = .millilitres
  ) throws(SettingProblem) -> String {
    do throws(InputProblem) {
      if let value = try storedQuantity(text, unit: unit) { return value }
    } catch { throw .input(error) }
    do throws(ChoiceProblem) {
      return try storedChoice(text)
    } catch { throw .choice(error) }
  }

  /// Parses a number with a unit; nil if the setting has none.
  private func storedQuantity(_ text: String, unit: WaterUnit) throws(InputProblem) -> String? {
    switch self {
    case .target: return TargetPreference.value(minutes: try Typed.targetMinutes(text))
    case .quickAdd:
      let amount = try Typed.millilitres(text, unit: unit)
      try TypedRules.check(millilitres: amount, unit: unit)
      return String(amount)
    case .waterUnit, .vigil, .notice, .transitionDismissed: return nil
    }
  }

  private func storedChoice(_ text: String) throws(ChoiceProblem) -> String {
    switch self {
    case .waterUnit:
      switch text.lowercased() {
      case "ml", "millilitres", "milliliters": return WaterUnit.millilitres.rawValue
      case "oz", "fl oz", "floz", "ounces": return WaterUnit.fluidOunces.rawValue
      default: throw .notAUnit
      }
    case .vigil, .notice: return SwitchSetting.value(try SwitchSetting.typed(text))
    case .target, .quickAdd, .transitionDismissed: throw .notForPeople
    }
  }
}

/// All settings, parsed. An absent or damaged value falls back to its default: nothing that another
/// program wrote may block a person.
public struct Settings: Hashable, Sendable {
  /// The usual target in minutes.
  public let targetMinutes: Int
  /// The unit in which water is shown and typed.
  public let waterUnit: WaterUnit
  /// The amount of a quick addition in millilitres.
  public let quickAddMillilitres: Int
  /// Whether Vigil is on. Off by default.
  public let vigil: Bool
  /// Whether an open timer gives a notice at the target. Off by default.
  public let notice: Bool
  /// Whether the transition moment was seen, on any device.
  public let transitionDismissed: Bool

  /// The suggested amounts in millilitres.
  public static let quickAddChoices = [150, 200, 250, 300, 500]
  /// The default amount in millilitres.
  public static let defaultQuickAdd = 250

  /// Parses all settings.
  ///
  /// - Parameter value: Returns the stored value of a key; nil if absent.
  public init<Failure>(_ value: (String) throws(Failure) -> String?) throws(Failure) {
    func stored(_ setting: Setting) throws(Failure) -> String? { try value(setting.rawValue) }
    targetMinutes = TargetPreference.minutes(try stored(.target))
    waterUnit = try stored(.waterUnit).flatMap(WaterUnit.init(rawValue:)) ?? .millilitres
    let amount = try stored(.quickAdd).flatMap(Int.init) ?? Self.defaultQuickAdd
    quickAddMillilitres =
      TypedRules.millilitres.contains(amount) ? amount : Self.defaultQuickAdd
    vigil = SwitchSetting.isOn(try stored(.vigil))
    notice = SwitchSetting.isOn(try stored(.notice))
    transitionDismissed = SwitchSetting.isOn(try stored(.transitionDismissed))
  }
}
