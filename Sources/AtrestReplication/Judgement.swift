// SPDX-License-Identifier: Apache-2.0
// Which writes lost to one that did not know them, when an offer meets the account's copy.

/// An offer that met the account's copy of a record: what became of both, and what that makes of
/// each write.
///
/// Each sort of conflict is a function of its own, named as in docs/merge.md and in its order.
struct Judgement {
  /// A write that lost, and the one that won.
  typealias Loss = (lost: Register, kept: Register)

  private let offer: Offer
  private let record: Record
  private let stored: Record
  private let history: RecordHistory
  /// The greater `prune_floor` register of the two copies.
  private let floor: Register?
  /// The offered record, as it was lifted.
  private let offered: Record
  /// Registers that gave way, with what won against them.
  private let pairs: [Loss]
  /// Registers of the account's copy that the offer's floor takes out.
  private let dropped: [Register]
  /// The merged record.
  let result: Record
  /// Whether some offered register lost, or was lifted.
  let isSuperseded: Bool

  /// Merges an offer into the account's copy.
  init(of offer: Offer, meeting stored: Record, _ history: RecordHistory) {
    let record = offer.record
    let floor = record.floor(with: stored)
    let offered = record.lifted(to: floor)
    var result = stored.lifted(to: floor)
    var isSuperseded = offered != record
    var dropped: [Register] = []
    var pairs: [Loss] = []
    result.merge(offered) { lost, winner in
      // What was lifted is nobody's write: what loses to it, loses to the deletion.
      let isLifted = winner.stamp == floor?.stamp && winner.field != Register.deletedField
      let isOffered = offered[lost.field] == lost
      if isOffered { isSuperseded = true }
      if winner.field == lost.field || isOffered {
        let original = isOffered ? record[lost.field] ?? lost : lost
        // What the account's copy had before lost then, and was judged then.
        let isJudged = isOffered && history.judged.contains(original.fingerprint)
        if !isJudged || Mutation.judgedAgain.isActive || Mutation.unwrittenConflicts.isActive {
          pairs.append((original, isLifted ? floor ?? winner : winner))
        }
      } else {
        dropped.append(lost)
      }
    }
    (self.offer, self.record, self.stored, self.history) = (offer, record, stored, history)
    (self.floor, self.offered, self.pairs, self.dropped) = (floor, offered, pairs, dropped)
    (self.result, self.isSuperseded) = (result, isSuperseded)
  }

  /// Every write that lost without the winner knowing it.
  func lost() -> [Loss] {
    var losses = fields() + liftedWrites() + hiddenActions()
    losses += values(ofActionsIn: losses)
    // A deletion that won against the offer's own action knew none of what came with it.
    let last = record[Register.deletedField]
    let winner = losses.first { $0.lost.field == Register.deletedField && $0.lost == last }?.kept
    return losses + earlierActions(wonAgainstBy: winner)
  }

  private func fields() -> [Loss] {
    // What carries a floor's own stamp was written before the deletion, and was judged then.
    pairs.filter { lost, kept in
      // What wins here and was not written now is something that the server has lost.
      (offer.isOpen(lost.field) || result[lost.field] == offered[lost.field]
        || Mutation.unwrittenConflicts.isActive) && !isFloor(lost.stamp)
        && kept.isConcurrent(with: lost) && !wasTakenKnowingly(lost)
        && !(lost.field == Register.deletedField && isAction(lost.stamp, knownTo: kept))
    }
  }

  /// Whether a value lies under the floor, and the deletion's writer knew it: whoever wrote over
  /// what came back from there wrote over what had been lifted.
  private func wasTakenKnowingly(_ lost: Register) -> Bool {
    guard let floor, lost.field != Register.deletedField else { return false }
    return lost.stamp < floor.stamp && !floor.isConcurrent(with: lost)
  }

  /// Writes of this offer that lie under the floor, and were lifted to it: their own stamps lost to
  /// the deletion, whether or not their values are visible. Those that lost to another write are
  /// among the fields already.
  private func liftedWrites() -> [Loss] {
    guard let floor else { return [] }
    return record.registers.filter { register in
      register.stamp < floor.stamp && isWritten(register)
        && result[register.field]?.stamp == floor.stamp
        && result[register.field]?.value == register.value
        && offered[register.field] != register && floor.isConcurrent(with: register)
    }.map { ($0, floor) }
  }

  /// Actions that the offered deletion wins against without knowing them, and whose own `deleted`
  /// register is not there to lose: another action wrote the same value over it. What they wrote is
  /// still in the record, and would go with it.
  private func hiddenActions() -> [Loss] {
    if Mutation.hiddenNotJournalled.isActive { return [] }
    guard !stored.isDeleted, record.isDeleted, offer.isOpen(Register.deletedField),
      result.isDeleted, let deletion = result[Register.deletedField]
    else { return [] }
    // What carries the floor's stamp was lifted, and is nobody's action.
    let own = [Register.deletedField, Register.pruneFloorField].compactMap { stored[$0]?.stamp }
    let hidden = stored.registers.filter { hidden in
      // Each action writes field 1: of a later one than it wrote over the deletion's writer had
      // nothing.
      let isUnknown =
        record[hidden.field].map { $0.givesWay(to: hidden) } ?? true
        || deletion.replaced.map { $0 < hidden.stamp } ?? false
      return hidden.field != Register.pruneFloorField && isUnknown && hidden.stamp < deletion.stamp
        && hidden.stamp.replica != deletion.stamp.replica
        && !isAction(hidden.stamp, knownTo: deletion)
    }
    return actions(of: hidden, but: own, lostTo: deletion)
  }

  /// Values that a restored floor takes out of the account's copy, where the deletion did not know
  /// the action that wrote them: they follow that action into the journal.
  private func values(ofActionsIn losses: [Loss]) -> [Loss] {
    guard let floor else { return [] }
    let actions = Set(losses.filter { $0.lost.field == Register.deletedField }.map(\.lost.stamp))
    return dropped.filter {
      $0.field != Register.deletedField && (actions.contains($0.stamp) || wasListed($0.stamp))
    }.map { ($0, floor) }
  }

  /// Whether an action lost earlier, to the deletion of the account's copy, whose writer did not
  /// know it.
  private func wasListed(_ action: Stamp) -> Bool {
    guard let deletion = stored[Register.deletedField], stored.isDeleted,
      action < deletion.stamp, action != deletion.replaced,
      action.replica != deletion.stamp.replica
    else { return false }
    let isKnown = stored.registers.contains {
      $0.stamp == action && history.known.contains($0.fingerprint)
    }
    let itself = Register(field: Register.deletedField, stamp: action, value: [])
    return !isKnown && history.judged.contains(itself.fingerprint)
  }

  /// Earlier actions of the same offer, whose own `deleted` register the last one wrote over. And
  /// actions that come back in pieces to a server that was put back, whether or not the replica
  /// knows of that: what the account's copy never had, and the writer of its deletion did not know.
  private func earlierActions(wonAgainstBy winner: Register?) -> [Loss] {
    let held = Mutation.partsNotNoted.isActive ? nil : stored[Register.deletedField]
    guard let deletion = winner ?? held, !Mutation.earlierNotJournalled.isActive,
      deletion.value == Register.deletedValue, result[deletion.field] == deletion
    else { return [] }
    let earlier = record.registers.filter { register in
      (winner != nil && isWritten(register) || isPiece(register, under: deletion))
        && register.stamp < deletion.stamp && !isAction(register.stamp, knownTo: deletion)
    }
    let last = record[deletion.field].map { [$0.stamp] } ?? []
    return actions(of: earlier, but: last, lostTo: deletion)
  }

  /// Whether an offered register comes back to a server that lost it, and is unknown to a
  /// deletion's writer.
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

  /// The actions that wrote some registers, each once.
  private func actions(
    of registers: [Register], but known: [Stamp], lostTo deletion: Register
  ) -> [Loss] {
    var seen = Set(known)
    return registers.map(\.stamp).filter { seen.insert($0).inserted }.map {
      (Register(field: Register.deletedField, stamp: $0, value: []), deletion)
    }
  }

  /// Whether the writer of a deletion held anything that an action wrote, whatever a server that
  /// was put back has lost of the action.
  private func isAction(_ stamp: Stamp, knownTo deletion: Register) -> Bool {
    guard deletion.value == Register.deletedValue, !Mutation.partsNotKnown.isActive else {
      return false
    }
    let isItsOffer = record[Register.deletedField] == deletion && isWritten(deletion)
    return record.registers.contains {
      $0.stamp == stamp && (isItsOffer || history.known.contains($0.fingerprint))
    }
  }
}
