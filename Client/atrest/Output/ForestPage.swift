// SPDX-License-Identifier: Apache-2.0
// The forest as lines of a terminal, and as a page that scrolls.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestPresentation
import Foundation

/// The forest in a terminal.
enum ForestPage {
  /// The whole forest, and Vigil's line below it.
  static func lines(_ trees: [Tree], _ choices: Choices, _ style: Style, width: Int) -> [String] {
    let drawing = ForestDrawing.draw(
      trees, width: width, height: ForestDrawing.height(trees: trees.count, width: width))
    let isUnicode = Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
    var lines = DrawingView.lines(isUnicode ? drawing : drawing.ascii, style)
    // Which words there are does not depend on the canvas.
    let layout = ForestLayout(trees: trees, canvas: ForestCanvas(width: 390, screenHeight: 844))
    if let inscription = Vigil(choices.settings).forest(layout) {
      let margin = String(repeating: " ", count: max(0, (width - inscription.text.count) / 2))
      lines.append(margin + style.scripture(inscription.text))
    }
    return lines
  }

  /// A page of the forest, at the end, where the nearest trees are.
  static func view(_ options: ReplicaOptions, _ style: Style) throws -> PageView {
    try PageView(style, end: true) { size in
      let replica = try options.openExisting()
      let entitlement = try replica?.entitlement() ?? .unknown
      guard FeatureGate.forest.isOpen(for: entitlement) else { throw PictureFile.noForest }
      let trees = ForestPolicy.trees(
        of: try replica?.look { try $0.history() } ?? [], for: entitlement)
      let choices = try replica?.look { try Choices($0) } ?? .none
      return lines(trees, choices, style, width: max(1, size.columns - 1))
    }
  }
}
