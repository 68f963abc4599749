// SPDX-License-Identifier: Apache-2.0
// What a person can set: names, defaults, and what may be stored.

import Foundation

/// A setting. Settings are records of their own, synced like any other; the keys are those of the
/// iOS app where it has the setting.
public enum Setting: String, Hashable, Sendable, CaseIterable {
  /// The usual target of a fast: hours, as `TargetPreference` reads them.
  case target = "atrest.fasting.targetHours"
  /// The unit of water: `ml` or `oz`.
  case waterUnit = "atrest.hydration.unit"
  /// The amount of one quick addition, in millilitres.
  case quickAdd = "atrest.hydration.quickAdd"
  /// Whether Vigil is on.
  case vigil = "atrest.vigil.enabled"
  /// Whether the transition moment was seen. Programs write it, people do not.
  case transitionDismissed = "atrest.transition.dismissed"

  /// The name by which people call it; nil for one that is not theirs to set.
  public var name: String? {
    switch self {
    case .target: "target"
    case .waterUnit: "unit"
    case .quickAdd: "quick-add"
    case .vigil: "vigil"
    case .transitionDismissed: nil
    }
  }

  /// The setting that a person calls by a name, or by its key.
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

  /// What is stored where a person chose nothing.
  public var defaultValue: String {
    switch self {
    case .target: TargetPreference.value(minutes: Session.defaultTargetMinutes)
    case .waterUnit: WaterUnit.millilitres.rawValue
    case .quickAdd: String(Settings.defaultQuickAdd)
    case .vigil, .transitionDismissed: SwitchSetting.value(false)
    }
  }

  /// The values that are offered, as people type them. Target and quick addition may be any other.
  public var choices: [String] {
    switch self {
    case .target: TargetPreference.choicesHours.map { "\($0)h" }
    case .waterUnit: WaterUnit.allCases.map(\.rawValue)
    // With their unit: a number alone may be read in another one.
    case .quickAdd: Settings.quickAddChoices.map { "\($0)ml" }
    case .vigil: ["on", "off"]
    case .transitionDismissed: []
    }
  }

  /// Makes the value to store of what a person typed.
  ///
  /// - Parameter unit: The unit that the person uses, for an amount without one.
  /// - Throws: An `InputProblem` or a `ChoiceProblem`.
  public func stored(typed text: String, unit: WaterUnit = .millilitres) throws -> String {
    switch self {
    case .target: return TargetPreference.value(minutes: try Typed.targetMinutes(text))
    case .waterUnit:
      switch text.lowercased() {
      case "ml", "millilitres", "milliliters": return WaterUnit.millilitres.rawValue
      case "oz", "fl oz", "floz", "ounces": return WaterUnit.fluidOunces.rawValue
      default: throw ChoiceProblem.notAUnit
      }
    case .quickAdd:
      let amount = try Typed.millilitres(text, unit: unit)
      try TypedRules.check(millilitres: amount, unit: unit)
      return String(amount)
    case .vigil: return SwitchSetting.value(try SwitchSetting.typed(text))
    case .transitionDismissed: throw ChoiceProblem.notForPeople
    }
  }
}

/// All settings, read. A value that is absent or damaged gives way to its default: nothing that
/// another program wrote keeps a person from beginning or drinking.
public struct Settings: Hashable, Sendable {
  /// The usual target, in minutes.
  public let targetMinutes: Int
  /// The unit of water.
  public let waterUnit: WaterUnit
  /// The amount of one quick addition, in millilitres.
  public let quickAddMillilitres: Int
  /// Whether Vigil is on. Off unless the person turned it on.
  public let vigil: Bool
  /// Whether the transition moment was seen, on any device.
  public let transitionDismissed: Bool

  /// The amounts that are offered, in millilitres.
  public static let quickAddChoices = [150, 200, 250, 300, 500]
  /// The amount where a person chose none, in millilitres.
  public static let defaultQuickAdd = 250

  /// Reads all settings.
  ///
  /// - Parameter value: What is stored under a key; nil where nothing is.
  public init(_ value: (String) throws -> String?) rethrows {
    func stored(_ setting: Setting) throws -> String? { try value(setting.rawValue) }
    targetMinutes = TargetPreference.minutes(try stored(.target))
    waterUnit = try stored(.waterUnit).flatMap(WaterUnit.init(rawValue:)) ?? .millilitres
    let amount = try stored(.quickAdd).flatMap(Int.init) ?? Self.defaultQuickAdd
    quickAddMillilitres =
      TypedRules.millilitres.contains(amount) ? amount : Self.defaultQuickAdd
    vigil = SwitchSetting.isOn(try stored(.vigil))
    transitionDismissed = SwitchSetting.isOn(try stored(.transitionDismissed))
  }
}
