// SPDX-License-Identifier: Apache-2.0
// Finds the writes that lost to one that did not know them when an offer is merged. Pure.

/// The merge of an offer into the account's copy of a record, and the conflicts that follow from
/// it.
///
/// Each kind of conflict has a function of its own, named and ordered as in docs/protocol/merge.md.
struct Judgement {
  /// A write that lost.
  struct Loss {
    let lost: Register
    let kept: Register
    /// The record as the side that lost had it, before the merge.
    let record: Record
  }

  private let offer: Offer
  private let record: Record
  private let stored: Record
  private let history: RecordHistory
  /// The greater `prune_floor` register of the two copies.
  private let floor: Register?
  /// The offered record after lifting.
  private let offered: Record
  /// Registers that lost, each with its winner.
  private let pairs: [Loss]
  /// The merged record.
  let result: Record
  /// Whether an offered register lost or was lifted.
  let isSuperseded: Bool

  /// Merges an offer into the account's copy.
  init(of offer: Offer, meeting stored: Record, _ history: RecordHistory) {
    let record = offer.record
    let floor = record.floor(with: stored)
    let offered = record.lifted(to: floor)
    var result = stored.lifted(to: floor)
    var isSuperseded = offered != record
    var pairs: [Loss] = []
    result.merge(offered) { lost, winner in
      // A lifted register is not anybody's write. What loses to it loses to the deletion.
      let isLifted = winner.stamp == floor?.stamp && winner.field != Register.deletedField
      let isOffered = offered[lost.field] == lost
      if isOffered { isSuperseded = true }
      if winner.field == lost.field || isOffered {
        let original = isOffered ? record[lost.field] ?? lost : lost
        // A register that was in the account's copy before lost then and was judged then.
        let isJudged = isOffered && history.judged.contains(original.fingerprint)
        if !isJudged {
          let kept = isLifted ? floor ?? winner : winner
          pairs.append(Loss(lost: original, kept: kept, record: isOffered ? record : stored))
        }
      }
    }
    (self.offer, self.record, self.stored, self.history) = (offer, record, stored, history)
    (self.floor, self.offered, self.pairs) = (floor, offered, pairs)
    (self.result, self.isSuperseded) = (result, isSuperseded)
  }

  /// Every write that lost to a winner that did not know it.
  func lost() -> [Loss] {
    withoutParts(of: fields() + liftedWrites() + deletedActions())
  }

  /// Leaves out the values of an action that is listed itself now: its entry holds them.
  private func withoutParts(of losses: [Loss]) -> [Loss] {
    let actions = losses.filter {
      $0.lost.field == Register.deletedField && !history.judged.contains($0.lost.fingerprint)
    }
    return losses.filter { loss in
      !actions.contains { action in
        action.lost.field != loss.lost.field && action.lost.stamp == loss.lost.stamp
          && action.record[loss.lost.field] == loss.lost
      }
    }
  }

  private func fields() -> [Loss] {
    pairs.filter { loss in
      let (lost, kept) = (loss.lost, loss.kept)
      // An offered register that wins but is not in `written` is one that the server lost.
      return (offer.canLose(lost.field) || result[lost.field] == offered[lost.field])
        && !isLostToDeletion(loss) && !isFloor(lost.stamp)
        && kept.value != lost.value && !kept.knew(lost.stamp) && !wasTakenKnowingly(lost)
    }
  }

  /// Whether what lost is of an action that `deletedActions()` judges. An action that was judged
  /// before has an entry, which may not hold this value.
  private func isLostToDeletion(_ loss: Loss) -> Bool {
    guard result.isDeleted else { return false }
    if loss.lost.field == Register.deletedField { return true }
    return loss.kept.field == Register.pruneFloorField
      && stored[Register.deletedField] == result[Register.deletedField]
      && !history.judged.contains(action(at: loss.lost.stamp).fingerprint)
  }

  /// Whether a value is below the floor and the deletion's writer knew it. A write over a value
  /// that was lifted from below the floor is then a write over the lifted register.
  private func wasTakenKnowingly(_ lost: Register) -> Bool {
    guard let floor, lost.field != Register.deletedField else { return false }
    return lost.stamp < floor.stamp && floor.knew(lost.stamp)
  }

  /// Writes of this offer that were below the floor and were lifted to it, and those that come back
  /// so to a server that lost them. Their own stamps lost to the deletion, whether or not their
  /// values are visible: a later write that did not know them will know the floor. Those that lost
  /// to another write are already in `fields()`.
  private func liftedWrites() -> [Loss] {
    guard let floor else { return [] }
    return record.registers.filter { register in
      register.stamp < floor.stamp && (isWritten(register) || isReturned(register))
        && result[register.field]?.stamp == floor.stamp
        && result[register.field]?.value == register.value
        && offered[register.field] != register && !floor.knew(register.stamp)
    }.map { Loss(lost: $0, kept: floor, record: record) }
  }

  /// Whether a register comes back to a server that lost it and judged it never, and the writer of
  /// the copy's deletion did not have it.
  private func isReturned(_ register: Register) -> Bool {
    offer.isRestored && register.field != Register.pruneFloorField
      && !history.judged.contains(register.fingerprint)
      && !(stored.isDeleted && stored[Register.deletedField]?.knew(register.stamp) == true)
  }

  /// Actions that a deletion beats without knowing them: those in the account's copy if the offer
  /// brings the deletion, and those that the offer brings if the copy has it.
  private func deletedActions() -> [Loss] {
    guard result.isDeleted, let deletion = result[Register.deletedField] else { return [] }
    if stored[Register.deletedField] == deletion {
      return actions(of: record.registers.filter(isBrought), in: record, lostTo: deletion)
    }
    return stored.isDeleted ? [] : actions(of: stored.registers, in: stored, lostTo: deletion)
  }

  /// Whether the offer writes a register, or gives it back to a server that lost it.
  private func isBrought(_ register: Register) -> Bool {
    let isBack = offer.isRestored || result[register.field] == register
    return (isWritten(register) || isBack && stored[register.field] != register)
      && !history.judged.contains(register.fingerprint)
  }

  /// The actions with these registers of a copy that a deletion beats without knowing them.
  private func actions(
    of registers: [Register], in copy: Record, lostTo deletion: Register
  ) -> [Loss] {
    let beaten = registers.filter { register in
      register.field != Register.pruneFloorField && register.stamp < deletion.stamp
        && !isFloor(register.stamp) && !lostInItsField(register)
        && !knew(deletion, register.stamp) && !offeredDeletionKnew(register.stamp)
    }
    let last = copy[Register.deletedField].map { [$0.stamp: $0] } ?? [:]
    return Set(beaten.map { $0.stamp }).sorted().map {
      Loss(lost: last[$0] ?? action(at: $0), kept: deletion, record: copy)
    }
  }

  /// What is left of an action whose own `deleted` register a later one wrote over.
  private func action(at stamp: Stamp) -> Register {
    Register(field: Register.deletedField, stamp: stamp, value: [])
  }

  /// Whether a register lost to another write of its field: it was not there to be deleted.
  private func lostInItsField(_ register: Register) -> Bool {
    register.field != Register.deletedField
      && pairs.contains { $0.lost == register && $0.kept.field == register.field }
  }

  private func isFloor(_ stamp: Stamp) -> Bool {
    [record, stored].contains { $0[Register.pruneFloorField]?.stamp == stamp }
  }

  /// Whether an action is the offered deletion, or one that its writer knew.
  private func offeredDeletionKnew(_ stamp: Stamp) -> Bool {
    guard record.isDeleted, let deletion = record[Register.deletedField] else { return false }
    return deletion.stamp == stamp || knew(deletion, stamp)
  }

  private func isWritten(_ register: Register) -> Bool { offer.written.contains(register.field) }

  /// Whether the writer of a deletion knew an action. One of 0.1.0 does not say what it held; it
  /// held what its own offer has.
  private func knew(_ deletion: Register, _ action: Stamp) -> Bool {
    if deletion.knew(action) { return true }
    return deletion.held.isEmpty && record[Register.deletedField] == deletion
      && isWritten(deletion) && record.registers.contains { $0.stamp == action }
  }
}
