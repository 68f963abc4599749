// SPDX-License-Identifier: Apache-2.0
// Local writes. Each is one user action on a record, stamped once and queued for the server.

import AtrestDomain
import AtrestReplication
import AtrestWire

extension UnitOfWork {
  /// Writes the fields that differ from the stored fast, and revives a deleted one.
  ///
  /// - Throws: `.invalid` for a fast that cannot be stored.
  package mutating func save(_ session: Session) throws(ReplicaError) {
    try session.checkTarget()
    try write(RecordKey(kind: .session, id: session.id.bytes), RecordFields(session))
  }

  /// Writes the fields that differ from the stored drink, and revives a deleted one.
  package mutating func save(_ entry: WaterEntry) throws(ReplicaError) {
    try write(RecordKey(kind: .water, id: entry.id.bytes), RecordFields(entry))
  }

  /// Writes the fields that differ from the stored record, and revives a deleted one. A field that
  /// was never set stays so: to write that would win over another device's value.
  ///
  /// - Precondition: The fields are those that a kind may have.
  package mutating func write(
    _ key: RecordKey, _ fields: RecordFields
  ) throws(ReplicaError) {
    precondition(
      fields.values.allSatisfy { RecordFields.isUsable($0.field) },
      "a field belongs to the protocol")
    let values = fields.values.map { (field: $0.field, value: Array($0.bytes)) }
    try write(key, values, leavingUnset: true)
  }

  /// Writes a setting.
  ///
  /// - Throws: `.invalid` unless the key has 1 to 96 bytes of UTF-8 and the value at most 4096
  ///   without NUL.
  package mutating func setPreference(_ key: String, to value: String) throws(ReplicaError) {
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
  package mutating func delete(_ key: RecordKey) throws(ReplicaError) -> Bool {
    guard let record = try records.record(key), !record.isDeleted else { return false }
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
  package mutating func keep(signedTransaction jws: [UInt8]) throws(ReplicaError) {
    guard let fact = EntitlementField.record(jws: jws) else {
      throw .invalid(
        "This is not a signed App Store transaction. Take it from the App Store as it is.")
    }
    let stored = try records.record(fact.key)
    var merged = stored ?? Record(key: fact.key)
    merged.merge(fact)
    guard merged != stored else { return }
    let pending = try outbox.entries(for: fact.key)
    try records.put(merged)
    // A fact is not an edit: its offer has no `written` fields, so it never conflicts and is never
    // restamped.
    try outbox.queue(
      Offer(record: merged, written: []), insteadOf: outbox.coalescing(over: stored, pending))
    written.insert(fact.key)
  }

  /// Writes one user action on a record: changed fields and `deleted`, under one stamp.
  ///
  /// - Parameters:
  ///   - values: Fields with encoded values. Values that are already stored are not written again.
  ///   - deleted: Whether the action is a deletion.
  ///   - leavingUnset: Whether an empty value is not written to a field that was never set: that
  ///     would win over another device's value.
  package mutating func write(
    _ key: RecordKey, _ values: [(field: FieldNumber, value: [UInt8])], deleted: Bool = false,
    leavingUnset: Bool = false
  ) throws(ReplicaError) {
    let stored = try records.record(key)
    let differing = values.filter { field, value in
      guard let held = stored?[field] else { return !(leavingUnset && value.isEmpty) }
      return held.value != value
    }
    guard stored == nil || !differing.isEmpty || stored?.isDeleted != deleted else { return }

    try checkSize(key, stored, differing)
    let stamp = try nextStamp(after: stored)
    let takenBack = try massDeletions.takeBack(of: stored)
    let pending = try outbox.entries(for: key)
    let earlier = outbox.coalescing(over: stored, pending)
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
      let isDeletion = deleted && field == Register.deletedField
      record.set(
        Register(
          field: field, stamp: stamp, replaced: replaced, value: value,
          held: isDeletion ? stored?.held ?? [] : []))
    }
    // A deletion always goes. Without what it held, more is journalled than need be.
    if deleted, !record.isStorable { record.forgetHeld() }
    guard record.isStorable else { throw Self.tooLarge }
    let offer = Offer(
      record: record, written: (differing.map { $0.field } + [Register.deletedField]).sorted())
    try records.put(record)
    try outbox.queue(offer, insteadOf: earlier)
    written.insert(key)
    steps?.append(ActionStep(before: stored, after: offer))
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
      throw Self.tooLarge
    }
  }

  private static var tooLarge: ReplicaError {
    .invalid("The record would become too large. Shorten what was written.")
  }

  /// A stamp greater than every stamp that this replica gave or observed, and than those in the
  /// record.
  private func nextStamp(after stored: Record?) throws(ReplicaError) -> Stamp {
    if let latest = stored?.latestTime { tables.state.clock.observe(latest) }
    guard tables.state.clock.latest < .latest else {
      throw .invalid("This record's time lies at the end of all times; it cannot be edited.")
    }
    let time = tables.state.clock.tick(at: tables.state.serverOffset.corrected(now))
    return Stamp(time: time, replica: tables.state.replica)
  }
}

extension Session {
  /// Checks what the type does not rule out.
  ///
  /// - Throws: `.invalid`.
  package func checkTarget() throws(ReplicaError) {
    guard Session.targetRange.contains(targetMinutes) else {
      throw .invalid("A fast's target lies between 1 minute and 14 days. Choose another.")
    }
  }
}
