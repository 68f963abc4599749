// SPDX-License-Identifier: Apache-2.0
// Output of `atrest`: the current state.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// The current state, for `--json`.
struct NowRow: Encodable, Equatable {
  /// The materialising tree.
  struct Tree: Encodable, Equatable {
    var variant: Int
    var tone: Int
    /// From 0.05 to 1.
    var progress: Double
  }

  /// A line of Vigil.
  struct Fragment: Encodable, Equatable {
    var text: String
    var citation: String?

    init(_ fragment: ScriptureFragment) {
      text = fragment.text
      citation = fragment.citation
    }
  }

  var active: SessionRow?
  var milestoneText: String?
  var tree: Tree?
  var vigil: Fragment?
  var waterTodayMillilitres: Int
  var waiting: Int
  var needsYou: Int
  var conflicts: Int
  var overlaps: Int
  var paired: Bool

  init(_ snapshot: Snapshot, _ context: CommandContext) {
    let vigil = Vigil(snapshot.choices.settings)
    if let session = snapshot.active {
      active = SessionRow(session, now: context.now)
      let elapsed = session.elapsedMilliseconds(at: context.now)
      let milestone = Milestone(elapsedMilliseconds: elapsed)
      milestoneText = milestone?.companionText
      self.vigil = milestone.flatMap(vigil.milestone).map { Fragment($0.scripture) }
      if FeatureGate.timerTree.isOpen(for: snapshot.entitlement) {
        let character = TreeCharacter(id: session.id)
        tree = Tree(
          variant: character.variant, tone: character.tone,
          progress: MaterialisingProgress.value(
            elapsedMilliseconds: elapsed, targetMinutes: session.targetMinutes))
      }
    } else {
      self.vigil = vigil.idle(on: LocalDay(context.now, in: context.zone)).map(Fragment.init)
    }
    waterTodayMillilitres = snapshot.waterToday(context)
    waiting = snapshot.waiting
    needsYou = snapshot.stuck
    conflicts = snapshot.conflicts
    overlaps = snapshot.overlaps
    paired = snapshot.isPaired
  }
}

/// The current state as text.
struct NowView {
  private let snapshot: Snapshot
  private let context: CommandContext
  private let isUnicode: Bool

  /// - Parameter isUnicode: Whether the terminal shows Unicode.
  init(_ snapshot: Snapshot, _ context: CommandContext, isUnicode: Bool = true) {
    self.isUnicode = isUnicode
    self.snapshot = snapshot
    self.context = context
  }

  /// - Parameter width: The terminal's columns; nil if there is none. Then there is no tree and
  ///   lines are not wrapped.
  func text(_ style: Style, width: Int?) -> String {
    let room = width.map { max(20, $0) - 2 } ?? .max
    let body = words(style, width: min(room, width == nil ? .max : 60)) + footer(style, room)
    guard let width, let session = snapshot.active else { return body.joined(separator: "\n") }
    let tree = TreeView.lines(
      of: session, at: context.now, snapshot.entitlement, style, columns: max(1, width - 1),
      isUnicode: isUnicode)
    return (tree + body).joined(separator: "\n")
  }

  private func words(_ style: Style, width: Int) -> [String] {
    let vigil = Vigil(snapshot.choices.settings)
    guard let session = snapshot.active else {
      var lines = [Word.timerIdlePrompt.text + "."]
      if let line = vigil.idle(on: LocalDay(context.now, in: context.zone)) {
        lines += Wrapping.lines(line.text, width: width).map(style.scripture)
      }
      return lines
    }
    let elapsed = session.elapsedMilliseconds(at: context.now)
    let begun =
      elapsed < 0 ? Language.text("starts", de: "ab") : Language.text("since", de: "seit")
    var lines = [
      "\(style.strong(ElapsedText.text(milliseconds: elapsed)))  "
        + style.quiet("\(begun) \(context.words(session.span.start))")
    ]
    if let milestone = Milestone(elapsedMilliseconds: elapsed) {
      lines += Wrapping.lines(milestone.companionText, width: width)
      if let addition = vigil.milestone(milestone) {
        lines += Wrapping.lines(addition.companion, width: width)
        lines += Wrapping.lines(addition.scripture.text, width: width).map(style.scripture)
      }
    }
    return lines
  }

  private func footer(_ style: Style, _ width: Int) -> [String] {
    // Between fasts it is not shown: `atrest water` has it.
    var lines =
      snapshot.active == nil
      ? [] : [SessionWords.waterToday(context.amount(snapshot.waterToday(context)))]
    for other in snapshot.open where other.id != snapshot.active?.id {
      let hex = ShortID.hex(other.id)
      let id = snapshot.shortIDs[hex] ?? hex
      lines.append(SessionWords.alsoOpen(id, since: other.span.start, context))
    }
    if snapshot.isPaired, snapshot.waiting > 0 {
      lines.append(
        Language.text(
          snapshot.waiting == 1
            ? "1 change waits for the next sync."
            : "\(snapshot.waiting) changes wait for the next sync.",
          de: snapshot.waiting == 1
            ? "1 Änderung wartet auf den nächsten Abgleich."
            : "\(snapshot.waiting) Änderungen warten auf den nächsten Abgleich."))
    }
    if snapshot.stuck > 0 {
      lines.append(
        Language.text(
          "\(snapshot.stuck == 1 ? "1 change needs" : "\(snapshot.stuck) changes need") you: `atrest status` says why.",
          de:
            "\(snapshot.stuck == 1 ? "1 Änderung braucht" : "\(snapshot.stuck) Änderungen brauchen") dich: `atrest status` sagt, warum."
        ))
    }
    if snapshot.conflicts > 0 {
      lines.append(
        Language.text(
          "\(snapshot.conflicts == 1 ? "One change was" : "\(snapshot.conflicts) changes were") set aside: `atrest conflicts list` shows both sides.",
          de:
            "\(snapshot.conflicts == 1 ? "Eine Änderung wurde" : "\(snapshot.conflicts) Änderungen wurden") beiseitegelegt: `atrest conflicts list` zeigt beide Seiten."
        ))
    }
    if snapshot.overlaps > 0 {
      lines.append(
        Language.text(
          "\(snapshot.overlaps == 1 ? "Two fasts share" : "Some fasts share") some of their time: `atrest sessions list` says which.",
          de:
            "\(snapshot.overlaps == 1 ? "Zwei Fasten überschneiden sich" : "Einige Fasten überschneiden sich"): `atrest sessions list` sagt, welche."
        ))
    }
    if snapshot.active == nil {
      // The counterpart of the icons at the bottom of the app's screen between fasts.
      let ways = Navigation.icons(for: snapshot.entitlement).map { "`atrest \($0.command)`" }
      // Commands do not break across lines.
      for way in ["`atrest fast start`"] + ways {
        if let last = lines.last, last.hasPrefix("`"), last.count + 2 + way.count <= width {
          lines[lines.count - 1] = last + "  " + way
        } else {
          lines.append(way)
        }
      }
      lines = lines.map { $0.hasPrefix("`") ? style.quiet($0) : $0 }
    }
    return lines
  }
}

extension Navigation.Icon {
  /// The command that corresponds to the icon.
  fileprivate var command: String {
    switch self {
    case .forest: "forest"
    case .calendar: "calendar"
    case .settings: "settings"
    }
  }
}
