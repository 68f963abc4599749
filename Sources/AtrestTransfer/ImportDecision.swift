// SPDX-License-Identifier: Apache-2.0
// Decides the fate of one imported entry given the stored record. Pure.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// The fate of an entry.
///
/// An import adds what is missing, and changes existing fields only where the file provably is
/// newer. A later stamp proves that for a field. Without stamps nothing does: the date of the whole
/// file does not say when a value was written, and a phone that never syncs still has values that
/// were since corrected elsewhere. The person can declare the file authoritative: then its values
/// win, and deleted records come back. No import deletes anything.
public enum ImportDecision: Hashable, Sendable {
  /// Not stored here: written whole.
  case new
  /// Stored with equal values: nothing is written.
  case known
  /// The given fields are taken from the file.
  case updated([FieldNumber])
  /// Stored with different values, which stay.
  case kept
  /// Deleted here, and stays deleted.
  case deletedHere
  /// Not importable: conflict-journal entries refer to devices and mean nothing elsewhere.
  case leftOut

  /// Decides.
  ///
  /// - Parameters:
  ///   - stored: The stored record, deleted or not; nil if there is none.
  ///   - preferFile: Whether the person declared the file authoritative.
  public init(_ entry: ImportEntry, stored: Record?, preferFile: Bool = false) {
    if entry.key.kind == .conflict {
      self = .leftOut
    } else if let stored {
      self = Self.decide(entry, stored, preferFile)
    } else {
      self = .new
    }
  }

  private static func decide(
    _ entry: ImportEntry, _ stored: Record, _ preferFile: Bool
  ) -> ImportDecision {
    if entry.key.kind == .entitlement {
      // A fact is not an edit: of two statements the one signed last wins, whatever its source.
      guard let fact = entry.fact else { return .leftOut }
      var merged = stored
      merged.merge(fact)
      guard merged == stored else { return .updated([EntitlementField.signedTransaction]) }
      return fact == stored ? .known : .kept
    }
    if stored.isDeleted {
      let isLater = isLater(entry.acted, than: stored[Register.deletedField]?.stamp)
      return preferFile || isLater ? .updated(entry.values.map { $0.field }) : .deletedHere
    }
    let different = entry.values.filter { stored[$0.field]?.value != $0.bytes }
    if different.isEmpty || entry.isRoughly(stored) { return .known }
    let taken = different.filter { value in
      guard let register = stored[value.field] else { return true }
      return preferFile || isLater(value.stamp, than: register.stamp)
    }
    return taken.isEmpty ? .kept : .updated(taken.map { $0.field })
  }

  private static func isLater(_ stamp: Stamp?, than other: Stamp?) -> Bool {
    guard let stamp, let other else { return false }
    return stamp > other
  }
}

extension ImportEntry {
  /// The signed transaction among some fields.
  static func jws(_ values: [Value]) -> [UInt8]? {
    let stamp = Stamp(time: HybridTime(rawValue: 1), replica: .none)
    let record = Record(
      key: RecordKey(kind: .entitlement, id: [0]),
      registers: values.map { Register(field: $0.field, stamp: stamp, value: $0.bytes) })
    return record.flatMap { try? EntitlementField.jws(of: $0) }
  }

  /// The signed App Store transaction of an entitlement; nil for other kinds.
  public var signedTransaction: [UInt8]? {
    key.kind == .entitlement ? Self.jws(values) : nil
  }

  var fact: Record? {
    signedTransaction.flatMap { EntitlementField.record(jws: $0) }
  }

  /// Whether an entry with times in whole seconds describes the stored fast, whose times are in
  /// milliseconds.
  func isRoughly(_ stored: Record) -> Bool {
    guard let rough = roughSession, let session = try? Session(stored),
      session.span.outcome == rough.span.outcome, session.targetMinutes == rough.targetMinutes,
      let end = session.span.end, let roughEnd = rough.span.end
    else { return false }
    return session.span.start.wholeSeconds == rough.span.start.wholeSeconds
      && end.wholeSeconds == roughEnd.wholeSeconds
  }
}
