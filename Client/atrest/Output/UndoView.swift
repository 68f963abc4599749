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
    let what = kind == .water ? "no water that you noted" : "nothing you did"
    return CommandFailure(
      "Nothing to take back: this device remembers \(what) on it in the last 30 days.")
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
    }
  }

  /// Shown if nothing could be undone.
  static func kept(_ undone: UndoneAction) -> String {
    if undone.changes.isEmpty {
      return "That changed too much at once to be taken back by one word."
    }
    if undone.changes.contains(where: \.anotherGoesOn) { return anotherGoesOn }
    return "What you did last was changed again since, so it stays as it is now."
  }

  /// The advice if nothing could be undone.
  static func next(_ undone: UndoneAction) -> String {
    undone.isWaiting
      ? "`atrest sessions edit` lets it go on once the other one has ended."
      : "Once more takes back what was done before that."
  }

  /// Shown if a fast was not reopened because another one is active.
  private static let anotherGoesOn =
    "Another fast goes on, so the one before it stays as it is now. Only one goes on at a time."

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
        lines.append(
          "\(fields.joined(separator: " and ").asPlainSentence) changed again since, and "
            + "\(fields.count == 1 ? "stays" : "stay") as now.")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// One sentence for a whole action; nil for actions described per record.
  private static func wholeSentence(_ action: UserAction) -> String? {
    switch action {
    case .restore: "Undone: what was written back is as it was before, and set aside again."
    case .import: "Undone: what the file brought is taken away, and what it changed is as it was."
    default: nil
    }
  }

  private static func sentence(
    _ action: UserAction, _ change: UndoneAction.Change, _ context: CommandContext
  ) -> String {
    func fast(_ record: Record?) -> String {
      let session = record.flatMap { try? Session($0) }
      return session.map { AtrestVocabulary.words($0.span, context) } ?? "a fast"
    }
    func glass(_ record: Record?) -> String {
      let entry = record.flatMap { try? WaterEntry($0) }
      return entry.map { AtrestVocabulary.words($0.intake, context) } ?? "something drunk"
    }
    switch action {
    case .begin: return "Undone: the fast \(fast(change.after)) was not begun."
    case .end, .abandon: return "Undone: the fast goes on, \(fast(change.before))."
    case .water: return "Undone: \(glass(change.after)), is taken away."
    case .editFast:
      let target = change.before.flatMap { try? Session($0) }.map {
        ", target \(DurationText.text(minutes: $0.targetMinutes))"
      }
      return "Undone: the fast is as it was, \(fast(change.before))\(target ?? "")."
    case .editWater: return "Undone: it is as it was, \(glass(change.before))."
    case .deleteFast: return "Undone: the fast is back, \(fast(change.before))."
    case .deleteWater: return "Undone: it is back, \(glass(change.before))."
    case .setting:
      let setting = Setting(rawValue: String(decoding: change.after.key.id, as: UTF8.self))
      guard let setting else { return "Undone: the setting is as it was." }
      let before = change.before.flatMap { $0.isDeleted ? nil : try? PreferenceField.value(of: $0) }
      return
        "Undone: \(SettingsWords.name(setting)) is \(SettingsWords.value(setting, stored: before, context)) again."
    case .edit:
      // Another app's: an undo must say what of it is gone.
      let noun = Atrest.recordWords.noun(change.after.key, change.after, context)
      return "Undone: \(noun), is \(change.before == nil ? "taken away" : "as it was")."
    case .restore, .import: return wholeSentence(action) ?? ""
    }
  }

  private static func noun(_ field: FieldNumber, _ kind: RecordKind) -> String {
    switch (kind, field) {
    case (.session, SessionField.span): "its times"
    case (.session, SessionField.target): "its target"
    case (.water, WaterField.intake): "its time and amount"
    default: "the rest"
    }
  }
}

extension String {
  /// The string with a capital first letter.
  fileprivate var asPlainSentence: String { prefix(1).uppercased() + dropFirst() }
}
