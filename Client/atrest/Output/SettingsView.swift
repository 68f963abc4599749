// SPDX-License-Identifier: Apache-2.0
// Output of settings and the paywall.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// A setting, for `--json`.
struct SettingRow: Encodable, Equatable {
  var name: String
  var key: String
  /// The stored value, or the effective one if none is stored. A number without a unit is in the
  /// locale's unit.
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

/// The paywall, for `--json`.
struct PaywallRow: Encodable {
  struct Price: Encodable {
    var product: String
    var dollars: Int
    var text: String
  }

  /// The lines of text, in order.
  var words: [String] = []
  /// The prices, of equal weight.
  var prices: [Price] = []
  /// The links, in order.
  var links: [String] = []

  init() {
    for element in Paywall.elements {
      switch element {
      case .words(let word): words.append(word.text)
      case .price(let product):
        prices.append(
          Price(product: product.rawValue, dollars: product.dollars, text: product.word.text))
      case .link(let word): links.append(word.text)
      case .glyph: break
      }
    }
  }
}

/// The data of the settings page.
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

  /// Reads a replica; nil for a device without one.
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

  /// The stored value; nil if none was chosen.
  func stored(_ setting: Setting) -> String? { values[setting.rawValue] }
}

extension Setting {
  /// The settings that people can set.
  static var people: [Setting] { allCases.filter { $0.name != nil } }

  static var names: [String] { people.map(SettingsWords.name) }
}

/// Texts about settings.
enum SettingsWords {
  /// A setting's name; its key if it has none.
  static func name(_ setting: Setting) -> String { setting.name ?? setting.rawValue }

  /// The effective value as text: `16h`, `ml`, `250 ml`, `off`. A damaged value acts as its
  /// default.
  static func value(_ setting: Setting, stored: String?, _ context: CommandContext) -> String {
    let settings = Settings { $0 == setting.rawValue ? stored : nil }
    switch setting {
    case .target: return DurationText.text(minutes: settings.targetMinutes)
    case .waterUnit:
      return (stored.flatMap(WaterUnit.init(rawValue:)) ?? context.localeFormat.unit).rawValue
    case .quickAdd: return context.amount(settings.quickAddMillilitres)
    case .vigil: return switchWord(settings.vigil)
    case .notice: return switchWord(settings.notice)
    case .transitionDismissed: return SwitchSetting.value(settings.transitionDismissed)
    }
  }

  private static func switchWord(_ isOn: Bool) -> String {
    isOn ? Language.text("on", de: "an") : Language.text("off", de: "aus")
  }

  /// Shown after a setting was changed.
  static func chosen(_ setting: Setting, stored: String, _ context: CommandContext) -> String {
    let value = value(setting, stored: stored, context)
    switch setting {
    case .target:
      let note = Word.settingsFastingNote.text
      return Language.text(
        "Your usual target is \(value). \(note) A fast that goes on keeps its own.",
        de: "Dein übliches Ziel ist \(value). \(note) Ein Fasten, das läuft, behält seines.")
    case .waterUnit:
      return Language.text(
        "Water is shown in \(context.unit.sign).",
        de: "Wasser wird in \(context.unit.sign) angezeigt.")
    case .quickAdd:
      return Language.text(
        "`atrest water add` notes \(value).", de: "`atrest water add` notiert \(value).")
    case .notice:
      return SwitchSetting.isOn(stored)
        ? Language.text(
          "While `atrest timer` is open, it tells you once when a fast reaches its target.",
          de:
            "Solange `atrest timer` offen ist, sagt er dir einmal, wenn ein Fasten sein Ziel erreicht."
        )
        : Language.text(
          "`atrest timer` says nothing at the target.", de: "`atrest timer` sagt nichts am Ziel.")
    case .vigil: return Language.text("Vigil is \(value).", de: "Vigil ist \(value).")
    case .transitionDismissed: return value
    }
  }

  /// The sections available for the entitlement, each with its lines.
  static func page(_ page: SettingsPage, _ context: CommandContext, _ style: Style) -> String {
    SettingsSection.sections(for: page.entitlement).map { section in
      var lines = [style.strong(section.title.text)]
      func line(_ setting: Setting) {
        let name = name(setting).padding(toLength: 11, withPad: " ", startingAt: 0)
        lines.append(
          "  \(name)\(value(setting, stored: page.stored(setting), context))")
      }
      switch section {
      case .fasting:
        line(.target)
        line(.notice)
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
        lines.append("  \(Word.settingsDataExport.text): `atrest export FILE`")
        lines.append("  \(Word.settingsDataImport.text): `atrest import FILE`")
        lines.append(style.quiet("  \(note.text)"))
      case .account:
        lines.append(
          "  " + Language.text("Purchases: `atrest entitlement`", de: "Käufe: `atrest entitlement`")
        )
      case .legal:
        lines.append("  \(legal(.settingsLegalTerms))")
        lines.append("  \(legal(.settingsLegalPrivacy))")
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// A page of terms: the app has them, the command line has no page for them.
  private static func legal(_ word: Word) -> String {
    word.text
      + Language.text(": in the settings of the app", de: ": in den Einstellungen der App")
  }

  /// The small tree that stands for Atrest, line by line, each to be centred.
  private static func glyph(isUnicode: Bool) -> [String] {
    isUnicode ? ["✦", "▲", "▲▲▲", "┃"] : ["*", "^", "^^^", "|"]
  }

  /// The paywall as text, with two prices of equal weight.
  ///
  /// - Parameter isWhole: Whether there is room for the tree and the links to the terms.
  static func paywall(_ style: Style, width: Int, isUnicode: Bool, isWhole: Bool = true) -> String {
    Paywall.elements.compactMap { element -> String? in
      switch element {
      case .glyph:
        guard isWhole else { return nil }
        return glyph(isUnicode: isUnicode).map { line in
          String(repeating: " ", count: max(0, (width - line.count) / 2)) + line
        }.joined(separator: "\n")
      case .words(let word): return Wrapping.lines(word.text, width: width).joined(separator: "\n")
      case .price(let product): return style.strong(product.word.text)
      case .link(.paywallRestore):
        return style.quiet("\(Word.paywallRestore.text): `atrest entitlement submit FILE`")
      case .link(let word): return isWhole ? style.quiet(legal(word)) : nil
      }
    }.joined(separator: "\n\n")
  }
}
