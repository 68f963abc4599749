// SPDX-License-Identifier: Apache-2.0
// A conflict-journal entry: a write that lost to one whose writer did not know it.

/// A losing write, with the record that it was in, kept so that a person can see and restore it.
public struct Conflict: Hashable, Sendable {
  /// The record that both writes were for.
  public let key: RecordKey
  /// The field that both writes were for.
  public let field: FieldNumber
  /// The write that lost.
  public let lost: Register
  /// The write that won.
  public let kept: Register
  /// The record as the side that lost had it: the offered record, or the account's copy before the
  /// merge. Nil in entries of older servers.
  public var record: Record?
  /// When the server recorded the conflict. The entry is kept for `retentionMilliseconds` after it.
  public let noticed: WallTime

  /// How long an entry is kept: 90 days, in milliseconds.
  public static let retentionMilliseconds: Int64 = 90 * 24 * 3600 * 1000

  /// The field of `KIND_CONFLICT` that holds the entry.
  public static let entryField: FieldNumber = 2

  /// The field of `KIND_CONFLICT` that holds the record.
  public static let recordField: FieldNumber = 3

  /// Creates an entry; all parts are taken as given.
  public init(
    key: RecordKey, field: FieldNumber, lost: Register, kept: Register, record: Record? = nil,
    noticed: WallTime
  ) {
    self.key = key
    self.field = field
    self.lost = lost
    self.kept = kept
    self.record = record
    self.noticed = noticed
  }

  /// The key of the record that carries this entry. It is a function of the losing write, so a
  /// conflict met twice yields one entry.
  public var journalKey: RecordKey { Self.journalKey(of: key, field: field, lost: lost.stamp) }

  /// Whether a whole action lost to a deletion. The entry then stands for everything that the
  /// action wrote.
  public var isAction: Bool {
    field == Register.deletedField && lost.value != Register.deletedValue
  }

  /// Whether the losing write deleted the record.
  public var isDeletion: Bool {
    field == Register.deletedField && lost.value == Register.deletedValue
  }

  /// What the losing action wrote: the value of its field, or of every field if it was a whole
  /// action. None for a deletion, or if nothing but the action itself is known.
  public var values: [Register] {
    guard field == Register.deletedField else { return [lost] }
    guard isAction, let record else { return [] }
    return record.registers.filter { !$0.isOfEveryKind && $0.stamp == lost.stamp }
  }

  /// The values that writing the entry back has to write: those of the losing action, and each that
  /// the record lacks, because it was pruned or never arrived.
  ///
  /// - Parameter current: The record to write into; nil if there is none.
  public func values(restoring current: Record?) -> [Register] {
    guard !isDeletion else { return [] }
    let own = values
    let fields = Set(own.map { $0.field })
    let lacking = (record?.registers ?? []).filter {
      !$0.isOfEveryKind && current?[$0.field] == nil && !fields.contains($0.field)
    }
    return own + lacking
  }

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
