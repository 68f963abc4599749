// SPDX-License-Identifier: Apache-2.0
// Checks that the right write won in each field of each record.

import AtrestReplication

/// The greatest acknowledged register of each field, in the order of docs/protocol/merge.md.
///
/// It is built from responses, never from the server's records.
struct Acknowledged {
  private struct Field: Hashable {
    var key: RecordKey
    var field: FieldNumber
  }

  private var greatest: [Field: Register] = [:]
  /// The greatest floor of each record.
  private var floors: [RecordKey: Stamp] = [:]

  /// All registers, ordered by key and field.
  var all: [Oracle.Held] {
    greatest.map { Oracle.Held(key: $0.key.key, register: $0.value) }
      .sorted { ($0.key, $0.register.field) < ($1.key, $1.register.field) }
  }

  /// A response acknowledged the record, or a holder has it.
  mutating func note(_ record: Record, without waiting: Set<Oracle.Held> = []) {
    guard record.key.kind != .conflict else { return }
    if let floor = record.floor?.stamp, floors[record.key].map({ $0 < floor }) ?? true {
      // The record begins anew.
      floors[record.key] = floor
      for field in greatest.keys where field.key == record.key { greatest[field] = nil }
    }
    guard record.floor?.stamp == floors[record.key] else { return }
    for register in record.registers
    where !waiting.contains(Oracle.Held(key: record.key, register: register)) {
      let field = Field(key: record.key, field: register.field)
      if let known = greatest[field], !Acknowledged.isLess(known, register) { continue }
      greatest[field] = register
    }
  }

  /// The first field whose visible register is less than the greatest acknowledged one.
  ///
  /// A device that pairs again with a server that went back may offer an acknowledged write a
  /// second time, stamped with its new identity at the same time. The same write under either stamp
  /// is not beaten.
  ///
  /// - Parameters:
  ///   - records: The visible records, by key.
  ///   - oracle: Knows the stamps of each write. Nil: a write has only the one it was acknowledged
  ///     under.
  func firstBeaten(
    _ records: [RecordKey: Record], as oracle: Oracle? = nil
  ) -> (key: RecordKey, owed: Register)? {
    greatest.filter { field, owed in
      let record = records[field.key]
      // A record that was pruned since has begun anew.
      if let floor = record?.floor?.stamp, floors[field.key].map({ $0 < floor }) ?? true {
        return false
      }
      guard let visible = record?[field.field] else { return true }
      guard Acknowledged.isLess(visible, owed) else { return false }
      return !(oracle?.isSameWrite(visible, owed, in: field.key) ?? false)
    }
    .min { ($0.key.key, $0.key.field) < ($1.key.key, $1.key.field) }
    .map { ($0.key.key, $0.value) }
  }

  /// The order of docs/protocol/merge.md, implemented independently.
  private static func isLess(_ a: Register, _ b: Register) -> Bool {
    if a.stamp.time != b.stamp.time { return a.stamp.time.rawValue < b.stamp.time.rawValue }
    if a.stamp.replica != b.stamp.replica {
      return a.stamp.replica.rawValue < b.stamp.replica.rawValue
    }
    for (mine, theirs) in zip(a.value, b.value) where mine != theirs { return mine < theirs }
    if a.value.count != b.value.count { return a.value.count < b.value.count }
    return [a.replaced].compactMap(\.self).lexicographicallyPrecedes(
      [b.replaced].compactMap(\.self))
  }
}

extension Oracle {
  /// Whether one write carried both stamps.
  fileprivate func isSameWrite(_ a: Register, _ b: Register, in key: RecordKey) -> Bool {
    !Set(stamped(a, in: key)).isDisjoint(with: stamped(b, in: key))
  }

  /// A visible register whose write was known to and overwritten by an owed later write, together
  /// with that later write.
  ///
  /// The writer of a later write in the same field knew the earlier one, directly or through
  /// others. The earlier one must never win: neither a clock nor restamping may undo what a person
  /// did knowingly. It does not matter what the later write itself lost to, because that winner
  /// also beats the earlier write. Two things end the claim. Every holder of the later write is
  /// gone, so it is not owed. Or the record was pruned since, and what was restored afterwards may
  /// be older.
  ///
  /// A write that was pending when its disk was copied or its replica took a new identity belongs
  /// to two replicas. The later write knew one of the two, and the other may win. The journal then
  /// lists the later one.
  func firstUndone(_ records: [Record]) -> (visible: Write, later: Write)? {
    var floors: [RecordKey: Stamp] = [:]
    for record in records { floors[record.key] = record.floor?.stamp }
    /// For each write, the first owed one whose writer knew it.
    var later: [Int: Int] = [:]
    /// Writes that a floor covers, or a later write whose writer knew them: a replica may have
    /// written over one before it was offered, and its stamp then never changed (seed 0x49401).
    var covered: Set<Int> = []
    for id in writes.indices.reversed() {
      if isUnderFloor(id, floors) { covered.insert(id) }
      if covered.contains(id) { covered.formUnion(writes[id].parents) }
      var owed = later[id]
      if writes[id].isOwed, !covered.contains(id) { owed = id }
      guard let owed else { continue }
      for parent in writes[id].parents where writes[id].parents.count == 1 { later[parent] = owed }
    }
    for record in records where record.key.kind != .conflict {
      for register in record.registers where register.field != Register.pruneFloorField {
        let ids = writes(of: register, in: record.key)
        guard let first = ids.first,
          !ids.contains(where: { later[$0] == nil || isDoubled($0) }),
          let by = later[first]
        else { continue }
        return (writes[first], writes[by])
      }
    }
    return nil
  }

  private func isUnderFloor(_ id: Int, _ floors: [RecordKey: Stamp]) -> Bool {
    guard let floor = floors[writes[id].key] else { return false }
    return writes[id].floor.map { $0 < floor } ?? true
  }
}
