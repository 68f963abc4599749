// SPDX-License-Identifier: Apache-2.0
// Fields of a garden's records by themselves, with the numbers of garden.proto.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Testing
import TrunkDomain

@Suite("A field of a garden's record", .timeLimit(.minutes(20)))
struct GardenValueTests {
  private let time = WallTime(milliseconds: 1_772_000_000_000)

  private func id(_ byte: UInt8) throws -> RecordUUID {
    try #require(RecordUUID(bytes: [UInt8](repeating: byte, count: 16)))
  }

  /// The values of the fields from 1 to 20.
  private func values(_ record: some SyncedRecord) -> [FieldNumber: GardenValue] {
    var values: [FieldNumber: GardenValue] = [:]
    for field in 1...20 as ClosedRange<FieldNumber> {
      values[field] = GardenValue(field, of: type(of: record).kind, in: record.fields)
    }
    return values
  }

  @Test("says what the record says")
  func sprout() throws {
    let twig = try #require(Twig(typed: "3.5"))
    let plan = Sprout.Plan(.sixMonths, .firm)
    var sprout = Sprout(
      id: try id(1), title: "Cello", twig: twig, plan: plan, created: time, leaf: try id(2),
      blooms: Sprout.Blooms(one: "a", three: "b", five: "c"))
    sprout.planting = Sprout.Planting(at: time, plan: plan)
    sprout.outcome = Sprout.Outcome(at: time, result: .good, reflection: "Well")
    #expect(
      values(sprout) == [
        2: .title("Cello"), 3: .twig(twig), 4: .plan(plan), 5: .planting(sprout.planting),
        6: .outcome(sprout.outcome), 7: .leaf(try id(2)), 8: .bloom(result: 1, "a"),
        9: .bloom(result: 3, "b"), 10: .bloom(result: 5, "c"), 11: .created(time),
      ])
    let watering = Watering(
      id: try id(3), sprout: sprout.id, at: time, day: GardenDay(time, in: .utc), note: "n",
      prompt: "p")
    #expect(values(watering) == [2: .watered(time), 3: .note("n"), 4: .prompt("p")])
    let shining = Shining(
      id: try id(4), twig: twig, at: time, week: GardenWeek(time, in: .utc), note: "n")
    #expect(values(shining) == [2: .shone(time), 3: .note("n"), 4: .prompt(nil)])
    let leaf = Leaf(id: try id(5), name: "Music", twig: twig, created: time)
    #expect(values(leaf) == [2: .name("Music"), 3: .twig(twig), 4: .created(time)])
    #expect(
      values(NodeLabel(id: .trunk, label: "Home", note: nil)) == [2: .label("Home"), 3: .note(nil)])
    #expect(values(GardenSetting(id: .gardenName, value: "g")) == [2: .setting("g")])
  }

  @Test("is not set where a record has none, or what cannot be read")
  func absent() throws {
    var fields = RecordFields()
    #expect(GardenValue(6, of: .sprout, in: fields) == .outcome(nil))
    fields[text: 6] = "no group"
    fields[text: 3] = "branch-9"
    #expect(GardenValue(6, of: .sprout, in: fields) == .outcome(nil))
    #expect(GardenValue(3, of: .sprout, in: fields) == .twig(nil))
    #expect(GardenValue(2, of: .sprout, in: fields) == .title(""))
  }

  @Test("is none of another kind's, and not whether a record is deleted")
  func others() {
    #expect(GardenValue(2, of: RecordKind(rawValue: 1024), in: RecordFields()) == nil)
    #expect(GardenValue(1, of: .sprout, in: RecordFields()) == nil)
    #expect(GardenValue(15, of: .node, in: RecordFields()) == nil)
  }
}
