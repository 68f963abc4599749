// SPDX-License-Identifier: Apache-2.0
// What a record counts as, and when housekeeping is to look at it.

import AtrestProtocol
import AtrestReplication

extension Record {
  /// How long a deleted record keeps its payload if some device has not said that it knows the
  /// deletion, and how long a device that does not call is waited for: 30 days, in milliseconds.
  static let pruningMilliseconds: Int64 = 30 * 24 * 3600 * 1000

  /// Whether a person would miss it: what is deleted, the journal and entitlements do not count.
  var isLive: Bool {
    !isDeleted && key.kind != .conflict && key.kind != .entitlement
  }

  /// When housekeeping is to look at the record at the latest; nil: never.
  ///
  /// - Parameter taken: When the server took in what makes it due. A journal entry that claims to
  ///   be younger counts from then.
  func isDue(takenIn taken: WallTime) -> WallTime? {
    if isDeleted {
      return pruned() == self ? nil : taken.advanced(by: Self.pruningMilliseconds)
    }
    guard key.kind == .conflict, let entry = try? Conflict(self) else { return nil }
    return min(entry.noticed, taken).advanced(by: Conflict.retentionMilliseconds)
  }
}

extension Conflict {
  /// The record that carries the entry; nil if it would be too large for anybody to read back.
  var readableRecord: Record? {
    let record = journalRecord
    let body = record.encoded
    guard body.count <= Record.Limits.encodedBytes, (try? Record(decoding: body)) != nil else {
      return nil
    }
    return record
  }
}
