// SPDX-License-Identifier: Apache-2.0
// Decides whether an account that is full takes something in.

import AtrestReplication

/// What one account may hold. Bounds what a device that went wrong, or was stolen, can put on the
/// server's disk.
package struct AccountQuota: Hashable, Sendable {
  /// Records, deleted ones and the journal included.
  package var records: Int
  /// Bytes of the encoded records.
  package var bytes: Int
  /// Whether the disk is nearly full: what is left of it is for deleting, and nothing may grow.
  var isDiskFull = false

  /// A quota.
  package init(records: Int = 1_000_000, bytes: Int = 1 << 30) {
    self.records = records
    self.bytes = bytes
  }

  /// A million records and a gibibyte: a glass of water each quarter of an hour for a lifetime is
  /// neither.
  package static let standard = AccountQuota()

  /// Whether another record of so many bytes may be added.
  func allowsRecord(_ kind: RecordKind, bytes count: Int, beside held: Holdings) -> Bool {
    guard !isDiskFull else { return false }
    // An entry that a server lost comes back before the deletion that it is about, which is taken
    // however full the account is.
    if kind == .conflict { return allowsJournal(beside: held) }
    return held.records < records && held.bytes <= bytes - count
  }

  /// Whether a record may become another one that takes so many bytes more.
  ///
  /// What makes no value longer, and brings no field, is taken however full the account is: stamps
  /// alone add a bounded number of bytes, and a person who makes room must be able to delete.
  func allows(_ new: Record, inPlaceOf old: Record, growth: Int, beside held: Holdings) -> Bool {
    growth <= 0 || (!isDiskFull && held.bytes <= bytes - growth)
      || Self.weight(new) <= Self.weight(old)
  }

  /// Whether the journal may grow because of what a device offers. Conflicts are written down
  /// beyond the quota, so that nothing is lost, but not without end.
  func allowsJournal(beside held: Holdings) -> Bool {
    held.records / 2 < records && held.bytes / 2 < bytes
  }

  /// What a record holds: its fields and their values, but for whether it is deleted.
  private static func weight(_ record: Record) -> Int {
    record.registers.reduce(0) { sum, register in
      let isDeletion =
        register.field == Register.deletedField
        && register.value.count <= Register.deletedValue.count
      return isDeletion ? sum : sum + 1 + register.value.count
    }
  }
}
