// SPDX-License-Identifier: Apache-2.0
// The JSON encoding of `--json`: sorted snake_case names, ISO 8601 times in UTC, nil fields absent.

import AtrestDomain
import AtrestReplication
import Foundation

/// Encodes values for programs.
public enum JSON {
  /// Pretty-printed, for a single answer.
  ///
  /// - Throws: `EncodingError`.
  public static func text(_ value: some Encodable) throws -> String {
    try encode(value, [.prettyPrinted])
  }

  /// A single line, for JSON Lines.
  ///
  /// - Throws: `EncodingError`.
  public static func line(_ value: some Encodable) throws -> String {
    try encode(value, [])
  }

  private static func encode(
    _ value: some Encodable, _ format: JSONEncoder.OutputFormatting
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = format.union([.sortedKeys, .withoutEscapingSlashes])
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

extension WallTime: Encodable {
  /// Encodes the time as ISO 8601 text in UTC.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(TimeText.iso(self))
  }
}
