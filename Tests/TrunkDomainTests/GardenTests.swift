// SPDX-License-Identifier: Apache-2.0
// What can be done in a garden and when, and how records are read and written.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing
import TrunkDomain

@Suite("The garden", .timeLimit(.minutes(20)))
struct GardenTests {
  private let now = LedgerTests.noon
  private let draft = LedgerTests.sprout(1, .oneMonth, .firm, plantedAt: nil)

  @Test("a sprout goes from draft to active to completed")
  func life() throws {
    let planted = try Garden(sprouts: [draft]).planting(draft, at: now)
    #expect(planted.state == .active && planted.planting?.plan.cost == Soil(5))
    let garden = Garden(sprouts: [planted])
    #expect(garden.ledger.soil == Soil(5))
    let harvested = try garden.harvesting(
      planted, .exceptional, reflection: "It went well", at: now.advanced(by: 1))
    #expect(harvested.state == .completed(.exceptional))
    let after = Garden(sprouts: [harvested])
    #expect(after.ledger.capacity.text == "10.86" && after.ledger.soil.text == "10.00")
    #expect(garden.reward(of: planted, .exceptional).text == "0.86")
  }

  @Test("a harvest is one field: its words win and lose with its result")
  func oneHarvest() throws {
    var sprout = draft
    sprout.planting = Sprout.Planting(at: now, plan: draft.plan)
    let garden = Garden(sprouts: [sprout])
    let harvested = try garden.harvesting(sprout, .good, reflection: "Slow, but whole", at: now)
    var expected = sprout.fields
    let outcome = GardenField.Sprout.outcome
    expected[group: outcome] = harvested.fields[group: outcome]
    #expect(harvested.fields == expected)
    // The words alone: time and result are written again, with them.
    let edited = try garden.reflecting(on: harvested, "Whole")
    #expect(edited.outcome == Sprout.Outcome(at: now, result: .good, reflection: "Whole"))
    expected[group: outcome] = edited.fields[group: outcome]
    #expect(edited.fields == expected)
    #expect(try garden.reflecting(on: edited, nil).reflection == nil)
    for other in [draft, sprout] {
      #expect(throws: GardenProblem.notEnded) { try garden.reflecting(on: other, "Too early") }
    }
  }

  @Test("what ended had been planted, as what it says, whatever becomes of the planting's field")
  func endedPlanting() throws {
    var sprout = draft
    sprout.planting = Sprout.Planting(at: now, plan: draft.plan)
    let harvested = try Garden(sprouts: [sprout]).harvesting(
      sprout, .good, reflection: nil, at: now.advanced(by: 1))
    // Another device took the planting back, or planted the draft as something else.
    let other = Sprout.Planting(at: now.advanced(by: -9), plan: Sprout.Plan(.oneYear, .barren))
    for planting in [nil, other] {
      var elsewhere = sprout
      elsewhere.planting = planting
      var merged = harvested.fields
      merged[group: GardenField.Sprout.planting] =
        elsewhere.fields[group: GardenField.Sprout.planting]
      let found = try #require(Sprout(id: sprout.id, fields: merged))
      #expect(found.state == .completed(.good) && found.planting == sprout.planting)
      #expect(
        Garden(sprouts: [found]).ledger.capacity == Garden(sprouts: [harvested]).ledger.capacity)
    }
    // Of a program that does not say what ended.
    var bare = harvested.fields
    var outcome = RecordFields()
    outcome[integer: GardenField.SproutOutcome.atMs] = now.milliseconds
    bare[group: GardenField.Sprout.outcome] = outcome
    #expect(try #require(Sprout(id: sprout.id, fields: bare)).state == .failed)
    bare[group: GardenField.Sprout.planting] = nil
    #expect(try #require(Sprout(id: sprout.id, fields: bare)).state == .draft)
  }

  @Test("a leaf is on one twig: a sprout that was moved meanwhile is not in it")
  func movedFromLeaf() {
    let leaf = Leaf(id: draft.id, name: "Books", twig: Twig.all[0], created: now)
    var sprout = draft
    sprout.twig = Twig.all[1]
    sprout.leaf = leaf.id
    let garden = Garden(sprouts: [sprout], leaves: [leaf])
    #expect(garden.leaf(of: sprout) == nil && garden.sprouts(of: leaf).isEmpty)
    sprout.twig = leaf.twig
    #expect(Garden(sprouts: [sprout], leaves: [leaf]).sprouts(of: leaf) == [sprout])
  }

  @Test("only what grows is watered, harvested and uprooted; only a draft is planted")
  func states() throws {
    let active = LedgerTests.sprout(2, .twoWeeks, .fertile)
    let done = LedgerTests.sprout(3, .twoWeeks, .fertile, endedAt: 5, .good)
    let gone = LedgerTests.sprout(4, .twoWeeks, .fertile, endedAt: 5)
    let garden = Garden(sprouts: [draft, active, done, gone])
    for (sprout, state) in [
      (draft, Sprout.State.draft), (done, .completed(.good)), (gone, .failed),
    ] {
      #expect(throws: GardenProblem.notGrowing(state)) {
        try garden.watering(sprout, id: .numbered(9), note: nil, at: now, in: .utc)
      }
      #expect(throws: GardenProblem.notGrowing(state)) {
        try garden.harvesting(sprout, .good, reflection: nil, at: now)
      }
      #expect(throws: GardenProblem.notGrowing(state)) { try garden.uprooting(sprout, at: now) }
    }
    for sprout in [active, done, gone] {
      #expect(throws: GardenProblem.notADraft) { try garden.planting(sprout, at: now) }
    }
  }

  @Test("three waterings a day, one shining a week")
  func meters() throws {
    let active = LedgerTests.sprout(2, .twoWeeks, .fertile)
    let three = (0..<3).map { LedgerTests.watering(10 + $0, at: Int64($0)) }
    let garden = Garden(
      sprouts: [active], waterings: three, shinings: [LedgerTests.shining(20, at: 0)])
    #expect(throws: GardenProblem.noWater) {
      try garden.watering(active, id: .numbered(9), note: "Words", at: now, in: .utc)
    }
    #expect(throws: GardenProblem.noSun) {
      try garden.shining(on: Twig.all[3], id: .numbered(9), note: nil, at: now, in: .utc)
    }
    let tomorrow = now.advanced(by: Milliseconds.perDay)
    #expect(
      try garden.watering(active, id: .numbered(9), note: nil, at: tomorrow, in: .utc).day
        == LedgerTests.day.next)
    let nextWeek = now.advanced(by: 7 * Milliseconds.perDay)
    #expect(
      try garden.shining(on: Twig.all[3], id: .numbered(9), note: nil, at: nextWeek, in: .utc)
        .week.monday == LedgerTests.day.week.monday + 7)
  }

  @Test("four waterings on two devices in a day: no water is left, and none is owed")
  func fourWaterings() {
    let four = (0..<4).map { LedgerTests.watering(10 + $0, at: Int64($0)) }
    #expect(Garden(waterings: four).meters(at: now, in: .utc).water == 0)
  }

  @Test("blooms are for 1 and 2, 3 and 4, and 5")
  func blooms() {
    let blooms = Sprout.Blooms(one: "a", three: "b", five: "c")
    #expect(
      HarvestResult.allCases.map { blooms.text(for: $0) } == ["a", "a", "b", "b", "c"])
  }

  @Test("a sprout whose leaf was deleted shows none, until the leaf is back")
  func deletedLeaf() {
    let leaf = Leaf(id: .numbered(7), name: "Health", twig: Twig.all[0], created: now)
    var sprout = draft
    sprout.leaf = leaf.id
    #expect(Garden(sprouts: [sprout]).leaf(of: sprout) == nil)
    #expect(Garden(sprouts: [sprout], leaves: [leaf]).leaf(of: sprout) == leaf)
  }

  @Test("twigs and nodes have 73 names, stored from 0 and typed from 1")
  func nodes() {
    let nodes =
      [NodeID.trunk] + (0..<8).map { NodeID.branch($0) } + Twig.all.map { NodeID.twig($0) }
    #expect(Set(nodes.map(\.id)).count == 73)
    for node in nodes { #expect(NodeID(bytes: node.bytes) == node) }
    #expect(Twig(typed: "3.5")?.id == "branch-2-twig-4")
    #expect(NodeID(typed: "8") == .branch(7))
    for text in ["", "0", "9", "3.9", "0.1", "3.", ".5", "3.5.1", "33", "3,5", "branch-2"] {
      #expect(NodeID(typed: text) == nil, "\(text)")
    }
    for text in ["branch", "branch-8", "branch-1-twig-8", "branch-01", "branch-1-twig", "twig-1"] {
      #expect(NodeID(id: text) == nil, "\(text)")
    }
  }

  @Test("branches are 45 degrees apart")
  func angles() {
    #expect((0..<8).map { Overview.degrees(branch: $0) } == [0, 45, 90, 135, 180, 225, 270, 315])
    for branch in 0..<8 {
      let (x, y) = Overview.direction(branch: branch)
      #expect(abs(x * x + y * y - 1) < 1e-15)
    }
  }

  @Test("every value is read from its fields as it was written")
  func roundTrips() {
    var sprout = LedgerTests.sprout(1, .sixMonths, .barren, endedAt: 7, .partial)
    sprout.outcome?.reflection = "Slow"
    sprout.leaf = .numbered(8)
    sprout.blooms = Sprout.Blooms(one: "One", three: nil, five: "Five")
    #expect(Sprout(id: sprout.id, fields: sprout.fields) == sprout)
    let failed = LedgerTests.sprout(2, .oneYear, .fertile, endedAt: 7)
    #expect(Sprout(id: failed.id, fields: failed.fields) == failed)
    #expect(Sprout(id: draft.id, fields: draft.fields) == draft)
    let watering = LedgerTests.watering(3, at: 9)
    #expect(Watering(id: watering.id, fields: watering.fields) == watering)
    let shining = LedgerTests.shining(4, at: 9)
    #expect(Shining(id: shining.id, fields: shining.fields) == shining)
    let leaf = Leaf(id: .numbered(7), name: "Health", twig: Twig.all[63], created: now)
    #expect(Leaf(id: leaf.id, fields: leaf.fields) == leaf)
    let label = NodeLabel(id: .branch(3), label: "Mind", note: nil)
    #expect(NodeLabel(id: label.id, fields: label.fields) == label)
  }

  @Test("a record that no version wrote is not shown, and an impossible day is not believed")
  func hostile() {
    var fields = draft.fields
    fields[text: 3] = "branch-9-twig-1"
    #expect(Sprout(id: draft.id, fields: fields) == nil)
    fields = draft.fields
    fields[bytes: 4] = [0xFF]
    #expect(Sprout(id: draft.id, fields: fields) == nil)
    fields = draft.fields
    fields[bytes: 5] = [0x08]
    #expect(Sprout(id: draft.id, fields: fields)?.state == .draft)
    let watering = LedgerTests.watering(3, at: 0, day: GardenDay(number: 5))
    #expect(Watering(id: watering.id, fields: watering.fields)?.day == LedgerTests.day)
    let shining = LedgerTests.shining(3, at: 0, week: GardenWeek(monday: .max))
    #expect(Shining(id: shining.id, fields: shining.fields)?.week == LedgerTests.day.week)
    #expect(Sprout(id: draft.id, fields: RecordFields()) == nil)
    // Any number, and none, of another program's.
    for number in [Int64.min, -1, 0, .max, nil] {
      for (record, field) in [(watering.fields, UInt32(2)), (shining.fields, 2)] {
        var fields = record
        var given = fields[group: field]
        given?[integer: 2] = number
        fields[group: field] = given
        _ = Watering(id: watering.id, fields: fields)
        _ = Shining(id: shining.id, fields: fields)
      }
    }
    var given = watering.fields[group: 2]
    given?[integer: 2] = .min
    var extreme = watering.fields
    extreme[group: 2] = given
    #expect(Watering(id: watering.id, fields: extreme)?.day == LedgerTests.day)
  }

  @Test(
    "a title, a name, a bloom and a label are one line",
    arguments: [
      "Read\nMiddlemarch", "Read\r\nMiddlemarch", "Read\tMiddlemarch\n", "\u{2028}Read Middlemarch",
      "Read\u{85}\u{0B}Middlemarch",
    ])
  func oneLine(typed: String) throws {
    #expect(try GardenRules.title(typed) == "Read Middlemarch")
    #expect(try GardenRules.leafName(typed) == "Read Middlemarch")
    #expect(try GardenRules.bloom(typed) == "Read Middlemarch")
    #expect(try GardenRules.label(typed) == "Read Middlemarch")
    #expect(try GardenRules.note("Two\nlines") == "Two\nlines")
  }

  @Test(
    "other control characters are refused", arguments: ["\u{1B}[31m", "\0", "\u{7F}", "\u{202E}"])
  func controls(scalars: String) {
    let typed = "Read\(scalars)Middlemarch"
    #expect(throws: GardenProblem.control) { try GardenRules.title(typed) }
    #expect(throws: GardenProblem.control) { try GardenRules.leafName(typed) }
    #expect(throws: GardenProblem.control) { try GardenRules.bloom(typed) }
    #expect(throws: GardenProblem.control) { try GardenRules.label(typed) }
    #expect(GardenRules.inOneLine("\(typed)\r\n\nagain").hasPrefix("Read "))
    #expect(GardenRules.inOneLine("\(typed)\r\n\nagain").hasSuffix("Middlemarch again"))
  }

  @Test("joiners stay: emoji and Persian need them", arguments: ["👩‍🌾", "می‌خواهم"])
  func joiners(text: String) throws {
    #expect(try GardenRules.title(text) == text)
    #expect(GardenRules.inOneLine(text) == text)
  }

  @Test("texts have the app's lengths")
  func lengths() throws {
    #expect(try GardenRules.title("  Read  ") == "Read")
    #expect(try GardenRules.title(String(repeating: "ü", count: 60)).count == 60)
    for text in ["", "   ", String(repeating: "a", count: 61)] {
      #expect(throws: GardenProblem.title) { try GardenRules.title(text) }
    }
    #expect(throws: GardenProblem.leafName) {
      try GardenRules.leafName(String(repeating: "a", count: 41))
    }
    #expect(throws: GardenProblem.bloom) {
      try GardenRules.bloom(String(repeating: "a", count: 61))
    }
    #expect(try GardenRules.bloom(" ") == nil)
    // One character of many bytes.
    let tall = "e" + String(repeating: "\u{0301}", count: 10_000)
    #expect(throws: GardenProblem.title) { try GardenRules.title(tall) }
  }
}
