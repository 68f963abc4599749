// SPDX-License-Identifier: Apache-2.0
// How a record counts towards the quota, and when housekeeping must process it.

import AtrestProtocol
import AtrestReplication
import AtrestWire

extension Record {
  /// How long a deleted record keeps its payload, so that an edit can bring it back: 30 days, in
  /// milliseconds.
  static let pruningMilliseconds: Int64 = 30 * 24 * 3600 * 1000

  /// Whether the record counts for the mass-deletion guard. Deleted records, journal entries and
  /// entitlements do not.
  var isLive: Bool {
    !isDeleted && key.kind != .conflict && key.kind != .entitlement
  }

  /// When housekeeping must process the record at the latest. Nil: never.
  ///
  /// - Parameter taken: When the server accepted the write that makes the record due.
  func isDue(takenIn taken: WallTime) -> WallTime? {
    if isDeleted {
      return pruned() == self ? nil : taken.advanced(by: Self.pruningMilliseconds)
    }
    guard key.kind == .conflict else { return nil }
    return taken.advanced(by: Conflict.retentionMilliseconds)
  }
}
