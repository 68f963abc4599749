// SPDX-License-Identifier: Apache-2.0
// Words for the garden's kinds, for every program that may find a garden in an account.

import AtrestCompanion
import TrunkDomain

/// Words for sprouts, waterings, shinings, leaves, labels and settings of the garden.
public struct GardenVocabulary: KindVocabulary {
  /// The vocabulary.
  public init() {}

  /// The garden's kinds.
  public var kinds: Set<RecordKind> { RecordKind.ofGarden }

  /// `sprout`, `watering`, `shining`, `leaf`, `node` or `garden_setting`.
  public func name(of kind: RecordKind) -> String {
    switch kind {
    case .sprout: "sprout"
    case .watering: "watering"
    case .shining: "shining"
    case .leaf: "leaf"
    case .node: "node"
    default: "garden_setting"
    }
  }

  /// A noun such as `a sprout`.
  public func noun(for kind: RecordKind) -> String { (kind.gardenNoun ?? .unknown).one }

  /// The same for several of them.
  public func nouns(for kind: RecordKind) -> String { (kind.gardenNoun ?? .unknown).many }

  /// The field's name in the garden's messages.
  public func name(of field: FieldNumber, in kind: RecordKind) -> String? {
    switch kind {
    case .sprout: Self.sproutFields[field]
    case .watering: [2: "given", 3: "note", 4: "prompt"][field]
    case .shining: [2: "given", 3: "note", 4: "prompt"][field]
    case .leaf: [2: "name", 3: "twig", 4: "created"][field]
    case .node: [2: "label", 3: "note"][field]
    case .setting: [2: "value"][field]
    default: nil
    }
  }

  private static let sproutFields: [FieldNumber: String] = [
    GardenField.Sprout.title: "title", GardenField.Sprout.twig: "twig",
    GardenField.Sprout.plan: "plan", GardenField.Sprout.planting: "planting",
    GardenField.Sprout.outcome: "outcome", GardenField.Sprout.leaf: "leaf",
    GardenField.Sprout.bloom1: "bloom1", GardenField.Sprout.bloom3: "bloom3",
    GardenField.Sprout.bloom5: "bloom5", GardenField.Sprout.createdMs: "created",
  ]

  /// A UUID, a node's name or a setting's key.
  public func id(of key: RecordKey) -> String? {
    switch key.kind {
    case .node: NodeID(bytes: key.id)?.id
    case .setting: SettingKey(bytes: key.id)?.text.escapedForTerminal
    default: RecordUUID(bytes: key.id)?.uuidString.lowercased()
    }
  }

  /// A sprout's or a leaf's name, quoted; the time of a watering; the place of a shining or of a
  /// label.
  public func detail(of record: Record, _ context: CommandContext) -> String? {
    let fields = RecordFields(record)
    switch record.key.kind {
    case .sprout: return fields[text: GardenField.Sprout.title]?.quotedForTerminal
    case .leaf: return fields[text: GardenField.Leaf.name]?.quotedForTerminal
    case .node: return NodeID(bytes: record.key.id)?.plainName
    case .setting: return id(of: record.key)
    case .watering, .shining:
      return GardenValue(GardenField.Watering.given, of: record.key.kind, in: fields)
        .map { words($0, context) }
    default: return nil
    }
  }

  /// A value in words, such as `3 months, firm`.
  public func text(
    of register: Register, in kind: RecordKind, _ context: CommandContext
  ) -> String? {
    GardenValue(register.field, of: kind, in: RecordFields(register)).map { words($0, context) }
  }

  private func words(_ value: GardenValue, _ context: CommandContext) -> String {
    let words: String? =
      switch value {
      case .title(let text), .name(let text), .setting(let text): text.quotedForTerminal
      case .label(let text), .note(let text), .prompt(let text): text?.quotedForTerminal
      case .bloom(let result, let text): text.map { "bloom \(result) \($0.quotedForTerminal)" }
      case .twig(let twig): twig.map { "twig \($0.number)" }
      case .plan(let plan): plan?.label
      case .planting(let planting): planting.map { self.words($0, context) }
      case .outcome(let outcome): outcome.map { self.words($0, context) }
      case .leaf(let id): id.map { "leaf \(ShortID.hex($0).prefix(ShortID.digits))" }
      case .created(let time): "created \(context.words(time))"
      case .watered(let time), .shone(let time): time.map { context.words($0) }
      }
    return words ?? "nothing"
  }

  private func words(_ planting: Sprout.Planting, _ context: CommandContext) -> String {
    "planted \(context.words(planting.at)), \(planting.plan.label)"
  }

  private func words(_ outcome: Sprout.Outcome, _ context: CommandContext) -> String {
    let words =
      outcome.result.map { "harvested \(context.words(outcome.at)), \($0.rawValue) of 5" }
      ?? "uprooted \(context.words(outcome.at))"
    return outcome.reflection.map { "\(words), \($0.quotedForTerminal)" } ?? words
  }

  /// A value by its parts.
  public func object(of register: Register, in kind: RecordKind) -> (any Encodable)? {
    let fields = RecordFields(register)
    guard let value = GardenValue(register.field, of: kind, in: fields) else { return nil }
    var parts = parts(value)
    // Whom and where: read as a garden reads it, with a day that can be the time's.
    if case .watered = value, let watering = Watering(id: Self.anyID, fields: fields) {
      parts.sprout = watering.sprout.uuidString.lowercased()
      parts.day = LocalDay(number: watering.day.number).iso
    } else if case .shone = value, let shining = Shining(id: Self.anyID, fields: fields) {
      parts.twig = shining.twig.id
      parts.week = LocalDay(number: shining.week.monday).iso
    }
    return parts
  }

  /// A field by itself has no record.
  private static let anyID = RecordUUID.random()

  private func parts(_ value: GardenValue) -> Parts {
    switch value {
    case .title(let text), .name(let text), .setting(let text): Parts(text: text)
    case .label(let text), .note(let text), .prompt(let text), .bloom(_, let text):
      Parts(text: text)
    case .twig(let twig): Parts(twig: twig?.id)
    case .plan(let plan): Parts(plan)
    case .planting(let planting): Parts(planting?.plan, at: planting?.at)
    case .outcome(let outcome):
      Parts(
        at: outcome?.at, result: outcome?.result.map { Int($0.rawValue) },
        reflection: outcome?.reflection)
    case .leaf(let id): Parts(leaf: id?.uuidString.lowercased())
    case .created(let time): Parts(at: time)
    case .watered(let time), .shone(let time): Parts(at: time)
    }
  }

  /// The parts of a value; those that it does not have are absent.
  fileprivate struct Parts: Encodable {
    var at: WallTime?
    var day: String?
    var week: String?
    var text: String?
    var twig: String?
    var sprout: String?
    var season: String?
    var environment: String?
    var result: Int?
    var reflection: String?
    var leaf: String?
  }
}

extension GardenVocabulary.Parts {
  fileprivate init(_ plan: Sprout.Plan?, at: WallTime? = nil) {
    self.init(at: at, season: plan?.season.code, environment: plan?.environment.code)
  }
}
