// SPDX-License-Identifier: Apache-2.0
// What a record is about: its kind and its identity within the kind.

/// The kind of a record. Unknown numbers are legal everywhere: merging does not look at them.
public struct RecordKind: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt32

  /// A kind with the given number.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A fast.
  public static let session = RecordKind(rawValue: 1)
  /// Something drunk.
  public static let water = RecordKind(rawValue: 2)
  /// A setting.
  public static let preference = RecordKind(rawValue: 3)
  /// A signed App Store transaction.
  public static let entitlement = RecordKind(rawValue: 4)
  /// An entry of the conflict journal.
  public static let conflict = RecordKind(rawValue: 5)

  /// By number.
  public static func < (a: RecordKind, b: RecordKind) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// The identity of a record within an account.
public struct RecordKey: Hashable, Comparable, Sendable {
  /// What sort of thing it is.
  public let kind: RecordKind
  /// 1 to `Record.Limits.idBytes` bytes; what they hold is the kind's affair.
  public let id: [UInt8]

  /// A key.
  public init(kind: RecordKind, id: [UInt8]) {
    self.kind = kind
    self.id = id
  }

  /// By kind, then by id, byte by byte.
  public static func < (a: RecordKey, b: RecordKey) -> Bool {
    a.kind == b.kind ? a.id.lexicographicallyPrecedes(b.id) : a.kind < b.kind
  }
}

extension RecordKey {
  /// The key in bytes, as stores and comparisons use it: the kind, big-endian, then the id. Sorts
  /// like the key itself.
  public var storageKey: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 + id.count)
    withUnsafeBytes(of: kind.rawValue.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: id)
    return bytes
  }

  /// The key that these bytes stand for; nil if they are too short.
  public init?(storageKey bytes: [UInt8]) {
    guard bytes.count > 4 else { return nil }
    let kind = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    self.init(kind: RecordKind(rawValue: kind), id: Array(bytes.dropFirst(4)))
  }
}
