// SPDX-License-Identifier: Apache-2.0
// The heading of the pictures of a branch and of a twig.

import AtrestPresentation
import TrunkDomain

/// What a picture is of: the node's name, its number, and what is on it.
struct Heading {
  let title: String
  /// The number beside a label; nil where the title says it.
  let number: String?
  let counts: String

  init(_ node: NodeID, counts: SproutCounts, in garden: Garden) {
    let label = PictureWords.label(of: node, in: garden)
    title = label ?? node.plainName
    number = label == nil ? nil : node.plainName
    self.counts = PictureWords.counts(counts)
  }

  /// The name for screen readers: `Running, twig 3.5`.
  var name: String { number.map { "\(title), \($0)" } ?? title }

  /// Name and contents for screen readers: `Running, twig 3.5: 2 growing`.
  var spoken: String { "\(name): \(counts)" }

  /// Writes it at the top of a picture.
  func write(in markup: inout Markup, width: Double) {
    var room = width - 48
    if let number {
      markup.write(
        number, x: width - 24, y: 44, size: 14, colour: Daylight.softInk, anchor: "end")
      room -= ShownText.width(of: number, size: 14) + 12
    }
    markup.write(
      ShownText.fitted(title, points: room, size: 22), x: 24, y: 44, size: 22,
      colour: Daylight.ink, weight: "600")
    markup.write(
      ShownText.fitted(counts, points: width - 40, size: 13.5), x: 24, y: 67, size: 13.5,
      colour: Daylight.softInk)
  }
}
