// SPDX-License-Identifier: Apache-2.0
// A pruned record begins anew: what was written without knowing that is gone, and listed.

import AtrestReplication
import AtrestTestSupport
import Testing

/// The history of one record. Each number is the time of a write, and each write has its own
/// replica.
private enum Write {
  static let first = Stamp(1, 1)
  static let deletion = Stamp(5, 1)

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

  static func floor(
    _ stamp: Stamp, over replaced: Stamp = first, holding held: [Stamp] = [first]
  ) -> Register {
    Register(
      field: Register.pruneFloorField, stamp: stamp, replaced: replaced,
      value: Register.pruneFloorValue, held: held)
  }

  static func value(_ field: FieldNumber, _ stamp: Stamp, over replaced: Stamp? = nil) -> Register {
    Register(
      field: field, stamp: stamp, replaced: replaced,
      value: [UInt8(truncatingIfNeeded: stamp.time.rawValue)])
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
  static let deleted = record(
    Write.delete(Write.deletion, over: Write.first), Write.value(2, Write.first),
    Write.value(3, Write.first))
  static let pruned = deleted.pruned()
  static let floor = Write.floor(Write.deletion)

  /// The pruned record, from a device that got it from a server that was put back since.
  static let restoredPruning = Offer(record: pruned, written: [], isRestored: true)
  static let deletion = Offer(record: deleted, written: [1])

  /// An edit of the span that knew only the first action.
  static func edit(at stamp: Stamp) -> Offer {
    Offer(
      record: record(
        Write.action(stamp, over: Write.first), Write.value(2, stamp, over: Write.first),
        Write.value(3, Write.first)), written: [1, 2])
  }

  static let earlierEdit = edit(at: Stamp(4, 6))
  static let laterEdit = edit(at: Stamp(8, 2))
  /// A device that knew the deletion, and not that it was final, undoes it.
  static let undo = Offer(
    record: record(
      Write.action(Stamp(7, 3), over: Write.deletion), Write.value(2, Write.first),
      Write.value(3, Write.first)), written: [1])
  /// A device that holds the pruned record writes it anew.
  static let rewritten = Offer(
    record: record(
      Write.action(Stamp(9, 4), over: Write.deletion), Write.value(2, Stamp(9, 4)),
      Write.value(3, Stamp(9, 4)), floor), written: [1, 2, 3])
  static let correction = Offer(
    record: record(
      Write.action(Stamp(10, 5), over: Stamp(9, 4)), Write.value(2, Stamp(9, 4)),
      Write.value(3, Stamp(10, 5), over: Stamp(9, 4)), floor), written: [1, 3])
  static let heldByLastDeletion = [Write.first, Write.deletion, Stamp(9, 4)]
  static let lastDeletion = Offer(
    record: record(
      Write.delete(Stamp(11, 7), over: Stamp(9, 4), holding: heldByLastDeletion),
      Write.value(2, Stamp(9, 4)), Write.value(3, Stamp(9, 4)), floor), written: [1])
  static let restoredLastPruning = Offer(
    record: lastDeletion.record.pruned(), written: [], isRestored: true)
}

@Suite("A pruned record", .timeLimit(.minutes(20)))
struct PrunedRecordTests {
  private let now = WallTime(milliseconds: 99)

  private func taken(_ offer: Offer, into stored: Record?) -> Offer.Outcome {
    offer.merged(into: stored, at: now)
  }

  // MARK: What is written without knowing of it

  @Test(
    "is not brought back by an edit that did not know the deletion, earlier or later: it is listed, whole",
    arguments: [Scene.earlierEdit, Scene.laterEdit])
  func edited(_ edit: Offer) throws {
    let outcome = taken(edit, into: Scene.pruned)
    #expect(outcome.record == Scene.pruned && outcome.isSuperseded)
    let entry = try #require(outcome.conflicts.first)
    #expect(outcome.conflicts.count == 1)
    #expect(entry.lost == edit.record[1] && entry.kept == Scene.floor)
    #expect(entry.record == edit.record)
    #expect(entry.values(restoring: outcome.record).map(\.field) == [2, 3])
  }

  @Test("is not brought back by an undo that knew the deletion, and not that it was final")
  func undone() {
    let outcome = taken(Scene.undo, into: Scene.pruned)
    #expect(outcome.record == Scene.pruned)
    #expect(outcome.conflicts.map(\.lost) == [Scene.undo.record[1]])
    #expect(outcome.conflicts.first?.values(restoring: outcome.record).map(\.field) == [2, 3])
  }

  @Test("lists a late write once, though it comes back")
  func listedOnce() {
    let outcome = taken(Scene.laterEdit, into: Scene.pruned)
    let back = Offer(record: Scene.laterEdit.record, written: [], isRestored: true)
    let again = back.merged(into: outcome.record, history: outcome.history, at: now)
    #expect(again.conflicts.isEmpty && again.record == outcome.record)
    #expect(taken(back, into: Scene.pruned).conflicts.count == 1, "a server that lost it")
  }

  @Test("lists nothing that the deletion knew, or that was taken before")
  func known() {
    let returned = Offer(record: Scene.original, written: [], isRestored: true)
    let carried = Offer(record: Scene.laterEdit.record, written: [3])
    for offer in [returned, carried, Scene.deletion] {
      #expect(taken(offer, into: Scene.pruned).conflicts.isEmpty, "\(offer)")
    }
  }

  /// Seed 0x89062 of 200 steps: its writer may have undone it since.
  @Test("lists what a deletion that comes too late had deleted, and not the deletion itself")
  func deletedTwice() {
    let edit = Stamp(8, 2)
    let late = record(
      Write.delete(Stamp(9, 2), over: edit, holding: [Write.first, edit]), Write.value(2, edit),
      Write.value(3, Stamp(8, 3)))
    let outcome = taken(Offer(record: late, written: [1, 2, 3]), into: Scene.pruned)
    #expect(outcome.record == Scene.pruned)
    #expect(outcome.conflicts.map(\.lost.stamp) == [edit, Stamp(8, 3)])
  }

  // MARK: A record that was written anew

  @Test("is written anew above its floor, and then merges like any other")
  func rewritten() {
    let outcome = taken(Scene.rewritten, into: Scene.pruned)
    #expect(outcome.record == Scene.rewritten.record)
    #expect(outcome.conflicts.isEmpty && !outcome.isSuperseded)
    let corrected = taken(Scene.correction, into: outcome.record)
    #expect(corrected.record == Scene.correction.record && corrected.conflicts.isEmpty)
  }

  @Test("is not changed by a late write once it was written anew")
  func lateWrite() {
    let outcome = taken(Scene.edit(at: Stamp(12, 2)), into: Scene.rewritten.record)
    #expect(outcome.record == Scene.rewritten.record)
    #expect(outcome.conflicts.map(\.lost.stamp) == [Stamp(12, 2)])
    #expect(outcome.conflicts.map(\.kept) == [Scene.floor])
  }

  @Test("is not deleted by a late deletion once it was written anew: that is listed")
  func lateDeletion() throws {
    let deletion = Write.delete(Stamp(12, 2), over: Write.first)
    let late = record(deletion, Write.value(2, Write.first), Write.value(3, Write.first))
    let outcome = taken(Offer(record: late, written: [1]), into: Scene.rewritten.record)
    #expect(outcome.record == Scene.rewritten.record)
    let entry = try #require(outcome.conflicts.first)
    #expect(outcome.conflicts.count == 1 && entry.isDeletion)
    #expect(entry.lost == deletion && entry.kept == Scene.rewritten.record[1])
  }

  @Test("lists nothing that carries the floor's stamp: everybody above it knew that")
  func floorStamp() {
    let twin = Offer(
      record: record(
        Write.action(Stamp(10, 6), over: Stamp(9, 9)), Write.value(2, Stamp(10, 6)), Scene.floor),
      written: [1, 2])
    #expect(taken(twin, into: Scene.pruned).conflicts.isEmpty)
  }

  // MARK: A server that was put back to before the pruning

  @Test("comes back to a server that lost it, and lists what that took since")
  func restored() {
    let later = Scene.laterEdit.record
    let outcome = taken(Scene.restoredPruning, into: later)
    #expect(outcome.record == Scene.pruned)
    #expect(outcome.conflicts.map(\.lost) == [later[1]])
    #expect(outcome.conflicts.map(\.record) == [later])
    #expect(taken(Scene.restoredPruning, into: Scene.original).conflicts.isEmpty)
  }

  @Test("comes back to a server that still has the deletion, and lists nothing")
  func restoredAfterDeletion() {
    #expect(taken(Scene.restoredPruning, into: Scene.deleted).conflicts.isEmpty)
    #expect(taken(Scene.rewritten, into: Scene.deleted).conflicts.isEmpty)
  }

  @Test("that was written anew comes back, and lists the deletion that a server took since")
  func restoredAfterAnotherDeletion() {
    let deletion = Write.delete(Stamp(12, 2), over: Write.first)
    let stored = record(deletion, Write.value(2, Stamp(3, 9)), Write.value(3, Write.first))
    let outcome = taken(
      Offer(record: Scene.rewritten.record, written: [], isRestored: true), into: stored)
    #expect(outcome.record == Scene.rewritten.record)
    #expect(outcome.conflicts.map(\.lost) == [deletion], "what that deleted was judged then")
  }

  // MARK: All orders

  private static let offers = [
    Scene.restoredPruning, Scene.deletion, Scene.earlierEdit, Scene.laterEdit, Scene.undo,
    Scene.rewritten, Scene.correction, Scene.lastDeletion, Scene.restoredLastPruning,
  ]

  private func orders(_ offers: [Offer]) -> [[Offer]] {
    guard offers.count > 1 else { return [offers] }
    return offers.indices.flatMap { index in
      var rest = offers
      let first = rest.remove(at: index)
      return orders(rest).map { [first] + $0 }
    }
  }

  /// The record and the stamps that the journal lists, after offers came in this order.
  private func end(_ offers: [Offer], on start: Record?) -> (record: Record?, listed: Set<Stamp>) {
    var (record, history, listed) = (start, RecordHistory(), Set<Stamp>())
    for offer in offers {
      let outcome = offer.merged(into: record, history: history, at: now)
      (record, history) = (outcome.record, outcome.history)
      listed.formUnion(outcome.conflicts.map(\.lost.stamp))
    }
    return (record, listed)
  }

  @Test(
    "is the same whatever the order of edits, deletions and what comes back",
    arguments: [Scene.pruned, Scene.deleted, Scene.original, nil])
  func anyOrder(_ start: Record?) {
    for mask in 1..<(1 << Self.offers.count) where mask.nonzeroBitCount <= 4 {
      let chosen = Self.offers.indices.filter { mask >> $0 & 1 == 1 }.map { Self.offers[$0] }
      let ends = Set(orders(chosen).map { end($0, on: start).record })
      #expect(ends.count == 1, "\(chosen)")
    }
  }

  @Test("has, or lists, every action that its deletion did not know, in every order")
  func nothingUnlisted() {
    let actions = [Scene.earlierEdit, Scene.laterEdit, Scene.undo, Scene.correction]
    let others = [Scene.rewritten, Scene.lastDeletion, Scene.restoredLastPruning]
    for mask in 1..<(1 << 7) where mask.nonzeroBitCount <= 4 {
      let chosen = (actions + others).enumerated().filter { mask >> $0.offset & 1 == 1 }
        .map(\.element)
      for order in orders(chosen) {
        let (record, listed) = end(order, on: Scene.pruned)
        for action in actions where chosen.contains(action) {
          let stamp = action.record[1]?.stamp
          let isThere = record?[1]?.stamp == stamp || stamp.map(listed.contains) == true
          #expect(isThere, "\(order)")
        }
      }
    }
  }
}
