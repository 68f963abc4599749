// SPDX-License-Identifier: Apache-2.0
// The known kinds as values of AtrestDomain. The only file of this module that needs its dates and
// ids.

import AtrestDomain
import AtrestReplication
import Foundation

extension SessionField {
  /// Encodes the value of the `span` register.
  public static func encode(_ span: Session.Span) -> [UInt8] {
    SessionMessage(
      span: SessionMessage.Span(
        start: span.start.milliseconds, end: span.end?.milliseconds ?? 0,
        outcome: UInt32(clamping: span.outcome.rawValue))
    ).encoded
  }
}

extension Session {
  /// Decodes a fast from its record.
  ///
  /// - Throws: `WireError` if the record is not a valid fast.
  public init(_ record: Record) throws(WireError) {
    try self.init(record.key, SessionMessage(decoding: record.message))
  }

  /// Checks the decoded message of a record.
  package init(_ key: RecordKey, _ message: SessionMessage) throws(WireError) {
    guard let id = UUID(bytes: key.id) else { throw .invalid("a fast's id is not a UUID") }
    guard let span = message.span, let outcome = Outcome(rawValue: Int(clamping: span.outcome)),
      WireDate.range.contains(span.start), span.end == 0 || WireDate.range.contains(span.end),
      let span = Span(
        start: Date(milliseconds: span.start),
        end: span.end == 0 ? nil : Date(milliseconds: span.end), outcome: outcome)
    else { throw .invalid("a fast's start, end and outcome do not fit each other") }
    let target = Int(clamping: message.targetMinutes)
    guard Session.targetRange.contains(target) else {
      throw .invalid("a fast's target is out of range")
    }
    self.init(id: id, span: span, targetMinutes: target)
  }
}

extension WaterField {
  /// Encodes the value of the `intake` register.
  public static func encode(_ intake: WaterEntry.Intake) -> [UInt8] {
    WaterMessage(
      intake: WaterMessage.Intake(
        at: intake.at.milliseconds, millilitres: UInt32(clamping: intake.millilitres))
    ).encoded
  }
}

extension WaterEntry {
  /// Decodes a water entry from its record.
  ///
  /// - Throws: `WireError` if the record is not a valid water entry.
  public init(_ record: Record) throws(WireError) {
    try self.init(record.key, WaterMessage(decoding: record.message))
  }

  /// Checks the decoded message of a record.
  package init(_ key: RecordKey, _ message: WaterMessage) throws(WireError) {
    guard let id = UUID(bytes: key.id) else {
      throw .invalid("a water entry's id is not a UUID")
    }
    guard let intake = message.intake, WireDate.range.contains(intake.at),
      let intake = Intake(
        at: Date(milliseconds: intake.at), millilitres: Int(clamping: intake.millilitres))
    else { throw .invalid("a water entry's time or amount is out of range") }
    self.init(id: id, intake: intake)
  }
}

extension EntitlementField {
  /// The record of a signed transaction; nil if required claims are missing. Its stamp is the
  /// transaction's signed date, so no device clock orders it.
  public static func record(jws: [UInt8]) -> Record? {
    guard let claims = SignedTransaction(jws: jws) else { return nil }
    let time = HybridTime(WallTime(milliseconds: claims.signedMilliseconds))
    return Record(
      key: RecordKey(kind: .entitlement, id: Array(claims.transactionID.utf8)),
      registers: [
        Register(
          field: signedTransaction, stamp: Stamp(time: time, replica: .none),
          value: EntitlementMessage(signedTransaction: jws).encoded)
      ])
  }
}

/// The representable times: after 1970, before the year 6430.
private enum WireDate {
  static let range: Range<Int64> = 1..<(1 << 47)
}

extension Date {
  /// Creates a date from milliseconds since 1970, UTC.
  public init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// Milliseconds since 1970, UTC, rounded and clamped to the representable range.
  public var milliseconds: Int64 {
    let exact = (timeIntervalSince1970 * 1000).rounded()
    guard exact > Double(WireDate.range.lowerBound) else { return WireDate.range.lowerBound }
    guard exact < Double(WireDate.range.upperBound - 1) else {
      return WireDate.range.upperBound - 1
    }
    return Int64(exact)
  }
}

extension UUID {
  /// Creates a UUID from 16 bytes; nil for any other number.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// The 16 bytes of the UUID.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: uuid) { Array($0) }
  }
}
