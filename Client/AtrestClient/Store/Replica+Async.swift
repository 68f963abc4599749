// SPDX-License-Identifier: Apache-2.0
// What an app's interface reads and writes, off the caller's thread.

import AtrestDomain
import AtrestReplication
import AtrestSync

/// One transaction each. A write is durable when its method returns.
extension Replica {
  /// Runs several reads and writes as one transaction; see `transaction(_:)`. Do not call the
  /// replica itself from inside, or use the transaction after it: both are programming errors and
  /// trap.
  ///
  /// - Throws: What `body` throws, after a rollback; `ReplicaError` if the replica fails.
  public func perform<Result: Sendable>(
    _ body: @escaping @Sendable (ReplicaTransaction) throws -> Result
  ) async throws -> Result {
    try await offload { () throws(ReplicaError) in
      Swift.Result { try self.transaction(body) }
    }.get()
  }

  /// See `ReplicaTransaction.save(_:)`.
  public func save<R: SyncedRecord>(_ record: R) async throws(ReplicaError) {
    try await writing { try $0.save(record) }
  }

  /// See `ReplicaTransaction.save(_:editedFrom:)`.
  public func save<R: SyncedRecord>(
    _ record: R, editedFrom original: R
  ) async throws(ReplicaError) {
    try await writing { try $0.save(record, editedFrom: original) }
  }

  /// See `ReplicaTransaction.record(of:_:)`.
  public func record<R: SyncedRecord>(
    of type: R.Type, _ id: R.ID
  ) async throws(ReplicaError) -> R? {
    try await reading { try $0.record(of: type, id) }
  }

  /// See `ReplicaTransaction.records(of:)`.
  public func records<R: SyncedRecord>(of type: R.Type) async throws(ReplicaError) -> [R] {
    try await reading { try $0.records(of: type) }
  }

  /// Deletes a record.
  /// - Returns: Whether there was one.
  @discardableResult
  public func delete<R: SyncedRecord>(_ record: R) async throws(ReplicaError) -> Bool {
    let key = record.key
    return try await writing { try $0.delete(key) }
  }

  /// See `ReplicaTransaction.openSessions()`.
  public func openSessions() async throws(ReplicaError) -> [Session] {
    try await reading { try $0.openSessions() }
  }

  /// See `ReplicaTransaction.history(from:before:limit:)`.
  public func history(
    from: WallTime? = nil, before: WallTime? = nil, limit: Int? = nil
  ) async throws(ReplicaError) -> [Session] {
    try await reading { try $0.history(from: from, before: before, limit: limit) }
  }

  /// See `ReplicaTransaction.water(from:before:)`.
  public func water(
    from: WallTime, before: WallTime
  ) async throws(ReplicaError) -> [WaterEntry] {
    try await reading { try $0.water(from: from, before: before) }
  }

  /// See `ReplicaTransaction.preference(_:)`.
  public func preference(_ key: String) async throws(ReplicaError) -> String? {
    try await reading { try $0.preference(key) }
  }

  /// See `ReplicaTransaction.setPreference(_:to:)`.
  public func setPreference(_ key: String, to value: String) async throws(ReplicaError) {
    try await writing { try $0.setPreference(key, to: value) }
  }

  /// See `ReplicaTransaction.conflicts()`.
  public func conflicts() async throws(ReplicaError) -> [JournalEntry] {
    try await reading { try $0.conflicts() }
  }

  /// See `ReplicaTransaction.restore(_:)`.
  public func restore(_ entry: JournalEntry) async throws(ReplicaError) {
    try await writing { try $0.restore(entry) }
  }

  /// Puts a journal entry away, on every device.
  public func dismiss(_ entry: JournalEntry) async throws(ReplicaError) {
    _ = try await writing { try $0.delete(entry.key) }
  }

  /// See `ReplicaTransaction.undo(_:)`.
  public func undo(_ kind: UserAction? = nil) async throws(ReplicaError) -> UndoneAction? {
    try await writing { try $0.undo(kind) }
  }

  /// See `ReplicaTransaction.undo(of:)`.
  public func undo(of kinds: Set<RecordKind>) async throws(ReplicaError) -> UndoneAction? {
    try await writing { try $0.undo(of: kinds) }
  }
}
