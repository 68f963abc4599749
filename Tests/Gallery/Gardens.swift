// SPDX-License-Identifier: Apache-2.0
// The gardens in the gallery: invented and deterministic.

import AtrestDomain
import AtrestReplication
import TrunkDomain

/// Gardens from empty to full.
enum Gardens {
  static let now = Samples.now

  static let empty = Garden()

  /// Two sprouts, a draft, and the first waterings.
  static let firstWeek = Garden(
    sprouts: [
      sprout(1, "Run five kilometres without a break", "3.5", .oneMonth, .firm, planted: 6),
      sprout(2, "A letter to my sister every week", "6.3", .twoWeeks, .fertile, planted: 4),
      sprout(3, "Learn to bake bread", "8.6", .threeMonths, .fertile),
    ],
    waterings: [
      watering(1, of: 1, daysAgo: 0.1, "Three kilometres, slowly, in the rain. It was good."),
      watering(2, of: 2, daysAgo: 2, "Wrote about the garden."),
    ],
    labels: [label("3", "Body"), label("6", "Family"), label("3.5", "Running")],
    settings: [GardenSetting(id: .gardenName, value: "My garden")])

  /// A year and a half of a person's goals.
  static let grown: Garden = {
    var dice = Dice(state: 11)
    var sprouts: [Sprout] = []
    var waterings: [Watering] = []
    let twigs = [
      "3.6", "3.2", "3.8", "6.3", "6.1", "6.8", "8.6", "8.2", "8.7", "5.1", "5.4",
      "5.7", "7.3", "7.8", "7.5", "1.2", "1.6", "1.4", "2.3", "2.7", "4.8", "4.3", "4.5", "5.8",
    ]
    for round in 0..<4 {
      for (index, twig) in twigs.enumerated() where dice.roll(10) < 7 - round {
        let number = UInt64(100 + round * 100 + index)
        let season = Season.allCases[dice.roll(round < 2 ? 2 : 5)]
        let environment = Environment.allCases[dice.roll(round < 2 ? 1 : 3)]
        let title = titles[dice.roll(titles.count)]
        let age = Double(round * 60 + dice.roll(50)) + 3
        let fate = dice.roll(20)
        if fate < 2, round == 0 {
          sprouts.append(sprout(number, title, twig, season, environment))
        } else if fate < 4 || round > 1 || round == 1 && dice.roll(2) == 0 {
          sprouts.append(
            sprout(
              number, title, twig, season, environment, planted: age,
              ended: max(0.5, age - 12),
              fate < 4 ? nil : HarvestResult.allCases[min(4, 1 + dice.roll(4))],
              reflection: fate < 4 ? nil : notes[dice.roll(notes.count)]))
        } else {
          sprouts.append(sprout(number, title, twig, season, environment, planted: age))
          waterings.append(
            watering(number, of: number, daysAgo: 1.5, notes[dice.roll(notes.count)]))
        }
      }
    }
    // Enough small harvests to pay for the rest, on a twig of their own.
    for index in 0..<8 {
      sprouts.append(
        sprout(
          UInt64(900 + index), "An hour outside, every day", "6.3", .threeMonths, .barren,
          planted: 560 - Double(index) * 20, ended: 545 - Double(index) * 20, .exceptional))
    }
    for sprout in running { sprouts.append(sprout) }
    waterings +=
      years(of: 900) + [
        watering(
          2000, of: 51, daysAgo: 0.1, "Twelve kilometres along the river. My knee is fine again.")
      ]
    return Garden(
      sprouts: sprouts, waterings: waterings,
      shinings: weeks + [
        Shining(
          id: id(3000), twig: twig("3.5"), at: now.advanced(by: -7_200_000),
          week: GardenWeek(now, in: .utc), note: "Where did this bring me?")
      ],
      leaves: [Leaf(id: id(4000), name: "The marathon", twig: twig("3.5"), created: now)],
      labels: [
        label("1", "Reading"), label("2", "Money"), label("3", "Body"), label("4", "Home"),
        label("5", "Work"), label("6", "Family"), label("7", "Friends"), label("8", "Hands"),
        label("3.5", "Running"), label("3.6", "Sleep"), label("3.2", "Food"),
        label("3.8", "The sea, and everything that floats on it"),
      ],
      settings: [GardenSetting(id: .gardenName, value: "A place to grow")])
  }()

  /// A twig with every state.
  private static let running: [Sprout] = {
    var sprouts = [
      sprout(51, "Run a marathon in the autumn", "3.5", .sixMonths, .barren, planted: 98),
      sprout(52, "Stretch every morning", "3.5", .twoWeeks, .fertile, planted: 16),
      sprout(
        53, "Run ten kilometres", "3.5", .threeMonths, .firm, planted: 205, ended: 118,
        .exceptional,
        reflection: "In the rain, in fifty-eight minutes. I did not know that I could."),
      sprout(
        54, "Run five kilometres without a break", "3.5", .oneMonth, .firm, planted: 260,
        ended: 228,
        .good, reflection: "Slow, but every day."),
      sprout(55, "A run with the neighbours, every Sunday", "3.5", .oneMonth, .fertile),
      sprout(56, "Run before work", "3.5", .twoWeeks, .fertile, planted: 150, ended: 141),
    ]
    for index in 0..<4 { sprouts[index].leaf = id(4000) }
    return sprouts
  }()

  /// 64 twigs and 2,000 sprouts in every state.
  static let full: Garden = {
    var dice = Dice(state: 3)
    let sprouts = (0..<2000).map { index in
      let fate = dice.roll(100)
      let isGrowing = index % 83 == 0
      let age = isGrowing ? 4 + Double(dice.roll(16)) : 20 + Double(dice.roll(300))
      return sprout(
        UInt64(10_000 + index), titles[dice.roll(titles.count)], Twig.all[index % 64],
        isGrowing || fate == 9 ? .twoWeeks : Season.allCases[dice.roll(5)],
        isGrowing || fate == 9 ? .fertile : Environment.allCases[dice.roll(3)],
        planted: !isGrowing && fate < 9 ? nil : age, ended: isGrowing ? nil : age / 2,
        fate == 9 && index % 4 == 0 ? nil : HarvestResult.allCases[dice.roll(5)])
    }
    let names = ["Reading", "Money", "Body", "Home", "Work", "Family", "Friends", "Hands"]
    return Garden(
      sprouts: sprouts, waterings: years(of: 10_000), shinings: weeks,
      labels: names.enumerated().map { NodeLabel(id: .branch($0.offset), label: $0.element) },
      settings: [GardenSetting(id: .gardenName, value: "Everything at once")])
  }()

  /// Two devices planted with the last soil.
  static let belowZero = Garden(
    sprouts: firstWeek.sprouts + [
      sprout(21, "A year without a car", "7.3", .oneYear, .fertile, planted: 1),
      sprout(22, "Learn Portuguese", "1.2", .threeMonths, .firm, planted: 1, ended: 0.5),
    ], waterings: firstWeek.waterings, labels: Array(firstWeek.labels.values),
    settings: [GardenSetting(id: .gardenName, value: "My garden")])

  private static let titles = [
    "Run five kilometres without a break", "A letter every week", "Learn to bake bread",
    "Read the whole of Middlemarch", "No telephone after nine", "Call Mother on Sundays",
    "Paint the kitchen", "Ten thousand words", "Swim in the sea in May", "Save for the journey",
    "Play the cello every morning", "Invite the neighbours", "Plant tomatoes",
  ]

  private static let notes = [
    "It went better than I had thought.", "Slow, but every day.",
    "Three kilometres in the rain, and I was happy the whole evening.",
    "I needed the others for this one.",
  ]

  static func twig(_ number: String) -> Twig { Twig(typed: number) ?? Twig.all[0] }

  private static func label(_ node: String, _ text: String) -> NodeLabel {
    NodeLabel(id: NodeID(typed: node) ?? .trunk, label: text)
  }

  private static func sprout(
    _ number: UInt64, _ title: String, _ twig: String, _ season: Season,
    _ environment: Environment, planted: Double? = nil, ended: Double? = nil,
    _ result: HarvestResult? = nil, reflection: String? = nil
  ) -> Sprout {
    sprout(
      number, title, self.twig(twig), season, environment, planted: planted, ended: ended, result,
      reflection: reflection)
  }

  /// - Parameter planted: Days ago, like `ended`; nil for a draft.
  private static func sprout(
    _ number: UInt64, _ title: String, _ twig: Twig, _ season: Season, _ environment: Environment,
    planted: Double? = nil, ended: Double? = nil, _ result: HarvestResult? = nil,
    reflection: String? = nil
  ) -> Sprout {
    let plan = Sprout.Plan(season, environment)
    var sprout = Sprout(
      id: id(number), title: title, twig: twig, plan: plan, created: ago(planted ?? 2))
    sprout.planting = planted.map { Sprout.Planting(at: ago($0), plan: plan) }
    sprout.outcome = ended.map {
      Sprout.Outcome(at: ago($0), result: result, reflection: reflection)
    }
    return sprout
  }

  private static func watering(
    _ number: UInt64, of sprout: UInt64, daysAgo: Double, _ note: String
  ) -> Watering {
    Watering(
      id: id(1_000_000 + number), sprout: id(sprout), at: ago(daysAgo),
      day: GardenDay(ago(daysAgo), in: .utc), note: note)
  }

  /// Two years of waterings, three a day, up to yesterday.
  private static func years(of sprout: UInt64) -> [Watering] {
    (3..<2200).map {
      watering(UInt64(100_000 + $0), of: sprout, daysAgo: Double($0) / 3, "")
    }
  }

  /// Two years of shinings, up to last week.
  private static let weeks: [Shining] = (1...104).map {
    let time = ago(Double($0) * 7)
    return Shining(
      id: id(UInt64(200_000 + $0)), twig: Twig.all[$0 % 64], at: time,
      week: GardenWeek(time, in: .utc), note: nil)
  }

  private static func ago(_ days: Double) -> WallTime {
    now.advanced(by: -Int64(days * 86_400_000))
  }

  private static func id(_ number: UInt64) -> RecordUUID {
    let bytes =
      [UInt8](repeating: 7, count: 8) + (0..<8).map { UInt8(number >> (56 - 8 * $0) & 255) }
    return RecordUUID(bytes: bytes) ?? firstID
  }

  private static let firstID = Samples.sessions(1)[0].id
}

/// Numbers that are the same in every run.
struct Dice {
  var state: UInt64

  /// A number from 0 to below `sides`.
  mutating func roll(_ sides: Int) -> Int {
    // Source: Knuth, MMIX.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(sides))
  }
}
