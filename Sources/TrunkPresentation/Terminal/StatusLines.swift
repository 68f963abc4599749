// SPDX-License-Identifier: Apache-2.0
// The two lines under the tree in a terminal: the meters, and what the cursor is on.

import AtrestDomain
import AtrestPresentation
import TrunkDomain

/// The lines under the tree.
struct StatusLines {
  let garden: Garden
  let meters: Meters
  let contents: [TwigContent]
  let selected: NodeID?

  func write(into drawing: inout Drawing) {
    guard drawing.height > 2 else { return }
    writeMeters(into: &drawing, row: drawing.height - 2)
    let node = selected ?? .trunk
    let words = "\(name(of: node)): \(PictureWords.counts(counts(of: node)))"
    drawing.write(
      TerminalText.line(words, limit: drawing.width - 1), column: 0, row: drawing.height - 1,
      isBold: selected != nil)
  }

  private func name(of node: NodeID) -> String {
    switch node {
    case .trunk:
      let name = ShownText.line(garden.name ?? "", limit: 60)
      return name.isEmpty ? PictureWords.title(of: node, in: garden) : name
    case .branch(let branch):
      return PictureWords.label(of: node, in: garden).map { "\(branch + 1) \($0)" }
        ?? node.plainName
    case .twig(let twig):
      return PictureWords.label(of: node, in: garden).map { "\(twig.number) \($0)" }
        ?? node.plainName
    }
  }

  private func counts(of node: NodeID) -> SproutCounts {
    var sum = SproutCounts()
    for content in contents {
      let isOn =
        switch node {
        case .trunk: true
        case .branch(let branch): content.twig.branch == branch
        case .twig(let twig): content.twig == twig
        }
      if isOn { sum = sum + content.counts }
    }
    return sum
  }

  private func writeMeters(into drawing: inout Drawing, row: Int) {
    var column = 0
    func write(_ words: String, _ colour: RGB?, isDim: Bool = false) {
      drawing.write(
        String(words.prefix(max(0, drawing.width - column))), column: column, row: row,
        foreground: colour, isDim: isDim)
      column += words.count
    }
    let bar = 10
    let filled = Int((meters.soilShare * Double(bar)).rounded())
    write("Soil ", nil)
    write(String(repeating: String(Glyph.full), count: filled), Shade.earth)
    write(String(repeating: String(Glyph.hollow), count: bar - filled), Shade.earth, isDim: true)
    write(" \(PictureWords.soil(meters))", meters.soil < .zero ? Shade.warning : nil)
    write("   Water ", nil)
    for index in 0..<Watering.perDay {
      write(String(index < meters.water ? Glyph.full : Glyph.hollow), Shade.water)
    }
    write("   Sun ", nil)
    write(String(meters.sun > 0 ? Glyph.full : Glyph.hollow), Shade.sun)
  }
}
