// SPDX-License-Identifier: Apache-2.0
// Chooses which of two writes of one field survives.

/// The number of a field in its kind's message.
public typealias FieldNumber = UInt32

/// One field of a record: its value, and when and over what it was written.
public struct Register: Hashable, Sendable {
  /// Which field of the kind's message.
  public let field: FieldNumber
  /// When and where it was written.
  public let stamp: Stamp
  /// The stamp of the acknowledged value it replaced; nil if there was none.
  public let replaced: Stamp?
  /// The field as the kind's message encodes it, tag included; empty for a default value.
  public let value: [UInt8]

  /// A register.
  public init(field: FieldNumber, stamp: Stamp, replaced: Stamp? = nil, value: [UInt8]) {
    self.field = field
    self.stamp = stamp
    self.replaced = replaced
    self.value = value
  }

  /// Field 1 of every kind: whether the record is deleted.
  public static let deletedField: FieldNumber = 1

  /// The value of a boolean field 1 that is true. False is the empty value.
  public static let deletedValue: [UInt8] = [0x08, 0x01]

  /// Field 15 of every kind: that what is older than this register was taken out of a deleted
  /// record.
  public static let pruneFloorField: FieldNumber = 15

  /// The value of a boolean field 15 that is true; it has no other.
  public static let pruneFloorValue: [UInt8] = [0x78, 0x01]

  /// Whether this write gives way to another of the same field. A strict total order on registers
  /// of one field.
  ///
  /// Later stamps win. A copied database lets two different writes carry one stamp; any order that
  /// every replica can compute converges, and the order of the bytes is one.
  public func givesWay(to other: Register) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    if Mutation.arrivalDecidesTie.isActive { return true }
    if value != other.value { return value.lexicographicallyPrecedes(other.value) }
    switch (replaced, other.replaced) {
    case (let mine?, let theirs?): return mine < theirs
    case (nil, .some): return true
    case (_, nil): return false
    }
  }

  /// Whether this write, having won, was made without knowledge of the other one.
  ///
  /// Equal values leave nothing to choose. A write knew what it replaced, and of its own replica
  /// what was written before that: where it replaced something older, or another replica's, a copy
  /// of its replica wrote it, or a server lost what was between the two.
  public func isConcurrent(with lost: Register) -> Bool {
    if Mutation.everythingJournalled.isActive { return lost.value != value }
    return (!follows(lost) || Mutation.ownWritesConflict.isActive)
      && (lost.value != value || Mutation.equalValuesConflict.isActive) && replaced != lost.stamp
  }

  private func follows(_ lost: Register) -> Bool {
    guard lost.stamp.replica == stamp.replica else { return false }
    // A floor stands for a deletion, and does not say what that replaced.
    if field == Self.pruneFloorField { return true }
    guard let replaced else { return false }
    return replaced.replica == stamp.replica && replaced > lost.stamp
  }
}
