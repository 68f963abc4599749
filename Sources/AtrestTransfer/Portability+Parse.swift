// SPDX-License-Identifier: Apache-2.0
// Detects whether a file is ours or the iOS app's, and parses it.

import AtrestDomain

extension Portability.Limits {
  /// The most values in a JSON file: five for each entry, and some more. Each takes memory before
  /// entries can be counted.
  package static let values = 6 * entries
}

extension Portability {
  /// Parses a file of ours or of the iOS app. Performs no I/O and reads no clock.
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
    if let file = try AtrestReader.read(bytes) { return file }
    // What precedes a value, if another one or its container does.
    let marks = bytes.reduce(into: 0) { $0 += [0x2C, 0x5B, 0x7B].contains($1) ? 1 : 0 }
    guard marks < Limits.values else { throw .tooManyEntries(limit: Limits.entries) }
    let json = StrictJSON(bytes, valueLimit: Limits.values)
    if let members = json?.members {
      if isIOSExport(members) { return try IOSExport.read(members) }
      if isIOSState(members) { return try IOSStateFiles.sessionState(members) }
    } else if let elements = json?.elements, elements.isEmpty || isIOSWaterLog(elements) {
      return try IOSStateFiles.waterLog(elements)
    }
    throw .invalidFormat(nil)
  }

  /// Whether JSON has the shape of a file of the iOS app, valid or not.
  package static func isOfIOS(_ json: StrictJSON) -> Bool {
    if let members = json.members { return isIOSExport(members) || isIOSState(members) }
    return json.elements.map { isIOSWaterLog($0) } ?? false
  }

  private static func isIOSExport(_ members: [String: StrictJSON]) -> Bool {
    members["payload"] != nil || members["checksum"] != nil
  }

  private static func isIOSState(_ members: [String: StrictJSON]) -> Bool {
    members["sessions"] != nil
  }

  private static func isIOSWaterLog(_ elements: [StrictJSON]) -> Bool {
    elements.first?.members?["amountMilliliters"] != nil
  }
}
