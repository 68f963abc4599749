// SPDX-License-Identifier: Apache-2.0
// The small tree beside the words.

import AtrestDomain

/// The tree of a fast, on a terminal.
enum TreeView {
  static func lines(_ tree: TimerTree, _ style: Style) -> [String] { [] }

  static func timerLines(
    _ appearance: TreeAppearance, star: Double, columns: Int, rows: Int
  ) -> [TimerLine] { [] }
}
