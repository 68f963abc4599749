// SPDX-License-Identifier: Apache-2.0
// What a replica pushes, and what merging it into the account's copy leads to.

/// A whole record that holds writes the server has not acknowledged, or may have lost.
public struct Offer: Hashable, Sendable {
  /// The record as the replica had it when it wrote.
  public var record: Record
  /// The fields it wrote, ascending; the others come along so that nothing is lost if the server lost them.
  public var written: [FieldNumber]
  /// Whether all but what it wrote was acknowledged once, by a server that may have lost it since.
  public var isRestored: Bool

  /// An offer.
  public init(record: Record, written: [FieldNumber], isRestored: Bool = false) {
    self.record = record
    self.written = written
    self.isRestored = isRestored
  }

  /// Whether the register of a field was acknowledged before, perhaps by a server that has lost it since. A signed fact says so itself.
  public func wasAcknowledged(_ field: FieldNumber) -> Bool {
    if record.key.kind == .entitlement { return isRestored }
    return !written.contains(field) && (isRestored || written.isEmpty)
  }

  /// What the server holds after taking an offer in.
  public struct Outcome: Hashable, Sendable {
    /// The merged record.
    public let record: Record
    /// Whether some offered register lost, so that the replica does not yet hold the result.
    public let isSuperseded: Bool
    /// Writes that lost to one that did not know them.
    public let conflicts: [Conflict]
    /// What is to be kept beside the record from now on.
    public let history: RecordHistory
  }

  /// Merges the offer into the account's copy of the record.
  ///
  /// Of what is offered only written fields can lose in a conflict: any other register was acknowledged before, and was judged then. A server that
  /// was put back may have forgotten what it judged, and met the other write since; so all fields of a restored offer can.
  ///
  /// An action that brings back a record that was pruned meanwhile brings it back whole: see `Record.lifted(to:)`.
  /// - Parameters:
  ///   - stored: The account's copy; nil if it has none.
  ///   - history: What is kept beside that copy.
  ///   - now: The server's clock, noted in journal entries.
  public func merged(
    into stored: Record?, history: RecordHistory = RecordHistory(), at now: WallTime
  ) -> Outcome {
    guard let stored else {
      return Outcome(record: record, isSuperseded: false, conflicts: [], history: history)
    }
    let floor = [record, stored].compactMap { $0[Register.forgottenField] }
      .max { $0.stamp < $1.stamp }
    let offered = record.lifted(to: floor)
    var result = stored.lifted(to: floor)
    var isSuperseded = offered != record
    var pruned: [Register] = []
    var pairs: [(lost: Register, kept: Register)] = []
    result.merge(offered) { lost, winner in
      // What was lifted is nobody's write: what loses to it, loses to the deletion.
      let isLifted = winner.stamp == floor?.stamp && winner.field != Register.deletedField
      let kept = isLifted ? floor ?? winner : winner
      let isOffered = offered[lost.field] == lost
      if isOffered { isSuperseded = true }
      if winner.field == lost.field || isOffered {
        let original = isOffered ? record[lost.field] ?? lost : lost
        // What the account's copy had before lost then, and was judged then.
        let isJudged = isOffered && history.judged.contains(original.fingerprint)
        if !isJudged || Mutation.judgedAgain.isActive || Mutation.unwrittenConflicts.isActive {
          pairs.append((original, kept))
        }
      } else {
        pruned.append(lost)
      }
    }
    var conflicts: [Conflict] = []
    if canConflict {
      // What carries the floor's own stamp was written before the deletion, and was judged then.
      conflicts = pairs.filter { lost, kept in
        // What wins here and was not written now is something that the server has lost.
        (isOpen(lost.field) || result[lost.field] == offered[lost.field]
          || Mutation.unwrittenConflicts.isActive) && lost.stamp != floor?.stamp
          && kept.isConcurrent(with: lost)
          && !(lost.field == Register.deletedField && isAction(lost.stamp, knownTo: kept, history))
      }.map { conflict($0.lost, $0.kept, now) }
      conflicts += liftedWrites(offered, in: result, floor, now)
      conflicts += hiddenByDeletion(in: result, over: stored, at: now)
      conflicts += values(pruned, ofActionsIn: conflicts, floor, now)
      conflicts += earlierActions(in: result, beside: stored, history, conflicts, now)
    }
    var noted = history
    if canConflict { noted.note(stored, meeting: self, became: result) }
    return Outcome(
      record: result, isSuperseded: isSuperseded, conflicts: conflicts, history: noted)
  }

  /// Whether the offered register of a field is to be judged if it loses.
  func isOpen(_ field: FieldNumber) -> Bool {
    isRestored && !Mutation.restoredNotJudged.isActive || written.contains(field)
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

  /// Earlier actions of the same offer, whose own `deleted` register the last one wrote over: a deletion that won against that one knew
  /// none of them. And actions that come back in pieces to a server that was put back, whether or not the replica knows of that: what the
  /// account's copy never had, and the writer of its deletion did not know.
  private func earlierActions(
    in result: Record, beside stored: Record, _ history: RecordHistory, _ conflicts: [Conflict],
    _ now: WallTime
  ) -> [Conflict] {
    guard let last = record[Register.deletedField], !Mutation.earlierNotJournalled.isActive else {
      return []
    }
    let lost = conflicts.first { $0.field == last.field && $0.lost == last }
    let held = Mutation.partsNotNoted.isActive ? nil : stored[last.field]
    guard let deletion = lost?.kept ?? held, deletion.value == Register.deletedValue,
      result[last.field] == deletion
    else { return [] }
    var seen: Set<Stamp> = [last.stamp]
    return record.registers.compactMap { register in
      let isWritten = lost != nil && written.contains(register.field)
      let isBack =
        (isRestored || result[register.field] == register) && stored[register.field] != register
        && !written.contains(register.field) && !history.judged.contains(register.fingerprint)
        && register.stamp.replica != deletion.stamp.replica
        && register.stamp != deletion.replaced && register.field != Register.forgottenField
      guard isWritten || isBack, register.stamp < deletion.stamp,
        !isAction(register.stamp, knownTo: deletion, history),
        seen.insert(register.stamp).inserted
      else { return nil }
      return Conflict(
        key: record.key, field: last.field,
        lost: Register(field: last.field, stamp: register.stamp, value: []),
        kept: deletion, noticed: now)
    }
  }

  /// Whether the writer of a deletion held anything that an action wrote, whatever a server that was put back has lost of the action.
  private func isAction(
    _ stamp: Stamp, knownTo deletion: Register, _ history: RecordHistory
  ) -> Bool {
    guard deletion.value == Register.deletedValue, !Mutation.partsNotKnown.isActive else {
      return false
    }
    let isWritten =
      record[Register.deletedField] == deletion && written.contains(Register.deletedField)
    return record.registers.contains {
      $0.stamp == stamp && (isWritten || history.known.contains($0.fingerprint))
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
    // What carries the floor's stamp was lifted, and is nobody's action.
    let known = [Register.deletedField, Register.forgottenField].compactMap { stored[$0]?.stamp }
    var seen = Set(known)
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
