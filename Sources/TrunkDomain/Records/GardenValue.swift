// SPDX-License-Identifier: Apache-2.0
// One field of a garden's record by itself, for those who show what was written to it.

import AtrestReplication
import AtrestWire

/// The value of one field, as the records read it: what cannot be read is a value that is not set.
public enum GardenValue: Hashable, Sendable {
  /// A sprout's title.
  case title(String)
  /// The twig of a sprout or a leaf; nil for none that there is.
  case twig(Twig?)
  /// A sprout's plan; nil for none that there is.
  case plan(Sprout.Plan?)
  /// A sprout's planting; nil for a draft.
  case planting(Sprout.Planting?)
  /// How a sprout ended, with the words of the harvest; nil if it has not.
  case outcome(Sprout.Outcome?)
  /// The leaf of a sprout.
  case leaf(RecordUUID?)
  /// The bloom of a sprout for a result of 1, 3 or 5.
  case bloom(result: Int, String?)
  /// When a sprout or a leaf was created.
  case created(WallTime)
  /// When a watering was given; nil if it does not say.
  case watered(WallTime?)
  /// When the sun shone; nil if it does not say.
  case shone(WallTime?)
  /// The words of a watering or a shining, or the note of a node.
  case note(String?)
  /// The question that a watering or a shining answers.
  case prompt(String?)
  /// A leaf's name.
  case name(String)
  /// A node's label.
  case label(String?)
  /// The value of a setting of the garden.
  case setting(String)

  /// Reads one of a record's fields; nil if a garden's records of the kind have no such field.
  public init?(_ field: FieldNumber, of kind: RecordKind, in fields: RecordFields) {
    switch kind {
    case .sprout: self.init(sprout: field, fields)
    case .watering, .shining: self.init(words: field, of: kind, fields)
    case .leaf: self.init(leaf: field, fields)
    case .node where field == GardenField.Node.label: self = .label(fields[text: field])
    case .node where field == GardenField.Node.note: self = .note(fields[text: field])
    case .setting where field == GardenField.Setting.value:
      self = .setting(fields[text: field] ?? "")
    default: return nil
    }
  }

  private init?(sprout field: FieldNumber, _ fields: RecordFields) {
    switch field {
    case GardenField.Sprout.title: self = .title(fields[text: field] ?? "")
    case GardenField.Sprout.twig: self = .twig(fields[text: field].flatMap { Twig(id: $0) })
    case GardenField.Sprout.plan: self = .plan(fields[group: field].flatMap { .init($0) })
    case GardenField.Sprout.planting: self = .planting(fields[group: field].flatMap { .init($0) })
    case GardenField.Sprout.outcome: self = .outcome(fields[group: field].flatMap { .init($0) })
    case GardenField.Sprout.leaf: self = .leaf(fields[id: field])
    case GardenField.Sprout.bloom1: self = .bloom(result: 1, fields[text: field])
    case GardenField.Sprout.bloom3: self = .bloom(result: 3, fields[text: field])
    case GardenField.Sprout.bloom5: self = .bloom(result: 5, fields[text: field])
    case GardenField.Sprout.createdMs: self = .created(fields.time(field))
    default: return nil
    }
  }

  private init?(leaf field: FieldNumber, _ fields: RecordFields) {
    switch field {
    case GardenField.Leaf.name: self = .name(fields[text: field] ?? "")
    case GardenField.Leaf.twig: self = .twig(fields[text: field].flatMap { Twig(id: $0) })
    case GardenField.Leaf.createdMs: self = .created(fields.time(field))
    default: return nil
    }
  }

  private init?(words field: FieldNumber, of kind: RecordKind, _ fields: RecordFields) {
    switch (kind, field) {
    case (.watering, GardenField.Watering.given):
      self = .watered(
        WallTime(recorded: fields[group: field]?[integer: GardenField.WateringGiven.atMs]))
    case (.shining, GardenField.Shining.given):
      self = .shone(
        WallTime(recorded: fields[group: field]?[integer: GardenField.ShiningGiven.atMs]))
    case (.watering, GardenField.Watering.note), (.shining, GardenField.Shining.note):
      self = .note(fields[text: field])
    case (.watering, GardenField.Watering.prompt), (.shining, GardenField.Shining.prompt):
      self = .prompt(fields[text: field])
    default: return nil
    }
  }
}

extension RecordFields {
  fileprivate func time(_ field: FieldNumber) -> WallTime {
    WallTime(milliseconds: self[integer: field] ?? 0)
  }
}
