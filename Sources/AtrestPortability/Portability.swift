// SPDX-License-Identifier: Apache-2.0
// Detects a file's format and parses it.

import AtrestReplication
@_exported import AtrestTransfer
import Foundation

extension Portability.Limits {
  /// The most commas and opening brackets in a JSON file. The JSON parser allocates for every value
  /// before entries can be counted, so a file of nothing but commas would cost gigabytes.
  static let marks = 10_000_000
}

extension Portability {
  /// Parses a file of ours or of the iOS app. Performs no I/O and reads no clock. `CSVFile` reads
  /// other apps' files.
  ///
  /// - Parameter bytes: The whole file. It may be arbitrary data: its size is bounded, and it is
  ///   fully validated, checksum included.
  /// - Throws: `PortabilityError`. Nothing of the file may then be used.
  /// - Complexity: O(n); memory several times the file's size.
  public static func parse(_ bytes: [UInt8]) throws(PortabilityError) -> ImportFile {
    guard bytes.count <= Limits.fileBytes else {
      throw .tooLarge(limitBytes: Limits.fileBytes)
    }
    let bytes = withoutMark(bytes)
    if let kind = FileKind(bytes) { throw .other(kind) }
    guard let first = bytes.first(where: { !isBlank($0) }) else { throw .invalidFormat(nil) }
    if let file = try AtrestReader.read(bytes) { return file }
    guard bytes.reduce(0, { $0 + (isMark($1) ? 1 : 0) }) <= Limits.marks else {
      throw .tooManyEntries(limit: Limits.entries)
    }
    let data = Data(bytes)
    switch first {
    case UInt8(ascii: "["): return try IOSStateFiles.waterLog(data)
    case UInt8(ascii: "{"): break
    default: throw .invalidFormat(nil)
    }
    let outline: IOSOutline = try decode(data)
    if outline.isExport { return try IOSExport.read(data, version: outline.version) }
    guard outline.isState else { throw .invalidFormat(nil) }
    return try IOSStateFiles.sessionState(data)
  }

  /// Decodes JSON. An error names the position but none of the content.
  static func decode<Value: Decodable>(
    _ data: Data, as type: Value.Type = Value.self
  ) throws(PortabilityError) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: data)
    } catch let error as DecodingError {
      let path: [any CodingKey]
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        path = context.codingPath
      @unknown default: path = []
      }
      throw .invalidFormat(path.lazy.compactMap(\.intValue).first.map { .entry($0 + 1) })
    } catch {
      throw .invalidFormat(nil)
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
  }
}
