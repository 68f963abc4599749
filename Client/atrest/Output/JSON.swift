// SPDX-License-Identifier: Apache-2.0
// How every `--json` writes: snake_case names, sorted; times in ISO 8601 UTC; fields without a
// value absent.

import AtrestDomain
import Foundation

/// Writes values for programs.
enum JSON {
  /// Several lines, for a listing.
  static func text(_ value: some Encodable) throws -> String {
    try encode(value, [.prettyPrinted])
  }

  /// One line, for a stream of them.
  static func line(_ value: some Encodable) throws -> String {
    try encode(value, [])
  }

  private static func encode(
    _ value: some Encodable, _ format: JSONEncoder.OutputFormatting
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = format.union([.sortedKeys, .withoutEscapingSlashes])
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(TimeText.iso(date))
    }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
