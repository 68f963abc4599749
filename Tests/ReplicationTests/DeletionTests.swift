// SPDX-License-Identifier: Apache-2.0
// Deletions are writes like others: the last action on a record decides whether it is there.

import Replication
import TestSupport
import Testing

@Suite("Deleting")
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

  @Test("stripping takes what is older than the deletion, and nothing else")
  func strip() {
    let old = Register(field: 2, stamp: Stamp(4, 2), value: [1])
    let new = Register(field: 3, stamp: Stamp(6, 2), value: [1])
    let deleted = record([deletion(at: 5, by: 1), old, new])
    #expect(deleted.stripped() == record([deletion(at: 5, by: 1), new]))
    let alive = record(edit(1, at: 1, by: 1))
    #expect(alive.stripped() == alive)
  }

  @Test("stripping early changes nothing as long as the merged record is still deleted")
  func stripCommutes() {
    checkLaw { random in
      var (a, b) = (Record.random(&random), Record.random(&random))
      a.set(deletion(at: .random(in: 1...5, using: &random), by: 1))
      let merged = a.merged(with: b)
      guard merged.isDeleted else { return true }
      b = b.stripped()
      return a.stripped().merged(with: b).stripped() == merged.stripped()
        && merged.stripped().stripped() == merged.stripped()
    }
  }
}
