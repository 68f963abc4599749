// SPDX-License-Identifier: Apache-2.0
// Restoring a pruned record: the result is the same in every order of arrival.

import AtrestReplication
import AtrestTestSupport
import Testing

/// The history of one record. Each number is the time of a write. Each write has its own replica,
/// except that replica 1 deletes twice.
///
/// Field 2 is a span, field 3 a target. Both were written at 1 and deleted at 5.
private enum Write {
  static let first = Stamp(1, 1)
  static let deletion = Stamp(5, 1)
  static let stale = Stamp(4, 6)
  static let revival = Stamp(6, 4)
  static let otherRevival = Stamp(7, 2)
  static let correction = Stamp(8, 5)
  static let secondDeletion = Stamp(9, 1)

  static func action(_ stamp: Stamp, over replaced: Stamp?) -> Register {
    Register(field: Register.deletedField, stamp: stamp, replaced: replaced, value: [])
  }

  static func delete(
    _ stamp: Stamp, over replaced: Stamp?, holding held: [Stamp] = [first]
  ) -> Register {
    Register(
      field: Register.deletedField, stamp: stamp, replaced: replaced,
      value: Register.deletedValue, held: held)
  }

  static func floor(_ stamp: Stamp, holding held: [Stamp] = [first]) -> Register {
    Register(
      field: Register.pruneFloorField, stamp: stamp, replaced: first,
      value: Register.pruneFloorValue, held: held)
  }

  static func value(_ field: FieldNumber, _ stamp: Stamp, over replaced: Stamp? = nil) -> Register {
    Register(
      field: field, stamp: stamp, replaced: replaced,
      value: [UInt8(truncatingIfNeeded: stamp.time.rawValue)])
  }

  /// A field written at 1, after a restore lifted it.
  static func lifted(_ field: FieldNumber) -> Register {
    Register(field: field, stamp: deletion, replaced: first, value: [1])
  }
}

private func record(_ registers: Register...) -> Record {
  var record = Record(key: .some)
  for register in registers { record.set(register) }
  return record
}

/// The devices' offers, each as the device holds it.
private enum Scene {
  static let original = record(
    Write.action(Write.first, over: nil), Write.value(2, Write.first), Write.value(3, Write.first))
  static let pruned = record(
    Write.delete(Write.deletion, over: Write.first), Write.floor(Write.deletion))

  /// The pruned record, from a device that got it from a server that was restored since.
  static let restoredPruning = Offer(record: pruned, written: [], isRestored: true)
  static let deletion = Offer(
    record: record(
      Write.delete(Write.deletion, over: Write.first), Write.value(2, Write.first),
      Write.value(3, Write.first)), written: [1])
  /// An older edit of the span by a writer that did not know the deletion.
  static let staleEdit = Offer(
    record: record(
      Write.action(Write.stale, over: Write.first),
      Write.value(2, Write.stale, over: Write.first),
      Write.value(3, Write.first)), written: [1, 2])
  /// A device that still holds both values undoes the deletion.
  static let undo = Offer(
    record: record(
      Write.action(Write.otherRevival, over: Write.deletion), Write.value(2, Write.first),
      Write.value(3, Write.first)), written: [1])
  /// Another span restores the record.
  static let newSpan = Offer(
    record: record(
      Write.action(Write.otherRevival, over: Write.deletion),
      Write.value(2, Write.otherRevival, over: Write.first), Write.value(3, Write.first)),
    written: [1, 2])
  /// Another target restores the record.
  static let newTarget = Offer(
    record: record(
      Write.action(Write.revival, over: Write.deletion), Write.value(2, Write.first),
      Write.value(3, Write.revival, over: Write.first)), written: [1, 3])
  /// Corrects the target after the new span restored the record.
  static let correction = Offer(
    record: record(
      Write.action(Write.correction, over: Write.otherRevival),
      Write.value(2, Write.otherRevival, over: Write.first),
      Write.value(3, Write.correction, over: Write.deletion), Write.floor(Write.deletion)),
    written: [1, 3])
  /// Deletes what the new span restored.
  static let secondDeletion = Offer(
    record: record(
      Write.delete(Write.secondDeletion, over: Write.otherRevival),
      Write.value(2, Write.otherRevival, over: Write.first), Write.lifted(3),
      Write.floor(Write.deletion)), written: [1])
  static let restoredSecondPruning = Offer(
    record: record(
      Write.delete(Write.secondDeletion, over: Write.otherRevival),
      Write.floor(Write.secondDeletion)), written: [], isRestored: true)
}

/// The final state of an account.
private struct Ending: Hashable {
  var record: Record?
  /// The keys of the journal entries.
  var keys: Set<RecordKey> = []
  /// The keys of the values that the entries hold.
  var valueKeys: Set<RecordKey> = []
  var conflicts: [Conflict] = []

  init(_ offers: [Offer], on start: Record?) {
    record = start
    for offer in offers {
      let outcome = offer.merged(into: record, at: WallTime(milliseconds: 99))
      record = outcome.record
      conflicts += outcome.conflicts
    }
    for conflict in conflicts {
      keys.insert(conflict.journalKey)
      for value in conflict.values {
        valueKeys.insert(
          Conflict(
            key: conflict.key, field: value.field, lost: value, kept: conflict.kept,
            noticed: conflict.noticed
          ).journalKey)
      }
    }
  }
}

@Suite("Bringing a pruned record back", .timeLimit(.minutes(20)))
struct RevivalTests {
  private let now = WallTime(milliseconds: 0)

  // MARK: Lifting

  @Test("brings it back whole, what nobody wrote since at the floor's stamp")
  func whole() {
    let outcome = Scene.newSpan.merged(into: Scene.pruned, at: now)
    #expect(!outcome.record.isDeleted)
    #expect(outcome.record[2]?.stamp == Write.otherRevival)
    #expect(outcome.record[3] == Write.lifted(3))
    #expect(outcome.isSuperseded, "the device holds it under the old stamp")
    #expect(outcome.conflicts.isEmpty)
    #expect(Scene.newSpan.merged(into: outcome.record, at: now).record == outcome.record)
  }

  @Test("does not take back what somebody else wrote since")
  func overAnotherRevival() {
    let first = Ending([Scene.newTarget], on: Scene.pruned)
    let outcome = Scene.newSpan.merged(into: first.record, at: now)
    #expect(outcome.record[3]?.stamp == Write.revival)
  }

  /// Found by the simulator: the record survived without its target.
  @Test("keeps it whole where the server lost the pruning, and learns of it after the action")
  func learnedLate() {
    let late = Ending([Scene.newSpan, Scene.restoredPruning], on: Scene.original)
    let early = Ending([Scene.restoredPruning, Scene.newSpan], on: Scene.original)
    #expect(late.record?[3] == Write.lifted(3))
    #expect(late == early)
  }

  /// Lifting to the restoring action's own stamp let it win: the correction at 6 lost to a span of
  /// 1.
  @Test("an untouched value of a month ago never beats a later correction, in either order")
  func untouchedValue() {
    // Both devices held the record when it was deleted. One corrected the target. The other, later,
    // only undid the deletion.
    for order in [[Scene.newTarget, Scene.undo], [Scene.undo, Scene.newTarget]] {
      let end = Ending(order, on: Scene.pruned)
      #expect(end.record?[3]?.stamp == Write.revival)
      #expect(end.record?[2] == Write.lifted(2))
      #expect(end.conflicts.isEmpty, "nobody wrote what lost")
    }
  }

  @Test("two devices that lift two values agree on one of them")
  func liftedTwice() {
    // The second device had not received the span of 2 yet when the record was deleted.
    let newer = Offer(
      record: record(
        Write.action(Write.revival, over: Write.deletion), Write.value(2, Stamp(2, 3)),
        Write.value(3, Write.first)), written: [1])
    let ends = [[newer, Scene.undo], [Scene.undo, newer]].map { Ending($0, on: Scene.pruned) }
    #expect(ends[0] == ends[1])
    #expect(ends[0].record?[2]?.stamp == Write.deletion && ends[0].conflicts.isEmpty)
  }

  // MARK: The journal

  /// A device that was offline wrote the span before the deletion and the target after it.
  private func away(_ replica: UInt64) -> Offer {
    Offer(
      record: record(
        Write.action(Stamp(7, replica), over: Write.first),
        Write.value(2, Stamp(4, replica), over: Write.first),
        Write.value(3, Stamp(7, replica), over: Write.first)), written: [1, 2, 3])
  }

  @Test("a write that was lifted is journalled under its own stamp: the deletion did not know it")
  func liftedWrite() throws {
    let outcome = away(2).merged(into: Scene.pruned, at: now)
    #expect(outcome.record[2] == Register(field: 2, stamp: Write.deletion, value: [4]))
    let entry = try #require(outcome.conflicts.first { $0.field == 2 })
    #expect(entry.lost == Write.value(2, Stamp(4, 2), over: Write.first))
    #expect(entry.kept == Write.floor(Write.deletion))
    #expect(outcome.conflicts.count == 1)
  }

  @Test("a write that was lifted, and that the deletion knew, is not")
  func knownWrite() {
    let held = [Write.first, Stamp(4, 1)]
    let pruned = record(
      Write.delete(Write.deletion, over: Write.first, holding: held),
      Write.floor(Write.deletion, holding: held))
    #expect(away(1).merged(into: pruned, at: now).conflicts.isEmpty)
  }

  @Test("a write that was lifted and lost to another one is journalled once, as it was offered")
  func liftedAndLost() {
    let held = Ending([Scene.newSpan], on: Scene.pruned).record
    let other = Offer(
      record: record(
        Write.action(Stamp(6, 3), over: Write.first),
        Write.value(2, Stamp(4, 3), over: Write.first),
        Write.value(3, Write.first)), written: [1, 2])
    let outcome = other.merged(into: held, at: now)
    #expect(outcome.conflicts.map(\.lost) == [Write.value(2, Stamp(4, 3), over: Write.first)])
    #expect(outcome.conflicts.map(\.kept.stamp) == [Write.otherRevival])
  }

  /// A device that learned of a loss offers what the server had once.
  private func returned(_ first: Stamp) -> Offer {
    Offer(
      record: record(
        Write.action(Stamp(7, 6), over: first), Write.value(2, first, over: Write.first),
        Write.value(3, Stamp(7, 6), over: Write.first)), written: [], isRestored: true)
  }

  @Test("a write that comes back lifted to a server that lost it is journalled, once")
  func liftedReturn() {
    let outcome = returned(Stamp(4, 6)).merged(into: Scene.pruned, at: now)
    #expect(outcome.record[2] == Register(field: 2, stamp: Write.deletion, value: [4]))
    #expect(outcome.conflicts.map(\.lost) == [Write.value(2, Stamp(4, 6), over: Write.first)])
    #expect(outcome.conflicts.map(\.kept) == [Write.floor(Write.deletion)])
    let again = returned(Stamp(4, 6))
      .merged(into: outcome.record, history: outcome.history, at: now)
    #expect(again.conflicts.isEmpty)
  }

  @Test("and one that the deletion took knowingly is not")
  func knownReturn() {
    let deleted = record(
      Write.delete(Write.deletion, over: Stamp(4, 6)),
      Write.floor(Write.deletion, holding: [Write.first, Stamp(4, 6)]))
    #expect(returned(Stamp(4, 6)).merged(into: deleted, at: now).conflicts.isEmpty)
  }

  /// A span that replica 1 wrote before it deleted the record.
  private let span = Write.value(2, Stamp(4, 1), over: Write.first)

  /// The record, pruned after a deletion that knew the span.
  private var deletedSpan: Record {
    let held = [Write.first, span.stamp]
    return record(
      Write.delete(Write.deletion, over: span.stamp, holding: held),
      Write.floor(Write.deletion, holding: held))
  }

  /// Replica 1 undoes its deletion, and writes nothing else.
  private func undo(bringingBack span: Register) -> Offer {
    Offer(
      record: record(
        Write.action(Stamp(6, 1), over: Write.deletion), span, Write.value(3, Write.first)),
      written: [1])
  }

  /// Seed 0x8170b of 200 steps. Replica 1 wrote a span and deleted, and brings the record back: it
  /// wrote nothing in field 2 since, and the server pruned it. Another device knew neither the span
  /// nor the deletion, and wrote a span over the first one.
  @Test("a value that comes back with it loses like a write, in either order")
  func broughtBack() {
    let back = undo(bringingBack: span)
    let ends = [[back, away(2, at: 8)], [away(2, at: 8), back]].map { Ending($0, on: deletedSpan) }
    #expect(ends.map { $0.record?[2]?.stamp } == [Stamp(8, 2), Stamp(8, 2)])
    #expect(ends.map { $0.conflicts.map(\.lost.stamp) } == [[span.stamp], [span.stamp]])
    #expect(ends[0].keys == ends[1].keys, "one entry, whichever comes first")
  }

  /// Seed 0x83f4d of 200 steps.
  @Test("a value that comes back is not lost where it was written over, even twice")
  func writtenOverTwice() {
    var (state, history): (Record?, RecordHistory) = (Scene.pruned, RecordHistory())
    var conflicts: [Conflict] = []
    let second = Offer(
      record: record(
        Write.action(Stamp(9, 2), over: Stamp(8, 2)),
        Write.value(2, Stamp(9, 2), over: Stamp(8, 2)), Write.value(3, Write.first)),
      written: [1, 2])
    for offer in [away(2, at: 8), second, Scene.undo] {
      let outcome = offer.merged(into: state, history: history, at: now)
      (state, history) = (outcome.record, outcome.history)
      conflicts += outcome.conflicts
    }
    #expect(state?[2]?.stamp == Stamp(9, 2) && conflicts.isEmpty)
  }

  /// Seed 0x84061 of 200 steps: the first of two writes over the value is older than the deletion.
  @Test("a value that came back is not lost to a write that knew it by way of one that lost")
  func writtenOverByALoser() {
    let writer: UInt64 = 7
    let first = Write.value(2, Stamp(4, writer), over: Write.first)
    let older = Offer(
      record: record(
        Write.action(Stamp(4, writer), over: Write.first), first, Write.value(3, Write.first)),
      written: [1, 2])
    let newer = Offer(
      record: record(
        Write.action(Stamp(8, writer), over: Stamp(4, writer)),
        Write.value(2, Stamp(8, writer), over: Stamp(4, writer)), Write.value(3, Write.first)),
      written: [1, 2])
    var (state, history): (Record?, RecordHistory) = (Scene.pruned, RecordHistory())
    var lost: [Stamp] = []
    for offer in [Scene.undo, older, newer] {
      let outcome = offer.merged(into: state, history: history, at: now)
      (state, history) = (outcome.record, outcome.history)
      lost += outcome.conflicts.filter { $0.field == 2 }.map(\.lost.stamp)
    }
    #expect(state?[2]?.stamp == Stamp(8, writer))
    #expect(lost == [Stamp(4, writer)])
  }

  @Test("of two values that come back with it the later one survives, in either order")
  func laterOfTwo() {
    var later = span
    later.value = [0]
    let back = undo(bringingBack: later)
    for order in [[back, Scene.undo], [Scene.undo, back]] {
      let end = Ending(order, on: deletedSpan)
      #expect(end.record?[2]?.value == [0], "though the other one's bytes are greater")
      #expect(end.conflicts.isEmpty, "its writer knew the other")
    }
  }

  /// A device that was offline wrote a span.
  private func away(_ replica: UInt64, at time: UInt64) -> Offer {
    Offer(
      record: record(
        Write.action(Stamp(time, replica), over: Write.first),
        Write.value(2, Stamp(time, replica), over: Write.first), Write.value(3, Write.first)),
      written: [1, 2])
  }

  @Test("what carries the floor's stamp is never journalled", arguments: [true, false])
  func floorStamp(isRestored: Bool) {
    let held = Ending([Scene.undo], on: Scene.pruned).record
    var offer = Scene.newTarget
    if isRestored {
      offer.written = []
      offer.isRestored = true
    }
    // It replaced the target of 1 and does not know the lifted one.
    #expect(offer.merged(into: held, at: now).conflicts.isEmpty)
    // The same if the lifted one is offered.
    var lifted = Scene.undo
    if isRestored {
      lifted.written = []
      lifted.isRestored = true
    }
    let corrected = Ending([Scene.newTarget], on: Scene.pruned).record
    #expect(lifted.merged(into: corrected, at: now).conflicts.isEmpty)
  }

  // MARK: All orders

  /// Calls `body` with every selection of at most `size` offers.
  private func forEachChoice(
    of offers: [Offer], upTo size: Int, _ body: ([Offer]) throws -> Void
  ) rethrows {
    for mask in 1..<(1 << offers.count) where mask.nonzeroBitCount <= size {
      try body(offers.indices.filter { mask >> $0 & 1 == 1 }.map { offers[$0] })
    }
  }

  private func orders(_ offers: [Offer]) -> [[Offer]] {
    guard offers.count > 1 else { return [offers] }
    return offers.indices.flatMap { index in
      var rest = offers
      let first = rest.remove(at: index)
      return orders(rest).map { [first] + $0 }
    }
  }

  @Test(
    "an account that pruned the record holds the same whatever the order of revivals, corrections, deletions and late writes"
  )
  func anyOrder() {
    let offers = [
      Scene.restoredPruning, Scene.deletion, Scene.staleEdit, Scene.undo, Scene.newTarget,
      Scene.correction, Scene.secondDeletion, Scene.restoredSecondPruning,
    ]
    // The new span has the same stamp as the undo, so only one of the two can exist.
    for offers in [offers, offers.map { $0 == Scene.undo ? Scene.newSpan : $0 }] {
      forEachChoice(of: offers, upTo: 4) { chosen in
        let ends = Set(orders(chosen).map { Ending($0, on: Scene.pruned).record })
        #expect(ends.count == 1, "\(chosen)")
      }
    }
  }

  @Test("and so does one that was put back to before the deletion, or has never had the record")
  func anyOrderAfterRestore() {
    let offers = [
      Scene.restoredPruning, Scene.deletion, Scene.undo, Scene.newTarget, Scene.correction,
      Scene.secondDeletion, Scene.restoredSecondPruning,
    ]
    for start in [Scene.original, nil] {
      for offers in [offers, offers.map { $0 == Scene.undo ? Scene.newSpan : $0 }] {
        forEachChoice(of: offers, upTo: 4) { chosen in
          let ends = Set(orders(chosen).map { Ending($0, on: start).record })
          #expect(ends.count == 1, "\(chosen)")
        }
      }
    }
  }

  @Test("the journal of an account that pruned the record is the same in every order")
  func anyOrderOfJournal() {
    let offers = [Scene.restoredPruning, Scene.deletion, Scene.newTarget, Scene.correction]
    for revival in [Scene.undo, Scene.newSpan] {
      forEachChoice(of: offers + [revival], upTo: 4) { chosen in
        let ends = Set(orders(chosen).map { Ending($0, on: Scene.pruned).keys })
        #expect(ends.count == 1, "\(chosen)")
      }
    }
  }

  /// Whether an action loses to a deletion depends on whether it arrives before or after the next
  /// one.
  @Test("with late writes and further deletions the same values are in it in every order")
  func anyOrderOfValues() {
    let offers = [
      Scene.restoredPruning, Scene.deletion, Scene.staleEdit, Scene.newTarget, Scene.correction,
      Scene.secondDeletion,
    ]
    for revival in [Scene.undo, Scene.newSpan] {
      forEachChoice(of: offers + [revival], upTo: 4) { chosen in
        let ends = Set(orders(chosen).map { Ending($0, on: Scene.pruned).valueKeys })
        #expect(ends.count == 1, "\(chosen)")
      }
    }
  }

  // MARK: After a restore

  /// The server was restored to before two devices restored the record. Another device offers the
  /// later deletion again, pruned. Its writer knew only one of the two.
  @Test("a restored pruning journals the actions that its deletion did not know")
  func hiddenByRestoredPruning() {
    let end = Ending(
      [Scene.undo, Scene.newTarget, Scene.restoredSecondPruning], on: Scene.original)
    #expect(end.conflicts.contains { $0.lost.stamp == Write.revival })
  }
}
