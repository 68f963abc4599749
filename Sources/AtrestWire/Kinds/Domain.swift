// SPDX-License-Identifier: Apache-2.0
// The known kinds as values of AtrestDomain.

import AtrestDomain
import AtrestReplication

extension SessionField {
  /// Encodes the value of the `span` register.
  public static func encode(_ span: Session.Span) -> [UInt8] {
    SessionMessage(
      span: SessionMessage.Span(
        start: span.start.recordedMilliseconds,
        end: span.end.map { $0.recordedMilliseconds } ?? 0,
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
      WallTime.recordable.contains(span.start),
      span.end == 0 || WallTime.recordable.contains(span.end),
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
        at: intake.at.recordedMilliseconds, millilitres: UInt32(clamping: intake.millilitres))
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
    guard let intake = message.intake, WallTime.recordable.contains(intake.at),
      let intake = Intake(
        at: WallTime(milliseconds: intake.at), millilitres: Int(clamping: intake.millilitres))
    else { throw .invalid("a water entry's time or amount is out of range") }
    self.init(id: id, intake: intake)
  }
}

extension RecordFields {
  /// The fields of a fast: start, end and outcome are one, because they bind each other.
  package init(_ session: Session) {
    self.init()
    self[register: SessionField.span] = SessionField.encode(session.span)
    self[register: SessionField.target] = SessionField.encode(targetMinutes: session.targetMinutes)
  }

  /// The field of a drink: time and amount.
  package init(_ entry: WaterEntry) {
    self.init()
    self[register: WaterField.intake] = WaterField.encode(entry.intake)
  }
}

extension EntitlementField {
  /// The record of a signed transaction; nil if required claims are missing or it is too large for
  /// a register. Its stamp is the transaction's signed date, so no device clock orders it.
  public static func record(jws: [UInt8]) -> Record? {
    guard let claims = SignedTransaction(jws: jws) else { return nil }
    let value = EntitlementMessage(signedTransaction: jws).encoded
    guard value.count <= Record.Limits.valueBytes else { return nil }
    let time = HybridTime(WallTime(milliseconds: claims.signedMilliseconds))
    return Record(
      key: RecordKey(kind: .entitlement, id: Array(claims.transactionID.utf8)),
      registers: [
        Register(
          field: signedTransaction, stamp: Stamp(time: time, replica: .none),
          value: value)
      ])
  }
}

extension WallTime {
  /// Milliseconds since 1970, clamped to what a record can hold.
  fileprivate var recordedMilliseconds: Int64 {
    min(max(milliseconds, Self.recordable.lowerBound), Self.recordable.upperBound - 1)
  }
}
