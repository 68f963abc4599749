// SPDX-License-Identifier: Apache-2.0
// How drawings get onto a terminal: their cells in the colours that there are, and the characters
// that it knows.

import AtrestDomain
import AtrestPresentation
import Foundation

extension Style {
  /// Letters with the look of a drawing's cell.
  func paint(_ text: String, foreground: RGB?, isDim: Bool, isBold: Bool) -> String {
    let text = isBold ? strong(text) : isDim && colours == .none ? quiet(text) : text
    return foreground.map { ink($0, text) } ?? text
  }
}

/// Drawings on a terminal.
enum DrawingView {
  /// Whether a terminal shows dots of braille, stars and rings: one of Unicode that says nothing
  /// else, and not the console of Linux, whose letters end before them.
  static func isUnicode(environment: [String: String]) -> Bool {
    guard environment["TERM"] != "linux" else { return false }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    guard let charset = locale?.split(separator: ".").dropFirst().first else {
      return locale != "C" && locale != "POSIX"
    }
    return charset.lowercased().hasPrefix("utf")
  }

  /// A row in pieces of one look.
  static func spans(_ row: [Cell]) -> [TimerSpan] {
    var spans: [TimerSpan] = []
    for cell in row {
      let ink = TimerSpan.Ink.cell(cell.foreground, isDim: cell.isDim, isBold: cell.isBold)
      if spans.last?.ink == ink || cell.character == " " && !spans.isEmpty {
        spans[spans.count - 1].text.append(cell.character)
      } else {
        spans.append(TimerSpan(text: String(cell.character), ink: ink))
      }
    }
    return spans
  }

  /// The rows as a terminal is sent them, without blanks at their ends.
  static func lines(_ drawing: Drawing, _ style: Style) -> [String] {
    drawing.rows.map { row in
      let last = row.lastIndex { $0.character != " " }.map { $0 + 1 } ?? 0
      return TimerLine(spans(Array(row.prefix(last)))).painted(style)
    }
  }

  /// The same without empty rows above and below.
  static func trimmed(_ drawing: Drawing, _ style: Style) -> [String] {
    var lines = lines(drawing, style)[...]
    while lines.first?.isEmpty == true { lines = lines.dropFirst() }
    while lines.last?.isEmpty == true { lines = lines.dropLast() }
    return Array(lines)
  }
}

/// The small tree over the words.
enum TreeView {
  /// Columns and rows of the tree that `atrest` shows.
  static let size = (width: 22, height: 10)

  /// - Parameter star: How much of its star there is; nil: all that it has.
  static func draw(
    _ session: Session, _ state: TreeState, star: Double? = nil, width: Int, height: Int
  )
    -> Drawing
  {
    TreeDrawing.draw(
      TreeCharacter(id: session.id), state, star: star, width: width, height: height)
  }

  /// The tree of a fast that goes on, or is over; nil where there is none.
  static func state(
    of session: Session, at now: Date, _ entitlement: Entitlement
  ) -> TreeState? {
    guard FeatureGate.timerTree.isOpen(for: entitlement) else { return nil }
    switch session.span.outcome {
    case .active:
      return .materialising(
        progress: MaterialisingProgress.value(
          elapsed: session.elapsed(at: now), targetMinutes: session.targetMinutes))
    case .completed: return TreeMapper.state(of: session)
    case .abandoned: return nil
    }
  }

  /// The lines of the small tree, as wide as the terminal allows.
  static func lines(
    of session: Session, at now: Date, _ entitlement: Entitlement, _ style: Style, columns: Int,
    isUnicode: Bool
  ) -> [String] {
    guard let state = state(of: session, at: now, entitlement) else { return [] }
    let drawing = draw(
      session, state, width: min(size.width, columns), height: size.height)
    return DrawingView.trimmed(isUnicode ? drawing : drawing.ascii, style)
  }
}
