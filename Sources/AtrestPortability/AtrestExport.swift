// SPDX-License-Identifier: Apache-2.0
// Writes the native export format, with words for the kinds of apps.

import AtrestReplication
@_exported import AtrestTransfer
import Foundation

/// The native export: JSON lines, complete, with a checksum line at the end.
public enum AtrestExport {
  /// The newest version that is read. Written is the oldest one that can say what a file holds.
  public static let version = AtrestWriter.version

  /// Writes a file.
  ///
  /// Deleted records are left out. Unknown fields and kinds are included.
  /// - Parameters:
  ///   - records: A replica's records, in the order in which to write them.
  ///   - madeAt: The time of the export.
  ///   - program: The program's version, informational.
  ///   - stamps: Whether to include each field's stamp. A later import can then tell which side is
  ///     newer.
  ///   - since: Leaves out fasts that ended earlier and water drunk earlier. Records without a time
  ///     are always included.
  ///   - inWords: How a record reads whose kind is an app's own; nil for one that nobody here has
  ///     words for. Not asked about the kinds of this library.
  /// - Returns: The file, and the number of records per kind.
  /// - Complexity: O(n) time and memory.
  public static func write(
    _ records: some Sequence<Record>, madeAt: WallTime, program: String, stamps: Bool = false,
    since: WallTime? = nil, inWords: (Record) -> RecordInWords? = { _ in nil }
  ) -> (bytes: [UInt8], counts: [RecordKind: Int]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    var writer = AtrestWriter(stamps: stamps, since: since)
    for record in records {
      writer.add(record) { record in
        guard let words = inWords(record),
          let fields = try? encoder.encode(WordFields(parts: words.fields))
        else { return nil }
        return EncodedWords(kind: words.kind, id: words.id, fields: Array(fields))
      }
    }
    return (writer.file(madeAt: madeAt, program: program), writer.counts)
  }
}

/// Values in words.
private struct WordFields: Encodable {
  let parts: [String: any Encodable]

  func encode(to encoder: any Encoder) throws {
    try parts.mapValues(Value.init).encode(to: encoder)
  }

  private struct Value: Encodable {
    let parts: any Encodable

    func encode(to encoder: any Encoder) throws { try parts.encode(to: encoder) }
  }
}
