// SPDX-License-Identifier: Apache-2.0
// Typed writes for apps. Each call is one user action, stamped once and queued for the server.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

extension ReplicaTransaction {
  /// Writes a setting.
  ///
  /// - Throws: `.invalid` unless the key has 1 to 96 bytes of UTF-8 and the value at most 4096
  ///   without NUL.
  public func setPreference(_ key: String, to value: String) throws(ReplicaError) {
    guard (1...Record.Limits.idBytes).contains(key.utf8.count) else {
      throw .invalid("A setting's name has 1 to \(Record.Limits.idBytes) bytes. Choose another.")
    }
    guard value.utf8.count <= PreferenceField.limitBytes, !value.utf8.contains(0) else {
      throw .invalid(
        "A setting's value has at most \(PreferenceField.limitBytes) bytes of text. Shorten it.")
    }
    try write(
      RecordKey(kind: .preference, id: Array(key.utf8)),
      [(PreferenceField.value, PreferenceField.encode(value))])
  }

  /// Deletes a record.
  ///
  /// - Returns: Whether there was a live record.
  /// - Throws: `.invalid` for a purchase, which cannot be deleted.
  @discardableResult
  public func delete(_ key: RecordKey) throws(ReplicaError) -> Bool {
    guard let record = try record(key), !record.isDeleted else { return false }
    guard key.kind != .entitlement else {
      throw .invalid("A purchase is a fact and cannot be deleted.")
    }
    try write(key, [], deleted: true)
    return true
  }

  /// Stores a signed App Store transaction and queues it for the account's other devices. Of
  /// several statements about one purchase the one signed last wins, whatever the order of arrival.
  /// Verifies nothing and grants nothing.
  ///
  /// - Parameter jws: JWS compact form, at most 16 KiB.
  /// - Throws: `.invalid` if `jws` is not a signed transaction.
  public func keep(signedTransaction jws: [UInt8]) throws(ReplicaError) {
    guard let fact = EntitlementField.record(jws: jws) else {
      throw .invalid(
        "This is not a signed App Store transaction. Take it from the App Store as it is.")
    }
    let stored = try record(fact.key)
    var merged = stored ?? Record(key: fact.key)
    merged.merge(fact)
    guard merged != stored else { return }
    let pending = try storage { try entries(for: fact.key) }
    try storage {
      try put(merged)
      // A fact is not an edit: its offer has no `written` fields, so it never conflicts and is
      // never restamped.
      try queue(
        Offer(record: merged, written: []), insteadOf: coalescing(over: stored, pending))
    }
    changed.written.insert(fact.key)
  }

  /// Writes the losing value back as an ordinary new write and deletes the journal entry.
  ///
  /// If the record was pruned, the other values of the losing action are written back too.
  /// - Throws: `.invalid` if the record would still lack a required field, or has not arrived yet.
  public func restore(_ entry: JournalEntry) throws(ReplicaError) {
    let key = entry.conflict.key
    let stored = try record(key)
    var restored = [entry]
    // A journal entry precedes its record in the feed, and a page may end between them.
    let isHere = stored.map { $0.reaches(entry.conflict.kept) }
    let isDeleting = entry.conflict.lost.value == Register.deletedValue
    guard isHere ?? (!isDeleting && isWhole(nil, with: restored)) else {
      throw .invalid("The record itself has not arrived yet. Sync, then try again.")
    }
    if stored?[Register.pruneFloorField] != nil, !isWhole(stored, with: restored) {
      restored = try conflicts().filter {
        $0.conflict.key == key && $0.conflict.lost.stamp == entry.conflict.lost.stamp
      }
      guard restored.contains(entry), isWhole(stored, with: restored) else {
        throw .invalid(
          """
          The record was deleted, and what else it said is gone, so this alone cannot be written back. Write \
          back the entry that holds its value instead, or write it anew.
          """)
      }
    }
    let values = restored.map(\.conflict.lost).filter { $0.field != Register.deletedField }
    let isDeletion =
      values.isEmpty && entry.conflict.lost.value == Register.deletedValue
    try write(key, values.map { ($0.field, $0.value) }, deleted: isDeletion)
    for entry in restored { try delete(entry.key) }
  }

  /// Whether a record, with the lost values of the entries, satisfies its kind's rules. Unknown
  /// kinds have none.
  private func isWhole(_ stored: Record?, with entries: [JournalEntry]) -> Bool {
    guard let key = entries.first?.conflict.key else { return true }
    var record = stored ?? Record(key: key)
    let latest = entries.map(\.conflict.lost.stamp).max()
    for lost in entries.map(\.conflict.lost) {
      guard let stamp = [latest, record[lost.field]?.stamp].compactMap({ $0 }).max() else {
        continue
      }
      record.set(Register(field: lost.field, stamp: stamp, value: lost.value))
    }
    if entries.contains(where: { $0.conflict.lost.field != Register.deletedField }),
      let deletion = record[Register.deletedField]
    {
      record.set(Register(field: deletion.field, stamp: deletion.stamp, value: []))
    }
    do { try record.checkKindRules() } catch { return false }
    return true
  }

  /// Writes one user action on a record: changed fields and `deleted`, under one stamp.
  ///
  /// - Parameters:
  ///   - values: Fields with encoded values. Values that are already stored are not written again.
  ///   - deleted: Whether the action is a deletion.
  func write(
    _ key: RecordKey, _ values: [(field: FieldNumber, value: [UInt8])], deleted: Bool = false
  ) throws(ReplicaError) {
    let stored = try record(key)
    let differing = values.filter { stored?[$0.field]?.value != $0.value }
    guard stored == nil || !differing.isEmpty || stored?.isDeleted != deleted else { return }

    try checkSize(key, stored, differing)
    let stamp = try nextStamp(after: stored)
    let takenBack = try storage { try takeBackHeldDeletion(of: stored) }
    let pending = try storage { try entries(for: key) }
    let earlier = coalescing(over: stored, pending)
    let deletion = (Register.deletedField, deleted ? Register.deletedValue : [])
    var record = stored ?? Record(key: key)
    for (field, value) in differing + [deletion] {
      let replaced = record[field].flatMap { current in
        if let takenBack, takenBack.deletion == current { return takenBack.replaced }
        // The server will never see the current register before this write: it is in an entry that
        // this one replaces, or was refused permanently. So this write replaces what that one
        // replaced.
        let isUnseen =
          earlier?.wrote(current) == true
          || pending.contains { $0.isRefusedForGood && $0.wrote(current) }
        return isUnseen ? current.replaced : current.stamp
      }
      record.set(Register(field: field, stamp: stamp, replaced: replaced, value: value))
    }
    guard record.isStorable else { throw ReplicaTransaction.tooLarge }
    let fields = (differing.map(\.field) + [Register.deletedField]).sorted()
    try storage {
      try put(record)
      try queue(Offer(record: record, written: fields), insteadOf: earlier)
    }
    changed.written.insert(key)
    steps?.append(ActionStep(before: stored, after: Offer(record: record, written: fields)))
  }

  /// Checks a write before anything is changed: whoever catches the error may commit the rest. A
  /// deletion alone is always allowed.
  private func checkSize(
    _ key: RecordKey, _ stored: Record?, _ written: [(field: FieldNumber, value: [UInt8])]
  ) throws(ReplicaError) {
    guard !written.isEmpty else { return }
    let fields = Set(written.map { $0.field })
    let kept = (stored?.registers ?? []).filter { !fields.contains($0.field) }
    guard Record.mayHave(kept.map { ($0.field, $0.value) } + written, of: key) else {
      throw ReplicaTransaction.tooLarge
    }
  }

  private static let tooLarge = ReplicaError.invalid(
    "The record would become too large. Shorten what was written.")

  /// A stamp greater than every stamp that this replica gave or observed, and than those in the
  /// record.
  private func nextStamp(after stored: Record?) throws(ReplicaError) -> Stamp {
    if let latest = stored?.latestTime { state.clock.observe(latest) }
    guard state.clock.latest < .latest else {
      throw .invalid("This record's time lies at the end of all times; it cannot be edited.")
    }
    let time = state.clock.tick(at: state.serverOffset.corrected(now))
    return Stamp(time: time, replica: state.replica)
  }
}

extension Record {
  /// Whether the record has a register or a later one of its field.
  fileprivate func reaches(_ register: Register) -> Bool {
    [register.field, Register.pruneFloorField].contains { field in
      self[field].map { $0.stamp >= register.stamp } ?? false
    }
  }
}
