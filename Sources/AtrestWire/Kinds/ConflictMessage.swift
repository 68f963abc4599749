// SPDX-License-Identifier: Apache-2.0
// Journal entries as records, so that they are stored and synced like any other.

import AtrestReplication

/// The message of KIND_CONFLICT.
public struct ConflictMessage: WireMessage, FieldWriting {
  /// The journal entry without its record; nil if the register was pruned.
  public var entry: Conflict?
  /// The record that lost; nil if the register was pruned, or the entry is an older server's.
  public var record: Record?

  /// Creates a message from its fields.
  public init(entry: Conflict? = nil, record: Record? = nil) {
    self.entry = entry
    self.record = record
  }

  /// Decodes the message of a journal entry's record.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var entry: ConflictParts?
      var record: RecordParts?
      while let field = try fields.next() {
        switch Fields.Conflict(rawValue: field.number) {
        case .entry: entry = try ConflictParts(field.content(), after: entry)
        case .record: record = try RecordParts(field.content(), after: record)
        case .deleted, .pruneFloor, nil: break
        }
      }
      return ConflictMessage(entry: try entry?.conflict(), record: try record?.record())
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.message(Fields.Conflict.entry, entry)
    sink.message(Fields.Conflict.record, record)
  }
}

extension Conflict: FieldWriting {
  /// The record that carries the entry. Its registers have the stamp of the losing write.
  public var journalRecord: Record { journalRecord { $0.encoded } }

  /// The record that carries the entry.
  ///
  /// - Parameter encode: Encodes a message of which one field is set.
  package func journalRecord(_ encode: (ConflictMessage) -> [UInt8]) -> Record {
    var carrier = Record(key: journalKey)
    func set(_ field: FieldNumber, _ message: ConflictMessage) {
      carrier.set(Register(field: field, stamp: lost.stamp, value: encode(message)))
    }
    set(Conflict.entryField, ConflictMessage(entry: self))
    if let record { set(Conflict.recordField, ConflictMessage(record: record)) }
    return carrier
  }

  /// Decodes an entry from its record.
  ///
  /// - Throws: `WireError` if the record is not a valid journal entry.
  public init(_ record: Record) throws(WireError) {
    try self.init(record, ConflictMessage(decoding: record.message))
  }

  /// Checks the decoded message of a record.
  package init(_ record: Record, _ message: ConflictMessage) throws(WireError) {
    guard let entry = message.entry else { throw Conflict.incomplete }
    guard entry.journalKey == record.key else {
      throw .invalid("a journal entry's id does not name its losing write")
    }
    guard message.record.map({ $0.key == entry.key }) ?? true else {
      throw .invalid("a journal entry holds another record than its own")
    }
    self = entry
    self.record = message.record
  }

  /// The error for an entry without one of its writes.
  package static let incomplete = WireError.invalid("a journal entry is incomplete")

  func write(to sink: inout some FieldSink) {
    sink.enumeration(Fields.ConflictEntry.kind, key.kind.rawValue)
    sink.bytes(Fields.ConflictEntry.id, key.id)
    sink.number(Fields.ConflictEntry.field, field)
    sink.message(Fields.ConflictEntry.lost, lost)
    sink.message(Fields.ConflictEntry.kept, kept)
    sink.number(Fields.ConflictEntry.noticedMs, noticed.milliseconds)
  }
}

/// An entry's fields as they were sent, neither copied nor checked.
private struct ConflictParts {
  private var kind: UInt32 = 0
  private var id = Slice.none
  private var field: FieldNumber = 0
  private var lost: RegisterParts?
  private var kept: RegisterParts?
  private var noticed: Int64 = 0

  init(_ bytes: Slice, after earlier: ConflictParts?) throws(WireError) {
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.ConflictEntry(rawValue: field.number) {
      case .kind: kind = try field.uint32()
      case .id: id = try field.content()
      case .field: self.field = try field.uint32()
      case .lost: lost = try RegisterParts(field.content(), after: lost)
      case .kept: kept = try RegisterParts(field.content(), after: kept)
      case .noticedMs: noticed = try field.int64()
      case nil: break
      }
    }
    guard let earlier else { return }
    if id.isEmpty { id = earlier.id }
    lost = Self.merged(lost, earlier.lost)
    kept = Self.merged(kept, earlier.kept)
  }

  private static func merged(_ later: RegisterParts?, _ earlier: RegisterParts?) -> RegisterParts? {
    guard let later else { return earlier }
    guard let earlier else { return later }
    return later.merged(after: earlier)
  }

  func conflict() throws(WireError) -> Conflict {
    guard let lost, let kept else { throw Conflict.incomplete }
    return Conflict(
      key: RecordKey(kind: RecordKind(rawValue: kind), id: [UInt8](id)), field: field,
      lost: try lost.register(of: nil), kept: try kept.register(of: nil),
      noticed: WallTime(milliseconds: noticed))
  }
}
