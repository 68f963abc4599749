// SPDX-License-Identifier: Apache-2.0
// Writes a garden as the web app's file. Pure.

import AtrestCompanion
import Foundation
import TrunkDomain

/// The file of a garden.
enum GardenExport {
  /// The bytes of the file.
  ///
  /// - Throws: `EncodingError`.
  static func bytes(_ garden: Garden, at now: WallTime) throws -> [UInt8] {
    var file = GardenFile()
    file.version = GardenFile.version
    file.exportedAt = TimeText.iso(now)
    file.events = events(garden).map { Lenient($0) }
    file.circles = circles(garden).mapValues { Lenient($0) }
    file.settings = Lenient(GardenFile.Settings(name: garden.name))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(file)) + [UInt8(ascii: "\n")]
  }

  /// What happened, in the order in which it counts.
  private static func events(_ garden: Garden) -> [GardenFile.Event] {
    let sprouts = Dictionary(garden.sprouts.map { ($0.id, $0) }) { first, _ in first }
    let waterings = Dictionary(garden.waterings.map { ($0.id, $0) }) { first, _ in first }
    let shinings = Dictionary(garden.shinings.map { ($0.id, $0) }) { first, _ in first }
    let leaves = garden.leaves.map { leaf in
      var event = GardenFile.Event("leaf_created", at: stamp(leaf.created))
      event.clientID = EventID(leaf.id, .created).text
      event.leafId = ShortID.uuid(leaf.id)
      event.twigId = leaf.twig.id
      event.name = leaf.name
      return event
    }
    let ledger = Ledger(
      sprouts: garden.sprouts, waterings: garden.waterings, shinings: garden.shinings,
      keepsEntries: true)
    return leaves
      + ledger.entries.map { entry in
        event(
          entry, sprouts[entry.id], waterings[entry.id], shinings[entry.id], garden)
      }
  }

  private static func event(
    _ entry: Ledger.Entry, _ sprout: Sprout?, _ watering: Watering?, _ shining: Shining?,
    _ garden: Garden
  ) -> GardenFile.Event {
    func new(_ type: String, _ what: EventID.Part) -> GardenFile.Event {
      var event = GardenFile.Event(type, at: stamp(entry.at))
      event.clientID = EventID(entry.id, what).text
      return event
    }
    switch entry.change {
    case .planted(let cost):
      var event = new("sprout_planted", .planted)
      event.sproutId = ShortID.uuid(entry.id)
      event.soilCost = cost.value
      guard let sprout else { return event }
      event.twigId = sprout.twig.id
      event.title = sprout.title
      event.season = sprout.plantedPlan.season.code
      event.environment = sprout.plantedPlan.environment.code
      // The web app leaves out a planting whose leaf is no text; an empty one is none.
      event.leafId = sprout.leaf.map(ShortID.uuid) ?? ""
      if sprout.created != entry.at { event.createdAt = stamp(sprout.created) }
      event.bloomWither = sprout.blooms.one
      event.bloomBudding = sprout.blooms.three
      event.bloomFlourish = sprout.blooms.five
      return event
    case .watered:
      var event = new("sprout_watered", .watered)
      event.sproutId = (watering?.sprout).map(ShortID.uuid)
      event.day = (watering?.day.number).map { LocalDay(number: $0).iso }
      event.content = watering?.note ?? ""
      event.prompt = watering?.prompt ?? ""
      return event
    case .shone:
      var event = new("sun_shone", .shone)
      event.twigId = shining?.twig.id
      event.twigLabel = (shining?.twig).map { garden.title(of: .twig($0)) }
      event.week = (shining?.week.monday).map { LocalDay(number: $0).iso }
      event.content = shining?.note ?? ""
      event.prompt = shining?.prompt
      return event
    case .harvested(_, let reward):
      var event = new("sprout_harvested", .ended)
      event.sproutId = ShortID.uuid(entry.id)
      event.result = (sprout?.outcome?.result).map { Int($0.rawValue) }
      event.capacityGained = reward.value
      event.reflection = sprout?.reflection
      return event
    case .uprooted(let returned):
      var event = new("sprout_uprooted", .ended)
      event.sproutId = ShortID.uuid(entry.id)
      event.soilReturned = returned.value
      event.reflection = sprout?.reflection
      return event
    }
  }

  /// Labels, notes and drafts.
  private static func circles(_ garden: Garden) -> [String: GardenFile.Circle] {
    var circles: [String: GardenFile.Circle] = [:]
    for (node, label) in garden.labels where label.label != nil || label.note != nil {
      circles[node.id] = GardenFile.Circle(label: label.label ?? "", note: label.note ?? "")
    }
    for sprout in garden.sprouts where sprout.state == .draft {
      circles[sprout.twig.id, default: GardenFile.Circle(label: "", note: "")].sprouts =
        (circles[sprout.twig.id]?.sprouts ?? []) + [Lenient(draft(sprout))]
    }
    return circles
  }

  private static func draft(_ sprout: Sprout) -> GardenFile.CircleSprout {
    GardenFile.CircleSprout(
      id: ShortID.uuid(sprout.id), title: sprout.title, season: sprout.plan.season.code,
      environment: sprout.plan.environment.code, state: "draft",
      leafId: sprout.leaf.map(ShortID.uuid), bloomWither: sprout.blooms.one,
      bloomBudding: sprout.blooms.three, bloomFlourish: sprout.blooms.five,
      createdAt: stamp(sprout.created))
  }

  /// A time as the app writes it: always with milliseconds. What was created at no known time has
  /// the first time that a file can say.
  private static func stamp(_ time: WallTime) -> String {
    let text = TimeText.iso(max(time, GardenImport.unknownTime))
    return text.contains(".") ? text : text.dropLast() + ".000Z"
  }
}
