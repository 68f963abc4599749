// SPDX-License-Identifier: Apache-2.0
// How a domain declares kinds of records. Portable: a domain needs no replica for it.

import AtrestReplication

/// A kind of record. Declare one for each kind of thing that your app keeps:
///
///     struct Mood: SyncedRecord {
///       static let kind = RecordKind(rawValue: 1024)
///       var id: RecordUUID
///       var note: String
///
///       var fields: RecordFields {
///         var fields = RecordFields()
///         fields[text: 2] = note
///         return fields
///       }
///       init?(id: RecordUUID, fields: RecordFields) {
///         guard let note = fields[text: 2] else { return nil }
///         (self.id, self.note) = (id, note)
///       }
///     }
///
/// The server needs to know nothing of it. Each field is merged by itself: put what belongs
/// together into one field. Kinds from 1024 on are for apps; apps that share an account choose
/// different ones. Fields of a later version of the kind are kept and passed on.
///
/// Fields have numbers from 2 to 536,870,911, but for 15 and 19,000 to 19,999; another number is a
/// programming error and traps. A field holds up to 16 KiB, a record up to 64 fields and 64 KiB,
/// all with a few bytes of encoding. Setting a field to nil clears it; a field that `fields` does
/// not mention stays as it is.
///
/// `Session` and `WaterEntry` are synced records, too.
public protocol SyncedRecord: Sendable {
  /// What identifies a record of the kind: a `RecordUUID`, or a name of the app's.
  associatedtype ID: RecordIdentifier = RecordUUID
  /// The kind's number, 1024 or more.
  static var kind: RecordKind { get }
  /// Its identity, chosen when it is made: `RecordUUID.random()` of AtrestFoundation.
  var id: ID { get }
  /// Every field with its value. See `RecordFields` for the numbers that a kind may use.
  var fields: RecordFields { get }
  /// Reads a record; nil if it is none of this kind. Such a record is kept, and not shown.
  init?(id: ID, fields: RecordFields)
}

extension SyncedRecord {
  /// The record's key.
  public var key: RecordKey { Self.key(of: id) }

  /// The key of the record with this id.
  public static func key(of id: ID) -> RecordKey { RecordKey(kind: kind, id: id.bytes) }
}
