// SPDX-License-Identifier: Apache-2.0
// Decides whether an account's quota admits a record or a change.

import AtrestReplication

/// The quota of one account. Bounds how much disk space a faulty or stolen device can use.
package struct AccountQuota: Hashable, Sendable {
  /// Maximum number of records, including deleted ones and the journal.
  package var records: Int
  /// Maximum bytes of encoded records.
  package var bytes: Int
  /// Whether the disk is nearly full. The remaining space is reserved for deletions, and no record
  /// may grow.
  var isDiskFull = false

  package init(records: Int = 1_000_000, bytes: Int = 1 << 30) {
    self.records = records
    self.bytes = bytes
  }

  /// A million records and one gibibyte. A drink every quarter of an hour for a lifetime exceeds
  /// neither.
  package static let standard = AccountQuota()

  /// Whether a new record with this many bytes fits.
  func allowsRecord(_ kind: RecordKind, bytes count: Int, beside held: Holdings) -> Bool {
    guard !isDiskFull else { return false }
    // A restored server may receive a journal entry again before the deletion that it is about. The
    // deletion is accepted however full the account is.
    if kind == .conflict { return allowsJournal(beside: held) }
    return held.records < records && held.bytes <= bytes - count
  }

  /// Whether a record may be replaced by one that is `growth` bytes longer.
  ///
  /// A change that lengthens no value and adds no field is always accepted: stamps alone add a
  /// bounded number of bytes, and a person who makes room must be able to delete.
  func allows(_ new: Record, inPlaceOf old: Record, growth: Int, beside held: Holdings) -> Bool {
    growth <= 0 || (!isDiskFull && held.bytes <= bytes - growth)
      || Self.weight(new) <= Self.weight(old)
  }

  /// Whether a device's offers may add journal entries. Conflicts may exceed the quota, so that
  /// none is lost, but only up to twice its size.
  func allowsJournal(beside held: Holdings) -> Bool {
    held.records / 2 < records && held.bytes / 2 < bytes
  }

  /// The number of fields plus the size of their values, without the deletion flag.
  private static func weight(_ record: Record) -> Int {
    record.registers.reduce(0) { sum, register in
      let isDeletion =
        register.field == Register.deletedField
        && register.value.count <= Register.deletedValue.count
      return isDeletion ? sum : sum + 1 + register.value.count
    }
  }
}
