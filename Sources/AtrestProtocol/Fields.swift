// SPDX-License-Identifier: Apache-2.0
// Register values: each is one field of its kind's message, encoded alone.

import AtrestDomain
import AtrestEntitlements
import AtrestReplication
import CAtrestProtobufC
import CAtrestProtos

/// The fields of KIND_SESSION.
public enum SessionField {
  /// Start, end and outcome.
  public static let span: FieldNumber = 2
  /// The target duration in minutes.
  public static let target: FieldNumber = 3

  /// Encodes the value of the `span` register.
  public static func encode(_ span: Session.Span) -> [UInt8] {
    packing(atrest__sync__v1__session__init) { message, arena in
      let inner = arena.make(atrest__sync__v1__session__span__init)
      inner.pointee.start_ms = WireDate.milliseconds(span.start)
      inner.pointee.end_ms = span.end.map { WireDate.milliseconds($0) } ?? 0
      inner.pointee.outcome = .init(rawValue: .init(span.outcome.rawValue))
      message.span = inner
    }
  }

  /// Encodes the value of the `target` register.
  public static func encode(targetMinutes: Int) -> [UInt8] {
    packing(atrest__sync__v1__session__init) { message, _ in
      message.target_minutes = UInt32(clamping: targetMinutes)
    }
  }
}

extension Session {
  /// Decodes a fast from its record.
  ///
  /// - Throws: `WireError` if the record is not a valid fast.
  public init(_ record: Record) throws(WireError) {
    guard let id = RecordUUID(bytes: record.key.id) else {
      throw .invalid("a fast's id is not a UUID")
    }
    self = try unpacking(record.message, by: atrest__sync__v1__session__unpack) {
      message throws(WireError) in
      guard let inner = message.span?.pointee,
        let outcome = Outcome(rawValue: Int(inner.outcome.rawValue)),
        WireDate.range.contains(inner.start_ms),
        inner.end_ms == 0 || WireDate.range.contains(inner.end_ms),
        let span = Span(
          start: WallTime(milliseconds: inner.start_ms),
          end: inner.end_ms == 0 ? nil : WallTime(milliseconds: inner.end_ms), outcome: outcome)
      else { throw .invalid("a fast's start, end and outcome do not fit each other") }
      let target = Int(message.target_minutes)
      guard Session.targetRange.contains(target) else {
        throw .invalid("a fast's target is out of range")
      }
      return Session(id: id, span: span, targetMinutes: target)
    }
  }
}

/// The field of a water entry.
public enum WaterField {
  /// Time and amount.
  public static let intake: FieldNumber = 2

  /// Encodes the value of the `intake` register.
  public static func encode(_ intake: WaterEntry.Intake) -> [UInt8] {
    packing(atrest__sync__v1__water__init) { message, arena in
      let inner = arena.make(atrest__sync__v1__water__intake__init)
      inner.pointee.at_ms = WireDate.milliseconds(intake.at)
      inner.pointee.millilitres = UInt32(clamping: intake.millilitres)
      message.intake = inner
    }
  }
}

extension WaterEntry {
  /// Decodes a water entry from its record.
  ///
  /// - Throws: `WireError` if the record is not a valid water entry.
  public init(_ record: Record) throws(WireError) {
    guard let id = RecordUUID(bytes: record.key.id) else {
      throw .invalid("a water entry's id is not a UUID")
    }
    self = try unpacking(record.message, by: atrest__sync__v1__water__unpack) {
      message throws(WireError) in
      guard let inner = message.intake?.pointee, WireDate.range.contains(inner.at_ms),
        let intake = Intake(
          at: WallTime(milliseconds: inner.at_ms), millilitres: Int(inner.millilitres))
      else { throw .invalid("a water entry's time or amount is out of range") }
      return WaterEntry(id: id, intake: intake)
    }
  }
}

/// The field of KIND_PREFERENCE.
public enum PreferenceField {
  /// Text whose meaning depends on the setting's key.
  public static let value: FieldNumber = 2
  /// Maximum bytes of a value.
  public static let limitBytes = 4096

  /// Encodes the value of the `value` register.
  public static func encode(_ text: String) -> [UInt8] {
    packing(atrest__sync__v1__preference__init, expectedBytes: text.utf8.count + 512) {
      message, arena in
      message.value = arena.text(text)
    }
  }

  /// Decodes a setting's value from its record.
  public static func value(of record: Record) throws(WireError) -> String {
    try unpacking(record.message, by: atrest__sync__v1__preference__unpack) {
      message throws(WireError) in
      try text(message.value, limitBytes: limitBytes)
    }
  }
}

/// The field of an entitlement.
public enum EntitlementField {
  /// The App Store's signed transaction.
  public static let signedTransaction: FieldNumber = 2

  /// The record of a signed transaction; nil if required claims are missing. Its stamp is the
  /// transaction's signed date, so no device clock orders it.
  public static func record(jws: [UInt8]) -> Record? {
    guard let claims = SignedTransaction(jws: jws) else { return nil }
    let time = HybridTime(WallTime(milliseconds: claims.signedMilliseconds))
    let value = packing(
      atrest__sync__v1__entitlement__init, expectedBytes: jws.count + 512
    ) { message, arena in
      message.signed_transaction = arena.bytes(jws)
    }
    return Record(
      key: RecordKey(kind: .entitlement, id: Array(claims.transactionID.utf8)),
      registers: [
        Register(
          field: signedTransaction, stamp: Stamp(time: time, replica: .none), value: value)
      ])
  }

  /// Reads the signed transaction of a record.
  public static func jws(of record: Record) throws(WireError) -> [UInt8] {
    try unpacking(record.message, by: atrest__sync__v1__entitlement__unpack) { message in
      [UInt8](message.signed_transaction)
    }
  }
}

/// The representable times: after 1970, before the year 6430.
enum WireDate {
  static let range: Range<Int64> = 1..<(1 << 47)

  /// Milliseconds since 1970, clamped to the representable range.
  static func milliseconds(_ time: WallTime) -> Int64 {
    min(max(time.milliseconds, range.lowerBound), range.upperBound - 1)
  }
}
