// SPDX-License-Identifier: Apache-2.0
// How a record of an app's own kind reads to people, for files that they open.

/// How a record of an app's own kind reads. An export has it beside what is stored; an import reads
/// what is stored, so it needs no words.
public struct RecordInWords {
  /// The kind's name: lower-case letters, digits and underscores, such as `sprout`.
  public let kind: String
  /// The id as its kind writes it.
  public let id: String
  /// The values that are set, by the names of their fields. Each encodes as a JSON object.
  public let fields: [String: any Encodable]

  /// A record in words.
  public init(kind: String, id: String, fields: [String: any Encodable]) {
    (self.kind, self.id, self.fields) = (kind, id, fields)
  }
}
