// SPDX-License-Identifier: Apache-2.0
// Deletions are ordinary writes: the last action on a record decides whether it exists.

import AtrestReplication
import AtrestTestSupport
import Testing

@Suite("Deleting", .timeLimit(.minutes(20)))
struct DeletionTests {
  private func deletion(at time: UInt64, by replica: UInt64) -> Register {
    Register(field: 1, stamp: Stamp(time, replica), value: Register.deletedValue)
  }

  private func edit(_ value: UInt8, at time: UInt64, by replica: UInt64) -> [Register] {
    [
      Register(field: 1, stamp: Stamp(time, replica), value: []),
      Register(field: 2, stamp: Stamp(time, replica), value: [value]),
    ]
  }

  private func record(_ registers: [Register]) -> Record {
    var record = Record(key: .some)
    for register in registers { record.set(register) }
    return record
  }

  @Test("a later edit brings the record back whole")
  func editAfterDelete() {
    let original = edit(1, at: 1, by: 1) + [Register(field: 3, stamp: Stamp(1, 1), value: [9])]
    let deleted = record(original).merged(with: record([deletion(at: 5, by: 1)]))
    #expect(deleted.isDeleted)
    let revived = deleted.merged(with: record(edit(2, at: 6, by: 2)))
    #expect(!revived.isDeleted)
    #expect(revived[2]?.value == [2])
    #expect(revived[3]?.value == [9])
  }

  @Test("an earlier edit does not undo it")
  func editBeforeDelete() {
    let deleted = record([deletion(at: 5, by: 1)])
    #expect(deleted.merged(with: record(edit(2, at: 4, by: 2))).isDeleted)
  }

  @Test("pruning takes what is older than the deletion, and says so")
  func prune() {
    let old = Register(field: 2, stamp: Stamp(4, 2), value: [1])
    let new = Register(field: 3, stamp: Stamp(6, 2), value: [1])
    let deleted = record([deletion(at: 5, by: 1), old, new])
    #expect(deleted.pruned() == record([deletion(at: 5, by: 1), new, pruneFloor(at: 5, by: 1)]))
    let alive = record(edit(1, at: 1, by: 1))
    #expect(alive.pruned() == alive)
    let bare = record([deletion(at: 5, by: 1)])
    #expect(bare.pruned() == bare)
  }

  @Test("what was pruned does not come back from a copy that still has it, in any order")
  func pruneCommutes() {
    checkLaw { random in
      var a = Record.random(&random)
      let b = Record.random(&random)
      let c = Record.random(&random)
      let deletion = deletion(at: .random(in: 1...5, using: &random), by: 1)
      if let floor = a.floor, deletion.stamp < floor.stamp { return true }
      a.set(deletion)
      let pruned = a.pruned()
      let all = [
        pruned.merged(with: b).merged(with: c), c.merged(with: pruned).merged(with: b),
        b.merged(with: a).merged(with: c).merged(with: pruned),
      ]
      return Set(all).count == 1 && pruned.pruned() == pruned
        && all[0].registers.allSatisfy { register in
          all[0].floor.map { register.stamp >= $0.stamp } ?? (pruned.floor == nil)
        }
    }
  }

  private func pruneFloor(at time: UInt64, by replica: UInt64) -> Register {
    Register(field: 15, stamp: Stamp(time, replica), value: Register.pruneFloorValue)
  }

  @Test("a value of an action that the entry's side does not hold has its own entry")
  func partOfTheOtherSide() {
    let action = edit(2, at: 4, by: 2)
    let other = Register(field: 2, stamp: Stamp(5, 3), value: [3])
    let back = Offer(
      record: record([deletion(at: 6, by: 1), action[1]]), written: [], isRestored: true)
    let outcome = back.merged(into: record([action[0], other]), at: WallTime(milliseconds: 0))
    #expect(outcome.conflicts.map(\.lost).contains(action[1]))
  }

  @Test("a write that comes too late for a pruned record is journalled, with its value")
  func tooLate() {
    let offer = Offer(record: record(edit(2, at: 4, by: 2)), written: [1, 2])
    let stored = record([deletion(at: 5, by: 1), pruneFloor(at: 5, by: 1)])
    let outcome = offer.merged(into: stored, at: WallTime(milliseconds: 0))
    #expect(outcome.record == stored)
    #expect(outcome.conflicts.map(\.field) == [Register.deletedField])
    #expect(outcome.conflicts.map(\.record) == [offer.record])
    #expect(outcome.isSuperseded)
  }
}
