// SPDX-License-Identifier: Apache-2.0
// Leaves, labels and settings as fields of records.

import AtrestReplication
import AtrestWire

extension Leaf: SyncedRecord {
  /// The kind of its records.
  public static let kind = RecordKind.leaf

  /// Every field with its value.
  public var fields: RecordFields {
    var fields = RecordFields()
    fields[text: GardenField.Leaf.name] = name
    fields[text: GardenField.Leaf.twig] = twig.id
    fields[integer: GardenField.Leaf.createdMs] = created.milliseconds
    return fields
  }

  /// Reads a record; nil if it lacks a twig.
  public init?(id: RecordUUID, fields: RecordFields) {
    guard let twig = fields[text: GardenField.Leaf.twig].flatMap({ Twig(id: $0) }) else {
      return nil
    }
    self.init(
      id: id, name: fields[text: GardenField.Leaf.name] ?? "", twig: twig,
      created: WallTime(milliseconds: fields[integer: GardenField.Leaf.createdMs] ?? 0))
  }
}

extension NodeLabel: SyncedRecord {
  /// The kind of its records.
  public static let kind = RecordKind.node

  /// Every field with its value.
  public var fields: RecordFields {
    var fields = RecordFields()
    fields[text: GardenField.Node.label] = label
    fields[text: GardenField.Node.note] = note
    return fields
  }

  /// Reads a record.
  public init?(id: NodeID, fields: RecordFields) {
    self.init(
      id: id, label: fields[text: GardenField.Node.label],
      note: fields[text: GardenField.Node.note])
  }
}

extension GardenSetting: SyncedRecord {
  /// The kind of its records.
  public static let kind = RecordKind.setting

  /// Every field with its value.
  public var fields: RecordFields {
    var fields = RecordFields()
    fields[text: GardenField.Setting.value] = value
    return fields
  }

  /// Reads a record; nil if it has no value.
  public init?(id: SettingKey, fields: RecordFields) {
    guard let value = fields[text: GardenField.Setting.value] else { return nil }
    self.init(id: id, value: value)
  }
}
