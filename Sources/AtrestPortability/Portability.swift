// SPDX-License-Identifier: Apache-2.0
// Tells what a file is, and reads it: the front door for bytes that people bring.

import AtrestReplication
import Foundation

/// Files that people carry from one place to another: our own export, and the files of the iOS app.
///
/// Nothing here touches a disk, a replica or a clock. A file is taken as a whole or refused as a
/// whole.
public enum Portability {
  /// Bounds on what is read.
  public enum Limits {
    /// Bytes of a file.
    public static let fileBytes = 64 * 1024 * 1024
    /// Fasts, water entries and other records of a file.
    public static let entries = 1_000_000
    /// Bytes of a line of our own format: the largest record, in Base64, with room.
    static let lineBytes = 256 * 1024
    /// Commas and opening brackets of a JSON file. The reader of JSON makes a note of every value
    /// before anybody can count entries; a file of nothing but commas would cost gigabytes.
    static let marks = 10_000_000
  }

  /// Reads a file of any format that is known.
  ///
  /// - Parameter bytes: The whole file. Anything at all: it is bounded and checked, its checksum
  ///   included.
  /// - Throws: `PortabilityError`. Nothing of the file is then to be used.
  /// - Complexity: O(n); memory several times the file.
  public static func parse(_ bytes: [UInt8]) throws(PortabilityError) -> ImportFile {
    guard bytes.count <= Limits.fileBytes else {
      throw .tooLarge(limitBytes: Limits.fileBytes)
    }
    guard let first = bytes.first(where: { !isBlank($0) }) else { throw .invalidFormat(nil) }
    if let header = AtrestHeader(ofFile: bytes) {
      return try AtrestReader.read(bytes, header: header)
    }
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

  /// Decodes JSON; a failure says at which element it lies, and nothing of what was there.
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
