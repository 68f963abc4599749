// SPDX-License-Identifier: Apache-2.0
// Atrest's own kinds of records, kept like those of any app.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

/// A record of the protocol's own kinds, which have rules.
protocol ProtocolRecord: SyncedRecord {
  /// Checks what a type does not rule out.
  ///
  /// - Throws: `.invalid`, with a sentence for people.
  func check() throws(ReplicaError)
}

extension Session: ProtocolRecord {
  /// See `SyncedRecord`.
  public static let kind = RecordKind.session

  /// Start, end and outcome are one field, because they bind each other; the target is another.
  public var fields: RecordFields { RecordFields(self) }

  /// See `SyncedRecord`.
  public init?(id: RecordUUID, fields: RecordFields) {
    guard
      let session = try? Session(Self.key(of: id), SessionMessage(decoding: fields.message))
    else { return nil }
    self = session
  }

  func check() throws(ReplicaError) { try checkTarget() }
}

extension WaterEntry: ProtocolRecord {
  /// See `SyncedRecord`.
  public static let kind = RecordKind.water

  /// Time and amount are one field.
  public var fields: RecordFields { RecordFields(self) }

  /// See `SyncedRecord`.
  public init?(id: RecordUUID, fields: RecordFields) {
    guard
      let entry = try? WaterEntry(Self.key(of: id), WaterMessage(decoding: fields.message))
    else { return nil }
    self = entry
  }

  func check() throws(ReplicaError) {}
}
