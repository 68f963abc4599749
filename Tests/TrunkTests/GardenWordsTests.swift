// SPDX-License-Identifier: Apache-2.0
// The garden in words: nothing that a record holds steers the terminal.

import AtrestCompanion
import Testing
import TrunkDomain

@testable import trunk

@Suite("The garden in words", .timeLimit(.minutes(20)))
struct GardenWordsTests {
  /// What no rule for typing lets through, as another program may have written it.
  private static let hostile = "Read\nall\u{1B}[2J\u{202E}"

  @Test("A title of another program with controls in it stays in its line")
  func hostile() throws {
    let time = WallTime(milliseconds: 1_764_072_000_000)
    var sprout = Sprout(
      id: .random(), title: Self.hostile, twig: Twig.all[0],
      plan: Sprout.Plan(.oneMonth, .firm), created: time)
    sprout.planting = Sprout.Planting(at: time, plan: sprout.plan)
    let read = try #require(Sprout(id: sprout.id, fields: sprout.fields))
    #expect(read.title == Self.hostile)
    let garden = Garden(
      sprouts: [read], labels: [NodeLabel(id: .twig(read.twig), label: Self.hostile, note: nil)])
    let context = CommandContext.current()
    for words in [
      GardenWords.title(read), GardenWords.name(.twig(read.twig), in: garden),
      GardenWords.table(garden.sprouts, in: garden, context, Style.plain),
    ] {
      #expect(words.unicodeScalars.allSatisfy { $0 == "\n" || !$0.steersDisplay }, "\(words)")
      #expect(words.contains("Read\u{FFFD}all"))
    }
    #expect(
      GardenWords.table(garden.sprouts, in: garden, context, Style.plain)
        .split(separator: "\n").count == 2)
  }
}
