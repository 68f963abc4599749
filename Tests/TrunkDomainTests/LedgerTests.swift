// SPDX-License-Identifier: Apache-2.0
// Soil is derived: from the records alone, whatever way they came.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Testing
import TrunkDomain

@Suite("The ledger", .timeLimit(.minutes(20)))
struct LedgerTests {
  static let noon = WallTime(milliseconds: 1_764_072_000_000)  // 2025-11-25T12:00Z, a Tuesday.
  static let day = GardenDay(noon, in: .utc)

  static func sprout(
    _ number: UInt64, _ season: Season, _ environment: Environment, plantedAt: Int64? = 0,
    endedAt: Int64? = nil, _ result: HarvestResult? = nil
  ) -> Sprout {
    let plan = Sprout.Plan(season, environment)
    var sprout = Sprout(
      id: .numbered(number), title: "Goal \(number)", twig: Twig.all[0], plan: plan, created: noon)
    sprout.planting = plantedAt.map {
      Sprout.Planting(at: noon.advanced(by: $0 * 60_000), plan: plan)
    }
    sprout.outcome = endedAt.map {
      Sprout.Outcome(at: noon.advanced(by: $0 * 60_000), result: result)
    }
    return sprout
  }

  static func watering(_ number: UInt64, at minute: Int64, day: GardenDay = day) -> Watering {
    Watering(
      id: .numbered(number), sprout: .numbered(1), at: noon.advanced(by: minute * 60_000), day: day,
      note: nil)
  }

  static func shining(_ number: UInt64, at minute: Int64, week: GardenWeek = day.week) -> Shining {
    Shining(
      id: .numbered(number), twig: Twig.all[0], at: noon.advanced(by: minute * 60_000), week: week,
      note: nil)
  }

  @Test("begins with ten of ten")
  func start() {
    let ledger = Ledger(sprouts: [], waterings: [], shinings: [])
    #expect(ledger.soil == Soil(10) && ledger.capacity == Soil(10))
  }

  @Test("a story to the hundredth: plant, water, shine, harvest, uproot")
  func story() {
    let ledger = Ledger(
      sprouts: [
        Self.sprout(1, .threeMonths, .firm, endedAt: 50, .strong),
        Self.sprout(2, .twoWeeks, .fertile, plantedAt: 60, endedAt: 70),
      ],
      waterings: [Self.watering(3, at: 10), Self.watering(4, at: 20)],
      shinings: [Self.shining(5, at: 30)], keepsEntries: true)
    #expect(
      ledger.entries.map(\.soil.text) == [
        "2.00", "2.05", "2.10", "2.45", "10.45", "8.45", "8.95",
      ])
    #expect(ledger.entries.last?.capacity.text == "12.55")
  }

  @Test("a draft costs nothing, and an outcome without a planting means nothing")
  func drafts() {
    let draft = Self.sprout(1, .oneYear, .barren, plantedAt: nil, endedAt: 5, .exceptional)
    let ledger = Ledger(sprouts: [draft], waterings: [], shinings: [])
    #expect(ledger.soil == Soil(10) && ledger.capacity == Soil(10))
    #expect(draft.state == .draft)
  }

  @Test("two devices that plant with the last soil both keep their sprouts: soil is below zero")
  func belowZero() throws {
    let garden = Garden(sprouts: [
      Self.sprout(1, .threeMonths, .firm), Self.sprout(2, .threeMonths, .barren, plantedAt: 1),
    ])
    #expect(garden.ledger.soil.text == "-8.00")
    #expect(garden.growing.count == 2)
    let draft = Self.sprout(3, .twoWeeks, .fertile, plantedAt: nil)
    #expect(throws: GardenProblem.notEnoughSoil(needed: Soil(2), there: Soil(-8))) {
      _ = try garden.planting(draft, at: Self.noon)
    }
  }

  @Test("what comes back never exceeds the capacity")
  func capped() {
    let ledger = Ledger(
      sprouts: [], waterings: [Self.watering(1, at: 0)], shinings: [Self.shining(2, at: 1)],
      keepsEntries: true)
    #expect(ledger.soil == Soil(10))
    #expect(ledger.entries.map(\.change) == [.watered(recovered: .zero), .shone(recovered: .zero)])
  }

  @Test("the fourth watering of a day keeps its words and brings nothing; a new day does again")
  func fourthWatering() {
    let waterings = (0..<4).map { Self.watering(10 + UInt64($0), at: 10 + Int64($0)) }
    let next = Self.watering(20, at: 24 * 60, day: Self.day.next)
    let ledger = Ledger(
      sprouts: [Self.sprout(1, .threeMonths, .firm)], waterings: waterings + [next], shinings: [])
    #expect(ledger.soil.text == "2.20")
  }

  @Test("the second shining of a week brings nothing")
  func secondShining() {
    let ledger = Ledger(
      sprouts: [Self.sprout(1, .threeMonths, .firm)], waterings: [],
      shinings: [
        Self.shining(2, at: 10), Self.shining(3, at: 20),
        Self.shining(4, at: 30, week: GardenWeek(monday: Self.day.week.monday + 7)),
      ])
    #expect(ledger.soil.text == "2.70")
  }

  @Test("a harvest that another clock dates before its planting counts at the planting")
  func harvestBeforePlanting() {
    let sprout = Self.sprout(1, .threeMonths, .firm, plantedAt: 30, endedAt: -600, .strong)
    let ledger = Ledger(
      sprouts: [sprout], waterings: [], shinings: [], keepsEntries: true)
    #expect(ledger.entries.map(\.at) == [sprout.planting?.at, sprout.planting?.at])
    #expect(ledger.soil == Soil(10))
  }

  @Test("capacity ends at 120")
  func greatest() {
    let sprouts = (1...400).map {
      Self.sprout(UInt64($0), .oneYear, .barren, endedAt: 1, .exceptional)
    }
    let ledger = Ledger(sprouts: sprouts, waterings: [], shinings: [])
    #expect(ledger.capacity <= .greatestCapacity && ledger.capacity > Soil(118))
  }

  @Test("order and repetition of the records are irrelevant, in any partition")
  func anyWay() {
    checkLaw(cases: 400) { random in
      let (sprouts, waterings, shinings) = Self.records(&random)
      let one = Ledger(
        sprouts: sprouts, waterings: waterings, shinings: shinings, keepsEntries: true)
      let other = Ledger(
        sprouts: sprouts.shuffled(using: &random), waterings: waterings.shuffled(using: &random),
        shinings: shinings.shuffled(using: &random), keepsEntries: true)
      return one == other && one.soil <= one.capacity && one.capacity <= .greatestCapacity
    }
  }

  /// Records whose times and ids collide often.
  private static func records(
    _ random: inout SeededRandom
  ) -> ([Sprout], [Watering], [Shining]) {
    func minute() -> Int64 { Int64.random(in: 0...40, using: &random) }
    let sprouts = (1...UInt64.random(in: 1...12, using: &random)).map { number in
      sprout(
        number, Season.allCases.randomElement(using: &random) ?? .twoWeeks,
        Environment.allCases.randomElement(using: &random) ?? .firm,
        plantedAt: random.oneIn(6) ? nil : minute(), endedAt: random.oneIn(2) ? nil : minute(),
        random.oneIn(4) ? nil : HarvestResult.allCases.randomElement(using: &random))
    }
    let waterings = (0..<UInt64.random(in: 0...30, using: &random)).map { number in
      watering(
        100 + number, at: minute(),
        day: GardenDay(number: day.number + Int.random(in: 0...3, using: &random)))
    }
    let shinings = (0..<UInt64.random(in: 0...6, using: &random)).map { number in
      shining(
        200 + number, at: minute(), week: random.oneIn(2) ? day.week : GardenWeek(monday: 7 * 3 + 4)
      )
    }
    return (sprouts, waterings, shinings)
  }
}

extension RecordUUID {
  /// An id of a number.
  static func numbered(_ number: UInt64) -> RecordUUID {
    let bytes =
      [UInt8](repeating: 0, count: 8)
      + (0..<8).map {
        UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0)))
      }
    guard let id = RecordUUID(bytes: bytes) else { preconditionFailure("sixteen bytes") }
    return id
  }
}
