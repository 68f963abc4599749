// SPDX-License-Identifier: Apache-2.0
// Output of drawings: cells in the available colours and characters.

import AtrestCommandLine
import AtrestDomain
import AtrestPresentation
import AtrestReplication
import Foundation

/// Converts drawings to terminal lines.
enum DrawingView {
  /// A row as runs of equal style.
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

  /// The rows with escape sequences, without trailing spaces.
  static func lines(_ drawing: Drawing, _ style: Style) -> [String] {
    drawing.rows.map { row in
      let last = row.lastIndex { $0.character != " " }.map { $0 + 1 } ?? 0
      return TimerLine(spans(Array(row.prefix(last)))).painted(style)
    }
  }

  /// The rows without empty ones at top and bottom.
  static func trimmed(_ drawing: Drawing, _ style: Style) -> [String] {
    var lines = lines(drawing, style)[...]
    while lines.first?.isEmpty == true { lines = lines.dropFirst() }
    while lines.last?.isEmpty == true { lines = lines.dropLast() }
    return Array(lines)
  }
}

/// The small tree above the text.
enum TreeView {
  /// The size of the tree that `atrest` shows, in cells.
  static let size = (width: 22, height: 10)

  /// - Parameter star: The star's opacity; nil for the state's own.
  static func draw(
    _ session: Session, _ state: TreeState, star: Double? = nil, width: Int, height: Int
  )
    -> Drawing
  {
    TreeDrawing.draw(
      TreeCharacter(id: session.id), state, star: star, width: width, height: height)
  }

  /// The tree's state for a fast; nil if there is no tree.
  static func state(
    of session: Session, at now: WallTime, _ entitlement: Entitlement
  ) -> TreeState? {
    guard FeatureGate.timerTree.isOpen(for: entitlement) else { return nil }
    switch session.span.outcome {
    case .active:
      return .materialising(
        progress: MaterialisingProgress.value(
          elapsedMilliseconds: session.elapsedMilliseconds(at: now),
          targetMinutes: session.targetMinutes))
    case .completed: return TreeMapper.state(of: session)
    case .abandoned: return nil
    }
  }

  /// The lines of the small tree, at most as wide as the terminal.
  static func lines(
    of session: Session, at now: WallTime, _ entitlement: Entitlement, _ style: Style, columns: Int,
    isUnicode: Bool
  ) -> [String] {
    guard let state = state(of: session, at: now, entitlement) else { return [] }
    let drawing = draw(
      session, state, width: min(size.width, columns), height: size.height)
    return DrawingView.trimmed(isUnicode ? drawing : drawing.ascii, style)
  }
}
