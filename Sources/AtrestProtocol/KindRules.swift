// SPDX-License-Identifier: Apache-2.0
// Enforces the rules of records.proto for known kinds. Unknown kinds and fields pass unchanged.

import AtrestDomain
import AtrestReplication
import Foundation

extension Record {
  /// Checks the record against the rules of its kind. Required for accepting a write, not for
  /// merging or storing.
  ///
  /// A deleted record may have been pruned, so only the remaining fields are checked.
  /// - Throws: `WireError.invalid`; its text contains no value of the record.
  public func checkKindRules() throws(WireError) {
    guard RecordKind.known.contains(key.kind) else { return }
    guard registers.allSatisfy(\.holdsOnlyItsField) else {
      throw .invalid("a register holds another field than its own")
    }
    if key.kind == .entitlement {
      let expected = EntitlementField.record(jws: try EntitlementField.jws(of: self))
      guard expected == self else {
        throw .invalid("an entitlement is not a signed transaction stamped with its own date")
      }
      return
    }
    guard registers.allSatisfy({ $0.stamp.replica != .none }) else {
      throw .invalid("a write names no replica")
    }
    if let deletion = self[Register.deletedField] {
      guard deletion.value.isEmpty || deletion.value == Register.deletedValue else {
        throw .invalid("field 1 is neither true nor false")
      }
    }
    if let floor = self[Register.pruneFloorField] {
      guard floor.value == Register.pruneFloorValue else {
        throw .invalid("field 15 is not true")
      }
    }
    try completed.checkPayload()
  }

  private func checkPayload() throws(WireError) {
    switch key.kind {
    case .session: _ = try Session(self)
    case .water: _ = try WaterEntry(self)
    case .preference:
      guard String(validating: key.id, as: UTF8.self) != nil else {
        throw .invalid("a setting's key is not UTF-8")
      }
      _ = try PreferenceField.value(of: self)
    case .conflict:
      if isLackingPayload, self[Conflict.entryField] == nil {
        return
      }
      _ = try Conflict(self)
    default: break
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
    isDeleted && (self[Register.pruneFloorField] != nil || registers.count == 1)
  }

  /// Placeholder values for a kind's required fields.
  private static func standIns(for kind: RecordKind) -> [(FieldNumber, [UInt8])] {
    let date = WallTime(milliseconds: 0)
    switch kind {
    case .session:
      let span = Session.Span(start: date, end: nil, outcome: .active)
      return [
        (SessionField.span, span.map { SessionField.encode($0) } ?? []),
        (SessionField.target, SessionField.encode(targetMinutes: Session.targetRange.lowerBound)),
      ]
    case .water:
      let intake = WaterEntry.Intake(at: date, millilitres: WaterEntry.millilitreRange.lowerBound)
      return [(WaterField.intake, intake.map { WaterField.encode($0) } ?? [])]
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
    var rest = value[...]
    while !rest.isEmpty {
      guard let tag = rest.takeVarint(), tag >> 3 == UInt64(field) else { return false }
      switch tag & 7 {
      case 0: guard rest.takeVarint() != nil else { return false }
      case 1: guard rest.skip(8) else { return false }
      case 2: guard let count = rest.takeVarint(), rest.skip(count) else { return false }
      case 5: guard rest.skip(4) else { return false }
      default: return false
      }
    }
    return true
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func takeVarint() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = popFirst() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  fileprivate mutating func skip(_ bytes: UInt64) -> Bool {
    guard bytes <= UInt64(count) else { return false }
    removeFirst(Int(bytes))
    return true
  }
}
