// SPDX-License-Identifier: Apache-2.0
// Gardens as files: written and read again, read from the web app, and refused.

import AtrestCompanion
import Foundation
import Testing
import TrunkDomain

@testable import trunk

@Suite("Garden files", .timeLimit(.minutes(20)))
struct GardenFileTests {
  private let now = WallTime(milliseconds: 1_764_072_000_123)

  private func garden() throws -> Garden {
    let twig = try #require(Twig(typed: "3.5"))
    let leaf = Leaf(id: .random(), name: "Long books", twig: twig, created: now)
    let plan = Sprout.Plan(.threeMonths, .firm)
    var done = Sprout(
      id: .random(), title: "Read <\"Middlemarch\">", twig: twig, plan: plan, created: now,
      leaf: leaf.id, blooms: Sprout.Blooms(one: "One", three: nil, five: "Five"))
    done.planting = Sprout.Planting(at: now.advanced(by: 3), plan: plan)
    done.outcome = Sprout.Outcome(
      at: now.advanced(by: 60_000), result: .strong, reflection: "On the train")
    var gone = Sprout(
      id: .random(), title: "Run", twig: Twig.all[0], plan: Sprout.Plan(.twoWeeks, .fertile),
      created: now)
    gone.planting = Sprout.Planting(at: now, plan: gone.plan)
    gone.outcome = Sprout.Outcome(at: now.advanced(by: 5), result: nil, reflection: "My knee")
    let draft = Sprout(
      id: .random(), title: "Cello", twig: Twig.all[8], plan: Sprout.Plan(.oneYear, .barren),
      created: now)
    let words = Watering(
      id: .random(), sprout: done.id, at: now.advanced(by: 7), day: GardenDay(now, in: .utc).next,
      note: "Two\nchapters", prompt: "How?")
    let sun = Shining(
      id: .random(), twig: twig, at: now.advanced(by: 8),
      week: GardenWeek(monday: GardenWeek(now, in: .utc).monday - 7),
      note: "Quiet")
    return Garden(
      sprouts: [done, gone, draft], waterings: [words], shinings: [sun], leaves: [leaf],
      labels: [NodeLabel(id: .branch(2), label: "Mind", note: "Slowly")],
      settings: [GardenSetting(id: .gardenName, value: "Behind the house")])
  }

  @Test(
    "A garden that is written and read again is the same in any zone, ids included",
    arguments: [0, 14 * 3600, -11 * 3600])
  func roundTrip(offset: Int) throws {
    let zone = try #require(ZoneOffsets(first: offset))
    let garden = try garden()
    let file = try GardenImport(
      Data(GardenExport.bytes(garden, at: now)), in: zone)
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
    let file = try GardenImport(Data(text.utf8), in: .utc)
    let sprout = try #require(file.sprouts.values.first)
    #expect(file.sprouts.count == 1 && file.leftOut == 2)
    #expect(sprout.title == "Run 5K" && sprout.state == .completed(.strong))
    #expect(sprout.plan == Sprout.Plan(.oneMonth, .firm) && sprout.blooms.one == "Ran once")
    #expect(sprout.leaf == file.leaves.keys.first && sprout.reflection == "Good")
    #expect(file.waterings.values.first?.sprout == sprout.id)
    #expect(file.shinings.count == 1)
    let again = try GardenImport(Data(text.utf8), in: .utc)
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
    let file = try GardenImport(Data(text.utf8), in: .utc)
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
    let file = try GardenImport(Data(text.utf8), in: .utc)
    #expect(file.labels.map(\.id.id) == ["branch-1", "branch-1-twig-2"])
    #expect(
      file.sprouts.values.sorted { $0.title < $1.title }.map(\.state) == [.active, .draft])
    #expect(file.waterings.count == 1 && file.leaves.count == 1 && file.leftOut == 3)
  }

  @Test(
    "What is no garden is refused",
    arguments: [
      "", "nope", "[]", "{}", "{\"events\": 5}", "{\"circles\": [1]}",
      "{\"settings\": {\"name\": \"Of another program\"}}",
      String(repeating: "[", count: 100_000),
    ])
  func refused(text: String) {
    #expect(throws: GardenFileProblem.notAGarden) {
      try GardenImport(Data(text.utf8), in: .utc)
    }
  }

  @Test("A later version is refused by its number")
  func laterVersion() {
    #expect(throws: GardenFileProblem.laterVersion(5)) {
      try GardenImport(Data("{\"version\":5,\"events\":[]}".utf8), in: .utc)
    }
  }

  // MARK: - For the web app

  @Test("Each event has an id of its own and what the web app demands, so that it drops none")
  func forTheWebApp() throws {
    let bytes = try GardenExport.bytes(try garden(), at: now)
    let file = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    let events = try #require(file["events"] as? [[String: Any]])
    let ids = events.compactMap { $0["client_id"] as? String }
    #expect(events.count == 7 && Set(ids).count == 7)
    // `validateEvent` of the web app leaves out an event without one of these.
    let demanded: [String: [String]] = [
      "sprout_planted": ["sproutId", "twigId", "title", "season", "environment", "leafId"],
      "sprout_watered": ["sproutId", "content"], "sprout_harvested": ["sproutId"],
      "sprout_uprooted": ["sproutId"], "sun_shone": ["twigId", "twigLabel", "content"],
      "leaf_created": ["leafId", "twigId", "name"],
    ]
    for event in events {
      let type = try #require(event["type"] as? String)
      for key in try #require(demanded[type]) { #expect(event[key] is String, "\(type) \(key)") }
    }
  }

  @Test("A file that was written before events had ids of their own is read as it was meant")
  func sharedIDs() throws {
    let garden = try garden()
    var text = String(decoding: try GardenExport.bytes(garden, at: now), as: UTF8.self)
    for part in ["planted", "ended", "watered", "shone", "created"] {
      text = text.replacing("-\(part)\"", with: "\"")
    }
    let file = try GardenImport(Data(text.utf8), in: .utc)
    #expect(Set(file.sprouts.values) == Set(garden.sprouts))
    #expect(Array(file.waterings.values) == garden.waterings && file.leftOut == 0)
  }

  // MARK: - What a file says

  @Test("Long words are kept whole; what no record holds is cut and counted, and can be stored")
  func longTexts() throws {
    func file(_ title: String, _ note: String) throws -> GardenImport {
      let text = """
        {"events": [
          {"type": "sprout_planted", "timestamp": "2026-01-01T11:00:00Z", "sproutId": "s",
           "twigId": "branch-0-twig-0", "title": "\(title)", "season": "1m",
           "environment": "firm", "bloomWither": "\(title)", "bloomBudding": "\(title)",
           "bloomFlourish": "\(title)", "leafId": ""},
          {"type": "sprout_watered", "timestamp": "2026-01-02T11:00:00Z", "sproutId": "s",
           "content": "\(note)", "prompt": "\(note)"},
          {"type": "sprout_harvested", "timestamp": "2026-01-03T11:00:00Z", "sproutId": "s",
           "result": 3, "reflection": "\(note)"}
        ]}
        """
      return try GardenImport(Data(text.utf8), in: .utc)
    }
    let long = try file(String(repeating: "ä", count: 300), String(repeating: "b", count: 15_000))
    #expect(long.shortened == 0 && long.sprouts.values.first?.title.count == 300)
    #expect(long.waterings.values.first?.note?.count == 15_000)
    #expect(long.sprouts.values.first?.leaf == nil)

    let words = String(repeating: "🌳", count: 10_000)
    let longest = try file(words, words)
    #expect(longest.shortened == 7 && longest.leftOut == 0)
    #expect(longest.sprouts.values.first?.title == String(repeating: "🌳", count: 2_000))
    #expect(longest.waterings.values.first?.note == String(repeating: "🌳", count: 4_000))
    try Replica.inMemory().transaction { store in
      let addition = try GardenAddition(longest, to: store, writes: true)
      #expect(addition.sprouts == 1 && addition.waterings == 1 && addition.shortened == 7)
      #expect(try store.records(of: Sprout.self) == Array(longest.sprouts.values))
    }
    let marks = try file("a" + String(repeating: "\u{301}", count: 10_000), "w")
    #expect(
      marks.sprouts.values.first.map { (7_990...8_000).contains($0.title.utf8.count) } == true)
  }

  @Test("Events count by their times, those of one time as listed; what cannot be read is left out")
  func order() throws {
    let text = """
      {"events": [
        {"type": "sprout_edited", "timestamp": "2026-01-01T12:30:00+02:00", "sproutId": "s",
         "title": "Last", "bloomWither": "", "leafId": ""},
        {"type": "sprout_edited", "timestamp": "2026-01-01T11:00:00+01:00", "sproutId": "s",
         "title": "Second", "bloomWither": "Twice"},
        {"type": "sprout_planted", "timestamp": "2026-01-01T09:00:00.5Z", "sproutId": "s",
         "twigId": "branch-0-twig-0", "title": "First", "season": "1m", "environment": "firm",
         "bloomWither": "Once", "bloomBudding": "Three times", "leafId": "leaf-1"},
        {"type": "sprout_edited", "timestamp": "2026-01-01T10:30:00Z", "sproutId": "s",
         "bloomFlourish": "Every day"},
        {"type": "sprout_watered", "sproutId": "s", "content": "At no time"},
        {}, 7, null, [],
        {"type": "sprout_watered", "timestamp": "yesterday", "sproutId": "s", "content": ""}
      ], "circles": {"branch-0": null, "branch-1": {"label": 5}, "branch-2": {"label": "Mind"}}}
      """
    let file = try GardenImport(Data(text.utf8), in: .utc)
    let sprout = try #require(file.sprouts.values.first)
    #expect(sprout.title == "Last" && sprout.leaf == nil)
    #expect(
      sprout.blooms == Sprout.Blooms(one: nil, three: "Three times", five: "Every day"))
    #expect(file.leftOut == 8 && file.waterings.isEmpty && file.labels.count == 1)
  }

  @Test("Shinings of older files are read, once; nodes beside circles say what those do not")
  func olderFiles() throws {
    let sun = "\"timestamp\": \"2026-01-05T10:00:00.000Z\", \"content\": \"Well\""
    let text = """
      {"version": 4, "events": [
         {"type": "sun_shone", \(sun), "twigId": "branch-0-twig-0",
          "client_id": "0B6BD8A7-3B0A-4E83-9D3D-0B9F57AAF001"}],
       "sunLog": [
         {\(sun), "context": {"twigId": "branch-0-twig-0", "twigLabel": "Movement"}},
         {\(sun), "prompt": "How?", "context": {"twigId": "branch-0-twig-1"}},
         {\(sun), "context": {"twigId": "nowhere"}}, {\(sun)}],
       "circles": {"branch-1": {"label": "Mind"}},
       "nodes": {"branch-1": {"label": "Brain", "note": "Slowly"}, "branch-2": {"note": "n"}}}
      """
    let file = try GardenImport(Data(text.utf8), in: .utc)
    #expect(file.shinings.count == 2 && file.leftOut == 2)
    #expect(Set(file.shinings.values.map(\.prompt)) == [nil, "How?"])
    #expect(file.labels.map(\.label) == ["Mind", nil])
    #expect(file.labels.map(\.note) == ["Slowly", "n"])
    let alone = try GardenImport(
      Data("{\"sunLog\": [{\(sun), \"context\": {\"twigId\": \"branch-0-twig-0\"}}]}".utf8),
      in: .utc)
    #expect(alone.shinings.count == 1)
  }

  @Test("What has no time in a file has one that every reading agrees on")
  func withoutTimes() throws {
    let text = """
      {"version": 2, "circles": {"branch-1-twig-2": {
        "leaves": [{"id": "l", "name": "Saga"}, {"id": "m", "name": "Empty"}],
        "sprouts": [
          {"id": "a", "title": "A", "season": "2w", "environment": "fertile", "state": "active",
           "leafId": "l", "waterEntries": [{"timestamp": "2026-01-02T10:00:00Z", "content": "w"},
             {"timestamp": "2026-01-03T10:00:00Z", "content": "w"}]},
          {"id": "b", "title": "B", "season": "1y", "environment": "barren", "state": "draft"},
          {"id": "c", "title": "C", "season": "1y", "environment": "barren", "state": "completed",
           "plantedAt": "2026-01-01T10:00:00Z", "result": 4},
          {"id": "d", "title": "D", "season": "1y", "environment": "barren", "state": "uprooted",
           "plantedAt": "2026-01-01T10:00:00Z", "uprootedAt": "2026-01-04T10:00:00Z"}]}}}
      """
    let file = try GardenImport(Data(text.utf8), in: .utc)
    let sprouts = file.sprouts.values.sorted { $0.title < $1.title }
    #expect(
      sprouts.map { TimeText.iso($0.created) } == [
        "2026-01-02T10:00:00Z", "1970-01-01T00:00:00.001Z", "2026-01-01T10:00:00Z",
        "2026-01-01T10:00:00Z",
      ])
    #expect(sprouts.map(\.state) == [.active, .draft, .completed(.strong), .failed])
    #expect(sprouts[2].ended == sprouts[2].created && sprouts[3].ended != sprouts[3].created)
    #expect(
      file.leaves.values.sorted { $0.name > $1.name }.map(\.created) == [
        sprouts[0].created, GardenImport.unknownTime,
      ])
  }

  @Test("A file that holds only a name adds it")
  func onlyAName() throws {
    let text = "{\"version\": 4, \"settings\": {\"name\": \"Behind the house\"}}"
    let file = try GardenImport(Data(text.utf8), in: .utc)
    for writes in [false, true] {
      let addition = try Replica.inMemory().transaction {
        try GardenAddition(file, to: $0, writes: writes)
      }
      #expect(addition.names == 1)
      #expect(
        GardenAnswers.added(addition)
          == "\(writes ? "Added" : "Would add") 1 name of the garden.")
    }
  }

  // MARK: - Beside what is here

  @Test("A garden that is read again over itself changes nothing, whatever the zone")
  func readAgain() throws {
    let bytes = Data(try GardenExport.bytes(try garden(), at: now))
    let web = Data(
      """
      {"events": [
        {"type": "sprout_planted", "timestamp": "2026-01-01T11:00:00Z", "sproutId": "s",
         "twigId": "branch-0-twig-0", "title": "A", "season": "1m", "environment": "firm",
         "leafId": ""},
        {"type": "sprout_watered", "timestamp": "2026-01-02T01:00:00Z", "sproutId": "s",
         "content": "w"}
      ]}
      """.utf8)
    // The web app gives an event an id when it has synced it.
    let synced = Data(
      String(decoding: web, as: UTF8.self).replacing(
        "\"content\"", with: "\"client_id\": \"0b6bd8a7-3b0a-4e83-9d3d-0b9f57aaf001\", \"content\""
      ).utf8)
    let replica = try Replica.inMemory()
    func add(_ bytes: Data, _ offset: Int) throws -> GardenAddition {
      let zone = try #require(ZoneOffsets(first: offset))
      let file = try GardenImport(bytes, in: zone)
      return try replica.transaction { try GardenAddition(file, to: $0, writes: true) }
    }
    #expect(try add(bytes, 0).changes == 8 && add(web, 0).changes == 2)
    let garden = try replica.look { try $0.garden() }
    for again in try [add(bytes, 9 * 3600), add(web, -9 * 3600), add(synced, 0)] {
      #expect(again.changes == 0 && again.differing == 0 && again.deleted == 0)
    }
    let after = try replica.look { try $0.garden() }
    #expect(after.sprouts == garden.sprouts && after.waterings == garden.waterings)
  }

  @Test("A newer file brings its news; what is set here stays and is counted, cleared or not")
  func newerFile() throws {
    let replica = try Replica.inMemory()
    func add(_ garden: Garden) throws -> GardenAddition {
      let file = try GardenImport(Data(GardenExport.bytes(garden, at: now)), in: .utc)
      return try replica.transaction { try GardenAddition(file, to: $0, writes: true) }
    }
    let whole = try garden()
    var (draft, grown) = (whole.sprouts[0], whole.sprouts[2])
    for sprout in whole.sprouts { if sprout.state == .completed(.strong) { grown = sprout } }
    for sprout in whole.sprouts { if sprout.state == .draft { draft = sprout } }
    var bare = grown
    (bare.outcome, bare.leaf, bare.blooms) = (nil, nil, Sprout.Blooms(one: "Kept"))
    #expect(
      try add(Garden(sprouts: [bare, draft], labels: [NodeLabel(id: .branch(2), label: "Mind")]))
        .changes == 3)

    var planted = draft
    planted.planting = Sprout.Planting(at: now.advanced(by: 9), plan: draft.plan)
    planted.blooms.five = "All suites"
    let news = try add(
      Garden(sprouts: [grown, planted], labels: Array(whole.labels.values)))
    #expect(news.completed == 3 && news.differing == 1 && news.sprouts == 0)
    var here = try replica.look { try $0.garden() }
    #expect(here.sprout(planted.id) == planted && here.labels == whole.labels)
    var expected = grown
    expected.blooms.one = "Kept"
    #expect(here.sprout(grown.id) == expected)

    // What was cleared here, or is otherwise here, stays.
    var edited = expected
    (edited.title, edited.blooms.five, edited.leaf) = ("Read slowly", nil, nil)
    try replica.transaction { try $0.save(edited, editedFrom: expected) }
    let again = try add(Garden(sprouts: [grown]))
    #expect(again.completed == 0 && again.differing == 1)
    here = try replica.look { try $0.garden() }
    #expect(here.sprout(grown.id) == edited)

    // An older file says nothing of what happened since.
    let older = try add(Garden(sprouts: [draft]))
    #expect(older.changes == 0 && older.differing == 0)
  }

  @Test("Words that a harvest got later are taken over with the harvest that they are about")
  func laterWords() throws {
    let replica = try Replica.inMemory()
    func add(_ sprout: Sprout) throws -> GardenAddition {
      let bytes = Data(try GardenExport.bytes(Garden(sprouts: [sprout]), at: now))
      let file = try GardenImport(bytes, in: .utc)
      return try replica.transaction { try GardenAddition(file, to: $0, writes: true) }
    }
    let said = try #require(try garden().sprouts.first { $0.reflection == "On the train" })
    var silent = said
    silent.outcome?.reflection = nil
    #expect(try add(silent).sprouts == 1)
    var other = said
    other.outcome = Sprout.Outcome(
      at: now.advanced(by: 90_000), result: .minimal, reflection: "Of another harvest")
    #expect(try add(other).differing == 1)
    #expect(try add(said).completed == 1)
    #expect(try replica.look { try $0.records(of: Sprout.self) } == [said])
  }
}
