// SPDX-License-Identifier: Apache-2.0
// Undoes the last action of this device, and no change of another device.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

@testable import AtrestClient

@Suite("Undo", .timeLimit(.minutes(20)))
struct UndoTests {
  private let server = ModelServer(clock: TestClock())
  private let mine: TestReplica
  private let theirs: TestReplica

  init() throws {
    mine = try TestReplica(1)
    theirs = try TestReplica(2)
  }

  private func act(_ action: UserAction, _ body: (ReplicaTransaction) throws -> Void) throws {
    mine.clock.advance(1000)
    try mine.replica.transaction { store in try store.action(action) { try body(store) } }
  }

  private func undo(_ kind: UserAction? = nil) throws -> UndoneAction? {
    mine.clock.advance(1000)
    return try mine.replica.transaction { try $0.undo(kind) }
  }

  private func undo(of kinds: Set<RecordKind>) throws -> UndoneAction? {
    mine.clock.advance(1000)
    return try mine.replica.transaction { try $0.undo(of: kinds) }
  }

  private func meet() async throws {
    for device in [mine, theirs, mine] { try await device.sync(server) }
  }

  @Test("each kind of action becomes what was before, and the account hears of it")
  func everyKind() async throws {
    let fast = try Session.sample()
    let ended = try Session.sample(id: fast.id, lasted: 960)
    let edited = try Session.sample(id: fast.id, lasted: 900, target: 840)
    let (glass, cup) = (try WaterEntry.sample(250), try WaterEntry.sample(300))
    let corrected = WaterEntry(id: glass.id, intake: try WaterEntry.sample(100).intake)
    var states: [([Session], [WaterEntry], String?)] = []
    func state() throws -> ([Session], [WaterEntry], String?) {
      (
        try mine.replica.sessions(), try mine.replica.water(),
        try mine.replica.preference(Setting.target.rawValue)
      )
    }
    let actions: [(UserAction, (ReplicaTransaction) throws -> Void)] = [
      (.begin, { try $0.save(fast) }), (.end, { try $0.save(ended) }),
      (.editFast, { try $0.save(edited) }), (.deleteFast, { _ = try $0.delete(fast.key) }),
      (.water, { try $0.save(glass) }), (.editWater, { try $0.save(corrected) }),
      (.deleteWater, { _ = try $0.delete(glass.key) }), (.water, { try $0.save(cup) }),
      (.setting, { try $0.setPreference(Setting.target.rawValue, to: "18") }),
      (.setting, { try $0.setPreference(Setting.target.rawValue, to: "20") }),
    ]
    for (kind, body) in actions {
      states.append(try state())
      try act(kind, body)
      if kind == .deleteFast { try await meet() }
    }
    for ((kind, _), before) in zip(actions, states).reversed() {
      let undone = try #require(try undo())
      #expect(undone.action == kind && undone.isUndone)
      #expect(undone.changes.allSatisfy { $0.kept.isEmpty }, "\(kind)")
      let now = try state()
      #expect(now.0 == before.0 && now.1 == before.1 && now.2 == before.2, "\(kind)")
    }
    #expect(try undo() == nil)
    try await meet()
    #expect(try mine.replica.digest() == theirs.replica.digest())
    #expect(try theirs.replica.sessions().isEmpty && theirs.replica.water().isEmpty)
  }

  @Test("a value that was written back is set aside again")
  func writtenBack() async throws {
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    try await meet()
    try await theirs.sync(server)
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    theirs.clock.advance(5000)
    try await theirs.replica.save(WaterEntry.sample(id: id, 300))
    try await theirs.sync(server)
    try await meet()
    let entry = try #require(try await mine.replica.conflicts().first)
    mine.clock.advance(10_000)
    try act(.restore) { try $0.restore(entry) }
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 200)
    await #expect(try mine.replica.conflicts().isEmpty)
    #expect(try undo()?.isUndone == true)
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 300)
    await #expect(try mine.replica.conflicts().map(\.lost) == [entry.lost])
    #expect(try undo() == nil)
  }

  @Test("what another device changed since stays, and the rest is taken back")
  func changedSince() async throws {
    let fast = try Session.sample(lasted: 960)
    try act(.begin) { try $0.save(fast) }
    try act(.editFast) { try $0.save(Session.sample(id: fast.id, lasted: 600, target: 600)) }
    try await meet()
    theirs.clock.advance(30_000)
    try await theirs.replica.save(Session.sample(id: fast.id, lasted: 600, target: 720))
    try await meet()

    let undone = try #require(try undo())
    #expect(undone.changes.map(\.restored) == [[SessionField.span]])
    #expect(undone.changes.map(\.kept) == [[SessionField.target]])
    let session = try mine.replica.session(fast.id)
    #expect(session?.span == fast.span && session?.targetMinutes == 720)

    // The other device wrote to the fast, so it is not removed.
    let begun = try #require(try undo())
    #expect(begun.action == .begin && !begun.isUndone)
    #expect(try mine.replica.session(fast.id) == session)
    #expect(try undo() == nil, "what could not be taken back is said once, and no more")
  }

  @Test("a record that another device deleted stays deleted, and one that it brought back stays")
  func deletedSince() async throws {
    let (fast, other) = (try Session.sample(lasted: 960), try Session.sample(lasted: 600))
    try await mine.replica.save(fast)
    try await mine.replica.save(other)
    try act(.deleteFast) { _ = try $0.delete(other.key) }
    try act(.editFast) { try $0.save(Session.sample(id: fast.id, lasted: 600)) }
    try await meet()
    theirs.clock.advance(30_000)
    try theirs.replica.delete(fast.key)
    try await theirs.replica.save(Session.sample(id: other.id, lasted: 700))
    try await meet()
    #expect(try undo()?.isUndone == false)
    #expect(try mine.replica.session(fast.id) == nil)
    #expect(try mine.replica.transaction { try $0.undo(.deleteFast) }?.isUndone == false)
    #expect(try mine.replica.session(other.id)?.span.end != nil)
  }

  @Test("a deleted record comes back whole, even after the server has pruned it")
  func pruned() async throws {
    let fast = try Session.sample(lasted: 960, target: 840)
    try await mine.replica.save(fast)
    try await meet()
    try act(.deleteFast) { _ = try $0.delete(fast.key) }
    try await meet()
    server.state.withLock { state in
      for record in state.records.values.map(\.record) { state.put(record.pruned()) }
    }
    try await meet()
    #expect(try mine.replica.record(fast.key)?[SessionField.span] == nil)
    #expect(try undo()?.isUndone == true)
    #expect(try mine.replica.session(fast.id) == fast)
    try await meet()
    #expect(try theirs.replica.session(fast.id) == fast)
  }

  @Test("pairing gives earlier writes other stamps, and they can still be taken back")
  func stampedAgain() async throws {
    let alone = try TestReplica()
    let fast = try Session.sample()
    try alone.replica.transaction { store in try store.action(.begin) { try store.save(fast) } }
    try alone.pair(3)
    try await alone.sync(server)
    #expect(try alone.replica.transaction { try $0.undo() }?.isUndone == true)
    #expect(try alone.replica.session(fast.id) == nil)
  }

  @Test("actions of one kind are found behind others")
  func kind() throws {
    let glass = try WaterEntry.sample()
    try act(.water) { try $0.save(glass) }
    try act(.begin) { try $0.save(Session.sample()) }
    #expect(try undo(.water)?.action == .water)
    #expect(try mine.replica.water().isEmpty && mine.replica.sessions().count == 1)
    #expect(try undo(.water) == nil)
  }

  @Test("of an action, what it wrote to records of some kinds is taken back alone")
  func ofKinds() throws {
    let (first, second) = (try WaterEntry.sample(250), try WaterEntry.sample(300))
    let (imported, begun) = (try Session.sample(lasted: 960), try Session.sample())
    try act(.water) { try $0.save(first) }
    try act(.import) { store in
      try store.save(second)
      try store.save(imported)
    }
    try act(.begin) { try $0.save(begun) }
    #expect(try undo(of: [.water])?.action == .import)
    #expect(try mine.replica.water() == [first] && mine.replica.sessions().count == 2)
    #expect(try undo(of: [.preference]) == nil)
    #expect(try undo()?.action == .begin)
    // The rest of the import is still there to be taken back.
    let rest = try #require(try undo(of: [.session, .preference]))
    #expect(rest.action == .import && rest.changes.map(\.after.key) == [imported.key])
    #expect(try mine.replica.sessions().isEmpty)
    #expect(try undo(of: [.session]) == nil)
    #expect(try undo(of: [.water])?.action == .water)
    #expect(try undo() == nil)
  }

  @Test("what was written back counts as a record of its kind, and its entry is set aside again")
  func writtenBackOfKinds() async throws {
    let id = RecordUUID.random()
    try await mine.replica.save(WaterEntry.sample(id: id, 100))
    try await meet()
    try await theirs.sync(server)
    try await mine.replica.save(WaterEntry.sample(id: id, 200))
    theirs.clock.advance(5000)
    try await theirs.replica.save(WaterEntry.sample(id: id, 300))
    try await theirs.sync(server)
    try await meet()
    let entry = try #require(try await mine.replica.conflicts().first)
    mine.clock.advance(10_000)
    try act(.restore) { try $0.restore(entry) }
    try act(.begin) { try $0.save(Session.sample()) }
    #expect(try undo(of: [.water])?.action == .restore)
    #expect(try mine.replica.waterEntry(id)?.intake.millilitres == 300)
    await #expect(try mine.replica.conflicts().map(\.lost) == [entry.lost])
    #expect(try undo(of: [.water, .conflict]) == nil)
  }

  @Test("an action of too many records is known to be of its kinds")
  func tooManyOfKinds() throws {
    try act(.water) { try $0.save(WaterEntry.sample()) }
    try act(.import) { store in
      for _ in 0..<UserAction.recordLimit { try store.save(WaterEntry.sample()) }
      try store.save(Session.sample())
    }
    let reopened = try mine.reopened()
    for kind in [RecordKind.water, .session] {
      let undone = try #require(try reopened.transaction { try $0.undo(of: [kind]) })
      #expect(undone.action == .import && undone.changes.isEmpty)
    }
    #expect(try reopened.transaction { try $0.undo(of: [.session]) } == nil)
    #expect(try reopened.transaction { try $0.undo(of: [.water]) }?.isUndone == true)
    #expect(try reopened.water().count == UserAction.recordLimit)
  }

  @Test(
    "survives the end of the program, is bounded in number and in time, and an action that failed leaves nothing"
  )
  func journal() throws {
    for amount in 1...(UserAction.limit + 10) {
      try act(.water) { try $0.save(WaterEntry.sample(amount)) }
    }
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try act(.begin) { store in
        try store.save(Session.sample())
        throw Stop()
      }
    }
    try act(.editFast) { _ in }
    let reopened = try mine.reopened()
    for amount in (11...(UserAction.limit + 10)).reversed() {
      let undone = try #require(try reopened.transaction { try $0.undo() })
      #expect((try? WaterEntry(undone.changes[0].after))?.intake.millilitres == amount)
    }
    #expect(try reopened.transaction { try $0.undo() } == nil)

    try act(.water) { try $0.save(WaterEntry.sample()) }
    mine.clock.advance(UserAction.retentionMilliseconds + 1)
    #expect(try undo() == nil)
  }

  @Test("an action of too many records is not taken back, and is not in the way of earlier ones")
  func tooMany() throws {
    try act(.water) { try $0.save(WaterEntry.sample()) }
    try act(.editWater) { store in
      for _ in 0...UserAction.recordLimit { try store.save(WaterEntry.sample()) }
    }
    let undone = try #require(try undo())
    #expect(undone.changes.isEmpty && !undone.isUndone)
    #expect(try mine.replica.water().count == UserAction.recordLimit + 2)
    #expect(try undo()?.isUndone == true)
    #expect(try mine.replica.water().count == UserAction.recordLimit + 1)
  }

  @Test(
    "a fast does not go on again beside one that began since, and waits until that one is over",
    arguments: [UserAction.end, .abandon, .deleteFast])
  func oneAtATime(how: UserAction) async throws {
    let fast = try Session.sample()
    try act(.begin) { try $0.save(fast) }
    try end(fast, how)
    try await meet()
    let other = try Session.sample(start: 120)
    theirs.clock.advance(30_000)
    try await theirs.replica.save(other)
    try await meet()

    // A second undo takes back nothing else.
    for _ in 0..<2 {
      let undone = try #require(try undo())
      #expect(undone.action == how && undone.isWaiting)
      #expect(undone.changes.map(\.anotherGoesOn) == [true])
      #expect(try mine.replica.look { try $0.openSessions() } == [other])
    }
    theirs.clock.advance(30_000)
    try theirs.replica.delete(other.key)
    try await meet()
    #expect(try undo()?.isUndone == true)
    #expect(try mine.replica.sessions() == [fast])
    #expect(try undo()?.action == .begin)
  }

  /// Ends a fast after an hour, or deletes it.
  private func end(_ fast: Session, _ how: UserAction) throws {
    let end = fast.span.start.advanced(bySeconds: 3600)
    let outcome = how == .end ? Session.Outcome.completed : .abandoned
    let span = try #require(Session.Span(start: fast.span.start, end: end, outcome: outcome))
    try act(how) { store in
      if how == .deleteFast {
        try store.delete(fast.key)
      } else {
        try store.save(Session(id: fast.id, span: span, targetMinutes: fast.targetMinutes))
      }
    }
  }

  @Test(
    "of two open fasts the one that ended goes on again, and the other stays what it is",
    arguments: [UserAction.end, .abandon, .deleteFast])
  func oneOfTwo(how: UserAction) async throws {
    let (fast, other) = (try Session.sample(), try Session.sample(start: 120))
    try await theirs.replica.save(other)
    try act(.begin) { try $0.save(fast) }
    try await meet()
    try end(fast, how)
    // The fast was open before, though its values were written later.
    theirs.clock.advance(30_000)
    let corrected = try Session.sample(id: other.id, start: 90)
    try await theirs.replica.save(corrected)
    try await meet()

    #expect(try undo()?.isUndone == true)
    #expect(try Set(mine.replica.sessions()) == [fast, corrected])
    #expect(try undo()?.action == .begin)
    #expect(try mine.replica.sessions() == [corrected])
    try await meet()
    #expect(try mine.replica.digest() == theirs.replica.digest())
  }

  @Test(
    "of two open fasts that ended one after the other, both go on again, but not beside a third")
  func bothOfTwo() async throws {
    let (fast, other) = (try Session.sample(), try Session.sample(start: 120))
    try await theirs.replica.save(other)
    try act(.begin) { try $0.save(fast) }
    try await meet()
    try end(other, .end)
    try end(fast, .deleteFast)
    #expect(try undo()?.isUndone == true)
    #expect(try undo()?.isUndone == true)
    #expect(try Set(mine.replica.sessions()) == [fast, other])

    try end(other, .end)
    try await meet()
    theirs.clock.advance(30_000)
    try await theirs.replica.save(Session.sample(start: 180))
    try await meet()
    #expect(try undo()?.isWaiting == true)
    #expect(try mine.replica.session(fast.id) == fast)
  }

  @Test("a sync forgets what is too old, where nobody acts any more")
  func forgottenBySync() async throws {
    let glass = try WaterEntry.sample()
    try act(.water) { try $0.save(glass) }
    try act(.deleteWater) { _ = try $0.delete(glass.key) }
    try await meet()
    func rows() throws -> [Int] {
      try mine.replica.look { store in
        try ["action", "action_step"].map {
          try Int.fetchOne(store.database, sql: "SELECT count(*) FROM \($0)") ?? -1
        }
      }
    }
    #expect(try rows() == [2, 2])
    mine.clock.advance(UserAction.retentionMilliseconds + 1)
    try await mine.sync(server)
    #expect(try rows() == [0, 0])
  }
}
