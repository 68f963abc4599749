// SPDX-License-Identifier: Apache-2.0
// What a replica pushes, and what merging it into the account's copy leads to.

/// A whole record that holds writes the server has not acknowledged, or may have lost.
public struct Offer: Hashable, Sendable {
  /// The record as the replica had it when it wrote.
  public var record: Record
  /// The fields it wrote, ascending; the others come along so that nothing is lost if the server
  /// lost them.
  public var written: [FieldNumber]
  /// Whether all but what it wrote was acknowledged once, by a server that may have lost it since.
  public var isRestored: Bool

  /// An offer.
  public init(record: Record, written: [FieldNumber], isRestored: Bool = false) {
    self.record = record
    self.written = written
    self.isRestored = isRestored
  }

  /// Whether the register of a field was acknowledged before, perhaps by a server that has lost it
  /// since. A signed fact says so itself.
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
  /// Of what is offered only written fields can lose in a conflict: any other register was
  /// acknowledged before, and was judged then. A server that was put back may have forgotten what
  /// it judged, and met the other write since; so all fields of a restored offer can.
  ///
  /// An action that brings back a record that was pruned meanwhile brings it back whole: see
  /// `Record.lifted(to:)`.
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
    let judgement = Judgement(of: self, meeting: stored, history)
    var noted = history
    let lost = canConflict ? judgement.lost() : []
    if canConflict {
      noted.note(stored, meeting: self, became: judgement.result)
      noted.note(actions: lost.map(\.lost))
    }
    return Outcome(
      record: judgement.result, isSuperseded: judgement.isSuperseded,
      conflicts: lost.map {
        Conflict(key: record.key, field: $0.lost.field, lost: $0.lost, kept: $0.kept, noticed: now)
      }, history: noted)
  }

  /// Whether the offered register of a field is to be judged if it loses.
  func isOpen(_ field: FieldNumber) -> Bool {
    isRestored && !Mutation.restoredNotJudged.isActive || written.contains(field)
  }

  /// Signed facts are nobody's edits, and of journal entries the account wants no journal.
  private var canConflict: Bool {
    record.key.kind != .conflict && record.key.kind != .entitlement
  }
}

extension Record {
  /// The greater `prune_floor` register of two copies.
  public func floor(with other: Record) -> Register? {
    [self, other].compactMap { $0[Register.pruneFloorField] }.max { $0.stamp < $1.stamp }
  }

  /// The record, with what lies under a floor raised to the floor's stamp, if its last action is
  /// younger than the floor and no deletion: such an action brings the record back whole.
  ///
  /// The floor's stamp, and no later one: it loses to whatever was written since, in whatever order
  /// the two arrive. Who merges two copies lifts both to their `floor`, server and replica alike,
  /// or they would hold different records.
  public func lifted(to floor: Register?) -> Record {
    guard let floor, let action = self[Register.deletedField], !isDeleted,
      action.stamp > floor.stamp, !Mutation.notLifted.isActive
    else { return self }
    var copy = self
    for register in registers
    where register.stamp < floor.stamp && register.field != Register.pruneFloorField {
      let stamp = Mutation.liftedTooHigh.isActive ? action.stamp : floor.stamp
      copy.set(Register(field: register.field, stamp: stamp, value: register.value))
    }
    return copy
  }
}
