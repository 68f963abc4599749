// SPDX-License-Identifier: Apache-2.0
// The known kinds as values of AtrestDomain.

import AtrestDomain
import AtrestReplication

extension SessionField {
  /// Encodes the value of the `span` register.
  public static func encode(_ span: Session.Span) -> [UInt8] {
    SessionMessage(
      span: SessionMessage.Span(
        start: WireTime.milliseconds(span.start),
        end: span.end.map { WireTime.milliseconds($0) } ?? 0,
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
    guard let id = RecordUUID(bytes: key.id) else { throw .invalid("a fast's id is not a UUID") }
    guard let span = message.span, let outcome = Outcome(rawValue: Int(clamping: span.outcome)),
      WireTime.range.contains(span.start), span.end == 0 || WireTime.range.contains(span.end),
      let span = Span(
        start: WallTime(milliseconds: span.start),
        end: span.end == 0 ? nil : WallTime(milliseconds: span.end), outcome: outcome)
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
        at: WireTime.milliseconds(intake.at), millilitres: UInt32(clamping: intake.millilitres))
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
    guard let id = RecordUUID(bytes: key.id) else {
      throw .invalid("a water entry's id is not a UUID")
    }
    guard let intake = message.intake, WireTime.range.contains(intake.at),
      let intake = Intake(
        at: WallTime(milliseconds: intake.at), millilitres: Int(clamping: intake.millilitres))
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
private enum WireTime {
  static let range: Range<Int64> = 1..<(1 << 47)

  /// Milliseconds since 1970, clamped to the representable range.
  static func milliseconds(_ time: WallTime) -> Int64 {
    min(max(time.milliseconds, range.lowerBound), range.upperBound - 1)
  }
}
