// SPDX-License-Identifier: Apache-2.0
// Gardens that the tests in this folder share.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import TrunkDomain

/// Noon of 20 May 2026, UTC.
let noon = WallTime(milliseconds: 1_779_278_400_000)

/// A time this many days before `noon`.
func ago(_ days: Double) -> WallTime { noon.advanced(by: -Int64(days * 86_400_000)) }

/// - Parameter planted: Days ago, like `ended`; nil for a draft.
func sprout(
  _ number: UInt64, _ title: String = "A goal", on twig: Twig = Twig.all[20],
  _ season: Season = .oneMonth, planted: Double? = 10, ended: Double? = nil,
  _ result: HarvestResult? = nil
) -> Sprout {
  let plan = Sprout.Plan(season, .firm)
  var sprout = Sprout(
    id: .numbered(number), title: title, twig: twig, plan: plan, created: ago(400))
  sprout.planting = planted.map { Sprout.Planting(at: ago($0), plan: plan) }
  sprout.outcome = ended.map { Sprout.Outcome(at: ago($0), result: result) }
  return sprout
}

/// Sprouts in every state on all twigs, from a seed.
func fullGarden(_ count: Int = 2000, words: String = "Something that takes a while") -> Garden {
  var random = SeededRandom(seed: 64)
  let sprouts = (0..<count).map { index in
    let twig = Twig.all[index % Twig.all.count]
    let age = Double.random(in: 1...400, using: &random)
    let title = "\(words) \(index)"
    return switch Int.random(in: 0..<4, using: &random) {
    case 0: sprout(UInt64(index), title, on: twig, planted: nil)
    case 1: sprout(UInt64(index), title, on: twig, .oneYear, planted: age)
    case 2: sprout(UInt64(index), title, on: twig, planted: age, ended: age / 2)
    default:
      sprout(
        UInt64(index), title, on: twig, planted: age, ended: age / 2,
        HarvestResult.allCases.randomElement(using: &random))
    }
  }
  let nodes = [NodeID.trunk] + (0..<8).map { .branch($0) } + Twig.all.map { .twig($0) }
  return Garden(
    sprouts: sprouts,
    waterings: (0..<200).map {
      Watering(
        id: .numbered(UInt64(50_000 + $0)), sprout: .numbered(UInt64($0)), at: ago(Double($0)),
        day: GardenDay(ago(Double($0)), in: .utc), note: words)
    },
    leaves: [Leaf(id: .numbered(70_000), name: words, twig: Twig.all[20], created: noon)],
    labels: nodes.map { NodeLabel(id: $0, label: words, note: words) },
    settings: [GardenSetting(id: .gardenName, value: words)])
}

extension RecordUUID {
  static func numbered(_ number: UInt64) -> RecordUUID {
    let bytes =
      [UInt8](repeating: 0, count: 8)
      + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    guard let id = RecordUUID(bytes: bytes) else { preconditionFailure("sixteen bytes") }
    return id
  }
}
