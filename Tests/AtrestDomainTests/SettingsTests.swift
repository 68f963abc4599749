// SPDX-License-Identifier: Apache-2.0
// Settings: valid values, their storage, and the handling of corrupt values.

import AtrestDomain
import AtrestTestSupport
import Foundation
import Testing

@Suite("Settings", .timeLimit(.minutes(20)))
struct SettingsTests {
  private func settings(_ values: [Setting: String]) -> Settings {
    Settings { key in values.first { $0.key.rawValue == key }?.value }
  }

  @Test("have defaults where a person chose nothing")
  func defaults() {
    let settings = settings([:])
    #expect(settings.targetMinutes == 960 && settings.waterUnit == .millilitres)
    #expect(settings.quickAddMillilitres == 250 && !settings.vigil)
    #expect(!settings.transitionDismissed)
    #expect(
      Setting.allCases.map(\.defaultValue) == ["16", "ml", "250", "false", "false", "false"])
  }

  @Test("are kept under the iOS app's keys, where it has them")
  func keys() {
    #expect(Setting.target.rawValue == TargetPreference.key)
    #expect(TargetPreference.key == "atrest.fasting.targetHours")
    #expect(Setting.vigil.rawValue == "atrest.vigil.enabled")
    #expect(Setting.transitionDismissed.rawValue == "atrest.transition.dismissed")
  }

  @Test("offer the targets and amounts that are offered, and take any other")
  func choices() throws {
    #expect(Setting.target.choices == ["12h", "14h", "16h", "18h", "20h", "24h"])
    #expect(Setting.quickAdd.choices == ["150ml", "200ml", "250ml", "300ml", "500ml"])
    for setting in Setting.allCases {
      for choice in setting.choices {
        let stored = try setting.stored(typed: choice)
        #expect(try !stored.isEmpty && setting.stored(typed: choice, unit: .fluidOunces) == stored)
      }
    }
    #expect(try Setting.target.stored(typed: "17h30m") == "17.5")
    #expect(try Setting.quickAdd.stored(typed: "330ml") == "330")
  }

  @Test("what is stored reads as what was typed")
  func roundTrip() throws {
    checkLaw(cases: 2000) { random in
      let minutes = Int.random(in: 1...10_080, using: &random)
      let value = TargetPreference.value(minutes: minutes)
      return TargetPreference.minutes(value) == minutes
    }
    let stored = try Setting.target.stored(typed: "18")
    #expect(stored == "18" && settings([.target: stored]).targetMinutes == 1080)
    let unit = try Setting.waterUnit.stored(typed: "fl oz")
    #expect(settings([.waterUnit: unit]).waterUnit == .fluidOunces)
    let amount = try Setting.quickAdd.stored(typed: "8", unit: .fluidOunces)
    #expect(amount == "237" && settings([.quickAdd: amount]).quickAddMillilitres == 237)
    let vigil = try Setting.vigil.stored(typed: "ON")
    #expect(settings([.vigil: vigil]).vigil)
  }

  @Test("what cannot be meant is refused, with a sentence")
  func refusals() {
    for target in ["0", "200", "200h", "0h", "999999"] {
      #expect(throws: SettingProblem.input(.targetOutOfRange), "\(target)") {
        try Setting.target.stored(typed: target)
      }
    }
    for target in ["", "soon", "-3", "16.5.1"] {
      #expect(throws: SettingProblem.input(.notADuration), "\(target)") {
        try Setting.target.stored(typed: target)
      }
    }
    for amount in ["0", "20l", "20000", "5001ml"] {
      #expect(throws: SettingProblem.input(.amountOutOfRange), "\(amount)") {
        try Setting.quickAdd.stored(typed: amount)
      }
    }
    #expect(throws: SettingProblem.input(.ouncesOutOfRange)) {
      try Setting.quickAdd.stored(typed: "250", unit: .fluidOunces)
    }
    #expect(throws: SettingProblem.input(.notAnAmount)) {
      try Setting.quickAdd.stored(typed: "-250")
    }
    #expect(throws: SettingProblem.choice(.notAUnit)) {
      try Setting.waterUnit.stored(typed: "cups")
    }
    #expect(throws: SettingProblem.choice(.notASwitch)) { try Setting.vigil.stored(typed: "maybe") }
    #expect(throws: SettingProblem.choice(.notForPeople)) {
      try Setting.transitionDismissed.stored(typed: "on")
    }
    #expect(SettingProblem.choice(.notAUnit).userMessage == ChoiceProblem.notAUnit.userMessage)
    #expect(SettingProblem.input(.notAnAmount).userMessage == InputProblem.notAnAmount.userMessage)
  }

  @Test("damaged values give way to defaults: nobody is kept from beginning or drinking")
  func damaged() {
    for value in ["", "nan", "inf", "-1", "0", "1e999", "💧", "\u{0}", "99999999999999999999"] {
      let settings = settings(
        Dictionary(uniqueKeysWithValues: Setting.allCases.map { ($0, value) }))
      #expect(settings.targetMinutes == 960 && settings.waterUnit == .millilitres)
      #expect(settings.quickAddMillilitres == 250, "\(value)")
      #expect(!settings.vigil && !settings.transitionDismissed)
    }
  }

  @Test("are found by the names that people use, and by their keys")
  func names() throws {
    #expect(try Setting.named("Target") == .target)
    #expect(try Setting.named("quick-add") == .quickAdd)
    #expect(try Setting.named("atrest.vigil.enabled") == .vigil)
    #expect(throws: ChoiceProblem.unknownSetting) { try Setting.named("theme") }
    #expect(throws: ChoiceProblem.notForPeople) {
      try Setting.named("atrest.transition.dismissed")
    }
  }
}

@Suite("Units of water", .timeLimit(.minutes(20)))
struct WaterUnitTests {
  @Test(
    "amounts are written in a person's unit",
    arguments: [
      (250, "250 ml", "8.5 fl oz"), (237, "237 ml", "8 fl oz"), (0, "0 ml", "0 fl oz"),
      (1250, "1250 ml", "42.3 fl oz"), (30, "30 ml", "1 fl oz"), (1, "1 ml", "0.03 fl oz"),
      (50_000, "50000 ml", "1690.7 fl oz"), (-5, "0 ml", "0 fl oz"),
    ])
  func text(millilitres: Int, metric: String, ounces: String) {
    #expect(AmountText.text(millilitres: millilitres, unit: .millilitres) == metric)
    #expect(AmountText.text(millilitres: millilitres, unit: .fluidOunces) == ounces)
  }

  @Test("no amount is too large to be written")
  func extremes() {
    for unit in WaterUnit.allCases {
      #expect(!AmountText.text(millilitres: .max, unit: unit).isEmpty)
      #expect(AmountText.text(millilitres: .min, unit: unit).hasPrefix("0 "))
    }
  }

  @Test("a number without a unit is in the person's unit; one with a unit says so")
  func typed() throws {
    #expect(try Typed.millilitres("8") == 8)
    #expect(try Typed.millilitres("8", unit: .fluidOunces) == 237)
    #expect(try Typed.millilitres("250ml", unit: .fluidOunces) == 250)
    #expect(try Typed.millilitres("0.5l", unit: .fluidOunces) == 500)
    #expect(throws: InputProblem.notAnAmount) {
      try Typed.millilitres("8 cups", unit: .fluidOunces)
    }
  }
}
