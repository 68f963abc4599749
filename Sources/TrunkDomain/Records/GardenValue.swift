// SPDX-License-Identifier: Apache-2.0
// Decodes a single register of the garden's kinds, for journals of conflicts.

import AtrestReplication
import AtrestWire

/// The value of one register of the garden's kinds.
public enum GardenValue: Hashable, Sendable {
  /// Words: a title, a note, a label, a bloom, the value of a setting.
  case words(String)
  /// A twig.
  case twig(Twig)
  /// What a draft would be planted as.
  case plan(Sprout.Plan)
  /// When a sprout was planted, and as what.
  case planting(Sprout.Planting)
  /// How a sprout ended.
  case outcome(Sprout.Outcome)
  /// The leaf that a sprout belongs to.
  case leaf(RecordUUID)
  /// When something was created.
  case created(WallTime)
  /// When a sprout was watered.
  case watered(WallTime, sprout: RecordUUID)
  /// When the sun shone, and where.
  case shone(WallTime, Twig)
  /// No value: not planted, not ended, on no leaf, no words.
  case nothing

  /// Decodes a register; nil for a field of a later version, and for what no version wrote.
  public init?(_ register: Register, of kind: RecordKind) {
    let field = register.field
    let fields = RecordFields(register)
    guard !register.value.isEmpty else {
      self = .nothing
      return
    }
    let value: GardenValue? =
      switch (kind, field) {
      case (.sprout, GardenField.Sprout.plan):
        fields[group: field].flatMap { Sprout.Plan($0) }.map { .plan($0) }
      case (.sprout, GardenField.Sprout.planting):
        fields[group: field].flatMap { Sprout.Planting($0) }.map { .planting($0) }
      case (.sprout, GardenField.Sprout.outcome):
        fields[group: field].flatMap { Sprout.Outcome($0) }.map { .outcome($0) }
      case (.sprout, GardenField.Sprout.leaf):
        fields[bytes: field].flatMap { RecordUUID(bytes: $0) }.map { .leaf($0) }
      case (.sprout, GardenField.Sprout.twig), (.leaf, GardenField.Leaf.twig):
        fields[text: field].flatMap { Twig(id: $0) }.map { .twig($0) }
      case (.sprout, GardenField.Sprout.createdMs), (.leaf, GardenField.Leaf.createdMs):
        fields[integer: field].map { .created(WallTime(milliseconds: $0)) }
      case (.watering, GardenField.Watering.given):
        fields[group: field].flatMap { Self.watering($0) }
      case (.shining, GardenField.Shining.given):
        fields[group: field].flatMap { Self.shining($0) }
      case (.sprout, _), (.watering, _), (.shining, _), (.leaf, _), (.node, _), (.setting, _):
        fields[text: field].map { .words($0) }
      default: nil
      }
    guard let value else { return nil }
    self = value
  }

  private static func watering(_ given: RecordFields) -> GardenValue? {
    guard let at = WallTime(recorded: given[integer: GardenField.WateringGiven.atMs]),
      let sprout = given[bytes: GardenField.WateringGiven.sprout].flatMap({ RecordUUID(bytes: $0) })
    else { return nil }
    return .watered(at, sprout: sprout)
  }

  private static func shining(_ given: RecordFields) -> GardenValue? {
    guard let at = WallTime(recorded: given[integer: GardenField.ShiningGiven.atMs]),
      let twig = given[text: GardenField.ShiningGiven.twig].flatMap({ Twig(id: $0) })
    else { return nil }
    return .shone(at, twig)
  }
}
