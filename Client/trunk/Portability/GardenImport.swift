// SPDX-License-Identifier: Apache-2.0
// Reads records of a garden from the web app's file. Pure.

import AtrestCompanion
import Crypto
import Foundation
import TrunkDomain

/// The records of a file. Of what is impossible (no twig, no season, no time) it says how many.
struct GardenImport {
  private(set) var sprouts: [RecordUUID: Sprout] = [:]
  private(set) var waterings: [RecordUUID: Watering] = [:]
  private(set) var shinings: [RecordUUID: Shining] = [:]
  private(set) var leaves: [RecordUUID: Leaf] = [:]
  private(set) var labels: [NodeLabel] = []
  private(set) var name: String?
  /// Entries that were left out, because they say nothing possible.
  private(set) var leftOut = 0

  private let zone: ZoneOffsets
  private let now: WallTime

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - zone: Where its days began: the app wrote times in UTC only.
  ///   - now: For what has no time of its own.
  init(_ bytes: Data, in zone: ZoneOffsets, now: WallTime) throws(GardenFileProblem) {
    self.zone = zone
    self.now = now
    guard bytes.count <= GardenFile.limitBytes else { throw .tooLarge }
    guard let file = try? JSONDecoder().decode(GardenFile.self, from: bytes),
      file.events != nil || file.circles != nil || file.nodes != nil
    else { throw .notAGarden }
    let version = file.version ?? file.storedVersion ?? 0
    guard version <= GardenFile.version else { throw .laterVersion(version) }
    for (id, circle) in (file.circles ?? file.nodes ?? [:]).sorted(by: { $0.key < $1.key }) {
      read(circle, of: id, hasEvents: !(file.events ?? []).isEmpty)
    }
    let events = (file.events ?? []).enumerated().sorted {
      ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
    }
    for (_, event) in events where !read(event) { leftOut += 1 }
    name = (file.settings?.name).flatMap { try? GardenRules.label(GardenRules.inOneLine($0)) }
  }

  // MARK: - Events

  /// Whether the event says something possible.
  private mutating func read(_ event: GardenFile.Event) -> Bool {
    guard let at = Self.time(event.timestamp) else { return false }
    switch event.type {
    case "sprout_planted": return plant(event, at)
    case "sprout_watered":
      guard let sprout = event.sproutId else { return false }
      return water(
        sprout, at, event.content, event.prompt, id: event.clientID, key: event.timestamp)
    case "sprout_harvested":
      guard let result = event.result.flatMap({ HarvestResult(rawValue: Int64($0)) }) else {
        return false
      }
      return end(event, at, result)
    case "sprout_uprooted": return end(event, at, nil)
    case "sprout_edited":
      guard let id = event.sproutId.map(Self.sproutID), sprouts[id] != nil else { return false }
      if let title = event.title {
        sprouts[id]?.title = Self.line(title, GardenRules.titleCharacters)
      }
      if let leaf = event.leafId { sprouts[id]?.leaf = Self.leafID(leaf) }
      sprouts[id]?.blooms.merge(event)
      return true
    case "sun_shone":
      guard let twig = event.twigId.flatMap({ Twig(id: $0) }) else { return false }
      let id = Self.id(event.clientID, "shining", event.timestamp + twig.id)
      shinings[id] = Shining(
        id: id, twig: twig, at: at, week: GardenWeek(at, in: zone),
        note: Self.words(event.content), prompt: Self.words(event.prompt))
      return true
    case "leaf_created":
      guard let text = event.leafId, let twig = event.twigId.flatMap({ Twig(id: $0) }) else {
        return false
      }
      addLeaf(text, event.name, twig, at)
      return true
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
      id: id, title: Self.line(event.title ?? "", GardenRules.titleCharacters), twig: twig,
      plan: plan, created: at, leaf: event.leafId.map(Self.leafID))
    sprout.blooms.merge(event)
    sprout.planting = Sprout.Planting(at: at, plan: plan)
    sprouts[id] = sprout
    return true
  }

  private mutating func end(
    _ event: GardenFile.Event, _ at: WallTime, _ result: HarvestResult?
  ) -> Bool {
    guard let id = event.sproutId.map(Self.sproutID), sprouts[id] != nil else { return false }
    sprouts[id]?.outcome = Sprout.Outcome(
      at: at, result: result, reflection: Self.words(event.reflection))
    return true
  }

  private mutating func water(
    _ sprout: String, _ at: WallTime, _ note: String?, _ prompt: String?, id: String?, key: String
  ) -> Bool {
    let id = Self.id(id, "watering", key + sprout + (note ?? ""))
    waterings[id] = Watering(
      id: id, sprout: Self.sproutID(sprout), at: at, day: GardenDay(at, in: zone),
      note: Self.words(note), prompt: Self.words(prompt))
    return true
  }

  private mutating func addLeaf(_ text: String, _ name: String?, _ twig: Twig, _ at: WallTime) {
    let id = Self.leafID(text)
    let line = Self.line(name ?? "", GardenRules.leafCharacters)
    leaves[id] = Leaf(id: id, name: line, twig: twig, created: at)
  }

  // MARK: - Circles

  /// - Parameter hasEvents: Then events say all but what is a draft.
  private mutating func read(_ circle: GardenFile.Circle, of text: String, hasEvents: Bool) {
    guard let node = NodeID(id: text) else {
      leftOut += 1
      return
    }
    let label = circle.label.map { Self.line($0, GardenRules.labelCharacters) }
    let note = circle.note.flatMap(Self.words)
    if label?.isEmpty == false || note != nil {
      labels.append(
        NodeLabel(id: node, label: label.flatMap { $0.isEmpty ? nil : $0 }, note: note))
    }
    guard case .twig(let twig) = node else { return }
    for leaf in circle.leaves ?? [] where !hasEvents {
      addLeaf(leaf.id, leaf.name, twig, leaf.createdAt.flatMap(Self.time) ?? now)
    }
    for sprout in circle.sprouts ?? [] where !hasEvents || sprout.state == "draft" {
      if !read(sprout, on: twig) { leftOut += 1 }
    }
  }

  private mutating func read(_ old: GardenFile.CircleSprout, on twig: Twig) -> Bool {
    guard let season = old.season.flatMap({ Season(code: $0) }),
      let environment = old.environment.flatMap({ Environment(code: $0) })
    else { return false }
    let id = Self.sproutID(old.id)
    let plan = Sprout.Plan(season, environment)
    let created = old.createdAt.flatMap(Self.time) ?? now
    var sprout = Sprout(
      id: id, title: Self.line(old.title ?? "", GardenRules.titleCharacters), twig: twig,
      plan: plan, created: created, leaf: old.leafId.map(Self.leafID),
      blooms: Sprout.Blooms(
        one: Self.bloom(old.bloomWither), three: Self.bloom(old.bloomBudding),
        five: Self.bloom(old.bloomFlourish)))
    if old.state != "draft" {
      let planted = (old.plantedAt ?? old.activatedAt).flatMap(Self.time) ?? created
      sprout.planting = Sprout.Planting(at: planted, plan: plan)
    }
    if old.state == "completed" || old.state == "failed" {
      let ended = (old.harvestedAt ?? old.completedAt).flatMap(Self.time) ?? now
      let result = old.result.flatMap { HarvestResult(rawValue: Int64($0)) }
      sprout.outcome = Sprout.Outcome(
        at: ended, result: old.state == "failed" ? nil : result ?? .good,
        reflection: Self.words(old.reflection))
    }
    sprouts[id] = sprout
    for entry in old.waterEntries ?? [] {
      guard let text = entry.timestamp, let at = Self.time(text) else {
        leftOut += 1
        continue
      }
      _ = water(old.id, at, entry.content, entry.prompt, id: nil, key: text)
    }
    return true
  }

  // MARK: - Parts

  private static func sproutID(_ text: String) -> RecordUUID { id(text, "sprout", text) }

  private static func leafID(_ text: String) -> RecordUUID { id(text, "leaf", text) }

  /// The UUID that a text is, else one of its hash: the app's ids are other texts.
  ///
  /// Source: RFC 9562, section 5.8, version 8.
  private static func id(_ text: String?, _ kind: String, _ key: String) -> RecordUUID {
    if let known = text.flatMap({ RecordUUID(uuidString: $0) }) { return known }
    var bytes = Array(SHA256.hash(data: Data("trunk.\(kind).\(key)".utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    guard let id = RecordUUID(bytes: bytes) else { preconditionFailure("a hash has 16 bytes") }
    return id
  }

  private static func time(_ text: String) -> WallTime? {
    guard text.utf8.count <= 40, let time = try? Typed.time(text, now: .epoch, in: .utc),
      WallTime.recordable.contains(time.milliseconds)
    else { return nil }
    return time
  }

  /// What a record holds in one line: the app's texts may have more, and characters that none of
  /// ours have.
  private static func line(_ text: String, _ characters: Int) -> String {
    cut(GardenRules.inOneLine(text), characters)
  }

  private static func cut(_ text: String, _ characters: Int) -> String {
    String(text.prefix(characters)).utf8.count <= 12_000 ? String(text.prefix(characters)) : ""
  }

  static func bloom(_ text: String?) -> String? {
    text.map { line($0, GardenRules.bloomCharacters) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func words(_ text: String?) -> String? {
    text.map { cut($0, GardenRules.noteCharacters) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Sprout.Blooms {
  /// Takes what an event says of blooms.
  mutating func merge(_ event: GardenFile.Event) {
    if let text = GardenImport.bloom(event.bloomWither) { one = text }
    if let text = GardenImport.bloom(event.bloomBudding) { three = text }
    if let text = GardenImport.bloom(event.bloomFlourish) { five = text }
  }
}
