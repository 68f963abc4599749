// SPDX-License-Identifier: Apache-2.0
// Output of water.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import Foundation

/// One entry, for `--json`.
struct WaterRow: Encodable, Equatable {
  var id: String
  var at: WallTime
  var day: String
  var millilitres: Int

  init(_ entry: WaterEntry, in zone: ZoneOffsets) {
    id = entry.id.uuidString.lowercased()
    at = entry.intake.at
    day = LocalDay(entry.intake.at, in: zone).iso
    millilitres = entry.intake.millilitres
  }
}

/// A day's water, for `--json`.
struct WaterDayRow: Encodable, Equatable {
  var day: String
  var millilitres: Int
  var entries: [WaterRow]

  /// - Parameter day: nil if there was no drink today.
  init(_ day: WaterDay?, _ context: CommandContext) {
    self.day = (day?.day ?? LocalDay(context.now, in: context.zone)).iso
    millilitres = day?.millilitres ?? 0
    entries = day?.entries.map { WaterRow($0, in: context.zone) } ?? []
  }
}

/// Texts about water.
enum WaterWords {
  /// Days with their entries, latest day first.
  static func list(
    _ days: [WaterDay], ids: [String: String], _ context: CommandContext, _ style: Style
  ) -> String {
    days.map { day in
      let title = "\(name(of: day.day, context))  \(context.amount(day.millilitres))"
      let lines = day.entries.map { entry in
        let hex = ShortID.hex(entry.id)
        let clock = context.clock(entry.intake.at)
        return "  \(ids[hex] ?? hex)  \(clock)  "
          + context.amount(entry.intake.millilitres)
      }
      return ([style.strong(title)] + lines).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Shown after a drink was noted.
  ///
  /// - Parameter total: Today's in millilitres.
  static func noted(_ entry: WaterEntry, total: Int, _ context: CommandContext) -> String {
    let (words, total) = (AtrestVocabulary.words(entry.intake, context), context.amount(total))
    return Language.text(
      "Noted \(words). Today: \(total).", de: "Notiert: \(words). Heute: \(total).")
  }

  /// Shown after an entry was corrected.
  static func corrected(_ entry: WaterEntry, _ context: CommandContext) -> String {
    let words = AtrestVocabulary.words(entry.intake, context)
    return Language.text("Corrected: \(words).", de: "Berichtigt: \(words).")
  }

  /// Shown after an entry was deleted.
  static func deleted(_ entry: WaterEntry, _ context: CommandContext) -> String {
    let words = AtrestVocabulary.words(entry.intake, context)
    return Language.text("Deleted \(words).", de: "Gelöscht: \(words).")
  }

  static var howToNote: String {
    Language.text(
      "`atrest water add` notes a glass.", de: "`atrest water add` notiert ein Glas.")
  }

  /// Shown where a list is empty.
  static var nothing: String {
    Language.text("Nothing noted in this time.", de: "In dieser Zeit ist nichts notiert.") + " "
      + howToNote
  }

  private static func name(of day: LocalDay, _ context: CommandContext) -> String {
    switch day.number - LocalDay(context.now, in: context.zone).number {
    case 0: Word.waterInlineHeader.text
    case -1: Language.text("Yesterday", de: "Gestern")
    default: TimeText.day(day)
    }
  }
}
