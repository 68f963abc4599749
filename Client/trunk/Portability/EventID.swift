// SPDX-License-Identifier: Apache-2.0
// What tells events of a file apart.

import AtrestCompanion
import TrunkDomain

/// The `client_id` of an event: the record's id and what happened to it, because the web app drops
/// all but one of the events that share one.
struct EventID: Hashable {
  /// What happened to a record.
  enum Part: String {
    case planted, ended, watered, shone, created
  }

  let record: RecordUUID
  let part: Part

  init(_ record: RecordUUID, _ part: Part) {
    (self.record, self.part) = (record, part)
  }

  /// As it is written.
  var text: String { "\(ShortID.uuid(record))-\(part.rawValue)" }

  /// The record of a `client_id`, with or without what happened; nil for another text, as the web
  /// app may have written it.
  static func record(of text: String) -> RecordUUID? {
    if let record = RecordUUID(uuidString: text) { return record }
    guard let dash = text.lastIndex(of: "-"),
      Part(rawValue: String(text[text.index(after: dash)...])) != nil
    else { return nil }
    return RecordUUID(uuidString: String(text[..<dash]))
  }
}
