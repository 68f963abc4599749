// SPDX-License-Identifier: Apache-2.0
// The server's merge history of a record: each register is judged once.

import AtrestReplication
import AtrestTestSupport
import Testing

@Suite("What is remembered of a record", .timeLimit(.minutes(20)))
struct HistoryTests {
  private let now = WallTime(milliseconds: 99)

  private func register(
    _ field: FieldNumber, _ value: [UInt8], _ time: UInt64, _ replica: UInt64,
    over replaced: Stamp? = nil, holding held: [Stamp] = []
  ) -> Register {
    Register(
      field: field, stamp: Stamp(time, replica), replaced: replaced, value: value, held: held)
  }

  private func record(_ registers: Register...) -> Record {
    var record = Record(key: .some)
    for register in registers { record.set(register) }
    return record
  }

  private func take(
    _ offer: Offer, _ held: inout (record: Record, history: RecordHistory)
  ) -> [Conflict] {
    let outcome = offer.merged(into: held.record, history: held.history, at: now)
    held = (outcome.record, outcome.history)
    return outcome.conflicts
  }

  @Test("what comes back was judged when it went; what the server lost is judged")
  func judgedOnce() {
    let first = register(2, [1], 1, 1)
    let second = register(2, [2], 2, 2, over: first.stamp)
    let third = register(2, [3], 3, 2, over: second.stamp)
    var held = (record: record(first), history: RecordHistory())
    #expect(take(Offer(record: record(second), written: [2]), &held).isEmpty)
    #expect(take(Offer(record: record(third), written: [2]), &held).isEmpty)
    #expect(held.history.judged == [first, second].map(\.fingerprint))
    let stale = Offer(record: record(first), written: [], isRestored: true)
    #expect(take(stale, &held).isEmpty)
    var forgetful = (record: record(third), history: RecordHistory())
    #expect(take(stale, &forgetful).map(\.lost) == [first])
    #expect(take(stale, &forgetful).isEmpty, "and once")
  }

  @Test("an action that is there in part still loses what is left of it")
  func partly() {
    let action = record(register(1, [], 1, 1), register(2, [1], 1, 1))
    let touched = record(register(1, [], 2, 1, over: Stamp(1, 1)), register(2, [1], 1, 1))
    var held = (record: action, history: RecordHistory())
    _ = take(Offer(record: touched, written: [1]), &held)
    #expect(held.history.judged == [register(1, [], 1, 1).fingerprint])
    let other = Offer(record: record(register(2, [9], 3, 3)), written: [2])
    #expect(take(other, &held).map(\.lost) == [register(2, [1], 1, 1)])
  }

  @Test("a deletion knows what its writer held, from any device, pruned or not")
  func knownToDeletion() {
    let value = register(2, [1], 1, 1)
    let unseen = register(3, [1], 2, 2)
    let deletion = register(1, Register.deletedValue, 3, 3, holding: [value.stamp])
    let listed = register(1, [], 2, 2)
    let written = Offer(record: record(deletion, value), written: [1])
    let returned = Offer(record: record(deletion, value), written: [], isRestored: true)
    for offer in [written, returned] {
      var held = (record: record(value, unseen), history: RecordHistory())
      #expect(take(offer, &held).map(\.lost) == [listed])
      let pruned = held.history.pruning(held.record, to: held.record.pruned())
      #expect(pruned.judged == [listed, value, unseen].map(\.fingerprint))
    }
    // What comes back to a server that lost it.
    for copy in [record(deletion), record(deletion, value).pruned()] {
      var held = (record: copy, history: RecordHistory())
      let back = Offer(record: record(value, unseen), written: [], isRestored: true)
      #expect(take(back, &held).map(\.lost) == [listed])
    }
  }

  /// Seed 0x30e36 of 200 steps.
  @Test("what is gone with a later deletion's offer is listed")
  func outlivedDeletion() {
    let first = register(2, [1], 1, 1)
    let edit = register(2, [2], 2, 2, over: first.stamp)
    let pruned = record(
      register(1, Register.deletedValue, 3, 3, holding: [first.stamp]), first
    ).pruned()
    let later = register(1, Register.deletedValue, 4, 2, over: edit.stamp, holding: [edit.stamp])
    var held = (record: pruned, history: RecordHistory())
    let lost = take(Offer(record: record(later, edit), written: [1, 2]), &held)
    #expect(lost.map(\.lost.stamp) == [edit.stamp] && held.record == pruned)
  }

  @Test("a deletion that does not say what its writer held knew what its own offer has")
  func deletionOfAnOlderClient() {
    let value = register(2, [1], 1, 1)
    let deletion = register(1, Register.deletedValue, 3, 3)
    var held = (record: record(value), history: RecordHistory())
    #expect(take(Offer(record: record(deletion, value), written: [1]), &held).isEmpty)
    held = (record: record(value), history: RecordHistory())
    let returned = Offer(record: record(deletion, value), written: [], isRestored: true)
    #expect(take(returned, &held).map(\.lost) == [register(1, [], 1, 1)])
  }

  /// Found by the simulator: a restored server knew no action except the first.
  @Test("a deletion knows an action of which its writer held a part, in any order")
  func partOfAnAction() {
    let part = register(2, [2], 2, 2, over: Stamp(1, 1))
    let lost = record(register(1, [], 2, 2, over: Stamp(1, 1)), part)
    let deletion = register(
      1, Register.deletedValue, 4, 1, over: Stamp(3, 1), holding: [Stamp(2, 2), Stamp(3, 1)])
    let deleted = Offer(record: record(deletion, part), written: [1])
    let restored = Offer(record: lost, written: [], isRestored: true)
    let first = record(register(1, [], 1, 1), register(2, [1], 1, 1))
    for offers in [[deleted, restored], [restored, deleted]] {
      var held = (record: first, history: RecordHistory())
      for offer in offers { #expect(take(offer, &held).isEmpty) }
      #expect(held.record == deleted.record)
    }
    // If its writer held nothing of the action, it did not know it.
    let unaware = register(
      1, Register.deletedValue, 4, 1, over: Stamp(3, 1), holding: [Stamp(1, 1), Stamp(3, 1)])
    let blind = Offer(record: record(unaware, register(2, [1], 1, 1)), written: [1])
    var held = (record: first, history: RecordHistory())
    _ = take(blind, &held)
    #expect(take(restored, &held).map(\.lost) == [register(1, [], 2, 2, over: Stamp(1, 1))])
  }

  /// Seeds 0x1548 (restores alone) and 0x11a, 200 steps.
  @Test(
    "what comes back in pieces under a deletion that did not know it is listed",
    arguments: [true, false])
  func piecesUnderADeletion(isRestored: Bool) {
    let (created, kept) = (register(1, [], 1, 1), register(2, [1], 1, 1))
    let deletion = register(
      1, Register.deletedValue, 9, 1, over: Stamp(1, 1), holding: [Stamp(1, 1)])
    let lost = register(2, [2], 5, 2, over: Stamp(1, 1))
    let action = register(1, [], 5, 2)
    var held = (record: record(created, kept), history: RecordHistory())
    _ = take(Offer(record: record(deletion, kept), written: [1]), &held)
    // Another device saw the server accept it, and pulled the deletion from there.
    let pieces = Offer(record: record(deletion, lost), written: [], isRestored: isRestored)
    let same = (held.record, held.history)
    #expect(take(pieces, &held).map(\.lost) == [action])
    #expect(take(pieces, &held).isEmpty, "and once")
    // Seed 0xb73: beside a pending deletion, what was pulled under it has no field 1.
    held = same
    let bare = Offer(record: record(lost), written: [], isRestored: isRestored)
    #expect(take(bare, &held).map(\.lost) == [action])
    // The same with its writer's next action.
    held = same
    let next = register(1, [], 6, 2, over: Stamp(5, 2))
    let more = register(3, [3], 6, 2)
    #expect(
      take(Offer(record: record(next, lost, more), written: [1, 3], isRestored: isRestored), &held)
        .map(\.lost) == [action, next])
    // Not for what its writer knew.
    held = same
    let known = Offer(record: record(deletion, kept), written: [], isRestored: isRestored)
    #expect(take(known, &held).isEmpty)
  }

  /// Seed 0x1273af, 40 steps: the entry listed the action, and a floor that came back removed its
  /// value.
  @Test("what a floor takes of an action is in the journal since the action lost")
  func valueOfAListedAction() {
    let created = (register(1, [], 1, 1), register(2, [1], 1, 1))
    let action = (
      register(1, [], 4, 1, over: Stamp(1, 1)), register(2, [4], 4, 1, over: Stamp(1, 1))
    )
    let deletion = register(1, Register.deletedValue, 5, 2, over: Stamp(1, 1))
    let floor = register(Register.pruneFloorField, Register.pruneFloorValue, 5, 2)
    // The server was restored to before the deletion, which had been pruned.
    var held = (record: record(created.0, created.1), history: RecordHistory())
    #expect(
      take(Offer(record: record(action.0, action.1), written: [1, 2]), &held).isEmpty)
    let back = Offer(record: record(deletion, created.1), written: [], isRestored: true)
    let losses = take(back, &held)
    #expect(losses.map(\.lost) == [action.0] && losses.map(\.values) == [[action.1]])
    let pruned = Offer(record: record(deletion, floor), written: [], isRestored: true)
    #expect(take(pruned, &held).isEmpty)
  }

  @Test("what the deletion knew goes with it, though its action was judged before")
  func valueOfAKnownAction() {
    let action = (register(1, [], 4, 1), register(2, [4], 4, 1))
    let other = register(1, [], 5, 3, over: Stamp(4, 1))
    let deletion = register(1, Register.deletedValue, 6, 2, over: other.stamp)
    let floor = register(Register.pruneFloorField, Register.pruneFloorValue, 6, 2)
    var held = (record: record(action.0, action.1), history: RecordHistory())
    #expect(take(Offer(record: record(other, action.1), written: [1]), &held).isEmpty)
    #expect(take(Offer(record: record(deletion, action.1), written: [1]), &held).isEmpty)
    let pruned = Offer(record: record(deletion, floor), written: [], isRestored: true)
    #expect(take(pruned, &held).isEmpty && held.record == pruned.record)
  }

  /// Seed 0xc50, 200 steps.
  @Test(
    "what waits beside a deletion that comes back was not there when somebody deleted the record")
  func besideADeletion() {
    let (created, old) = (register(1, [], 1, 1), register(2, [1], 1, 1))
    let first = register(3, [3], 4, 2)
    let last = (register(1, [], 5, 2, over: Stamp(1, 1)), register(2, [5], 5, 2, over: Stamp(1, 1)))
    let deletion = register(1, Register.deletedValue, 9, 1, over: Stamp(1, 1))
    var held = (record: record(created, old), history: RecordHistory())
    let waiting = Offer(record: record(last.0, last.1, first), written: [1, 2, 3])
    #expect(take(waiting, &held).isEmpty)
    let back = Offer(
      record: record(deletion, last.1, first), written: [2, 3], isRestored: true)
    let earlier = register(1, [], 4, 2)
    #expect(take(back, &held).map(\.lost) == [earlier, last.0])
  }

  /// A copied database may have made both.
  @Test("two writes under one stamp are two")
  func oneStamp() {
    let other = register(2, [9], 2, 2)
    var held = (record: record(register(2, [1], 1, 1)), history: RecordHistory())
    _ = take(Offer(record: record(other), written: [2]), &held)
    let twin = register(2, [7], 1, 1)
    #expect(take(Offer(record: record(twin), written: [2]), &held).map(\.lost) == [twin])
    #expect(take(Offer(record: record(twin), written: [2]), &held).isEmpty)
  }

  @Test("the newest are kept")
  func bounded() {
    var held = (record: record(register(2, [0], 1, 1)), history: RecordHistory())
    for time in 2...100 as ClosedRange<UInt64> {
      _ = take(Offer(record: record(register(2, [UInt8(time)], time, 1)), written: [2]), &held)
    }
    #expect(held.history.judged == (36...99).map { register(2, [UInt8($0)], $0, 1).fingerprint })
    #expect(RecordHistory(decoding: held.history.encoded) == held.history)
    #expect(held.history.encoded.count == 1 + 64 * 8)
  }

  @Test("bytes that are no history are none")
  func hostile() {
    #expect(RecordHistory(decoding: []) == RecordHistory())
    let number = [UInt8](repeating: 0, count: 7) + [1]
    #expect(RecordHistory(decoding: [1] + number)?.judged == [1])
    // The second list of an older store.
    #expect(RecordHistory(decoding: [0] + number) == RecordHistory())
    #expect(RecordHistory(decoding: [1] + number + number)?.judged == [1])
    for bytes: [UInt8] in [[0], [1], [1, 2], number, [2] + number, [1] + number + [0]] {
      #expect(RecordHistory(decoding: bytes) == nil)
    }
    #expect(RecordHistory(decoding: [200] + [UInt8](repeating: 7, count: 8 * 200)) == nil)
  }
}
