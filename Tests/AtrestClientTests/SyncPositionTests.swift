// SPDX-License-Identifier: Apache-2.0
// Concurrent syncs of one replica: whose response is stored, and the resulting position.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("Syncs of one replica at a time", .timeLimit(.minutes(20)))
struct SyncPositionTests {
  /// A replica's cursor and head before and after a response.
  struct Move: Sendable {
    typealias Place = (cursor: Cursor?, head: Cursor?)

    var before: Place
    var asked: ExchangeRequest
    var answered: ExchangeResponse
    /// Nil: the response is not stored.
    var after: Place?

    init(
      _ before: Place, asked: Cursor?, answered: (cursor: Cursor, head: Cursor),
      then after: Place?, isRestarted: Bool = false
    ) {
      self.before = before
      self.asked = ExchangeRequest(cursor: asked)
      self.answered = ExchangeResponse(
        cursor: answered.cursor, restarted: isRestarted, serverTime: WallTime(milliseconds: 0),
        head: answered.head)
      self.after = after
    }
  }

  private static func at(_ commit: UInt64, _ sequence: UInt64) -> Cursor {
    Cursor(commit: commit, sequence: sequence)
  }

  @Test(
    "an answer counts if the cursor is where the request showed it, or if it tells the known head",
    arguments: [
      // A single sync.
      Move((nil, nil), asked: nil, answered: (at(1, 5), at(1, 5)), then: (at(1, 5), at(1, 5))),
      Move(
        (at(1, 5), at(1, 5)), asked: at(1, 5), answered: (at(2, 7), at(3, 9)),
        then: (at(2, 7), at(3, 9))),
      Move(
        (at(1, 5), at(2, 9)), asked: at(1, 5), answered: (at(2, 7), at(2, 7)),
        then: (at(2, 7), at(2, 7))),
      // After a loss it continues from the head.
      Move(
        (at(1, 5), at(2, 9)), asked: at(1, 5), answered: (at(3, 4), at(3, 6)),
        then: (at(3, 6), at(3, 6)), isRestarted: true),
      // Another sync was answered in between, with the same head.
      Move(
        (at(2, 7), at(3, 9)), asked: at(1, 5), answered: (at(2, 7), at(3, 9)),
        then: (at(2, 7), at(3, 9))),
      Move(
        (at(3, 9), at(3, 9)), asked: at(1, 5), answered: (at(2, 7), at(3, 9)),
        then: (at(3, 9), at(3, 9))),
      // Either this response is late or the server was restored in between: unknown which.
      Move(
        (at(2, 9), at(2, 9)), asked: at(1, 5), answered: (at(3, 7), at(3, 7)), then: nil),
      // It is further ahead; or the server was restored and has grown since.
      Move(
        (at(2, 7), at(2, 7)), asked: at(1, 5), answered: (at(3, 9), at(3, 9)), then: nil),
      // The other sync was told of a loss.
      Move(
        (at(3, 4), at(3, 4)), asked: at(1, 5), answered: (at(2, 9), at(2, 9)), then: nil),
    ])
  func moves(move: Move) {
    var state = ReplicaState()
    (state.cursor, state.head) = move.before
    #expect(state.hasOvertaken(move.answered, to: move.asked) == (move.after == nil))
    guard let after = move.after else { return }
    state.advance(by: move.answered, to: move.asked)
    #expect(state.cursor == after.cursor && state.head == after.head)
  }

  /// Found by the simulator: the write acknowledged by the first sync had no entry any more.
  @Test("a server that is put back between two answers loses nothing of the first")
  func restoredBetween() async throws {
    let scene = try await Restored()
    let (server, mine) = (scene.server, scene.mine)
    // The second sync sends its request before the first one's response arrives, and the server is
    // slow.
    let late = try await mine.attempt()
    try await scene.write()
    server.restore(scene.backup)
    let answer = try server.exchange(late.request, as: "secret-1")
    let applied = try await mine.replica.apply(
      answer, to: late.request, page: late.page, at: mine.clock.now())
    #expect(applied.isOvertaken)
    #expect(try await mine.sync(server).restarted)
    try await scene.expectJournal()
  }

  /// Also found by the simulator: a reconciliation did not show where the replica is.
  @Test("a server that is put back while it is compared with is not believed")
  func restoredWhileComparing() async throws {
    let scene = try await Restored()
    try await scene.write()
    try await scene.mine.replica.writing { $0.work.demandReconcile(afterLoss: false) }
    var transport = ModelTransport(server: scene.server)
    transport.meanwhile = { if $0 == 0 { scene.server.restore(scene.backup) } }
    #expect(try await scene.mine.engine(transport).sync().restarted)
    try await scene.expectJournal()
  }

  @Test("what was compared is not stored once another sync moved the cursor")
  func overtakenComparison() async throws {
    let scene = try await Restored()
    let known = try await scene.mine.replica.position().cursor
    try await scene.write()
    let before = try scene.mine.replica.digest()
    let received = scene.backup.records.values.map { $0.record.encoded }
    let applied = try await scene.mine.replica.merge(
      records: received, offering: [], at: known)
    #expect(applied.isOvertaken && applied.unchanged == 0)
    #expect(try scene.mine.replica.digest() == before)
  }

  /// A server with a backup that contains a later write of `theirs`. `mine` has not seen it and is
  /// about to write the same field.
  struct Restored {
    let server = ModelServer(clock: TestClock())
    let mine: TestReplica
    let theirs: TestReplica
    let backup: ModelServer.State
    private let id = RecordUUID.random()

    init() async throws {
      (mine, theirs) = (try TestReplica(1), try TestReplica(2))
      try await mine.replica.save(WaterEntry.sample(id: id, 100))
      try await mine.sync(server)
      try await theirs.sync(server)
      let shared = server.backUp()
      theirs.clock.advance(1000)
      try await theirs.replica.save(WaterEntry.sample(id: id, 300))
      try await theirs.sync(server)
      backup = server.backUp()
      server.restore(shared)
    }

    /// Writes something that the backup lacks, and syncs.
    func write() async throws {
      try await mine.replica.save(WaterEntry.sample(id: id, 200))
      try await mine.sync(server)
      #expect(server.journal.isEmpty)
    }

    /// The write that the server lost was superseded by the other one.
    func expectJournal() async throws {
      let lost = FieldValue.intake(try WaterEntry.sample(200).intake)
      #expect(server.journal.map { FieldValue($0.lost, of: .water) } == [lost])
      try await theirs.sync(server)
      #expect(try mine.replica.digest() == theirs.replica.digest())
    }
  }
}
