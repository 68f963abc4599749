// SPDX-License-Identifier: Apache-2.0
// Output of `atrest undo`.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// The result of an undo, for `--json`.
struct UndoRow: Encodable, Equatable {
  /// A record of the action.
  struct Change: Encodable, Equatable {
    var kind: String
    var id: String
    var restored: [String]
    var kept: [String]
  }

  var action: String
  var at: WallTime
  var changes: [Change]

  init(_ undone: UndoneAction) {
    action = UndoWords.name(undone.action)
    at = undone.at
    changes = undone.changes.map { change in
      let key = change.after.key
      func names(_ fields: [FieldNumber]) -> [String] {
        fields.map { Atrest.recordWords.name(of: $0, in: key.kind) }
      }
      return Change(
        kind: Atrest.recordWords.name(of: key.kind), id: Atrest.recordWords.id(of: key),
        restored: names(change.restored), kept: names(change.kept))
    }
  }
}

/// Texts about undo.
enum UndoWords {
  /// Where no action is remembered, or none of a kind.
  static func nothing(_ kind: UserAction? = nil) -> CommandFailure {
    let isWater = kind == .water
    return CommandFailure(
      Language.text(
        "Nothing to take back: this device remembers \(isWater ? "no water that you noted" : "nothing you did") on it in the last 30 days.",
        de:
          "Nichts zurückzunehmen: Aus den letzten 30 Tagen ist auf diesem Gerät \(isWater ? "kein Wasser" : "nichts") vermerkt."
      ))
  }

  /// The action's name in JSON.
  static func name(_ action: UserAction) -> String {
    switch action {
    case .begin: "begin"
    case .end: "end"
    case .abandon: "let_go"
    case .water: "water"
    case .editFast: "edit_fast"
    case .editWater: "edit_water"
    case .deleteFast: "delete_fast"
    case .deleteWater: "delete_water"
    case .setting: "setting"
    case .restore: "restore"
    case .import: "import"
    case .edit: "edit"
    case .addFast: "add_fast"
    }
  }

  /// Shown if nothing could be undone.
  static func kept(_ undone: UndoneAction) -> String {
    if undone.changes.isEmpty {
      return Language.text(
        "That changed too much at once to be taken back by one word.",
        de: "Das hat zu viel auf einmal geändert, um es mit einem Wort zurückzunehmen.")
    }
    if undone.changes.contains(where: \.anotherGoesOn) { return anotherGoesOn }
    return Language.text(
      "What you did last was changed again since, so it stays as it is now.",
      de: "Was du zuletzt getan hast, wurde seitdem wieder geändert und bleibt, wie es ist.")
  }

  /// The advice if nothing could be undone.
  static func next(_ undone: UndoneAction) -> String {
    undone.isWaiting
      ? Language.text(
        "`atrest sessions edit` lets it go on once the other one has ended.",
        de: "`atrest sessions edit` lässt es weitergehen, wenn das andere geendet hat.")
      : Language.text(
        "Once more takes back what was done before that.",
        de: "Noch einmal nimmt zurück, was davor geschah.")
  }

  /// Shown if a fast was not reopened because another one is active.
  private static var anotherGoesOn: String {
    Language.text(
      "Another fast goes on, so the one before it stays as it is now. Only one goes on at a time.",
      de: "Ein anderes Fasten läuft, darum bleibt das davor, wie es ist. Es läuft immer nur eines.")
  }

  /// What was undone, as text.
  static func text(_ undone: UndoneAction, _ context: CommandContext) -> String {
    var lines: [String] = []
    let whole = wholeSentence(undone.action)
    if let whole { lines.append(whole) }
    for change in undone.changes {
      if whole == nil, !change.restored.isEmpty {
        lines.append(sentence(undone.action, change, context))
      }
      if change.anotherGoesOn {
        lines.append(anotherGoesOn)
      } else if !change.kept.isEmpty {
        let fields = change.kept.map { noun($0, change.after.key.kind) }
          .joined(separator: Language.text(" and ", de: " und ")).asPlainSentence
        let isOne = change.kept.count == 1
        lines.append(
          Language.text(
            "\(fields) changed again since, and \(isOne ? "stays" : "stay") as now.",
            de: "Seitdem wieder geändert und darum wie jetzt: \(fields)."))
      }
    }
    return lines.joined(separator: "\n")
  }

  /// One sentence for a whole action; nil for actions described per record.
  private static func wholeSentence(_ action: UserAction) -> String? {
    switch action {
    case .restore:
      Language.text(
        "Undone: what was written back is as it was before, and set aside again.",
        de: "Zurückgenommen: Der alte Stand gilt wieder, und der andere liegt wieder beiseite.")
    case .import:
      Language.text(
        "Undone: what the file brought is taken away, and what it changed is as it was.",
        de: "Zurückgenommen: Was die Datei brachte, ist fort, und was sie änderte, ist wie zuvor.")
    default: nil
    }
  }

  private static func sentence(
    _ action: UserAction, _ change: UndoneAction.Change, _ context: CommandContext
  ) -> String {
    func fast(_ record: Record?) -> String {
      let session = record.flatMap { try? Session($0) }
      return session.map { AtrestVocabulary.words($0.span, context) }
        ?? Language.text("a fast", de: "ein Fasten")
    }
    func glass(_ record: Record?) -> String {
      let entry = record.flatMap { try? WaterEntry($0) }
      return entry.map { AtrestVocabulary.words($0.intake, context) }
        ?? Language.text("something drunk", de: "etwas Getrunkenes")
    }
    switch action {
    case .begin:
      return Language.text(
        "Undone: the fast \(fast(change.after)) was not begun.",
        de: "Zurückgenommen: Das Fasten \(fast(change.after)) ist nicht begonnen.")
    case .addFast:
      return Language.text(
        "Undone: the fast \(fast(change.after)) is taken away.",
        de: "Zurückgenommen: Das Fasten \(fast(change.after)) ist fort.")
    case .end, .abandon:
      return Language.text(
        "Undone: the fast goes on, \(fast(change.before)).",
        de: "Zurückgenommen: Das Fasten geht weiter, \(fast(change.before)).")
    case .water:
      return Language.text(
        "Undone: \(glass(change.after)), is taken away.",
        de: "Zurückgenommen: \(glass(change.after)), ist fort.")
    case .editFast:
      let target = change.before.flatMap { try? Session($0) }.map {
        let target = DurationText.text(minutes: $0.targetMinutes)
        return Language.text(", target \(target)", de: ", Ziel \(target)")
      }
      let before = fast(change.before) + (target ?? "")
      return Language.text(
        "Undone: the fast is as it was, \(before).",
        de: "Zurückgenommen: Das Fasten ist wie zuvor, \(before).")
    case .editWater:
      return Language.text(
        "Undone: it is as it was, \(glass(change.before)).",
        de: "Zurückgenommen: Es ist wie zuvor, \(glass(change.before)).")
    case .deleteFast:
      return Language.text(
        "Undone: the fast is back, \(fast(change.before)).",
        de: "Zurückgenommen: Das Fasten ist wieder da, \(fast(change.before)).")
    case .deleteWater:
      return Language.text(
        "Undone: it is back, \(glass(change.before)).",
        de: "Zurückgenommen: Es ist wieder da, \(glass(change.before)).")
    case .setting:
      let setting = Setting(rawValue: String(decoding: change.after.key.id, as: UTF8.self))
      guard let setting else {
        return Language.text(
          "Undone: the setting is as it was.", de: "Zurückgenommen: Die Einstellung ist wie zuvor.")
      }
      let before = change.before.flatMap { $0.isDeleted ? nil : try? PreferenceField.value(of: $0) }
      let (name, value) = (
        SettingsWords.name(setting), SettingsWords.value(setting, stored: before, context)
      )
      return Language.text(
        "Undone: \(name) is \(value) again.", de: "Zurückgenommen: \(name) ist wieder \(value).")
    case .edit:
      // Another app's: an undo must say what of it is gone.
      let noun = Atrest.recordWords.noun(change.after.key, change.after, context)
      let isGone = change.before == nil
      return Language.text(
        "Undone: \(noun), is \(isGone ? "taken away" : "as it was").",
        de: "Zurückgenommen: \(noun), ist \(isGone ? "fort" : "wie zuvor").")
    case .restore, .import: return wholeSentence(action) ?? ""
    }
  }

  private static func noun(_ field: FieldNumber, _ kind: RecordKind) -> String {
    switch (kind, field) {
    case (.session, SessionField.span): Language.text("its times", de: "seine Zeiten")
    case (.session, SessionField.target): Language.text("its target", de: "sein Ziel")
    case (.water, WaterField.intake):
      Language.text("its time and amount", de: "seine Zeit und Menge")
    default: Language.text("the rest", de: "das Übrige")
    }
  }
}

extension String {
  /// The string with a capital first letter.
  fileprivate var asPlainSentence: String { prefix(1).uppercased() + dropFirst() }
}
