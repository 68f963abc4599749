// SPDX-License-Identifier: Apache-2.0
// What counts as a conflict, and that every concurrent write that lost is journalled.

import AtrestReplication
import AtrestTestSupport
import Testing

@Suite("The conflict journal", .timeLimit(.minutes(20)))
struct JournalTests {
  private let now = WallTime(milliseconds: 99)

  private func register(
    _ value: UInt8, _ time: UInt64, _ replica: UInt64, replaced: Stamp? = nil
  ) -> Register {
    Register(field: 2, stamp: Stamp(time, replica), replaced: replaced, value: [value])
  }

  private func outcome(stored: Register, offered: Register, written: [FieldNumber] = [2])
    -> Offer.Outcome
  {
    var (mine, theirs) = (Record(key: .some), Record(key: .some))
    mine.set(stored)
    theirs.set(offered)
    return Offer(record: theirs, written: written).merged(into: mine, at: now)
  }

  @Test("a write over the value its writer saw is no conflict")
  func sequential() {
    let first = register(1, 1, 1)
    let second = register(2, 2, 2, replaced: first.stamp)
    #expect(outcome(stored: first, offered: second).conflicts.isEmpty)
  }

  @Test("the older of two writes that did not know each other is journalled, whichever comes first")
  func concurrent() throws {
    let base = Stamp(1, 1)
    let older = register(1, 5, 1, replaced: base)
    let newer = register(2, 6, 2, replaced: base)
    for (stored, offered) in [(older, newer), (newer, older)] {
      let outcome = outcome(stored: stored, offered: offered)
      let conflict = try #require(outcome.conflicts.first)
      #expect(conflict.lost == older)
      #expect(conflict.kept == newer)
      #expect(conflict.record?.registers == [older])
      #expect(conflict.noticed == now)
      #expect(outcome.isSuperseded == (offered == older))
      #expect(outcome.record[2] == newer)
    }
  }

  @Test("two devices that write the same value have no conflict")
  func equalValues() {
    let (a, b) = (register(1, 5, 1), register(1, 6, 2))
    #expect(outcome(stored: a, offered: b).conflicts.isEmpty)
  }

  @Test("the writes of one replica follow each other")
  func sameReplica() {
    let (a, c) = (register(1, 5, 1), register(3, 7, 1, replaced: Stamp(6, 1)))
    #expect(outcome(stored: c, offered: a).conflicts.isEmpty)
  }

  @Test(
    "two writes of one replica are a conflict if the later one was written over something older: a copy of it made one of them",
    arguments: [nil, Stamp(4, 1), Stamp(4, 2), Stamp(6, 2)])
  func forkedReplica(replaced: Stamp?) {
    let (a, b) = (register(1, 5, 1), register(2, 7, 1, replaced: replaced))
    #expect(outcome(stored: b, offered: a).conflicts.map(\.lost) == [a])
    #expect(outcome(stored: a, offered: b).conflicts.map(\.lost) == [a])
  }

  @Test("a stale copy that came along with an edit of another field is no conflict")
  func staleCopy() {
    let stale = register(1, 5, 1)
    let stored = register(3, 9, 3, replaced: Stamp(7, 2))
    let outcome = outcome(stored: stored, offered: stale, written: [3])
    #expect(outcome.conflicts.isEmpty)
    #expect(outcome.record[2] == stored)
  }

  @Test("one losing write has one entry, however often it is met")
  func deterministicKey() {
    let older = register(1, 5, 1)
    let first = Conflict(
      key: .some, field: 2, lost: older, kept: register(2, 6, 2), noticed: now)
    let again = Conflict(
      key: .some, field: 2, lost: older, kept: register(3, 8, 3),
      noticed: WallTime(milliseconds: 5000))
    #expect(first.journalKey == again.journalKey)
    #expect(first.journalKey.kind == .conflict)
  }

  /// A replica that syncs like the real one: it pushes its writes, then pulls the server's records.
  private struct Device {
    let replica: ReplicaID
    var record = Record(key: .some)
    var written: Set<FieldNumber> = []
    var seen: Set<Stamp> = []
    var clock = HybridClock()
  }

  @Test(
    "every write is visible, was replaced by one that knew it, or is in the journal; and only those are"
  )
  func nothingIsLost() {
    checkLaw { random in
      var devices = (1...3).map { Device(replica: ReplicaID(rawValue: $0)) }
      var server = Record(key: .some)
      var journal: [Conflict] = []
      var knowinglyReplaced: Set<Stamp> = []
      var known: [Stamp: Set<Stamp>] = [:]  // What the writer of a stamp knew.
      var writes: [Register] = []
      for step in 0..<12 {
        let index = Int.random(in: 0..<3, using: &random)
        if step < 9, !random.oneIn(3) {
          let field = FieldNumber.random(in: 2...3, using: &random)
          let current = devices[index].record[field]
          let isPending = devices[index].written.contains(field)
          if let current { knowinglyReplaced.insert(current.stamp) }
          let time = devices[index].clock.tick(
            at: WallTime(milliseconds: .random(in: 0...3, using: &random)))
          let write = Register(
            field: field, stamp: Stamp(time: time, replica: devices[index].replica),
            replaced: isPending ? current?.replaced : current?.stamp,
            value: [UInt8(step)])
          known[write.stamp] = devices[index].seen
          devices[index].seen.insert(write.stamp)
          devices[index].record.set(write)
          devices[index].written.insert(field)
          writes.append(write)
        } else {
          sync(&devices[index], &server, &journal)
        }
      }
      for index in devices.indices { sync(&devices[index], &server, &journal) }
      return writes.allSatisfy { write in
        server[write.field] == write || journal.contains { $0.lost == write }
          || knowinglyReplaced.contains(write.stamp)
      } && journal.allSatisfy { known[$0.kept.stamp]?.contains($0.lost.stamp) == false }
    }
  }

  private func sync(_ device: inout Device, _ server: inout Record, _ journal: inout [Conflict]) {
    if !device.written.isEmpty {
      let offer = Offer(record: device.record, written: device.written.sorted())
      let outcome = offer.merged(into: server, at: now)
      server = outcome.record
      journal += outcome.conflicts
      device.written = []
    }
    device.record.merge(server)
    for register in server.registers {
      device.clock.observe(register.stamp.time)
      device.seen.insert(register.stamp)
    }
  }

  /// A restored server that has another write in the meantime.
  private func offeredAgain(_ written: [FieldNumber] = [], isRestored: Bool) -> Offer.Outcome {
    let lost = Register(field: 2, stamp: Stamp(3, 1), replaced: Stamp(1, 1), value: [1])
    let since = Register(field: 2, stamp: Stamp(4, 2), replaced: Stamp(1, 1), value: [2])
    var (held, stored) = (Record(key: .some), Record(key: .some))
    held.set(lost)
    stored.set(since)
    return Offer(record: held, written: written, isRestored: isRestored)
      .merged(into: stored, at: now)
  }

  @Test("a restored offer is judged against what the server met since it lost the record")
  func restored() {
    let outcome = offeredAgain(isRestored: true)
    #expect(outcome.conflicts.map(\.lost.stamp) == [Stamp(3, 1)])
    #expect(outcome.conflicts.map(\.kept.stamp) == [Stamp(4, 2)])
    #expect(outcome.isSuperseded)
  }

  @Test("what was not written, and is not restored, was judged before", arguments: [[], [3]])
  func judgedBefore(written: [FieldNumber]) {
    let outcome = offeredAgain(written, isRestored: false)
    #expect(outcome.conflicts.isEmpty)
    #expect(outcome.isSuperseded)
  }

  @Test(
    "facts and entries of the journal have no journal, restored or not",
    arguments: [RecordKind.entitlement, .conflict], [true, false])
  func withoutJournal(kind: RecordKind, isRestored: Bool) {
    let key = RecordKey(kind: kind, id: [1])
    var (held, stored) = (Record(key: key), Record(key: key))
    held.set(register(1, 5, 1))
    held.set(Register(field: 1, stamp: Stamp(9, 1), value: Register.deletedValue))
    stored.set(register(2, 6, 2))
    stored.set(Register(field: 1, stamp: Stamp(8, 2), value: []))
    let outcome = Offer(
      record: held, written: isRestored ? [] : [1, 2], isRestored: isRestored
    ).merged(into: stored, at: now)
    #expect(outcome.conflicts.isEmpty)
    #expect(outcome.record.isDeleted && outcome.record[2]?.value == [2])
  }

  @Test("a deletion that did not know an action journals it, though another wrote over its field 1")
  func hiddenAction() {
    func action(_ time: UInt64, _ replica: UInt64, _ field: FieldNumber) -> [Register] {
      [
        Register(field: 1, stamp: Stamp(time, replica), replaced: Stamp(1, 3), value: []),
        Register(field: field, stamp: Stamp(time, replica), replaced: Stamp(1, 3), value: [9]),
      ]
    }
    var stored = Record(key: .some)
    for register in action(2, 1, 2) + action(3, 2, 3) { stored.set(register) }
    var deleted = Record(key: .some)
    deleted.set(
      Register(
        field: 1, stamp: Stamp(4, 3), replaced: Stamp(1, 3), value: Register.deletedValue))
    let outcome = Offer(record: deleted, written: [1]).merged(into: stored, at: now)
    #expect(Set(outcome.conflicts.map(\.lost.stamp)) == [Stamp(2, 1), Stamp(3, 2)])
  }

  /// Seed 0x68c65: the deletion's writer had restamped its own field 1 below the action's after it
  /// had read the rest of the action.
  @Test("an action is known to a deletion whose writer held any part of it, whatever it replaced")
  func heldInPart() {
    var stored = Record(key: .some)
    stored.set(Register(field: 3, stamp: Stamp(3, 2), replaced: Stamp(1, 3), value: [9]))
    stored.set(Register(field: 1, stamp: Stamp(4, 2), replaced: Stamp(3, 2), value: []))
    let deletion = Register(
      field: 1, stamp: Stamp(5, 3), replaced: Stamp(2, 3), value: Register.deletedValue)
    func lost(holding held: [Register]) -> Set<Stamp> {
      var offered = Record(key: .some)
      for register in [deletion] + held { offered.set(register) }
      let outcome = Offer(record: offered, written: [1]).merged(into: stored, at: now)
      return Set(outcome.conflicts.map(\.lost.stamp))
    }
    #expect(lost(holding: []) == [Stamp(3, 2), Stamp(4, 2)])
    #expect(lost(holding: stored.registers.filter { $0.field == 3 }) == [Stamp(4, 2)])
  }

  @Test("a deletion journals every action of an offer that it did not know, not only the last")
  func earlierActions() {
    var stored = Record(key: .some)
    stored.set(
      Register(
        field: 1, stamp: Stamp(9, 3), replaced: Stamp(1, 1), value: Register.deletedValue))
    var offered = Record(key: .some)
    offered.set(Register(field: 1, stamp: Stamp(5, 1), replaced: Stamp(1, 1), value: []))
    offered.set(Register(field: 2, stamp: Stamp(4, 1), replaced: Stamp(1, 1), value: [7]))
    offered.set(Register(field: 3, stamp: Stamp(5, 1), replaced: Stamp(1, 1), value: [8]))
    let outcome = Offer(record: offered, written: [1, 2, 3]).merged(into: stored, at: now)
    #expect(Set(outcome.conflicts.map(\.lost.stamp)) == [Stamp(4, 1), Stamp(5, 1)])
  }
}
