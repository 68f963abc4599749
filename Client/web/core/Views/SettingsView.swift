// SPDX-License-Identifier: Apache-2.0
// What the settings, the paywall and the transition moment show.

import AtrestDomain
import AtrestReplication
import AtrestSync

extension WebCore {
  func settings(_ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let settings = try settings(of: records)
    let entitlement = try entitlement(in: records)
    let isPaired = records.tables.state.token != nil
    return .members(
      ("title", .text(Word.settingsTitle.text)),
      (
        "sections",
        .array(
          SettingsSection.sections(for: entitlement).map { section in
            .members(
              ("name", .text(section.title.rawValue)), ("title", .text(section.title.text)),
              ("lines", .array(section.lines(isPaired: isPaired).map { line($0, settings) })))
          })
      ), ("gates", gates(entitlement)))
  }

  private func line(_ word: Word, _ settings: Settings) -> JSON {
    let setting: Setting? =
      switch word {
      case .settingsFastingTarget: .target
      case .settingsHydrationUnit: .waterUnit
      case .settingsHydrationQuickAdd: .quickAdd
      case .vigilSectionExplanation: .vigil
      default: nil
      }
    guard let setting else {
      return .members(("name", .text(word.rawValue)), ("words", .text(word.text)))
    }
    let choices: [(value: String, words: String)]
    let value: String
    switch setting {
    case .target:
      value = DurationText.text(minutes: settings.targetMinutes)
      choices = TargetPreference.choicesHours.map {
        ("\($0)h", DurationText.text(minutes: $0 * 60))
      }
    case .waterUnit:
      value = settings.waterUnit.sign
      choices = WaterUnit.allCases.map { ($0.rawValue, $0.sign) }
    case .quickAdd:
      value = AmountText.text(millilitres: settings.quickAddMillilitres, unit: settings.waterUnit)
      choices = Settings.quickAddChoices.map {
        ("\($0)ml", AmountText.text(millilitres: $0, unit: settings.waterUnit))
      }
    case .vigil, .notice, .transitionDismissed:
      value = (setting == .notice ? settings.notice : settings.vigil) ? "on" : "off"
      choices = ["on", "off"].map { ($0, $0) }
    }
    return .members(
      ("name", .text(word.rawValue)), ("words", .text(word.text)),
      ("setting", setting.name.map { .text($0) }), ("value", .text(value)),
      (
        "choices",
        .array(choices.map { .members(("value", .text($0.value)), ("words", .text($0.words))) })
      ))
  }

  func paywall(_ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let entitlement = try entitlement(in: records)
    let isDue = try isTransitionDue(entitlement, in: records)
    let wasSeen = SwitchSetting.isOn(try preference(TransitionMoment.dismissedKey, in: records))
    let isReachable = Paywall.isReachable(for: entitlement, hadTransition: isDue || wasSeen)
    return .members(
      ("isReachable", .bool(isReachable)),
      (
        "elements",
        .array(
          Paywall.elements.map { element in
            switch element {
            case .glyph: .members(("kind", "glyph"))
            case .words(let word):
              .members(
                ("kind", "words"), ("name", .text(word.rawValue)), ("words", .text(word.text)))
            case .price(let product):
              .members(
                ("kind", "price"), ("name", .text(product.rawValue)),
                ("words", .text(product.word.text)))
            case .link(let word):
              .members(
                ("kind", "link"), ("name", .text(word.rawValue)), ("words", .text(word.text)))
            }
          })
      ))
  }

  func transition(_ work: inout Work) throws(CoreFailure) -> JSON {
    let records = work
    let isDue = try isTransitionDue(try entitlement(in: records), in: records)
    return .members(
      ("isDue", .bool(isDue)), ("body", .text(Word.transitionBody.text)),
      ("continue", .text(Word.transitionContinue.text)),
      ("later", .text(Word.transitionLater.text)))
  }
}
