// SPDX-License-Identifier: Apache-2.0
// The record that the checks write.

import AtrestClient

/// A line of text.
struct Note: SyncedRecord {
  static let kind = RecordKind(rawValue: 1200)
  var id = RecordUUID.random()
  var text: String

  var fields: RecordFields {
    var fields = RecordFields()
    fields[text: 2] = text
    return fields
  }

  init(_ text: String) { self.text = text }

  init?(id: RecordUUID, fields: RecordFields) {
    guard let text = fields[text: 2] else { return nil }
    (self.id, self.text) = (id, text)
  }
}
