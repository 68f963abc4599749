// SPDX-License-Identifier: Apache-2.0
// Typed writes for apps. Each call is one user action, stamped once and queued for the server.

import AtrestReplication
import AtrestSync

extension ReplicaTransaction {
  /// Writes a setting.
  ///
  /// - Throws: `.invalid` unless the key has 1 to 96 bytes of UTF-8 and the value at most 4096
  ///   without NUL.
  public func setPreference(_ key: String, to value: String) throws(ReplicaError) {
    try work.setPreference(key, to: value)
  }

  /// Deletes a record.
  ///
  /// - Returns: Whether there was a live record.
  /// - Throws: `.invalid` for a purchase, which cannot be deleted.
  @discardableResult
  public func delete(_ key: RecordKey) throws(ReplicaError) -> Bool { try work.delete(key) }

  /// Stores a signed App Store transaction and queues it for the account's other devices. Of
  /// several statements about one purchase the one signed last wins, whatever the order of arrival.
  /// Verifies nothing and grants nothing.
  ///
  /// - Parameter jws: JWS compact form, at most 16 KiB.
  /// - Throws: `.invalid` if `jws` is not a signed transaction.
  public func keep(signedTransaction jws: [UInt8]) throws(ReplicaError) {
    try work.keep(signedTransaction: jws)
  }

  /// Writes the losing value back as an ordinary new write and deletes the journal entry.
  ///
  /// If the record was pruned, what else it said is written back, too.
  /// - Throws: `.invalid` if the record would still lack a required field, or has not arrived yet.
  public func restore(_ entry: JournalEntry) throws(ReplicaError) {
    try work.restore(entry.conflict)
  }
}
