// SPDX-License-Identifier: Apache-2.0
// A record: registers in the order of their fields, merged one by one.

/// A record is a product of registers, hence a join-semilattice: merging is commutative,
/// associative and idempotent.
///
/// One register is also a floor for the others: what is older than `prune_floor` is dropped. The
/// greatest floor of all copies drops what any smaller one would have dropped, so the order of
/// merges still does not matter.
public struct Record: Hashable, Sendable {
  /// What it is about.
  public let key: RecordKey
  /// Ascending by field, each field at most once.
  public private(set) var registers: [Register]

  /// A record without any register: the least element of its lattice.
  public init(key: RecordKey) {
    self.key = key
    registers = []
  }

  /// A record with the given registers.
  ///
  /// - Parameter registers: Ascending by field, each field at most once, none older than a
  ///   `prune_floor` register; nil is returned for anything else.
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

  /// Bounds on what a peer may send; they keep the largest record within a quarter of a message.
  public enum Limits {
    /// Bytes of an id. Journal entries, whose ids hold another record's, may be 32 longer.
    public static let idBytes = 96
    /// Bytes of one register's value: an App Store transaction fits.
    public static let valueBytes = 16 * 1024
    /// The same, of any kind of record: a journal entry's value holds two of another record's.
    public static func valueBytes(of kind: RecordKind) -> Int {
      kind == .conflict ? 2 * valueBytes + 1024 : valueBytes
    }
    /// Registers of one record.
    public static let registers = 64
    /// Bytes of an encoded record.
    public static let encodedBytes = 64 * 1024
  }

  /// The register of a field, or nil. O(fields), and kinds have few.
  public subscript(field: FieldNumber) -> Register? {
    registers.first { $0.field == field }
  }

  /// Whether the last action on the record was its deletion.
  public var isDeleted: Bool {
    self[Register.deletedField]?.value == Register.deletedValue
  }

  /// The fields as one message of the record's kind.
  public var message: [UInt8] {
    registers.flatMap(\.value)
  }

  /// The greatest time of any register, or nil for an empty record.
  public var latestTime: HybridTime? {
    registers.lazy.map(\.stamp.time).max()
  }

  /// Puts a register in its place, whatever was there. For writes; merging is `merge`.
  public mutating func set(_ register: Register) {
    let index = registers.firstIndex { $0.field >= register.field } ?? registers.endIndex
    if index < registers.endIndex, registers[index].field == register.field {
      registers[index] = register
    } else {
      registers.insert(register, at: index)
    }
  }

  /// Takes over every register of another copy that wins against this one's.
  ///
  /// - Parameters:
  ///   - other: A copy of the same record.
  ///   - lost: Called for each field whose two registers differ, with the one that gave way and the
  ///     one that stays; and for each register that is pruned, with the `prune_floor` register.
  /// - Complexity: O(fields of both); no allocation if nothing changes.
  public mutating func merge(
    _ other: Record, lost: (_ lost: Register, _ kept: Register) -> Void = { _, _ in }
  ) {
    precondition(key == other.key, "only copies of one record merge")
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
    if !Mutation.floorIgnored.isActive { dropBelowPruneFloor(lost) }
  }

  private mutating func dropBelowPruneFloor(_ lost: (_ lost: Register, _ kept: Register) -> Void) {
    guard let floor = self[Register.pruneFloorField] else { return }
    registers.removeAll { register in
      guard register.stamp < floor.stamp else { return false }
      lost(register, floor)
      return true
    }
  }

  /// The record with what its deletion made unreachable taken out, and a note that it was. A record
  /// that is not deleted, or has nothing to prune, is returned unchanged.
  ///
  /// Only the server does this, once every device knows the deletion or after a stated time, and
  /// only with what the journal need not keep: see `Offer.merged(into:history:at:)` for what
  /// becomes of a write that comes too late.
  public func pruned() -> Record {
    guard let deletion = self[Register.deletedField], isDeleted,
      registers.contains(where: {
        $0.field != Register.pruneFloorField && $0.stamp < deletion.stamp
      }
      )
    else { return self }
    var copy = self
    copy.set(
      Register(
        field: Register.pruneFloorField, stamp: deletion.stamp, value: Register.pruneFloorValue))
    copy.dropBelowPruneFloor { _, _ in }
    return copy
  }
}
