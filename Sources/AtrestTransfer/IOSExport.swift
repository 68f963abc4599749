// SPDX-License-Identifier: Apache-2.0
// Reads, verifies and writes the iOS app's export, version 1.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// The iOS app's export.
public enum IOSExport {
  /// The version that is read and written.
  public static let version = 1

  static func read(_ members: [String: StrictJSON]) throws(PortabilityError) -> ImportFile {
    guard let version = members["version"]?.whole else { throw .invalidFormat(nil) }
    guard version == Self.version else {
      throw .unsupportedVersion(found: version, current: Self.version)
    }
    guard let madeAt = IOSFast.time(members["generatedAt"]),
      let list = members["payload"]?.members?["sessions"]?.elements,
      let checksum = members["checksum"]?.text
    else { throw .invalidFormat(nil) }
    let fasts = try IOSFast.all(list)
    // The app version that writes no target and the one that fills it in before hashing compute
    // different checksums of the same file. Either shows that the file is intact.
    guard
      checksum == Self.checksum(of: payload(fasts))
        || checksum == Self.checksum(of: payload(fasts.map { $0.completed }))
    else { throw .checksumMismatch }
    var file = ImportFile(format: .iosExport, version: version, madeAt: madeAt)
    for (index, fast) in fasts.enumerated() { try file.add(fast.entry(.entry(index + 1))) }
    return file
  }

  /// Writes an export for the app: the completed fasts of 4 hours or more, earliest first.
  ///
  /// Times are truncated to seconds, the format's resolution. Every fast that a replica can store
  /// fits the format.
  /// - Returns: The file, and the number of fasts in it.
  public static func write(
    _ sessions: some Sequence<Session>, madeAt: WallTime
  ) -> (bytes: [UInt8], count: Int) {
    let fasts = sessions.filter { $0.isInHistory }.sorted {
      ($0.span.start, $0.id) < ($1.span.start, $1.id)
    }.compactMap { IOSFast($0) }
    let payload = payload(fasts)
    var file = JSONObject()
    file.add("checksum", checksum(of: payload))
    file.add("generatedAt", TimeText.iso(IOSFast.truncated(madeAt)))
    file.add("payload", encoded: payload)
    file.add("version", version)
    return (file.utf8, fasts.count)
  }

  /// The fasts as the app encodes them: sorted keys, no white space, no escaped slashes.
  private static func payload(_ fasts: [IOSFast]) -> [UInt8] {
    var list: [UInt8] = []
    for fast in fasts {
      list.append(list.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      list += fast.json.utf8
    }
    if list.isEmpty { list.append(UInt8(ascii: "[")) }
    list.append(UInt8(ascii: "]"))
    var payload = JSONObject()
    payload.add("sessions", encoded: list)
    return payload.utf8
  }

  private static func checksum(of payload: [UInt8]) -> String {
    Hexadecimal.encoded(PortableSHA256.hash(payload))
  }
}
