// SPDX-License-Identifier: Apache-2.0
// Decides what becomes of one entry of a file, beside what is here already. Pure.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation

/// What becomes of an entry.
///
/// The rule, in one sentence: a file adds what is not here, and changes what is here only where it
/// can show that it knows better. A file can show that for a field by a later stamp. Without stamps
/// it cannot: a date of the whole file does not say when a value in it was written, and a phone
/// that never syncs still holds what was corrected elsewhere since. The person can say it instead:
/// then the file's values are taken, and what was deleted here comes back. No import deletes what
/// it finds.
public enum ImportDecision: Hashable, Sendable {
  /// It is not here: written whole.
  case new
  /// It is here as the file has it: nothing is written.
  case known
  /// Some fields are taken from the file.
  case updated([FieldNumber])
  /// It is here and different, and stays as it is here.
  case kept
  /// It was deleted here, and stays so.
  case deletedHere
  /// Not the file's to bring: the journal of set-aside changes tells of devices, and means nothing
  /// elsewhere.
  case leftOut

  /// Decides.
  ///
  /// - Parameters:
  ///   - stored: The record here, deleted or not; nil if there is none.
  ///   - preferFile: Whether the person said that the file knows better.
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
      // A fact is nobody's edit: of two statements the one signed last holds, whoever brings it.
      guard let fact = entry.fact else { return .leftOut }
      var merged = stored
      merged.merge(fact)
      guard merged == stored else { return .updated([EntitlementField.signedTransaction]) }
      return fact == stored ? .known : .kept
    }
    if stored.isDeleted {
      let isLater = isLater(entry.acted, than: stored[Register.deletedField]?.stamp)
      return preferFile || isLater ? .updated(entry.values.map(\.field)) : .deletedHere
    }
    let different = entry.values.filter { stored[$0.field]?.value != $0.bytes }
    if different.isEmpty || entry.isRoughly(stored) { return .known }
    let taken = different.filter { value in
      guard let register = stored[value.field] else { return true }
      return preferFile || isLater(value.stamp, than: register.stamp)
    }
    return taken.isEmpty ? .kept : .updated(taken.map(\.field))
  }

  private static func isLater(_ stamp: Stamp?, than other: Stamp?) -> Bool {
    guard let stamp, let other else { return false }
    return stamp > other
  }
}

extension ImportEntry {
  /// The signed transaction among fields.
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

  /// Whether a file that knows times only to the second tells of the fast that is here to the
  /// millisecond.
  func isRoughly(_ stored: Record) -> Bool {
    guard let rough = roughSession, let session = try? Session(stored),
      session.span.outcome == rough.span.outcome, session.targetMinutes == rough.targetMinutes,
      let end = session.span.end, let roughEnd = rough.span.end
    else { return false }
    return IOSInstant(session.span.start).seconds == IOSInstant(rough.span.start).seconds
      && IOSInstant(end).seconds == IOSInstant(roughEnd).seconds
  }
}
