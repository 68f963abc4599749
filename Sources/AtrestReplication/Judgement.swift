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
    /// Whether a deletion that knew it was undone by an action that knew the deletion.
    var isBack = false
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
        let side = isOffered ? record : stored
        let original = side[lost.field] ?? lost
        let former = side.beforeLifting(original)
        let isBack = Self.isBack(lost, former, floor)
        // A register that was in the account's copy before lost then and was judged then. What
        // comes back was judged under its own stamp when pruning took it, and is judged again.
        var names = isOffered ? [isBack ? lost : original] : []
        // On either side, somebody may have written over it knowingly, and lost.
        if isBack { names.append(.unvalued(former.field, former.stamp)) }
        let isJudged = names.contains { history.judged.contains($0.fingerprint) }
        if !isJudged {
          let kept = isLifted ? floor ?? winner : winner
          pairs.append(Loss(lost: former, kept: kept, record: side, isBack: isBack))
        }
      }
    }
    (self.offer, self.record, self.stored, self.history) = (offer, record, stored, history)
    (self.floor, self.offered, self.pairs) = (floor, offered, pairs)
    (self.result, self.isSuperseded) = (result, isSuperseded)
  }

  /// The registers that this offer settles, as the history names them: offered ones that are
  /// judged if they lose, and what was written over though pruning had taken it. Of that the stamp
  /// alone is known.
  var judgedRegisters: [Register] {
    let met = record.registers.filter { canLose($0.field) }
      .map { comesBack($0) ? offered[$0.field] ?? $0 : $0 }
    let writtenOver = record.registers.compactMap { register -> Register? in
      guard let floor, let stamp = register.replaced, isWritten(register), !register.isOfEveryKind,
        stamp < floor.stamp, floor.knew(stamp)
      else { return nil }
      return .unvalued(register.field, stamp)
    }
    return met + writtenOver
  }

  /// An action that undoes a deletion counts as a write of what the deletion knew.
  private func canLose(_ field: FieldNumber) -> Bool {
    offer.canLose(field) || record[field].map(comesBack) ?? false
  }

  /// Whether the offer's writer undid the deletion of a register, which the deletion's writer knew.
  private func comesBack(_ register: Register) -> Bool {
    guard let lifted = offered[register.field] else { return false }
    return lifted != register && Self.isBack(lifted, record.beforeLifting(register), floor)
  }

  /// Whether a deletion's writer knew a register, and the action that lifted it knew the deletion.
  ///
  /// - Parameter former: The register before it was lifted.
  private static func isBack(_ lifted: Register, _ former: Register, _ floor: Register?) -> Bool {
    guard let floor, lifted.stamp == floor.stamp else { return false }
    return lifted.replaced == former.stamp && floor.knew(former.stamp)
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
      return (canLose(lost.field) || result[lost.field] == offered[lost.field])
        && !isLostToDeletion(loss) && !isFloor(lost.stamp)
        && kept.value != lost.value && !kept.knew(lost.stamp) && !isSettledByFloor(loss)
    }
  }

  /// Whether a value that is older than the floor needs no entry beside the deletion's. If the
  /// deletion knew it: it did not come back, or who wrote over it replaced the floor's stamp. If
  /// the deletion did not know it: it was journalled then.
  private func isSettledByFloor(_ loss: Loss) -> Bool {
    let field = loss.lost.field
    guard let floor, field != Register.deletedField, loss.lost.stamp < floor.stamp
    else { return false }
    if floor.knew(loss.lost.stamp) { return !loss.isBack || loss.kept.knew(floor.stamp) }
    return result[field] == offered[field] || !offer.canLose(field)
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
    .unvalued(Register.deletedField, stamp)
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

extension Register {
  /// The name, in a record's history, of a register whose value is not known.
  fileprivate static func unvalued(_ field: FieldNumber, _ stamp: Stamp) -> Register {
    Register(field: field, stamp: stamp, value: [])
  }
}
