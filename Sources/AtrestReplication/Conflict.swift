// SPDX-License-Identifier: Apache-2.0
// An entry of the conflict journal: a write that lost to one whose writer did not know it.

/// A losing write, kept so that a person can see and restore it.
public struct Conflict: Hashable, Sendable {
  /// The record that both writes were for.
  public let key: RecordKey
  /// The field that both writes were for.
  public let field: FieldNumber
  /// The write that lost.
  public let lost: Register
  /// The write that won.
  public let kept: Register
  /// When the server noticed. Entries are kept for `retentionMilliseconds` after it.
  public let noticed: WallTime

  /// How long an entry is kept: 90 days, in milliseconds.
  public static let retentionMilliseconds: Int64 = 90 * 24 * 3600 * 1000

  /// The field of `KIND_CONFLICT` that holds the entry.
  public static let entryField: FieldNumber = 2

  /// An entry.
  public init(
    key: RecordKey, field: FieldNumber, lost: Register, kept: Register, noticed: WallTime
  ) {
    self.key = key
    self.field = field
    self.lost = lost
    self.kept = kept
    self.noticed = noticed
  }

  /// The key of the record that carries this entry. The same losing write always has the same key,
  /// so a conflict that is met twice is one entry.
  public var journalKey: RecordKey { Self.journalKey(of: key, field: field, lost: lost.stamp) }

  /// The least and the greatest key that an entry of a record's field can have.
  public static func journalKeys(
    of key: RecordKey, field: FieldNumber
  ) -> (first: RecordKey, last: RecordKey) {
    func entry(_ number: UInt64) -> RecordKey {
      let stamp = Stamp(time: HybridTime(rawValue: number), replica: ReplicaID(rawValue: number))
      return journalKey(of: key, field: field, lost: stamp)
    }
    return (entry(.min), entry(.max))
  }

  private static func journalKey(
    of key: RecordKey, field: FieldNumber, lost stamp: Stamp
  ) -> RecordKey {
    var id = key.id
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { id.append(contentsOf: $0) }
    }
    append(key.kind.rawValue)
    append(field)
    append(stamp.time.rawValue)
    append(stamp.replica.rawValue)
    return RecordKey(kind: .conflict, id: id)
  }
}
