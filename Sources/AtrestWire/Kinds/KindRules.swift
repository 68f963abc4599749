// SPDX-License-Identifier: Apache-2.0
// Enforces the rules of records.proto for known kinds. Unknown kinds and fields pass unchanged.

import AtrestDomain
import AtrestReplication

/// The message of a known kind, decoded by one of the codecs.
package enum KindMessage {
  case session(SessionMessage)
  case water(WaterMessage)
  case preference(PreferenceMessage)
  case entitlement(EntitlementMessage)
  case conflict(ConflictMessage)
  case unknown

  /// Decodes the message of a record.
  package init(decoding record: Record) throws(WireError) {
    let bytes = record.message
    switch record.key.kind {
    case .session: self = .session(try SessionMessage(decoding: bytes))
    case .water: self = .water(try WaterMessage(decoding: bytes))
    case .preference: self = .preference(try PreferenceMessage(decoding: bytes))
    case .entitlement: self = .entitlement(try EntitlementMessage(decoding: bytes))
    case .conflict: self = .conflict(try ConflictMessage(decoding: bytes))
    default: self = .unknown
    }
  }
}

extension Record {
  /// Checks the record against the rules of its kind. Required for accepting a write, not for
  /// merging or storing.
  ///
  /// A deleted record may have been pruned, so only the remaining fields are checked.
  /// - Throws: `WireError.invalid`; its text contains no value of the record.
  public func checkKindRules() throws(WireError) {
    try checkKindRules { record throws(WireError) in try KindMessage(decoding: record) }
  }

  /// Checks the record against the rules of its kind, as one of the codecs reads its message.
  package func checkKindRules(
    _ read: (Record) throws(WireError) -> KindMessage
  ) throws(WireError) {
    guard RecordKind.known.contains(key.kind) else { return }
    guard registers.allSatisfy({ $0.holdsOnlyItsField }) else {
      throw .invalid("a register holds another field than its own")
    }
    if key.kind == .entitlement { return try checkPayload(read(self)) }
    guard registers.allSatisfy({ $0.stamp.replica != .none }) else {
      throw .invalid("a write names no replica")
    }
    if let deletion = self[Register.deletedField] {
      guard deletion.value.isEmpty || deletion.value == Register.deletedValue else {
        throw .invalid("field 1 is neither true nor false")
      }
    }
    if let floor {
      guard floor.value == Register.pruneFloorValue else {
        throw .invalid("field 15 is not true")
      }
    }
    try checkPayload(read(completed))
  }

  private func checkPayload(_ message: KindMessage) throws(WireError) {
    switch message {
    case .session(let message): _ = try Session(key, message)
    case .water(let message): _ = try WaterEntry(key, message)
    case .preference:
      guard String(validating: key.id, as: UTF8.self) != nil else {
        throw .invalid("a setting's key is not UTF-8")
      }
    case .entitlement(let message):
      guard EntitlementField.record(jws: message.signedTransaction) == self else {
        throw .invalid("an entitlement is not a signed transaction stamped with its own date")
      }
    case .conflict(let message):
      if isLackingPayload, self[Conflict.entryField] == nil { return }
      _ = try Conflict(self, message)
    case .unknown: break
    }
  }

  /// Fills the missing fields of a pruned record, or of one with only its deletion known, with
  /// valid values, so that the remaining fields are still checked. A record that was restored,
  /// edited and deleted again keeps the edited fields.
  private var completed: Record {
    guard isLackingPayload, let deletion = self[Register.deletedField] else { return self }
    var copy = self
    for (field, value) in Self.standIns(for: key.kind) where copy[field] == nil {
      copy.set(Register(field: field, stamp: deletion.stamp, value: value))
    }
    return copy
  }

  private var isLackingPayload: Bool {
    isDeleted && (floor != nil || registers.count == 1)
  }

  /// Placeholder values for a kind's required fields.
  private static func standIns(for kind: RecordKind) -> [(FieldNumber, [UInt8])] {
    switch kind {
    case .session:
      let span = SessionMessage.Span(start: 1, end: 0, outcome: 0)
      return [
        (SessionField.span, SessionMessage(span: span).encoded),
        (SessionField.target, SessionMessage(targetMinutes: 1).encoded),
      ]
    case .water:
      let intake = WaterMessage.Intake(at: 1, millilitres: 1)
      return [(WaterField.intake, WaterMessage(intake: intake).encoded)]
    default: return []
    }
  }
}

extension RecordKind {
  fileprivate static let known: ClosedRange<RecordKind> = .session ... .conflict
}

extension Register {
  /// Whether the value encodes only the register's own field. Otherwise two registers of a record
  /// could set the same field, and merging registers would not merge that field.
  var holdsOnlyItsField: Bool {
    value.withUnsafeBytes { bytes in
      var fields = WireReader(bytes)
      do throws(WireError) {
        while let next = try fields.next() {
          if next.number != field { return false }
        }
      } catch {
        return false
      }
      return true
    }
  }
}
