// SPDX-License-Identifier: Apache-2.0
// Reads, verifies and writes the iOS app's export, version 1.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTransfer
import AtrestWire
import Foundation

/// The members that distinguish the iOS app's files.
struct IOSOutline: Decodable {
  /// The version, if present.
  let version: Int?
  let isExport: Bool
  /// Whether it is the app's state file.
  let isState: Bool

  enum Key: CodingKey {
    case version, payload, checksum, sessions
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    version = try container.decodeIfPresent(Int.self, forKey: .version)
    isExport = version != nil || container.contains(.payload) || container.contains(.checksum)
    isState = container.contains(.sessions)
  }
}

/// A fast as in every file of the iOS app.
struct IOSSession: Codable {
  /// Upper case, as Foundation writes it.
  var id: UUID
  var start: IOSInstant
  var end: IOSInstant
  /// Absent in files of the app's first version.
  var targetDurationHours: Double?

  func entry(_ place: ImportPlace) throws(PortabilityError) -> ImportEntry {
    try .session(
      id: RecordUUID(id), start: start.time, end: end.time, targetHours: targetDurationHours,
      place: place)
  }
}

/// The iOS app's export.
public enum IOSExport {
  /// The version that is read and written.
  public static let version = 1

  struct Payload: Codable {
    var sessions: [IOSSession]

    /// The SHA-256, in lower-case hexadecimal, of the payload as Foundation encodes it with sorted
    /// keys: no white space, no escaped slashes, and 16.0 as `16`.
    func checksum() throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return Hexadecimal.encoded(PortableSHA256.hash(Array(try encoder.encode(self))))
    }

    /// The payload with the app's default for absent targets.
    var completed: Payload {
      var copy = self
      for index in copy.sessions.indices {
        copy.sessions[index].targetDurationHours = copy.sessions[index].targetDurationHours ?? 16
      }
      return copy
    }
  }

  struct File: Codable {
    var version: Int
    var generatedAt: IOSInstant
    var payload: Payload
    var checksum: String
  }

  static func read(_ data: Data, version: Int?) throws(PortabilityError) -> ImportFile {
    guard let version else { throw .invalidFormat(nil) }
    guard version == Self.version else {
      throw .unsupportedVersion(found: version, current: Self.version)
    }
    let file: File = try Portability.decode(data)
    guard file.payload.sessions.count <= Portability.Limits.entries else {
      throw .tooManyEntries(limit: Portability.Limits.entries)
    }
    guard try isSound(file) else { throw .checksumMismatch }
    var result = ImportFile(format: .iosExport, version: version, madeAt: file.generatedAt.time)
    for (index, session) in file.payload.sessions.enumerated() {
      try result.add(session.entry(.entry(index + 1)))
    }
    return result
  }

  /// Accepts either checksum. The app version that writes no target and the one that fills it in
  /// before hashing compute different checksums of the same file. Either shows that the file is
  /// intact.
  private static func isSound(_ file: File) throws(PortabilityError) -> Bool {
    do {
      return try file.payload.checksum() == file.checksum
        || file.payload.completed.checksum() == file.checksum
    } catch {
      throw .invalidFormat(nil)
    }
  }

  /// Writes an export for the app: the completed fasts of 4 hours or more, earliest first.
  ///
  /// Times are truncated to seconds, the format's resolution. Every fast that a replica can store
  /// fits the format.
  /// - Returns: The file, and the number of fasts in it.
  public static func write(
    _ sessions: some Sequence<Session>, madeAt: WallTime
  ) throws -> (bytes: [UInt8], count: Int) {
    let kept = sessions.filter(\.isInHistory).sorted {
      ($0.span.start, $0.id) < ($1.span.start, $1.id)
    }
    let payload = Payload(
      sessions: kept.compactMap { session in
        session.span.end.map { end in
          IOSSession(
            id: UUID(session.id), start: IOSInstant(session.span.start), end: IOSInstant(end),
            targetDurationHours: Double(session.targetMinutes) / 60)
        }
      })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let file = File(
      version: version, generatedAt: IOSInstant(madeAt), payload: payload,
      checksum: try payload.checksum())
    return (Array(try encoder.encode(file)), payload.sessions.count)
  }
}
