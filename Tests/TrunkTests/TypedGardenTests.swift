// SPDX-License-Identifier: Apache-2.0
// How sprouts are named in commands.

import AtrestCompanion
import Testing
import TrunkDomain

@testable import trunk

@Suite("Typed sprouts", .timeLimit(.minutes(20)))
struct TypedGardenTests {
  private static func sprout(_ title: String, _ id: String, isPlanted: Bool = true) throws -> Sprout
  {
    let plan = Sprout.Plan(.oneMonth, .firm)
    let uuid = try #require(RecordUUID(uuidString: id))
    var sprout = Sprout(
      id: uuid, title: title, twig: Twig.all[0], plan: plan, created: .epoch)
    if isPlanted { sprout.planting = Sprout.Planting(at: .epoch.advanced(by: 1), plan: plan) }
    return sprout
  }

  private let garden: Garden
  private let book: Sprout
  private let cello: Sprout
  private let idea: Sprout

  init() throws {
    book = try Self.sprout("Read Middlemarch", "ABCD0000-0000-4000-8000-000000000001")
    cello = try Self.sprout("Cello", "ABCE0000-0000-4000-8000-000000000002")
    idea = try Self.sprout(
      "Cello with others", "DEAD0000-0000-4000-8000-000000000003", isPlanted: false)
    garden = Garden(sprouts: [book, cello, idea])
  }

  @Test("are found by words of the title and by the beginning of the id")
  func found() throws {
    #expect(try TypedGarden.sprout("middle", in: garden) == book)
    #expect(try TypedGarden.sprout("MIDDLEMARCH", in: garden) == book)
    #expect(try TypedGarden.sprout("abcd", in: garden) == book)
    #expect(try TypedGarden.sprout("dead0000-0000", in: garden) == idea)
  }

  @Test("are what a command is about, where several have the words")
  func preferred() throws {
    #expect(try TypedGarden.sprout("cel", in: garden) == cello)
    #expect(try TypedGarden.sprout("cel", in: garden, preferring: .draft) == idea)
    #expect(try TypedGarden.sprout("others", in: garden) == idea)
  }

  @Test("are those of the whole title, rather than of a longer one that a command would prefer")
  func exact() throws {
    #expect(try TypedGarden.sprout("CELLO", in: garden) == cello)
    #expect(try TypedGarden.sprout("cello", in: garden, preferring: .draft) == cello)
    #expect(try TypedGarden.sprout("cello with others", in: garden) == idea)
  }

  @Test("are not guessed where a word of a title begins the id of another one")
  func wordOrID() throws {
    let bee = try Self.sprout("Bee keeping", "12340000-0000-4000-8000-000000000004")
    let novel = try Self.sprout("Novel", "BEE00000-0000-4000-8000-000000000005")
    let garden = Garden(sprouts: [bee, novel])
    #expect(throws: NameProblem.self) { try TypedGarden.sprout("bee", in: garden) }
    #expect(try TypedGarden.sprout("bee k", in: garden) == bee)
    #expect(try TypedGarden.sprout("bee0", in: garden) == novel)
    #expect(
      try TypedGarden.sprout("BEE00000-0000-4000-8000-000000000005", in: garden) == novel)
  }

  @Test("are not guessed", arguments: ["abc", "e", "", "zither", "0"])
  func refused(typed: String) {
    #expect(throws: NameProblem.self) { try TypedGarden.sprout(typed, in: garden) }
  }
}
