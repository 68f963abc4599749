// SPDX-License-Identifier: Apache-2.0
// Chooses which of two writes of one field survives.

/// The number of a field in the message of its record's kind.
public typealias FieldNumber = UInt32

/// One field of a record: its value, its stamp, and the stamp that it replaced.
public struct Register: Hashable, Sendable {
  /// The field's number in the message of the record's kind.
  public var field: FieldNumber
  /// When and where it was written.
  public var stamp: Stamp
  /// The stamp of the acknowledged register that this one replaced; nil if there was none.
  public var replaced: Stamp?
  /// The field as encoded in the kind's message, tag included; empty for a default value.
  public var value: [UInt8]
  /// Of a deletion, and of the floor that pruning leaves of it: the stamps that its writer held in
  /// the record, ascending, each once, at most `heldLimit`. Empty for any other write.
  public var held: [Stamp]

  /// Creates a register; all parts are taken as given.
  public init(
    field: FieldNumber, stamp: Stamp, replaced: Stamp? = nil, value: [UInt8], held: [Stamp] = []
  ) {
    self.field = field
    self.stamp = stamp
    self.replaced = replaced
    self.value = value
    self.held = held
  }

  /// The most stamps in `held`. Of more, the newest are kept: what is left out may be journalled
  /// although the deletion's writer knew it.
  public static let heldLimit = 64

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
    case (let mine?, let theirs?) where mine != theirs: return mine < theirs
    case (nil, .some): return true
    case (.some, nil): return false
    default: return held.lexicographicallyPrecedes(other.held)
    }
  }

  /// Whether the writer of this register knew a write to the record.
  ///
  /// It knew the write that it replaced, and every earlier write of its own replica up to that
  /// one. If it replaced something older, or another replica's write, then a copy of its replica
  /// made the other write, or a server lost what lay between the two. A deletion also knew what it
  /// held.
  public func knew(_ other: Stamp) -> Bool {
    if replaced == other || held.contains(other) { return true }
    guard let replaced, other.replica == stamp.replica else { return false }
    return replaced.replica == stamp.replica && replaced > other
  }
}
