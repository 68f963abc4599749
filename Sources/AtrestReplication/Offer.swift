// SPDX-License-Identifier: Apache-2.0
// What a replica pushes, and how the server merges it into the account's copy.

/// A whole record with writes that the server has not acknowledged or may have lost.
public struct Offer: Hashable, Sendable {
  /// The record as the replica had it at the time of the write.
  public var record: Record
  /// The fields that it wrote, ascending. The others are sent too, in case the server lost them.
  public var written: [FieldNumber]
  /// Whether everything except the `written` fields was acknowledged once, by a server that may
  /// have lost it since.
  public var isRestored: Bool

  /// Creates an offer. `written` must be ascending.
  public init(record: Record, written: [FieldNumber], isRestored: Bool = false) {
    self.record = record
    self.written = written
    self.isRestored = isRestored
  }

  /// Whether a field's register was acknowledged before, perhaps by a server that has lost it
  /// since. Signed facts have no writer, so for them `isRestored` alone decides.
  public func wasAcknowledged(_ field: FieldNumber) -> Bool {
    if record.key.kind == .entitlement { return isRestored }
    return !written.contains(field) && (isRestored || written.isEmpty)
  }

  /// The server's state after merging an offer.
  public struct Outcome: Hashable, Sendable {
    /// The merged record.
    public let record: Record
    /// Whether an offered register lost, so that the replica does not yet have the result.
    public let isSuperseded: Bool
    /// Losing writes that the winner did not know.
    public let conflicts: [Conflict]
    /// The history to store beside the record.
    public let history: RecordHistory
  }

  /// Merges the offer into the account's copy of the record.
  ///
  /// Of the offer, only `written` fields can lose in a conflict: any other register was
  /// acknowledged before, and judged then. What they beat in the stored record can always lose. A
  /// restored server may have lost that judgement and merged the other write since, so every field
  /// of a restored offer can conflict.
  ///
  /// If the floors of the two copies differ, one of them is gone whole. Everything in it that the
  /// greater floor's writer did not know has lost.
  /// - Parameters:
  ///   - stored: The account's copy; nil if it has none.
  ///   - history: The history stored beside that copy.
  ///   - now: The server's clock, noted in journal entries.
  public func merged(
    into stored: Record?, history: RecordHistory = RecordHistory(), at now: WallTime
  ) -> Outcome {
    guard let stored else {
      return Outcome(record: record, isSuperseded: false, conflicts: [], history: history)
    }
    let judgement = Judgement(of: self, meeting: stored, history)
    var noted = history
    let lost = canConflict ? judgement.lost() : []
    if canConflict {
      noted.note(
        stored, meeting: record.registers.filter { canLose($0.field) }, became: judgement.result)
      noted.note(actions: lost.map { $0.lost })
    }
    return Outcome(
      record: judgement.result, isSuperseded: judgement.isSuperseded,
      conflicts: lost.map {
        Conflict(
          key: record.key, field: $0.lost.field, lost: $0.lost, kept: $0.kept, record: $0.record,
          noticed: now)
      }, history: noted)
  }

  /// Whether the offered register of a field is judged if it loses.
  func canLose(_ field: FieldNumber) -> Bool {
    isRestored || written.contains(field)
  }

  /// Signed facts are not edits, and journal entries are not journalled themselves.
  private var canConflict: Bool {
    record.key.kind != .conflict && record.key.kind != .entitlement
  }
}
