// SPDX-License-Identifier: Apache-2.0
// How settings are shown, and the surface on which Atrest says what it is for.

import AtrestClient
import AtrestDomain
import Foundation

/// A setting, for `--json`.
struct SettingRow: Encodable, Equatable {
  var name: String
  var key: String
  /// As it is stored, or as it acts where nothing is: a number without a unit is read in the
  /// locale's.
  var value: String
  var chosen: Bool
  var choices: [String]

  init(_ setting: Setting, _ stored: String?, _ context: CommandContext) {
    name = SettingsWords.name(setting)
    key = setting.rawValue
    let standard =
      setting == .waterUnit ? context.localeFormat.unit.rawValue : setting.defaultValue
    value = stored ?? standard
    chosen = stored != nil
    choices = setting.choices
  }
}

/// What Atrest is for and what it costs, for `--json`.
struct PaywallRow: Encodable {
  /// A price.
  struct Price: Encodable {
    var product: String
    var dollars: Int
    var text: String
  }

  /// What is said, in its order.
  var words: [String] = []
  /// Of equal weight.
  var prices: [Price] = []

  init() {
    for element in Paywall.elements {
      switch element {
      case .words(let word): words.append(word.text)
      case .price(let product):
        prices.append(
          Price(product: product.rawValue, dollars: product.dollars, text: product.word.text))
      case .glyph, .link: break
      }
    }
  }
}

/// What the page of settings is made of.
struct SettingsPage {
  let choices: Choices
  let entitlement: Entitlement
  let isPaired: Bool
  private let values: [String: String]

  init(values: [String: String], entitlement: Entitlement, isPaired: Bool) {
    self.values = values
    self.entitlement = entitlement
    self.isPaired = isPaired
    choices = Choices { values[$0] }
  }

  /// Of a replica, or of a device without one.
  init(_ replica: Replica?, _ context: CommandContext) throws {
    guard let replica else {
      self.init(values: [:], entitlement: .unknown, isPaired: false)
      return
    }
    let status = try replica.status()
    self.init(
      values: try replica.preferences(),
      entitlement: RememberedEntitlement.current(of: replica, status), isPaired: status.isPaired)
  }

  /// What is stored; nil where nothing was chosen.
  func stored(_ setting: Setting) -> String? { values[setting.rawValue] }
}

extension Setting {
  /// Those that people set.
  static var people: [Setting] { allCases.filter { $0.name != nil } }

  /// What people call them.
  static var names: [String] { people.map(SettingsWords.name) }
}

/// Words about settings.
enum SettingsWords {
  /// What people call it.
  static func name(_ setting: Setting) -> String { setting.name ?? setting.rawValue }

  /// `16h`, `ml`, `250 ml`, `off`: a stored value as it acts. What is damaged acts as its default.
  static func value(_ setting: Setting, stored: String?, _ context: CommandContext) -> String {
    let settings = Settings { $0 == setting.rawValue ? stored : nil }
    switch setting {
    case .target: return DurationText.text(minutes: settings.targetMinutes)
    case .waterUnit:
      return (stored.flatMap(WaterUnit.init(rawValue:)) ?? context.localeFormat.unit).rawValue
    case .quickAdd: return context.amount(settings.quickAddMillilitres)
    case .vigil: return settings.vigil ? "on" : "off"
    case .transitionDismissed: return SwitchSetting.value(settings.transitionDismissed)
    }
  }

  /// After a choice.
  static func chosen(_ setting: Setting, stored: String, _ context: CommandContext) -> String {
    let value = value(setting, stored: stored, context)
    switch setting {
    case .target:
      return
        "Your usual target is \(value). \(Word.settingsFastingNote.text) A fast that goes on keeps its own."
    case .waterUnit: return "Water is shown in \(context.unit.sign)."
    case .quickAdd: return "`atrest water add` notes \(value)."
    case .vigil: return "Vigil is \(value)."
    case .transitionDismissed: return value
    }
  }

  /// The sections that there are for somebody, each with its lines.
  static func page(_ page: SettingsPage, _ context: CommandContext, _ style: Style) -> String {
    SettingsSection.sections(for: page.entitlement).compactMap { section in
      var lines = [style.strong(section.title.text)]
      func line(_ setting: Setting) {
        let name = name(setting).padding(toLength: 11, withPad: " ", startingAt: 0)
        lines.append(
          "  \(name)\(value(setting, stored: page.stored(setting), context))")
      }
      switch section {
      case .fasting:
        line(.target)
        lines.append(style.quiet("  \(Word.settingsFastingNote.text)"))
      case .hydration:
        line(.waterUnit)
        line(.quickAdd)
      case .vigil:
        line(.vigil)
        lines.append(style.quiet("  \(Word.vigilSectionExplanation.text)"))
      case .premium: lines.append("  \(Word.settingsPremiumGo.text): `atrest premium`")
      case .data:
        let note = page.isPaired ? Word.settingsDataNoteSynced : .settingsDataNote
        lines.append("  \(note.text)")
      case .account: lines.append("  Purchases: `atrest entitlement`")
      // Terms and privacy are the app's; there is nothing to open here.
      case .legal: return nil
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// What Atrest is for, and what it costs: two prices of equal weight.
  static func paywall(_ style: Style, width: Int) -> String {
    Paywall.elements.compactMap { element -> String? in
      switch element {
      case .glyph: return nil
      case .words(let word): return Wrapping.lines(word.text, width: width).joined(separator: "\n")
      case .price(let product): return style.strong(product.word.text)
      case .link(.paywallRestore):
        return style.quiet("\(Word.paywallRestore.text): `atrest entitlement submit FILE`")
      case .link: return nil
      }
    }.joined(separator: "\n\n")
  }
}
