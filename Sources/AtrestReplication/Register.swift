// SPDX-License-Identifier: Apache-2.0
// Chooses which of two writes of one field survives.

/// The number of a field in the message of its record's kind.
public typealias FieldNumber = UInt32

/// One field of a record: its value, its stamp, and the stamp that it replaced.
public struct Register: Hashable, Sendable {
  /// The field's number in the message of the record's kind.
  public let field: FieldNumber
  /// When and where it was written.
  public let stamp: Stamp
  /// The stamp of the acknowledged register that this one replaced; nil if there was none.
  public let replaced: Stamp?
  /// The field as encoded in the kind's message, tag included; empty for a default value.
  public let value: [UInt8]

  /// Creates a register; all parts are taken as given.
  public init(field: FieldNumber, stamp: Stamp, replaced: Stamp? = nil, value: [UInt8]) {
    self.field = field
    self.stamp = stamp
    self.replaced = replaced
    self.value = value
  }

  /// Field 1 of every kind: whether the record is deleted.
  public static let deletedField: FieldNumber = 1

  /// The encoded value of field 1 when true. False is the empty value.
  public static let deletedValue: [UInt8] = [0x08, 0x01]

  /// Field 15 of every kind: that what is older than this register was taken out of a deleted
  /// record.
  public static let pruneFloorField: FieldNumber = 15

  /// The value of a boolean field 15 that is true; it has no other.
  public static let pruneFloorValue: [UInt8] = [0x78, 0x01]

  /// Whether the field is one that every kind has: it says what became of the record, and nothing
  /// of what it holds.
  public var isOfEveryKind: Bool {
    field == Self.deletedField || field == Self.pruneFloorField
  }

  /// Whether this write loses to another one of the same field. A strict total order on the
  /// registers of one field.
  ///
  /// The later stamp wins. A copied database can put one stamp on two different writes. Any order
  /// that every replica can compute converges; the order of the encoded bytes is one.
  public func givesWay(to other: Register) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    if value != other.value { return value.lexicographicallyPrecedes(other.value) }
    switch (replaced, other.replaced) {
    case (let mine?, let theirs?): return mine < theirs
    case (nil, .some): return true
    case (_, nil): return false
    }
  }

  /// Whether this winning write was made without knowledge of the losing one.
  ///
  /// Writes of equal values do not conflict. A write knows the write that it replaced, and every
  /// earlier write of its own replica up to that one. If it replaced something older, or another
  /// replica's write, then a copy of its replica made the lost write, or a server lost what lay
  /// between the two.
  public func isConcurrent(with lost: Register) -> Bool {
    !follows(lost) && lost.value != value && replaced != lost.stamp
  }

  private func follows(_ lost: Register) -> Bool {
    guard lost.stamp.replica == stamp.replica else { return false }
    // A floor stands for a deletion, and does not say what that replaced.
    if field == Self.pruneFloorField { return true }
    guard let replaced else { return false }
    return replaced.replica == stamp.replica && replaced > lost.stamp
  }
}
