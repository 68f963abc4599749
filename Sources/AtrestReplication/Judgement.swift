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
    let losses = fields() + liftedWrites() + hiddenActions()
    // A deletion that won against the offer's own action knew none of the offer's other writes.
    let last = record[Register.deletedField]
    let winner = losses.first { $0.lost.field == Register.deletedField && $0.lost == last }?.kept
    return withoutParts(of: losses + earlierActions(wonAgainstBy: winner))
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
    // A register with the floor's own stamp was written before the deletion and judged then.
    pairs.filter { loss in
      let (lost, kept) = (loss.lost, loss.kept)
      // An offered register that wins but is not in `written` is one that the server lost.
      return (offer.canLose(lost.field) || result[lost.field] == offered[lost.field])
        && !isFloor(lost.stamp)
        && kept.isConcurrent(with: lost) && !wasTakenKnowingly(lost)
        && !(lost.field == Register.deletedField && isAction(lost.stamp, knownTo: kept))
    }
  }

  /// Whether a value is below the floor and the deletion's writer knew it. A write over a value
  /// that was lifted from below the floor is then a write over the lifted register.
  private func wasTakenKnowingly(_ lost: Register) -> Bool {
    guard let floor, lost.field != Register.deletedField else { return false }
    return lost.stamp < floor.stamp && !floor.isConcurrent(with: lost)
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
        && offered[register.field] != register && floor.isConcurrent(with: register)
    }.map { Loss(lost: $0, kept: floor, record: record) }
  }

  /// Actions that the offered deletion beats without knowing them, and whose own `deleted` register
  /// another action overwrote with the same value. Their other registers are still in the record
  /// and would be deleted with it.
  private func hiddenActions() -> [Loss] {
    guard !stored.isDeleted, record.isDeleted, offer.canLose(Register.deletedField),
      result.isDeleted, let deletion = result[Register.deletedField]
    else { return [] }
    // What carries the floor's stamp was lifted, and is nobody's action.
    let own = [Register.deletedField, Register.pruneFloorField].compactMap { stored[$0]?.stamp }
    let hidden = stored.registers.filter { hidden in
      // Every action writes field 1. If an action is later than the one that the deletion replaced,
      // the deletion's writer did not have it.
      let isUnknown =
        record[hidden.field].map { $0.givesWay(to: hidden) } ?? true
        || deletion.replaced.map { $0 < hidden.stamp } ?? false
      return hidden.field != Register.pruneFloorField && isUnknown && hidden.stamp < deletion.stamp
        && hidden.stamp.replica != deletion.stamp.replica
        && !isAction(hidden.stamp, knownTo: deletion)
    }
    return actions(of: hidden, in: stored, but: own, lostTo: deletion)
  }

  /// Whether a register comes back to a server that lost it and judged it never, and the writer of
  /// the copy's deletion did not have it.
  private func isReturned(_ register: Register) -> Bool {
    guard offer.isRestored, register.field != Register.pruneFloorField,
      !history.judged.contains(register.fingerprint)
    else { return false }
    guard let deletion = stored[Register.deletedField], stored.isDeleted else { return true }
    return register.stamp != deletion.replaced && !isAction(register.stamp, knownTo: deletion)
  }

  /// Earlier actions of the same offer whose `deleted` register the last action overwrote. Also
  /// actions whose registers return one by one to a restored server, whether or not the replica
  /// knows of the restore: those that the account's copy never had and its deletion's writer did
  /// not know.
  private func earlierActions(wonAgainstBy winner: Register?) -> [Loss] {
    guard let deletion = winner ?? stored[Register.deletedField],
      deletion.value == Register.deletedValue, result[deletion.field] == deletion
    else { return [] }
    let earlier = record.registers.filter { register in
      (winner != nil && isWritten(register) || isPiece(register, under: deletion))
        && register.stamp < deletion.stamp && !isAction(register.stamp, knownTo: deletion)
    }
    let last = record[deletion.field].map { [$0.stamp] } ?? []
    return actions(of: earlier, in: record, but: last, lostTo: deletion)
  }

  /// Whether an offered register returns to a server that lost it, and the deletion's writer did
  /// not know it.
  private func isPiece(_ register: Register, under deletion: Register) -> Bool {
    (offer.isRestored || result[register.field] == register) && stored[register.field] != register
      && !isWritten(register) && !history.judged.contains(register.fingerprint)
      && register.stamp.replica != deletion.stamp.replica && register.stamp != deletion.replaced
      && register.field != Register.pruneFloorField && !isFloor(register.stamp)
  }

  private func isFloor(_ stamp: Stamp) -> Bool {
    [record, stored].contains { $0[Register.pruneFloorField]?.stamp == stamp }
  }

  private func isWritten(_ register: Register) -> Bool { offer.written.contains(register.field) }

  /// The distinct actions that wrote the given registers of a record.
  private func actions(
    of registers: [Register], in record: Record, but known: [Stamp], lostTo deletion: Register
  ) -> [Loss] {
    var seen = Set(known)
    return registers.map { $0.stamp }.filter { seen.insert($0).inserted }.map {
      Loss(
        lost: Register(field: Register.deletedField, stamp: $0, value: []), kept: deletion,
        record: record)
    }
  }

  /// Whether the deletion's writer had any register of an action. True even if a restored server
  /// has lost parts of the action.
  private func isAction(_ stamp: Stamp, knownTo deletion: Register) -> Bool {
    guard deletion.value == Register.deletedValue else { return false }
    let isItsOffer = record[Register.deletedField] == deletion && isWritten(deletion)
    return record.registers.contains {
      $0.stamp == stamp && (isItsOffer || history.known.contains($0.fingerprint))
    }
  }
}
