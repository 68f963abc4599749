// SPDX-License-Identifier: Apache-2.0
// What a replica pushes, and what merging it into the account's copy leads to.

/// A whole record that holds writes the server has not acknowledged, or may have lost.
public struct Offer: Hashable, Sendable {
  /// The record as the replica had it when it wrote.
  public var record: Record
  /// The fields it wrote, ascending; the others come along so that nothing is lost if the server lost them.
  public var written: [FieldNumber]
  /// Whether all of it was acknowledged once, by a server that may have lost it since. `written` is then empty.
  public var isRestored: Bool

  /// An offer.
  public init(record: Record, written: [FieldNumber], isRestored: Bool = false) {
    self.record = record
    self.written = written
    self.isRestored = isRestored
  }

  /// What the server holds after taking an offer in.
  public struct Outcome: Hashable, Sendable {
    /// The merged record.
    public let record: Record
    /// Whether some offered register lost, so that the replica does not yet hold the result.
    public let isSuperseded: Bool
    /// Writes that lost to one that did not know them.
    public let conflicts: [Conflict]
  }

  /// Merges the offer into the account's copy of the record.
  ///
  /// Only written fields can conflict: any other register was acknowledged before, and was judged then. A server that was put back may
  /// have forgotten what it judged, and met the other write since; so all fields of a restored offer can.
  ///
  /// An action that brings back a record that was pruned meanwhile brings it back whole: see `Record.lifted(to:)`.
  /// - Parameters:
  ///   - stored: The account's copy; nil if it has none.
  ///   - now: The server's clock, noted in journal entries.
  public func merged(into stored: Record?, at now: WallTime) -> Outcome {
    guard let stored else {
      return Outcome(record: record, isSuperseded: false, conflicts: [])
    }
    let floor = [record, stored].compactMap { $0[Register.forgottenField] }
      .max { $0.stamp < $1.stamp }
    let offered = record.lifted(to: floor)
    var result = stored.lifted(to: floor)
    var isSuperseded = offered != record
    var pruned: [Register] = []
    var pairs: [(lost: Register, kept: Register)] = []
    result.merge(offered) { lost, kept in
      let isOffered = offered[lost.field] == lost
      if isOffered { isSuperseded = true }
      if kept.field == lost.field || isOffered {
        pairs.append((isOffered ? record[lost.field] ?? lost : lost, kept))
      } else {
        pruned.append(lost)
      }
    }
    var conflicts: [Conflict] = []
    if canConflict {
      // What carries the floor's own stamp was written before the deletion, and was judged then.
      conflicts = pairs.filter { lost, kept in
        (isRestored && !Mutation.restoredNotJudged.isActive || written.contains(lost.field)
          || Mutation.unwrittenConflicts.isActive) && lost.stamp != floor?.stamp
          && kept.isConcurrent(with: lost)
      }.map { conflict($0.lost, $0.kept, now) }
      conflicts += liftedWrites(offered, in: result, floor, now)
      conflicts += hiddenByDeletion(in: result, over: stored, at: now)
      conflicts += values(pruned, ofActionsIn: conflicts, floor, now)
      if let action = conflicts.first(where: {
        $0.field == Register.deletedField && $0.lost == record[Register.deletedField]
      }) {
        conflicts += earlierActions(than: action)
      }
    }
    return Outcome(record: result, isSuperseded: isSuperseded, conflicts: conflicts)
  }

  /// Signed facts are nobody's edits, and of journal entries the account wants no journal.
  private var canConflict: Bool {
    record.key.kind != .conflict && record.key.kind != .entitlement
  }

  private func conflict(_ lost: Register, _ kept: Register, _ now: WallTime) -> Conflict {
    Conflict(key: record.key, field: lost.field, lost: lost, kept: kept, noticed: now)
  }

  /// Writes of this offer that lie under the floor, and were lifted to it: their own stamps lost to the deletion, whether or not their
  /// values are visible. Those that lost to another write are among the pairs already.
  private func liftedWrites(
    _ offered: Record, in result: Record, _ floor: Register?, _ now: WallTime
  ) -> [Conflict] {
    guard let floor else { return [] }
    return record.registers.filter { register in
      register.stamp < floor.stamp && written.contains(register.field)
        && result[register.field]?.stamp == floor.stamp
        && result[register.field]?.value == register.value
        && offered[register.field] != register && floor.isConcurrent(with: register)
    }.map { conflict($0, floor, now) }
  }

  /// Values that a restored floor takes out of the account's copy, where the deletion did not know the action that wrote them: they
  /// follow that action into the journal.
  private func values(
    _ pruned: [Register], ofActionsIn conflicts: [Conflict], _ floor: Register?, _ now: WallTime
  ) -> [Conflict] {
    guard let floor else { return [] }
    let actions = Set(
      conflicts.filter { $0.field == Register.deletedField }.map(\.lost.stamp))
    return pruned.filter { actions.contains($0.stamp) && $0.field != Register.deletedField }
      .map { conflict($0, floor, now) }
  }

  /// Earlier actions of the same offer, whose own `deleted` register the last one wrote over: the deletion that won against that one knew
  /// none of them.
  private func earlierActions(than action: Conflict) -> [Conflict] {
    guard action.kept.value == Register.deletedValue, !Mutation.earlierNotJournalled.isActive
    else { return [] }
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
    if Mutation.hiddenNotJournalled.isActive { return [] }
    guard let stored, !stored.isDeleted, result.isDeleted, record.isDeleted,
      isRestored || written.contains(Register.deletedField),
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
}

extension Record {
  /// The record, with what lies under a floor raised to the floor's stamp, if its last action is younger than the floor and no deletion:
  /// such an action brings the record back whole.
  ///
  /// The floor's stamp, and no later one: it loses to whatever was written since, in whatever order the two arrive.
  fileprivate func lifted(to floor: Register?) -> Record {
    guard let floor, let action = self[Register.deletedField], !isDeleted,
      action.stamp > floor.stamp, !Mutation.notLifted.isActive
    else { return self }
    var copy = self
    for register in registers
    where register.stamp < floor.stamp && register.field != Register.forgottenField {
      let stamp = Mutation.liftedTooHigh.isActive ? action.stamp : floor.stamp
      copy.set(Register(field: register.field, stamp: stamp, value: register.value))
    }
    return copy
  }
}
