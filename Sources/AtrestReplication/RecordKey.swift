// SPDX-License-Identifier: Apache-2.0
// Identifies a record: its kind and its id within the kind.

/// The kind of a record. Unknown kinds are legal everywhere: merging does not interpret them.
public struct RecordKind: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt32

  /// Creates a kind with the given number, known or not.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Orders kinds by number.
  public static func < (a: RecordKind, b: RecordKind) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// The identity of a record within an account.
public struct RecordKey: Hashable, Comparable, Sendable {
  /// The record's kind.
  public let kind: RecordKind
  /// The id: 1 to `Record.Limits.idBytes` bytes, interpreted by the kind.
  public let id: [UInt8]

  /// Creates a key. The length of `id` is not checked.
  public init(kind: RecordKind, id: [UInt8]) {
    self.kind = kind
    self.id = id
  }

  /// Orders by kind, then by id bytewise.
  public static func < (a: RecordKey, b: RecordKey) -> Bool {
    a.kind == b.kind ? a.id.lexicographicallyPrecedes(b.id) : a.kind < b.kind
  }
}

extension RecordKey {
  /// The key as bytes for stores and comparisons: the kind, big-endian, then the id. Sorts like the
  /// key itself.
  public var storageKey: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 + id.count)
    withUnsafeBytes(of: kind.rawValue.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: id)
    return bytes
  }

  /// Decodes a `storageKey`; nil if it is too short.
  public init?(storageKey bytes: [UInt8]) {
    guard bytes.count > 4 else { return nil }
    let kind = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    self.init(kind: RecordKind(rawValue: kind), id: Array(bytes.dropFirst(4)))
  }
}
