// SPDX-License-Identifier: Apache-2.0
// A record: registers in field order, merged one by one.

/// A record is a product of registers, hence a join-semilattice: merging is commutative,
/// associative and idempotent.
///
/// A pruned record begins anew above its `prune_floor` register. Of two copies with different
/// floors the one with the greater floor survives whole. That is the lexicographic product of a
/// chain and a semilattice, hence a semilattice again.
public struct Record: Hashable, Sendable {
  /// The record's identity: kind and id.
  public let key: RecordKey
  /// The registers, ascending by field, each field at most once.
  public private(set) var registers: [Register]

  /// Creates a record without registers: the least element of its lattice.
  public init(key: RecordKey) {
    self.key = key
    registers = []
  }

  /// Creates a record with the given registers.
  ///
  /// - Parameter registers: Ascending by field, each field at most once, none older than a
  ///   `prune_floor` register.
  /// - Returns: nil if `registers` breaks one of these rules.
  public init?(key: RecordKey, registers: [Register]) {
    var last: FieldNumber = 0
    for register in registers {
      guard register.field > last else { return nil }
      last = register.field
    }
    if let floor = registers.first(where: { $0.field == Register.pruneFloorField }) {
      guard !registers.contains(where: { $0.stamp < floor.stamp }) else { return nil }
    }
    self.key = key
    self.registers = registers
  }

  /// Bounds on what a peer may send. They keep the largest record within half a message.
  public enum Limits {
    /// The largest id in bytes. Journal entries, whose ids contain another record's, may be 32
    /// bytes longer.
    public static let idBytes = 96
    /// The largest register value in bytes. An App Store transaction fits.
    public static let valueBytes = 16 * 1024
    /// The largest register value in a record of a kind, in bytes. A journal entry holds two values
    /// of another record in one register, and that record in another.
    public static func valueBytes(of field: FieldNumber, in kind: RecordKind?) -> Int {
      guard kind == .conflict else { return valueBytes }
      return field == Conflict.recordField ? encodedBytes + 8 : 2 * valueBytes + 1024
    }
    /// The most registers in one record.
    public static let registers = 64
    /// The largest encoded record in bytes.
    public static let encodedBytes = 64 * 1024
    /// The largest encoded record of a kind, in bytes. A journal entry holds another record.
    public static func encodedBytes(of kind: RecordKind) -> Int {
      kind == .conflict ? 100 * 1024 : encodedBytes
    }
  }

  /// The register of a field, or nil. O(fields); kinds have few.
  public subscript(field: FieldNumber) -> Register? {
    registers.first { $0.field == field }
  }

  /// Whether the last action on the record was its deletion.
  public var isDeleted: Bool {
    self[Register.deletedField]?.value == Register.deletedValue
  }

  /// The stamps that a deletion of this record holds: those of its registers, and of what they
  /// replaced or held. Ascending, the newest `Register.heldLimit`.
  public var held: [Stamp] {
    let stamps = registers.flatMap { [$0.stamp] + ($0.replaced.map { [$0] } ?? []) + $0.held }
    return Array(Set(stamps).sorted().suffix(Register.heldLimit))
  }

  /// The fields encoded as one message of the record's kind.
  public var message: [UInt8] {
    registers.flatMap { $0.value }
  }

  /// The greatest time of any register, or nil for an empty record.
  public var latestTime: HybridTime? {
    registers.lazy.map { $0.stamp.time }.max()
  }

  /// Takes what the deletion's writer held out of the deletion.
  public mutating func forgetHeld() {
    guard var deletion = self[Register.deletedField] else { return }
    deletion.held = []
    set(deletion)
  }

  /// Inserts a register or overwrites the field's existing one unconditionally. For local writes;
  /// use `merge` for remote ones.
  public mutating func set(_ register: Register) {
    let index = registers.firstIndex { $0.field >= register.field } ?? registers.endIndex
    if index < registers.endIndex, registers[index].field == register.field {
      registers[index] = register
    } else {
      registers.insert(register, at: index)
    }
  }

  /// What pruning left of the latest pruned deletion; nil if the record was never pruned.
  public var floor: Register? { self[Register.pruneFloorField] }

  /// Whether another copy was pruned since this one was written: its floor is greater.
  public func isOutlived(by other: Record) -> Bool {
    guard let theirs = other.floor else { return false }
    return floor.map { $0.givesWay(to: theirs) } ?? true
  }

  /// Merges another copy into this one. If their floors differ, the one with the greater floor
  /// survives whole. Otherwise the greater register of each field does.
  ///
  /// - Parameters:
  ///   - other: A copy of the same record.
  ///   - lost: Called for each field whose registers differ, with the loser and the winner; and for
  ///     each register that is gone with its copy, with the greater floor as the winner.
  /// - Complexity: O(fields of both); no allocation if nothing changes.
  public mutating func merge(
    _ other: Record, lost: (_ lost: Register, _ kept: Register) -> Void = { _, _ in }
  ) {
    precondition(key == other.key, "only copies of one record merge")
    if isOutlived(by: other) {
      other.outlive(self, lost)
      registers = other.registers
    } else if other.isOutlived(by: self) {
      outlive(other, lost)
    } else {
      mergeFields(other, lost)
    }
  }

  private func outlive(_ other: Record, _ lost: (_ lost: Register, _ kept: Register) -> Void) {
    guard let floor else { return }
    for register in other.registers where self[register.field] != register { lost(register, floor) }
  }

  private mutating func mergeFields(
    _ other: Record, _ lost: (_ lost: Register, _ kept: Register) -> Void
  ) {
    var index = registers.startIndex
    for theirs in other.registers {
      while index < registers.endIndex, registers[index].field < theirs.field { index += 1 }
      guard index < registers.endIndex, registers[index].field == theirs.field else {
        registers.insert(theirs, at: index)
        continue
      }
      let mine = registers[index]
      if mine.givesWay(to: theirs) {
        registers[index] = theirs
        lost(mine, theirs)
      } else if theirs != mine {
        lost(theirs, mine)
      }
    }
  }

  /// The record with what its deletion made unreachable taken out, and a floor in its place. A
  /// record that is not deleted, or has nothing to prune, is returned unchanged.
  ///
  /// Only the server does this, a stated time after it took the deletion.
  public func pruned() -> Record {
    guard var floor = self[Register.deletedField], isDeleted,
      registers.contains(where: {
        $0.field != Register.pruneFloorField && $0.stamp < floor.stamp
      })
    else { return self }
    (floor.field, floor.value) = (Register.pruneFloorField, Register.pruneFloorValue)
    var copy = self
    copy.registers.removeAll { $0.stamp < floor.stamp }
    copy.set(floor)
    return copy
  }
}
