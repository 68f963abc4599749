// SPDX-License-Identifier: Apache-2.0
// Gives the iOS app's active fast an id, the same on every device.

import AtrestDomain
import AtrestReplication
import AtrestWire

extension SavedActiveFast {
  /// The record id of the active fast. The app assigns an id only at the end, so until then the id
  /// is derived from the start. The same file imported on two devices must yield one fast, not two.
  public var importedID: RecordUUID { Self.importedID(start: start) }

  /// Source: RFC 9562, section 5.8, version 8, from the first bytes of a SHA-256.
  package static func importedID(start: WallTime) -> RecordUUID {
    let name = "atrest active fast \(start.wholeSeconds)"
    var bytes = Array(PortableSHA256.hash(Array(name.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    guard let id = RecordUUID(bytes: bytes) else { preconditionFailure("16 bytes are a UUID") }
    return id
  }
}
