// SPDX-License-Identifier: Apache-2.0
// Reads records of a garden from the web app's file. Pure.

import AtrestCompanion
import Foundation
import TrunkDomain

/// The records of a file. Of what is impossible (no twig, no season, no time) it says how many.
///
/// A file says the same wherever and whenever it is read, but for days and weeks that it does not
/// say: devices that read one file apart from each other have no conflict about it.
struct GardenImport {
  private(set) var sprouts: [RecordUUID: Sprout] = [:]
  private(set) var waterings: [RecordUUID: Watering] = [:]
  private(set) var shinings: [RecordUUID: Shining] = [:]
  private(set) var leaves: [RecordUUID: Leaf] = [:]
  private(set) var name: String?
  /// Entries that were left out, because they say nothing possible.
  private(set) var leftOut = 0
  private var nodes: [NodeID: NodeLabel] = [:]
  private var texts = FileTexts()

  private let zone: ZoneOffsets

  /// The time of what has none in the file: the first one that a record can hold.
  static let unknownTime = WallTime(milliseconds: WallTime.recordable.lowerBound)

  /// Texts that were cut, because no record could hold them whole.
  var shortened: Int { texts.shortened }

  /// Labels and notes, by the node's name.
  var labels: [NodeLabel] { nodes.values.sorted { $0.id.id < $1.id.id } }

  /// Reads a file.
  ///
  /// - Parameter zone: Where its days began, if it does not say: the web app writes times in UTC
  ///   only.
  init(_ bytes: Data, in zone: ZoneOffsets) throws(GardenFileProblem) {
    self.zone = zone
    guard bytes.count <= GardenFile.limitBytes else { throw .tooLarge }
    guard let file = try? JSONDecoder().decode(GardenFile.self, from: bytes), file.isGarden else {
      throw .notAGarden
    }
    let version = file.version ?? file.storedVersion ?? 0
    guard version <= GardenFile.version else { throw .laterVersion(version) }
    // What circles say, or events, counts more than what came before them in the app's history.
    for circles in [file.nodes ?? [:], file.circles ?? [:]] {
      for (id, circle) in circles.sorted(by: { $0.key < $1.key }) {
        read(circle.value, of: id, hasEvents: !(file.events ?? []).isEmpty)
      }
    }
    read(file.events ?? [])
    read(file.sunLog ?? [])
    name = texts.line(file.settings?.value?.name, bytes: FileTexts.settingBytes)
  }

  // MARK: - Events

  /// Reads events by their times, and those of one time as they are listed.
  private mutating func read(_ events: [Lenient<GardenFile.Event>]) {
    var timed: [(at: WallTime, place: Int, event: GardenFile.Event)] = []
    for (place, event) in events.enumerated() {
      if let event = event.value, let at = Self.time(event.timestamp) {
        timed.append((at, place, event))
      } else {
        leftOut += 1
      }
    }
    timed.sort { ($0.at, $0.place) < ($1.at, $1.place) }
    for (at, _, event) in timed where !read(event, at) { leftOut += 1 }
  }

  /// Whether the event says something possible.
  private mutating func read(_ event: GardenFile.Event, _ at: WallTime) -> Bool {
    switch event.type {
    case "sprout_planted": return plant(event, at)
    case "sprout_watered":
      guard let sprout = event.sproutId else { return false }
      water(
        sprout, at, event.content, event.prompt, day: event.day, id: event.clientID,
        key: event.timestamp)
      return true
    case "sprout_harvested":
      guard let result = event.result.flatMap({ HarvestResult(rawValue: Int64($0)) }) else {
        return false
      }
      return end(event, at, result)
    case "sprout_uprooted": return end(event, at, nil)
    case "sprout_edited": return edit(event)
    case "sun_shone":
      guard let twig = event.twigId.flatMap({ Twig(id: $0) }) else { return false }
      shine(
        twig, at, event.content, event.prompt, week: event.week, id: event.clientID,
        key: event.timestamp)
      return true
    case "leaf_created":
      guard let text = event.leafId, let twig = event.twigId.flatMap({ Twig(id: $0) }) else {
        return false
      }
      return addLeaf(text, event.name, twig, at)
    default: return false
    }
  }

  private mutating func plant(_ event: GardenFile.Event, _ at: WallTime) -> Bool {
    guard let text = event.sproutId, let twig = event.twigId.flatMap({ Twig(id: $0) }),
      let season = event.season.flatMap({ Season(code: $0) }),
      let environment = event.environment.flatMap({ Environment(code: $0) })
    else { return false }
    let id = Self.sproutID(text)
    let plan = Sprout.Plan(season, environment)
    var sprout = Sprout(
      id: id, title: texts.line(event.title) ?? "", twig: twig, plan: plan,
      created: Self.firstTime(event.createdAt) ?? at, leaf: Self.leafID(event.leafId),
      blooms: blooms(event.bloomWither, event.bloomBudding, event.bloomFlourish))
    sprout.planting = Sprout.Planting(at: at, plan: plan)
    sprouts[id] = sprout
    return true
  }

  /// What an event mentions is as it says, also if that is nothing.
  private mutating func edit(_ event: GardenFile.Event) -> Bool {
    guard let id = event.sproutId.map(Self.sproutID), var sprout = sprouts[id] else { return false }
    if event.title != nil { sprout.title = texts.line(event.title) ?? "" }
    if event.leafId != nil { sprout.leaf = Self.leafID(event.leafId) }
    if event.bloomWither != nil { sprout.blooms.one = texts.line(event.bloomWither) }
    if event.bloomBudding != nil { sprout.blooms.three = texts.line(event.bloomBudding) }
    if event.bloomFlourish != nil { sprout.blooms.five = texts.line(event.bloomFlourish) }
    sprouts[id] = sprout
    return true
  }

  private mutating func end(
    _ event: GardenFile.Event, _ at: WallTime, _ result: HarvestResult?
  ) -> Bool {
    guard let id = event.sproutId.map(Self.sproutID), sprouts[id] != nil else { return false }
    sprouts[id]?.outcome = Sprout.Outcome(
      at: at, result: result, reflection: texts.words(event.reflection))
    return true
  }

  private mutating func water(
    _ sprout: String, _ at: WallTime, _ note: String?, _ prompt: String?, day: String? = nil,
    id: String? = nil, key: String
  ) {
    let id = Self.id(id, "watering", key + sprout + (note ?? ""))
    var watering = Watering(
      id: id, sprout: Self.sproutID(sprout), at: at, day: GardenDay(at, in: zone),
      note: texts.words(note), prompt: texts.words(prompt))
    if let number = Self.day(day) {
      // A day that cannot be the time's would be read from the record as another one.
      let here = watering.day
      watering.day = GardenDay(number: number)
      if Watering(id: id, fields: watering.fields)?.day != watering.day { watering.day = here }
    }
    waterings[id] = watering
  }

  private mutating func shine(
    _ twig: Twig, _ at: WallTime, _ note: String?, _ prompt: String?, week: String? = nil,
    id: String? = nil, key: String
  ) {
    let id = Self.id(id, "shining", key + twig.id)
    var shining = Shining(
      id: id, twig: twig, at: at, week: GardenWeek(at, in: zone), note: texts.words(note),
      prompt: texts.words(prompt))
    if let monday = Self.day(week) {
      let here = shining.week
      shining.week = GardenWeek(monday: monday)
      if Shining(id: id, fields: shining.fields)?.week != shining.week { shining.week = here }
    }
    shinings[id] = shining
  }

  /// - Returns: Whether the text names a leaf.
  private mutating func addLeaf(
    _ text: String, _ name: String?, _ twig: Twig, _ at: WallTime
  ) -> Bool {
    guard let id = Self.leafID(text) else { return false }
    leaves[id] = Leaf(id: id, name: texts.line(name) ?? "", twig: twig, created: at)
    return true
  }

  // MARK: - Older files

  /// Reads shinings, but for those that an event said already.
  private mutating func read(_ sunLog: [Lenient<GardenFile.SunEntry>]) {
    struct Moment: Hashable {
      let twig: Twig
      let at: WallTime
    }
    let known = Set(shinings.values.map { Moment(twig: $0.twig, at: $0.at) })
    for entry in sunLog {
      guard let entry = entry.value, let at = Self.time(entry.timestamp),
        let twig = entry.context.twigId.flatMap({ Twig(id: $0) })
      else {
        leftOut += 1
        continue
      }
      if known.contains(Moment(twig: twig, at: at)) { continue }
      shine(twig, at, entry.content, entry.prompt, key: entry.timestamp)
    }
  }

  /// - Parameter hasEvents: Then events say all but what is a draft.
  private mutating func read(
    _ circle: GardenFile.Circle?, of text: String, hasEvents: Bool
  ) {
    guard let circle, let node = NodeID(id: text) else {
      leftOut += 1
      return
    }
    let label = texts.line(circle.label)
    let note = texts.words(circle.note)
    if label != nil || note != nil {
      let earlier = nodes[node]
      nodes[node] = NodeLabel(
        id: node, label: label ?? earlier?.label, note: note ?? earlier?.note)
    }
    guard case .twig(let twig) = node else { return }
    for sprout in circle.sprouts ?? [] {
      if hasEvents, let sprout = sprout.value, sprout.state != "draft" { continue }
      if !read(sprout.value, on: twig) { leftOut += 1 }
    }
    for leaf in circle.leaves ?? [] where !hasEvents {
      let created = leaf.value.map { leaf in
        Self.firstTime(leaf.createdAt)
          ?? (circle.sprouts ?? []).compactMap { sprout in
            sprout.value.flatMap { $0.leafId == leaf.id ? Self.times(of: $0).min() : nil }
          }.min() ?? Self.unknownTime
      }
      guard let value = leaf.value, let created, addLeaf(value.id, value.name, twig, created) else {
        leftOut += 1
        continue
      }
    }
  }

  private mutating func read(_ old: GardenFile.CircleSprout?, on twig: Twig) -> Bool {
    guard let old, let season = old.season.flatMap({ Season(code: $0) }),
      let environment = old.environment.flatMap({ Environment(code: $0) })
    else { return false }
    let id = Self.sproutID(old.id)
    let plan = Sprout.Plan(season, environment)
    let times = Self.times(of: old)
    let created = Self.firstTime(old.createdAt) ?? times.min() ?? Self.unknownTime
    var sprout = Sprout(
      id: id, title: texts.line(old.title) ?? "", twig: twig, plan: plan, created: created,
      leaf: Self.leafID(old.leafId),
      blooms: blooms(old.bloomWither, old.bloomBudding, old.bloomFlourish))
    if old.state != "draft" {
      let planted = Self.firstTime(old.plantedAt, old.activatedAt) ?? created
      sprout.planting = Sprout.Planting(at: planted, plan: plan)
    }
    if ["completed", "failed", "uprooted"].contains(old.state) {
      let ended =
        Self.firstTime(old.harvestedAt, old.completedAt, old.uprootedAt) ?? times.max() ?? created
      let result = old.result.flatMap { HarvestResult(rawValue: Int64($0)) } ?? .good
      sprout.outcome = Sprout.Outcome(
        at: ended, result: old.state == "completed" ? result : nil,
        reflection: texts.words(old.reflection))
    }
    sprouts[id] = sprout
    for entry in old.waterEntries ?? [] {
      guard let entry = entry.value, let text = entry.timestamp, let at = Self.time(text) else {
        leftOut += 1
        continue
      }
      water(old.id, at, entry.content, entry.prompt, key: text)
    }
    return true
  }

  /// The times that a sprout has in a file.
  private static func times(of old: GardenFile.CircleSprout) -> [WallTime] {
    let texts =
      [
        old.createdAt, old.plantedAt, old.activatedAt, old.harvestedAt, old.completedAt,
        old.uprootedAt,
      ] + (old.waterEntries ?? []).map { $0.value?.timestamp }
    return texts.compactMap { $0.flatMap(time) }
  }

  // MARK: - Parts

  private mutating func blooms(
    _ one: String?, _ three: String?, _ five: String?
  ) -> Sprout.Blooms {
    Sprout.Blooms(one: texts.line(one), three: texts.line(three), five: texts.line(five))
  }

  private static func sproutID(_ text: String) -> RecordUUID { id(text, "sprout", text) }

  /// The leaf of a text; nil for an empty one, with which the app says that there is none.
  private static func leafID(_ text: String?) -> RecordUUID? {
    text.flatMap { $0.isEmpty ? nil : id($0, "leaf", $0) }
  }

  /// The UUID that a text has, else one of a hash: the app's ids are other texts.
  private static func id(_ text: String?, _ kind: String, _ key: String) -> RecordUUID {
    if let known = text.flatMap({ EventID.record(of: $0) }) { return known }
    return RecordUUID(hashing: "trunk.\(kind).\(key)")
  }

  /// The first of the texts that is a time.
  private static func firstTime(_ texts: String?...) -> WallTime? {
    texts.lazy.compactMap { $0.flatMap(time) }.first
  }

  private static func time(_ text: String) -> WallTime? {
    guard text.utf8.count <= 40, let time = try? Typed.time(text, now: .epoch, in: .utc),
      WallTime.recordable.contains(time.milliseconds)
    else { return nil }
    return time
  }

  /// The number of a day that is written `2026-11-21`.
  private static func day(_ text: String?) -> Int? {
    guard let text, text.utf8.count == 10, let noon = time(text + "T12:00:00Z") else { return nil }
    return LocalDay(noon, in: .utc).number
  }
}

extension GardenFile {
  /// Whether there is anything of a garden in it.
  fileprivate var isGarden: Bool {
    if events != nil || circles != nil || nodes != nil || sunLog != nil { return true }
    return settings?.value?.name != nil && (version ?? storedVersion) != nil
  }
}
