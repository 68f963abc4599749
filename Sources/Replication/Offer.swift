// SPDX-License-Identifier: Apache-2.0
// What a replica pushes, and what merging it into the account's copy leads to.

/// A whole record that holds writes the server has not acknowledged.
public struct Offer: Hashable, Sendable {
  /// The record as the replica had it when it wrote.
  public var record: Record
  /// The fields it wrote; the others come along so that nothing is lost if the server lost them. Ascending. Empty: none of this is
  /// new, it is offered to a server that may have lost it.
  public var written: [FieldNumber]

  /// An offer.
  public init(record: Record, written: [FieldNumber]) {
    self.record = record
    self.written = written
  }

  /// What the server holds after taking an offer in.
  public struct Outcome: Hashable, Sendable {
    /// The merged record.
    public let record: Record
    /// Whether some written register lost, so that the replica does not yet hold the result.
    public let isSuperseded: Bool
    /// Writes that lost to one that did not know them, in field order.
    public let conflicts: [Conflict]
  }

  /// Merges the offer into the account's copy of the record.
  ///
  /// Only written fields can conflict: any other register was acknowledged before, and was judged then. Where nothing was written, the
  /// server may have forgotten what it judged, and met the other write since: see `isJudgedAnew`.
  ///
  /// An action that brings back a record that was forgotten meanwhile brings it back whole: fields that the other copy has no more count
  /// as written by that action. It is the offer's, or, where a server lost what it forgot and learns of it again, the account's.
  /// - Parameters:
  ///   - stored: The account's copy; nil if it has none.
  ///   - now: The server's clock, noted in journal entries.
  public func merged(into stored: Record?, at now: WallTime) -> Outcome {
    guard let stored else {
      return Outcome(record: record, isSuperseded: false, conflicts: [])
    }
    let offered = record.lifted(over: stored)
    var result = stored.lifted(over: record)
    var isSuperseded = offered != record
    var conflicts: [Conflict] = []
    result.merge(offered) { lost, kept in
      let isOffered = offered[lost.field] == lost
      if isOffered { isSuperseded = true }
      // What the account itself forgets, it had judged before.
      let isJudged = kept.field != lost.field && !isOffered
      let isNew = written.contains(lost.field) || isJudgedAnew(lost, kept)
      if !isJudged, isNew, record.key.kind != .conflict, kept.isConcurrent(with: lost) {
        conflicts.append(
          Conflict(key: record.key, field: lost.field, lost: lost, kept: kept, noticed: now))
      }
    }
    conflicts += hiddenByDeletion(in: result, over: stored, at: now)
    if let action = conflicts.first(where: {
      $0.field == Register.deletedField && $0.lost == record[Register.deletedField]
    }) {
      conflicts += earlierActions(than: action)
    }
    return Outcome(record: result, isSuperseded: isSuperseded, conflicts: conflicts)
  }

  /// Earlier actions of the same offer, whose own `deleted` register the last one wrote over: the deletion that won against that one knew
  /// none of them.
  private func earlierActions(than action: Conflict) -> [Conflict] {
    guard action.kept.value == Register.deletedValue else { return [] }
    var seen: Set<Stamp> = [action.lost.stamp]
    return record.registers.compactMap { register in
      guard written.contains(register.field), register.stamp < action.kept.stamp,
        seen.insert(register.stamp).inserted
      else { return nil }
      return Conflict(
        key: record.key, field: Register.deletedField,
        lost: Register(field: Register.deletedField, stamp: register.stamp, value: []),
        kept: action.kept, noticed: action.noticed)
    }
  }

  /// Actions that the offered deletion wins against without knowing them, and whose own `deleted` register is not there to lose: another
  /// action wrote the same value over it. What they wrote is still in the record, and would go with it.
  private func hiddenByDeletion(
    in result: Record, over stored: Record?, at now: WallTime
  ) -> [Conflict] {
    guard let stored, !stored.isDeleted, result.isDeleted, record.isDeleted,
      written.contains(Register.deletedField), record.key.kind != .conflict,
      let deletion = result[Register.deletedField]
    else { return [] }
    var seen: Set<Stamp> = stored[Register.deletedField].map { [$0.stamp] } ?? []
    return stored.registers.compactMap { hidden in
      let isUnknown = record[hidden.field].map { $0.givesWay(to: hidden) } ?? true
      guard hidden.field != Register.forgottenField, isUnknown, hidden.stamp < deletion.stamp,
        hidden.stamp.replica != deletion.stamp.replica, seen.insert(hidden.stamp).inserted
      else { return nil }
      return Conflict(
        key: record.key, field: Register.deletedField,
        lost: Register(field: Register.deletedField, stamp: hidden.stamp, value: []),
        kept: deletion, noticed: now)
    }
  }

  /// Whether one of two registers may have been taken in while the other was lost, so that nobody compared them.
  ///
  /// A loser that the winner's writer knew through a third write in between looks the same, and is journalled, too: a server that
  /// lost the one in between cannot tell, and an entry too many loses nothing.
  private func isJudgedAnew(_ lost: Register, _ kept: Register) -> Bool {
    written.isEmpty && record.key.kind != .entitlement && kept.field == lost.field
  }
}

extension Record {
  /// The record, with what another copy forgot stamped by the action that brings the record back, if it does.
  fileprivate func lifted(over other: Record) -> Record {
    guard let floor = other[Register.forgottenField], let revival = self[Register.deletedField],
      !isDeleted, other[Register.deletedField]?.givesWay(to: revival) ?? true
    else { return self }
    var copy = self
    for register in registers where register.stamp < floor.stamp && other[register.field] == nil {
      copy.set(Register(field: register.field, stamp: revival.stamp, value: register.value))
    }
    return copy
  }
}
