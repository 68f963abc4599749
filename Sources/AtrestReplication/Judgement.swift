// SPDX-License-Identifier: Apache-2.0
// Finds the writes that lost to one that did not know them when an offer is merged. Pure.

/// The merge of an offer into the account's copy of a record, and the conflicts that follow from
/// it.
///
/// Each kind of conflict has its function, named as in docs/protocol/merge.md.
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
  /// Registers that lost to another one of their field, each with its winner.
  private let pairs: [Loss]
  /// The merged record.
  let result: Record
  /// Whether an offered register lost.
  let isSuperseded: Bool

  /// Merges an offer into the account's copy.
  init(of offer: Offer, meeting stored: Record, _ history: RecordHistory) {
    let record = offer.record
    var result = stored
    var isSuperseded = false
    var pairs: [Loss] = []
    result.merge(record) { lost, winner in
      let isOffered = record[lost.field] == lost
      if isOffered { isSuperseded = true }
      // A register that was in the account's copy before lost then and was judged then.
      let isJudged = isOffered && history.judged.contains(lost.fingerprint)
      if winner.field == lost.field, !isJudged {
        pairs.append(Loss(lost: lost, kept: winner, record: isOffered ? record : stored))
      }
    }
    (self.offer, self.record, self.stored, self.history) = (offer, record, stored, history)
    (self.pairs, self.result, self.isSuperseded) = (pairs, result, isSuperseded)
  }

  /// Every write that lost to a winner that did not know it.
  func lost() -> [Loss] {
    if record.floor != stored.floor { return outlivedActions() }
    return withoutParts(of: fields() + deletedActions())
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
      let isLostToDeletion = lost.field == Register.deletedField && result.isDeleted
      // An offered register that wins but is not in `written` is one that the server lost.
      return (offer.canLose(lost.field) || result[lost.field] == record[lost.field])
        && !isLostToDeletion && kept.value != lost.value && !kept.knew(lost.stamp)
        && !isFloor(lost.stamp)
    }
  }

  /// Actions that a deletion beats without knowing them: those in the account's copy if the offer
  /// brings the deletion, and those that the offer brings if the copy has it.
  private func deletedActions() -> [Loss] {
    guard result.isDeleted, let deletion = result[Register.deletedField] else { return [] }
    func isBeaten(_ register: Register) -> Bool {
      register.stamp < deletion.stamp && !lostInItsField(register)
        && !offeredDeletionKnew(register.stamp)
    }
    if stored[Register.deletedField] == deletion {
      return actions(of: brought.filter(isBeaten), in: record, lostTo: deletion)
    }
    guard !stored.isDeleted else { return [] }
    return actions(of: stored.registers.filter(isBeaten), in: stored, lostTo: deletion)
  }

  /// Actions that are gone with the offered record or with the account's copy, because the other
  /// one was pruned since. Their stamps do not matter.
  private func outlivedActions() -> [Loss] {
    guard let floor = result.floor else { return [] }
    if record.isOutlived(by: stored) { return actions(of: brought, in: record, lostTo: floor) }
    // What a deletion in the account's copy beat was judged then.
    let deletion = stored.isDeleted ? stored[Register.deletedField] : nil
    return actions(of: deletion.map { [$0] } ?? stored.registers, in: stored, lostTo: floor)
  }

  /// The registers that the offer writes, or gives back to a server that lost them.
  private var brought: [Register] {
    record.registers.filter { register in
      let isBack = offer.isRestored || result[register.field] == register
      return (isWritten(register) || isBack && stored[register.field] != register)
        && !history.judged.contains(register.fingerprint)
    }
  }

  /// The actions with these registers of a copy that a deletion beats without knowing them.
  ///
  /// - Parameter deletion: The deletion, or the floor that pruning left of it.
  private func actions(
    of registers: [Register], in copy: Record, lostTo deletion: Register
  ) -> [Loss] {
    let last = copy[Register.deletedField]
    let beaten = registers.filter { register in
      let isOfDeletion = copy.isDeleted && register.stamp == last?.stamp
      return register.field != Register.pruneFloorField && !isFloor(register.stamp)
        && !knew(deletion, register.stamp)
        && !(isOfDeletion && result.isDeleted)
    }
    return Set(beaten.map { $0.stamp }).sorted().map { stamp in
      guard let last, last.stamp == stamp else {
        return Loss(lost: action(at: stamp), kept: deletion, record: copy)
      }
      // A deletion lost to the action that brought the record back.
      let kept = copy.isDeleted ? result[Register.deletedField] ?? deletion : deletion
      return Loss(lost: last, kept: kept, record: copy)
    }
  }

  /// What is left of an action whose own `deleted` register a later one wrote over.
  private func action(at stamp: Stamp) -> Register {
    Register(field: Register.deletedField, stamp: stamp, value: [])
  }

  /// Whether a register lost to another write of its field: it was not there to be deleted.
  private func lostInItsField(_ register: Register) -> Bool {
    register.field != Register.deletedField && pairs.contains { $0.lost == register }
  }

  /// Whether a stamp is that of a copy's floor, which every write above it knew.
  private func isFloor(_ stamp: Stamp) -> Bool {
    [record, stored].contains { $0.floor?.stamp == stamp }
  }

  /// Whether the writer of a deletion in the offer knew an action.
  private func offeredDeletionKnew(_ stamp: Stamp) -> Bool {
    guard record.isDeleted, let deletion = record[Register.deletedField] else { return false }
    return knew(deletion, stamp)
  }

  private func isWritten(_ register: Register) -> Bool { offer.written.contains(register.field) }

  /// Whether the writer of a deletion knew an action. One of 0.1.0 does not say what it held; it
  /// held what its own offer has.
  private func knew(_ deletion: Register, _ action: Stamp) -> Bool {
    if deletion.knew(action) { return true }
    return deletion.held.isEmpty && record[Register.deletedField] == deletion
      && isWritten(deletion) && action != deletion.stamp
      && record.registers.contains { $0.stamp == action }
  }
}
