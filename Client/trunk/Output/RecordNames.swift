// SPDX-License-Identifier: Apache-2.0
// Records of the garden in words.

import AtrestCompanion
import TrunkDomain

/// Nouns of records.
enum RecordNames {
  /// A record's noun with what tells it apart: `the sprout “Read Middlemarch”`.
  static func name(_ record: Record) -> String {
    let fields = RecordFields(record)
    let id = RecordUUID(bytes: record.key.id)
    switch record.key.kind {
    case .sprout:
      guard let id, let sprout = Sprout(id: id, fields: fields) else { return "a sprout" }
      return "the sprout \(GardenWords.title(sprout))"
    case .watering: return "a watering"
    case .shining: return "a shining"
    case .leaf:
      guard let id, let leaf = Leaf(id: id, fields: fields) else { return "a leaf" }
      return "the leaf \(leaf.name.quotedForTerminal)"
    case .node:
      return NodeID(bytes: record.key.id).map { "the label of \($0.plainName)" } ?? "a label"
    case .setting: return "a setting of the garden"
    default: return "a record of another app"
    }
  }
}
