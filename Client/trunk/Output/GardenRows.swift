// SPDX-License-Identifier: Apache-2.0
// The garden for programs: what `--json` writes.

import AtrestCompanion
import TrunkDomain

/// A sprout for programs.
struct SproutRow: Encodable {
  let id: String
  let title: String
  let twig: String
  let season: String
  let environment: String
  let cost: Double
  let state: String
  let result: Int?
  let plantedAt: WallTime?
  let dueAt: WallTime?
  let endedAt: WallTime?
  let reflection: String?
  let leaf: String?
  let bloom1: String?
  let bloom3: String?
  let bloom5: String?
  let waterings: Int

  /// - Parameter waterings: How often it was watered.
  init(_ sprout: Sprout, in garden: Garden, waterings: Int) {
    let plan = sprout.plantedPlan
    id = ShortID.uuid(sprout.id)
    title = sprout.title
    twig = sprout.twig.number
    season = plan.season.code
    environment = plan.environment.code
    cost = plan.cost.value
    switch sprout.state {
    case .draft: (state, result) = ("draft", nil)
    case .active: (state, result) = ("active", nil)
    case .completed(let grade): (state, result) = ("completed", Int(grade.rawValue))
    case .failed: (state, result) = ("failed", nil)
    }
    plantedAt = sprout.planting?.at
    dueAt = sprout.due
    endedAt = sprout.ended
    reflection = sprout.reflection
    leaf = garden.leaf(of: sprout).map { ShortID.uuid($0.id) }
    bloom1 = sprout.blooms.one
    bloom3 = sprout.blooms.three
    bloom5 = sprout.blooms.five
    self.waterings = waterings
  }

  /// Sprouts for programs.
  static func rows(_ sprouts: [Sprout], in garden: Garden) -> [SproutRow] {
    let counts = garden.wateringCounts
    return sprouts.map { SproutRow($0, in: garden, waterings: counts[$0.id] ?? 0) }
  }
}

/// What there is to garden with, for programs.
struct MetersRow: Encodable {
  let soil: Double
  let capacity: Double
  let water: Int
  let sun: Int
  let waterReturnsAt: WallTime
  let sunReturnsAt: WallTime

  init(_ meters: Meters) {
    soil = meters.soil.value
    capacity = meters.capacity.value
    water = meters.water
    sun = meters.sun
    waterReturnsAt = meters.waterReturns
    sunReturnsAt = meters.sunReturns
  }
}

/// A sprout that was changed, and what there is after it.
struct ChangedSproutRow: Encodable {
  let sprout: SproutRow
  let meters: MetersRow

  init(_ sprout: Sprout, in garden: Garden, _ context: CommandContext) {
    self.sprout = SproutRow(
      sprout, in: garden, waterings: garden.waterings(of: sprout.id).count)
    meters = MetersRow(garden.meters(at: context.now, in: context.zone))
  }
}

/// A leaf for programs.
struct LeafRow: Encodable {
  let id: String
  let name: String
  let twig: String
  let sprouts: Int

  init(_ leaf: Leaf, in garden: Garden) {
    id = ShortID.uuid(leaf.id)
    name = leaf.name
    twig = leaf.twig.number
    sprouts = garden.sprouts(of: leaf).count
  }
}

/// Words of the journal for programs.
struct JournalRow: Encodable {
  let id: String
  let kind: String
  let at: WallTime
  let twig: String?
  let sprout: String?
  let title: String?
  let result: Int?
  let note: String?
  let prompt: String?

  init(_ watering: Watering, _ sprout: Sprout?) {
    id = ShortID.uuid(watering.id)
    kind = "watering"
    at = watering.at
    twig = sprout?.twig.number
    self.sprout = ShortID.uuid(watering.sprout)
    title = sprout?.title
    result = nil
    note = watering.note
    prompt = watering.prompt
  }

  /// The harvest of a sprout, or its uprooting; nil if it has not ended.
  init?(endOf sprout: Sprout) {
    guard let ended = sprout.ended, let outcome = sprout.outcome else { return nil }
    id = ShortID.uuid(sprout.id)
    kind = outcome.result == nil ? "uprooting" : "harvest"
    at = ended
    twig = sprout.twig.number
    self.sprout = id
    title = sprout.title
    result = outcome.result.map { Int($0.rawValue) }
    note = outcome.reflection
    prompt = nil
  }

  init(_ shining: Shining) {
    id = ShortID.uuid(shining.id)
    kind = "shining"
    at = shining.at
    twig = shining.twig.number
    (sprout, title, result) = (nil, nil, nil)
    note = shining.note
    prompt = shining.prompt
  }
}

extension ShortID {
  /// A whole id for programs.
  static func uuid(_ id: RecordUUID) -> String { id.uuidString.lowercased() }
}
