// SPDX-License-Identifier: Apache-2.0
// A conflict-journal entry: a write that lost to one whose writer did not know it.

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
  /// When the server recorded the conflict. The entry is kept for `retentionMilliseconds` after it.
  public let noticed: WallTime

  /// How long an entry is kept: 90 days, in milliseconds.
  public static let retentionMilliseconds: Int64 = 90 * 24 * 3600 * 1000

  /// The field of `KIND_CONFLICT` that holds the entry.
  public static let entryField: FieldNumber = 2

  /// Creates an entry; all parts are taken as given.
  public init(
    key: RecordKey, field: FieldNumber, lost: Register, kept: Register, noticed: WallTime
  ) {
    self.key = key
    self.field = field
    self.lost = lost
    self.kept = kept
    self.noticed = noticed
  }

  /// The key of the record that carries this entry. It is a function of the losing write, so a
  /// conflict met twice yields one entry.
  public var journalKey: RecordKey { Self.journalKey(of: key, field: field, lost: lost.stamp) }

  /// The range of keys that the entries of one record's field can have, both ends inclusive.
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
