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

    func entry(_ field: FieldNumber) throws -> JournalEntry {
      try #require(try mine.replica.conflicts().first { $0.conflict.field == field })
    }
  }

  @Test("the deletion is what was kept instead")
  func kept() async throws {
    let scene = try await Scene { try Session.sample(id: $0.id, lasted: 90, target: 99) }
    #expect(try scene.mine.replica.session(scene.session.id) == nil)
    await #expect(try scene.mine.replica.conflicts().map(\.conflict.field).sorted() == [1, 2, 3])
    await #expect(try scene.mine.replica.conflicts().allSatisfy { $0.kept == .deleted(true) })
    #expect(try scene.entry(3).conflict.kept.field == Register.pruneFloorField)
  }

  @Test("brings all of the lost write back, whichever part of it was named", arguments: [1, 2, 3])
  func whole(field: FieldNumber) async throws {
    let edited = try Session.sample(lasted: 90, target: 99)
    let scene = try await Scene {
      Session(id: $0.id, span: edited.span, targetMinutes: edited.targetMinutes)
    }
    try await scene.mine.replica.restore(scene.entry(field))
    let session = try scene.mine.replica.session(scene.session.id)
    #expect(session?.span == edited.span && session?.targetMinutes == 99)
    let report = try await scene.mine.sync(scene.server)
    #expect(report.refused == 0)
    await #expect(try scene.mine.replica.conflicts().isEmpty)
    #expect(scene.server.records == (try scene.mine.replica.allRecords()))
  }

  @Test("of which a needed part is gone is refused in words, and changes nothing")
  func incomplete() async throws {
    let scene = try await Scene {
      Session(id: $0.id, span: $0.span, targetMinutes: 99)
    }
    let digest = try scene.mine.replica.digest()
    for field: FieldNumber in [1, 3] {
      #expect {
        try scene.mine.replica.restore(scene.entry(field))
      } throws: { error in
        ReplicaError.Code.invalid ~= error
          && (error as? ReplicaError)?.userMessage.contains("holds its value") == true
      }
    }
    #expect(try scene.mine.replica.digest() == digest)
    #expect(try scene.mine.waitingCount == 0)
  }
}
