// SPDX-License-Identifier: Apache-2.0
// Gardens as files: written and read again, read from the web app, and refused.

import AtrestCompanion
import Foundation
import Testing
import TrunkDomain

@testable import trunk

@Suite("Garden files", .timeLimit(.minutes(5)))
struct GardenFileTests {
  private let now = WallTime(milliseconds: 1_764_072_000_123)

  private func garden() throws -> Garden {
    let twig = try #require(Twig(typed: "3.5"))
    let leaf = Leaf(id: .random(), name: "Long books", twig: twig, created: now)
    let plan = Sprout.Plan(.threeMonths, .firm)
    var done = Sprout(
      id: .random(), title: "Read <\"Middlemarch\">", twig: twig, plan: plan, created: now,
      leaf: leaf.id, blooms: Sprout.Blooms(one: "One", three: nil, five: "Five"))
    done.planting = Sprout.Planting(at: now, plan: plan)
    done.outcome = Sprout.Outcome(
      at: now.advanced(by: 60_000), result: .strong, reflection: "On the train")
    var gone = Sprout(
      id: .random(), title: "Run", twig: Twig.all[0], plan: Sprout.Plan(.twoWeeks, .fertile),
      created: now)
    gone.planting = Sprout.Planting(at: now, plan: gone.plan)
    gone.outcome = Sprout.Outcome(at: now.advanced(by: 5), result: nil)
    let draft = Sprout(
      id: .random(), title: "Cello", twig: Twig.all[8], plan: Sprout.Plan(.oneYear, .barren),
      created: now)
    let words = Watering(
      id: .random(), sprout: done.id, at: now.advanced(by: 7), day: GardenDay(now, in: .utc),
      note: "Two\nchapters", prompt: "How?")
    let sun = Shining(
      id: .random(), twig: twig, at: now.advanced(by: 8), week: GardenWeek(now, in: .utc),
      note: "Quiet")
    return Garden(
      sprouts: [done, gone, draft], waterings: [words], shinings: [sun], leaves: [leaf],
      labels: [NodeLabel(id: .branch(2), label: "Mind", note: "Slowly")],
      settings: [GardenSetting(id: .gardenName, value: "Behind the house")])
  }

  @Test("A garden that is written and read again is the same, ids included")
  func roundTrip() throws {
    let garden = try garden()
    let file = try GardenImport(
      Data(GardenExport.bytes(garden, at: now)), in: .utc, now: now.advanced(by: 9))
    #expect(Set(file.sprouts.values) == Set(garden.sprouts))
    #expect(Array(file.waterings.values) == garden.waterings)
    #expect(Array(file.shinings.values) == garden.shinings)
    #expect(Array(file.leaves.values) == garden.leaves)
    #expect(file.labels == Array(garden.labels.values))
    #expect(file.name == "Behind the house" && file.leftOut == 0)
  }

  @Test("The web app's events are read, with the same ids each time")
  func webApp() throws {
    let text = """
      {"_version": 4, "events": [
        {"type": "sprout_harvested", "timestamp": "2026-01-15T12:00:00Z",
         "sproutId": "sprout-1", "result": 4, "capacityGained": 0.85, "reflection": "Good"},
        {"type": "leaf_created", "timestamp": "2026-01-01T10:00:00.000Z", "leafId": "leaf-1",
         "twigId": "branch-0-twig-0", "name": "Moving"},
        {"type": "sprout_planted", "timestamp": "2026-01-01T11:00:00.000Z",
         "sproutId": "sprout-1", "twigId": "branch-0-twig-0", "leafId": "leaf-1",
         "title": "Run 5K", "season": "1m", "environment": "firm", "soilCost": 5,
         "bloomWither": "Ran once"},
        {"type": "sprout_watered", "timestamp": "2026-01-02T09:00:00.000Z",
         "sproutId": "sprout-1", "content": "Slow", "prompt": "How?"},
        {"type": "sun_shone", "timestamp": "2026-01-05T10:00:00.000Z",
         "twigId": "branch-0-twig-0", "twigLabel": "Movement", "content": "Well"},
        {"type": "seedling_created", "timestamp": "2026-01-05T10:00:00.000Z"},
        {"type": "sprout_planted", "timestamp": "2026-01-01T11:00:00.000Z",
         "sproutId": "sprout-2", "twigId": "branch-9-twig-0", "title": "Nowhere",
         "season": "1m", "environment": "firm"}
      ]}
      """
    let file = try GardenImport(Data(text.utf8), in: .utc, now: now)
    let sprout = try #require(file.sprouts.values.first)
    #expect(file.sprouts.count == 1 && file.leftOut == 2)
    #expect(sprout.title == "Run 5K" && sprout.state == .completed(.strong))
    #expect(sprout.plan == Sprout.Plan(.oneMonth, .firm) && sprout.blooms.one == "Ran once")
    #expect(sprout.leaf == file.leaves.keys.first && sprout.reflection == "Good")
    #expect(file.waterings.values.first?.sprout == sprout.id)
    #expect(file.shinings.count == 1)
    let again = try GardenImport(Data(text.utf8), in: .utc, now: now.advanced(by: 1))
    #expect(again.sprouts == file.sprouts && again.waterings == file.waterings)
  }

  @Test("What the web app kept in several lines is one line here; words keep their lines")
  func oneLine() throws {
    let text = """
      {"version": 4, "settings": {"name": "Behind\\nthe house"}, "circles": {
        "branch-1": {"label": "Mind\\r\\n\\tand heart", "note": "Two\\nlines"},
        "branch-1-twig-2": {"leaves": [{"id": "l", "name": "Long\\nbooks"}], "sprouts": [
          {"id": "a", "title": "Read\\n\\u001b[31mall", "season": "2w", "environment": "fertile",
           "state": "draft", "bloomWither": "One\\u2028page"}]}
      }}
      """
    let file = try GardenImport(Data(text.utf8), in: .utc, now: now)
    let sprout = try #require(file.sprouts.values.first)
    #expect(sprout.title == "Read [31mall" && sprout.blooms.one == "One page")
    #expect(file.leaves.values.first?.name == "Long books" && file.name == "Behind the house")
    #expect(file.labels.map(\.label) == ["Mind and heart"])
    #expect(file.labels.map(\.note) == ["Two\nlines"])
  }

  @Test("Older files say everything in circles")
  func circles() throws {
    let text = """
      {"version": 2, "circles": {
        "branch-1": {"label": "Brain", "note": ""},
        "branch-1-twig-2": {"label": "", "note": "n", "leaves": [{"id": "l", "name": "Saga"}],
          "sprouts": [
            {"id": "a", "title": "A", "season": "2w", "environment": "fertile", "state": "active",
             "plantedAt": "2026-01-01T10:00:00Z", "waterEntries": [
               {"timestamp": "2026-01-02T10:00:00Z", "content": "w"}, {"content": "no time"}]},
            {"id": "b", "title": "B", "season": "1y", "environment": "barren", "state": "draft"},
            {"id": "c", "season": "9w", "environment": "barren", "state": "draft"}]},
        "branch-8": {"label": "There is none"}
      }}
      """
    let file = try GardenImport(Data(text.utf8), in: .utc, now: now)
    #expect(file.labels.map(\.id.id) == ["branch-1", "branch-1-twig-2"])
    #expect(
      file.sprouts.values.sorted { $0.title < $1.title }.map(\.state) == [.active, .draft])
    #expect(file.waterings.count == 1 && file.leaves.count == 1 && file.leftOut == 3)
  }

  @Test(
    "What is no garden is refused",
    arguments: [
      "", "nope", "[]", "{}", "{\"events\": 5}", "{\"events\": [{}]}", "{\"circles\": [1]}",
      String(repeating: "[", count: 100_000),
    ])
  func refused(text: String) {
    #expect(throws: GardenFileProblem.notAGarden) {
      try GardenImport(Data(text.utf8), in: .utc, now: now)
    }
  }

  @Test("A later version is refused by its number")
  func laterVersion() {
    #expect(throws: GardenFileProblem.laterVersion(5)) {
      try GardenImport(Data("{\"version\":5,\"events\":[]}".utf8), in: .utc, now: now)
    }
  }
}
