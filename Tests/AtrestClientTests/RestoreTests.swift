// SPDX-License-Identifier: Apache-2.0
// Restoring a journaled value of a record that the server has pruned since.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("Writing back to a pruned record", .timeLimit(.minutes(20)))
struct RestoreTests {
  private struct Scene {
    let server = ModelServer(clock: TestClock())
    let mine: TestReplica
    let session: Session

    /// A fast that another device deleted and the server pruned, while this device made `edit`
    /// before the deletion.
    init(_ edit: (Session) throws -> Session) async throws {
      mine = try TestReplica(1)
      let theirs = try TestReplica(2)
      session = try Session.sample(lasted: 60)
      try await mine.replica.save(session)
      try await mine.sync(server)
      try await theirs.sync(server)
      mine.clock.advance(1000)
      try await mine.replica.save(edit(session))
      theirs.clock.advance(5000)
      try theirs.replica.delete(session.key)
      try await theirs.sync(server)
      server.state.withLock { state in
        for record in state.records.values.map(\.record) { state.put(record.pruned()) }
      }
      try await mine.sync(server)
    }

    func entry() throws -> JournalEntry {
      let entries = try mine.replica.conflicts()
      #expect(entries.count == 1)
      return try #require(entries.first)
    }

    /// What was written back is taken, and nothing is set aside any more.
    func checkSettled() async throws {
      let report = try await mine.sync(server)
      #expect(report.refused == 0)
      await #expect(try mine.replica.conflicts().isEmpty)
      #expect(server.records == (try mine.replica.allRecords()))
    }
  }

  @Test("one entry stands for all that was written, and the deletion is what was kept instead")
  func kept() async throws {
    let scene = try await Scene { try Session.sample(id: $0.id, lasted: 90, target: 99) }
    #expect(try scene.mine.replica.session(scene.session.id) == nil)
    let entry = try scene.entry()
    #expect(entry.kept == .deleted(true))
    guard case .span = entry.written.first, case .targetMinutes(99) = entry.written.last else {
      Issue.record("\(entry.written)")
      return
    }
  }

  @Test("brings all of the lost write back")
  func whole() async throws {
    let edited = try Session.sample(lasted: 90, target: 99)
    let scene = try await Scene {
      Session(id: $0.id, span: edited.span, targetMinutes: edited.targetMinutes)
    }
    try await scene.mine.replica.restore(scene.entry())
    let session = try scene.mine.replica.session(scene.session.id)
    #expect(session?.span == edited.span && session?.targetMinutes == 99)
    try await scene.checkSettled()
  }

  @Test("brings what the lost write left alone back, too: the record holds it no more")
  func rest() async throws {
    let scene = try await Scene {
      Session(id: $0.id, span: $0.span, targetMinutes: 99)
    }
    try await scene.mine.replica.restore(scene.entry())
    let session = try scene.mine.replica.session(scene.session.id)
    #expect(session?.span == scene.session.span && session?.targetMinutes == 99)
    try await scene.checkSettled()
  }

  @Test("leaves alone what was written since")
  func since() async throws {
    let scene = try await Scene {
      Session(id: $0.id, span: $0.span, targetMinutes: 99)
    }
    let entry = try scene.entry()
    let anew = try Session.sample(id: scene.session.id, lasted: 30, target: 300)
    try await scene.mine.replica.save(anew)
    try await scene.mine.replica.restore(entry)
    let session = try scene.mine.replica.session(scene.session.id)
    #expect(session?.span == anew.span && session?.targetMinutes == 99)
    try await scene.checkSettled()
  }

  @Test(
    "an older server's entry, which lacks what is needed, is refused in words, and changes nothing")
  func incomplete() async throws {
    let scene = try await Scene {
      Session(id: $0.id, span: $0.span, targetMinutes: 99)
    }
    var conflict = try scene.entry().conflict
    conflict.record = nil
    let digest = try scene.mine.replica.digest()
    #expect {
      try scene.mine.replica.restore(JournalEntry(conflict: conflict))
    } throws: { error in
      ReplicaError.Code.invalid ~= error
        && (error as? ReplicaError)?.userMessage.contains("Write it anew") == true
    }
    #expect(try scene.mine.replica.digest() == digest)
    #expect(try scene.mine.waitingCount == 0)
  }
}
