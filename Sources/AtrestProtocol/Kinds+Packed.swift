// SPDX-License-Identifier: Apache-2.0
// Packs the messages of the known kinds, and checks their rules as protobuf-c reads them.

import AtrestReplication
import AtrestWire
import CAtrestProtobufC
import CAtrestProtos

extension SessionMessage: PackedMessage {
  /// Unpacks the message of a fast's record.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__session__unpack) { message in
      SessionMessage(
        span: message.span.map {
          Span(
            start: $0.pointee.start_ms, end: $0.pointee.end_ms,
            outcome: UInt32($0.pointee.outcome.rawValue))
        }, targetMinutes: message.target_minutes)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__session__init) { message, arena in
      message.target_minutes = targetMinutes
      guard let span else { return }
      let inner = arena.make(atrest__sync__v1__session__span__init)
      inner.pointee.start_ms = span.start
      inner.pointee.end_ms = span.end
      inner.pointee.outcome = .init(rawValue: .init(span.outcome))
      message.span = inner
    }
  }
}

extension WaterMessage: PackedMessage {
  /// Unpacks the message of a drink's record.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__water__unpack) { message in
      WaterMessage(
        intake: message.intake.map {
          Intake(at: $0.pointee.at_ms, millilitres: $0.pointee.millilitres)
        })
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__water__init) { message, arena in
      guard let intake else { return }
      let inner = arena.make(atrest__sync__v1__water__intake__init)
      inner.pointee.at_ms = intake.at
      inner.pointee.millilitres = intake.millilitres
      message.intake = inner
    }
  }
}

extension PreferenceMessage: PackedMessage {
  /// Unpacks the message of a setting's record.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__preference__unpack) {
      message throws(WireError) in
      PreferenceMessage(value: try text(message.value, limitBytes: Limit.settingBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__preference__init, expectedBytes: value.utf8.count + 512) {
      message, arena in
      message.value = arena.text(value)
    }
  }
}

extension EntitlementMessage: PackedMessage {
  /// Unpacks the message of an entitlement's record.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__entitlement__unpack) { message in
      EntitlementMessage(signedTransaction: [UInt8](message.signed_transaction))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__entitlement__init, expectedBytes: signedTransaction.count + 512) {
      message, arena in
      message.signed_transaction = arena.bytes(signedTransaction)
    }
  }
}

extension ConflictMessage: PackedMessage {
  /// Unpacks the message of a journal entry's record.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__conflict__unpack) {
      message throws(WireError) in
      ConflictMessage(
        entry: try message.entry.map { entry throws(WireError) in try Conflict(entry.pointee) },
        record: try message.record.map { record throws(WireError) in try Record(record.pointee) })
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    let size = entry.map { $0.lost.value.count + $0.kept.value.count + $0.key.id.count } ?? 0
    return packing(atrest__sync__v1__conflict__init, expectedBytes: size + 1024) {
      message, arena in
      message.entry = entry.map { arena.entry($0) }
      message.record = record.map { arena.record($0) }
    }
  }
}

extension Conflict {
  /// The record that carries the entry, as `journalRecord` gives it.
  public var packedJournalRecord: Record { journalRecord { $0.packed } }

  fileprivate init(_ entry: Atrest__Sync__V1__Conflict__Entry) throws(WireError) {
    guard let lost = entry.lost, let kept = entry.kept else { throw Conflict.incomplete }
    self.init(
      key: RecordKey(
        kind: RecordKind(rawValue: UInt32(entry.kind.rawValue)), id: [UInt8](entry.id)),
      field: entry.field, lost: try Register(lost.pointee, of: nil),
      kept: try Register(kept.pointee, of: nil),
      noticed: WallTime(milliseconds: entry.noticed_ms))
  }
}

extension Arena {
  fileprivate func entry(
    _ conflict: Conflict
  ) -> UnsafeMutablePointer<Atrest__Sync__V1__Conflict__Entry> {
    let entry = make(atrest__sync__v1__conflict__entry__init)
    entry.pointee.kind = .init(rawValue: .init(conflict.key.kind.rawValue))
    entry.pointee.id = bytes(conflict.key.id)
    entry.pointee.field = conflict.field
    entry.pointee.lost = register(conflict.lost)
    entry.pointee.kept = register(conflict.kept)
    entry.pointee.noticed_ms = conflict.noticed.milliseconds
    return entry
  }
}

extension KindMessage {
  /// Unpacks the message of a record.
  init(unpacking record: Record) throws(WireError) {
    let bytes = record.message
    switch record.key.kind {
    case .session: self = .session(try SessionMessage(unpacking: bytes))
    case .water: self = .water(try WaterMessage(unpacking: bytes))
    case .preference: self = .preference(try PreferenceMessage(unpacking: bytes))
    case .entitlement: self = .entitlement(try EntitlementMessage(unpacking: bytes))
    case .conflict: self = .conflict(try ConflictMessage(unpacking: bytes))
    default: self = .unknown
    }
  }
}

extension Record {
  /// Checks the record against the rules of its kind, as `checkKindRules` does.
  public func checkPackedKindRules() throws(WireError) {
    try checkKindRules { record throws(WireError) in try KindMessage(unpacking: record) }
  }
}
