// SPDX-License-Identifier: Apache-2.0
// Whether the right write won, for each field of each record.

import AtrestReplication

/// The greatest register of each field that the server acknowledged, by the order of
/// docs/protocol/merge.md.
///
/// It is fed from answers, never from what the server shows.
struct Acknowledged {
  private struct Field: Hashable {
    var key: RecordKey
    var field: FieldNumber
  }

  private var greatest: [Field: Register] = [:]

  /// All of them, in the order of keys and fields.
  var all: [Oracle.Held] {
    greatest.map { Oracle.Held(key: $0.key.key, register: $0.value) }
      .sorted { ($0.key, $0.register.field) < ($1.key, $1.register.field) }
  }

  /// An answer took the record in, or a holder has it.
  mutating func note(_ record: Record, without waiting: Set<Oracle.Held> = []) {
    guard record.key.kind != .conflict else { return }
    for register in record.registers
    where !waiting.contains(Oracle.Held(key: record.key, register: register)) {
      let field = Field(key: record.key, field: register.field)
      if let known = greatest[field], !Acknowledged.isLess(known, register) { continue }
      greatest[field] = register
    }
  }

  /// The first field in which something less than the greatest is visible.
  ///
  /// - Parameter records: What is visible, by key.
  func firstBeaten(_ records: [RecordKey: Record]) -> (key: RecordKey, owed: Register)? {
    greatest.filter { field, owed in
      let record = records[field.key]
      // What is older than the floor was pruned, and something younger may have come since.
      if let floor = record?[Register.pruneFloorField], owed.stamp < floor.stamp { return false }
      guard let visible = record?[field.field] else { return true }
      return Acknowledged.isLess(visible, owed)
    }
    .min { ($0.key.key, $0.key.field) < ($1.key.key, $1.key.field) }
    .map { ($0.key.key, $0.value) }
  }

  /// The order of docs/protocol/merge.md, written down once more.
  private static func isLess(_ a: Register, _ b: Register) -> Bool {
    if a.stamp.time != b.stamp.time { return a.stamp.time.rawValue < b.stamp.time.rawValue }
    if a.stamp.replica != b.stamp.replica {
      return a.stamp.replica.rawValue < b.stamp.replica.rawValue
    }
    for (mine, theirs) in zip(a.value, b.value) where mine != theirs { return mine < theirs }
    return a.value.count < b.value.count
  }
}

extension Oracle {
  /// A visible register whose write an owed one had seen and written over, and that one.
  ///
  /// What waited when its disk was copied, or its replica took a new identity, is two replicas'
  /// own: the later write knew one of the two, and the other may win. The journal then lists the
  /// later one.
  ///
  /// A later write of the same field must never be beaten by one that its writer had seen, directly
  /// or through others: neither a clock nor a new stamp may undo what a person did knowingly. What
  /// the later write itself lost to does not matter: its conqueror beat what it had beaten. Two
  /// things end the claim: every holder of the later write is gone (then it is not owed), or a
  /// floor covers it (then the record's deletion took it out, and what was brought back after may
  /// be older).
  func firstUndone(_ records: [Record]) -> (visible: Write, later: Write)? {
    var floors: [RecordKey: Stamp] = [:]
    for record in records { floors[record.key] = record[Register.pruneFloorField]?.stamp }
    /// For each write the first owed one that was made in its knowledge.
    var later: [Int: Int] = [:]
    for id in writes.indices.reversed() {
      var owed = later[id]
      if writes[id].isOwed, !isUnderFloor(id, floors) { owed = id }
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
    let stamps = writes[id].stamps
    // Of two replicas that offer it one may give the earlier stamp, and the other a new one.
    guard let floor = floors[writes[id].key],
      let stamp = isDoubled(id) ? stamps.max() : stamps.last
    else { return false }
    return stamp < floor
  }
}
