// SPDX-License-Identifier: Apache-2.0
// The value of one field of a record, of either app.

import AtrestClient
import AtrestReplication
import AtrestWire
import TrunkDomain

/// A field's value.
enum HeldValue: Hashable, Sendable {
  /// Of any record's deletion, and of fasts, water and settings.
  case field(FieldValue)
  /// Of a garden.
  case garden(GardenValue)

  /// Decodes a register of a kind. Never fails, as `FieldValue`.
  init(_ register: Register, of kind: RecordKind) {
    var fields = RecordFields()
    fields[register: register.field] = register.value
    if let value = GardenValue(register.field, of: kind, in: fields) {
      self = .garden(value)
    } else {
      self = .field(FieldValue(register, of: kind))
    }
  }

  /// The value of a field that is not set; nil where none has words: outside a garden.
  init?(unset field: FieldNumber, of kind: RecordKind) {
    guard let value = GardenValue(field, of: kind, in: RecordFields()) else { return nil }
    self = .garden(value)
  }
}

extension JournalEntry {
  /// The losing write's value.
  var lostValue: HeldValue { HeldValue(conflict.lost, of: conflict.key.kind) }
  /// The losing write, and what its action wrote if that lost whole.
  var losses: [Register] {
    conflict.isAction ? [conflict.lost] + conflict.values : [conflict.lost]
  }
  /// The winning write's value.
  var keptValue: HeldValue { HeldValue(conflict.kept, of: conflict.key.kind) }
}

extension Scenario.FieldName {
  /// The name of the field that a conflict is about; nil for one without a name.
  init?(_ conflict: Conflict) {
    switch HeldValue(conflict.lost, of: conflict.key.kind) {
    case .garden(let value): self.init(value)
    case .field: self.init(conflict.field, of: conflict.key.kind)
    }
  }

  private init?(_ value: GardenValue) {
    switch value {
    case .title: self = .title
    case .twig: self = .twig
    case .plan: self = .plan
    case .planting: self = .planting
    case .outcome: self = .outcome
    case .leaf: self = .leaf
    case .name: self = .name
    case .label: self = .label
    case .note: self = .note
    case .bloom, .created, .watered, .shone, .prompt, .setting: return nil
    }
  }
}
