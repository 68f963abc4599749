// SPDX-License-Identifier: Apache-2.0
// Decodes a single register of a known kind.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// The decoded value of one register.
public enum FieldValue: Hashable, Sendable {
  /// Whether the record is deleted.
  case deleted(Bool)
  /// A fast's start, end and outcome.
  case span(Session.Span)
  /// A fast's target, in minutes.
  case targetMinutes(Int)
  /// When a drink was taken, and how much.
  case intake(WaterEntry.Intake)
  /// A setting's value.
  case text(String)
  /// A value of an unknown kind or field, or one that cannot be decoded.
  case unknown

  /// Decodes a register of a kind. Never fails: what cannot be decoded is `unknown`.
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
          start: WallTime(milliseconds: 1), end: nil, outcome: .active)
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

  /// A record of the register alone, plus a placeholder for another field that the kind requires.
  private static func alone(
    _ register: Register, _ kind: RecordKind, with field: FieldNumber? = nil, _ value: [UInt8] = []
  ) -> Record? {
    var record = Record(key: RecordKey(kind: kind, id: [UInt8](repeating: 0, count: 16)))
    record.set(register)
    if let field { record.set(Register(field: field, stamp: register.stamp, value: value)) }
    return record
  }
}

/// A conflict-journal entry that a person can inspect and restore.
public struct JournalEntry: Hashable, Sendable {
  /// The record, the field, both writes with replicas and times, and when the server recorded it.
  public let conflict: Conflict

  /// Creates an entry for a conflict.
  public init(conflict: Conflict) {
    self.conflict = conflict
  }

  /// The losing write's value.
  public var lost: FieldValue { FieldValue(conflict.lost, of: conflict.key.kind) }
  /// What the losing action wrote: the same value, or, if the action lost to a deletion, the value
  /// of each field that it wrote. Empty if it wrote none, or if an older server noted the entry.
  public var written: [FieldValue] {
    conflict.values.map { FieldValue($0, of: conflict.key.kind) }
  }
  /// The winning write's value.
  public var kept: FieldValue { FieldValue(conflict.kept, of: conflict.key.kind) }
  /// The entry's own key. Deleting it dismisses the entry on every device.
  public var key: RecordKey { conflict.journalKey }
}
