// SPDX-License-Identifier: Apache-2.0
// Gives the iOS app's active fast an id, the same on every device.

import AtrestDomain
import AtrestReplication
import AtrestWire

extension SavedActiveFast {
  /// The record id of the active fast. The app assigns an id only at the end, so until then the id
  /// is derived from the start. The same file imported on two devices must yield one fast, not two.
  public var importedID: RecordUUID { Self.importedID(start: start) }

  package static func importedID(start: WallTime) -> RecordUUID {
    RecordUUID(hashing: "atrest active fast \(start.wholeSeconds)")
  }
}
