// SPDX-License-Identifier: Apache-2.0
// The records of a large garden, the same in every run.

import AtrestDomain
import AtrestReplication
import TrunkDomain

/// Sprouts that were planted over two years, most of them harvested after twenty days, and words
/// about each.
struct LargeGarden {
  private(set) var sprouts: [Sprout] = []
  /// By id, as a replica reads them: in no order of time.
  private(set) var waterings: [Watering] = []
  /// When it is looked at: after everything.
  let now = WallTime(milliseconds: Self.start + Self.length)

  private static let day: Int64 = 86_400_000
  private static let start: Int64 = 1_700_000_000_000
  private static let length = 730 * day
  private var random = Steps()

  init(sprouts count: Int, waterings: Int) {
    for index in 0..<Int64(count) {
      let planted = WallTime(milliseconds: Self.start + index * Self.length / Int64(count))
      let twig = Twig.all[random.below(Twig.all.count)]
      let plan = Sprout.Plan(
        Season.allCases[random.below(Season.allCases.count)],
        Environment.allCases[random.below(Environment.allCases.count)])
      var sprout = Sprout(
        id: id(), title: "Goal number \(index) of the garden", twig: twig, plan: plan,
        created: planted)
      sprout.planting = Sprout.Planting(at: planted, plan: plan)
      let ended = planted.advanced(by: 20 * Self.day)
      if index % 10 > 0, ended < now {
        sprout.outcome = Sprout.Outcome(at: ended, result: HarvestResult.allCases[random.below(5)])
      }
      sprouts.append(sprout)
    }
    for _ in 0..<waterings {
      let sprout = sprouts[random.below(sprouts.count)]
      let at = min(now, sprout.created.advanced(by: Int64(random.below(20 * Int(Self.day)))))
      self.waterings.append(
        Watering(
          id: id(), sprout: sprout.id, at: at, day: GardenDay(at, in: .utc),
          note: "A few words about how it went today, and why"))
    }
    self.waterings.sort { $0.id < $1.id }
  }

  private mutating func id() -> RecordUUID {
    let bytes = (0..<16).map { _ in UInt8(random.below(256)) }
    guard let id = RecordUUID(bytes: bytes) else { preconditionFailure("an id has 16 bytes") }
    return id
  }
}

/// Numbers that look random and are the same in every run. Knuth, TAOCP 2, 3.3.4, table 1, line 26.
private struct Steps {
  private var state: UInt64 = 1

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1
    return Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
  }
}
