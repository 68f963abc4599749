// SPDX-License-Identifier: Apache-2.0
// What a single register says, where its kind is known.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation

/// The meaning of one register's value.
public enum FieldValue: Hashable, Sendable {
  /// Whether the record is deleted.
  case deleted(Bool)
  /// When a fast ran, and how it ended.
  case span(Session.Span)
  /// A fast's target, in minutes.
  case targetMinutes(Int)
  /// When something was drunk, and how much.
  case intake(WaterEntry.Intake)
  /// A setting's value.
  case text(String)
  /// A value of a kind or field that this build does not know, or cannot read.
  case unknown

  /// Reads a register of a kind. Never fails: what is not understood is `unknown`.
  public init(_ register: Register, of kind: RecordKind) {
    self = FieldValue.read(register, kind) ?? .unknown
  }

  private static func read(_ register: Register, _ kind: RecordKind) -> FieldValue? {
    if register.field == Register.deletedField {
      switch register.value {
      case []: return .deleted(false)
      case Register.deletedValue: return .deleted(true)
      default: return nil
      }
    }
    // Says of the whole record what its deletion said, once nothing else is left of it.
    if register.field == Register.pruneFloorField {
      return register.value == Register.pruneFloorValue ? .deleted(true) : nil
    }
    switch (kind, register.field) {
    case (.session, SessionField.span):
      return alone(register, kind, with: SessionField.target, SessionField.encode(targetMinutes: 1))
        .flatMap { try? Session($0) }.map { .span($0.span) }
    case (.session, SessionField.target):
      guard
        let span = Session.Span(
          start: Date(milliseconds: 1), end: nil, outcome: .active)
      else { return nil }
      return alone(register, kind, with: SessionField.span, SessionField.encode(span))
        .flatMap { try? Session($0) }.map { .targetMinutes($0.targetMinutes) }
    case (.water, WaterField.intake):
      return alone(register, kind).flatMap { try? WaterEntry($0) }.map { .intake($0.intake) }
    case (.preference, PreferenceField.value):
      return alone(register, kind).flatMap { try? PreferenceField.value(of: $0) }.map { .text($0) }
    default:
      return nil
    }
  }

  /// A record of the register and, where its kind demands another one, a made-up companion.
  private static func alone(
    _ register: Register, _ kind: RecordKind, with field: FieldNumber? = nil, _ value: [UInt8] = []
  ) -> Record? {
    var record = Record(key: RecordKey(kind: kind, id: [UInt8](repeating: 0, count: 16)))
    record.set(register)
    if let field { record.set(Register(field: field, stamp: register.stamp, value: value)) }
    return record
  }
}

/// An entry of the conflict journal that a person can look at and restore.
public struct JournalEntry: Hashable, Sendable {
  /// The record, the field, both writes with devices and times, and when the server noticed.
  public let conflict: Conflict

  /// An entry that says so.
  public init(conflict: Conflict) {
    self.conflict = conflict
  }

  /// What the losing write said.
  public var lost: FieldValue { FieldValue(conflict.lost, of: conflict.key.kind) }
  /// What the winning write said.
  public var kept: FieldValue { FieldValue(conflict.kept, of: conflict.key.kind) }
  /// The entry's own key: deleting it takes the entry off the list, on every device.
  public var key: RecordKey { conflict.journalKey }
}
