// SPDX-License-Identifier: Apache-2.0
// Which of several primaries sessions are with.

import AtrestTestSupport
import Testing

@testable import AtrestPostgreSQL

extension PostgresServerIdentity {
  fileprivate init(_ started: Int64, _ timeline: UInt32?, of system: Int64 = 7) {
    self.init(
      started: started,
      history: timeline.map { PostgresServerIdentity.History(system: system, timeline: $0) })
  }
}

@Suite(.timeLimit(.minutes(20))) struct ServerIdentityTests {
  private typealias Identity = PostgresServerIdentity

  @Test("a primary is superseded by one of its cluster with a higher timeline, and by no other")
  func superseded() {
    let old = Identity(1, 1)
    #expect(old.isSuperseded(by: Identity(2, 2)))
    #expect(!old.isSuperseded(by: Identity(2, 1)))
    #expect(!Identity(2, 2).isSuperseded(by: old))
    #expect(!old.isSuperseded(by: Identity(2, 2, of: 8)), "another cluster")
    #expect(!old.isSuperseded(by: Identity(2, nil)) && !Identity(1, nil).isSuperseded(by: old))
  }

  @Test("of several primaries the newest is used, else the one in use, else the first")
  func best() {
    func best(_ servers: [Identity], current: Identity? = nil) -> Int? {
      Identity.best(of: servers, current: current)
    }
    let (one, two, copy) = (Identity(1, 1), Identity(2, 2), Identity(3, 2))
    #expect(best([]) == nil)
    #expect(best([one, two]) == 1 && best([two, one]) == 0)
    #expect(best([one, two], current: one) == 1)
    #expect(best([two, copy]) == 0 && best([two, copy], current: copy) == 1)
    #expect(best([Identity(4, nil), two]) == 0)
  }

  @Test("the first eight digits of a log file's name are the timeline")
  func history() {
    func history(_ row: [PostgresValue]) -> Identity.History? {
      var result = PostgresResult()
      result.rows = [row]
      return Identity.history([result])
    }
    let system: Int64 = 7_412_345_678_901_234_567
    #expect(
      history([.int8(system), .text("0000001A000000010000000C")])
        == Identity.History(system: system, timeline: 26))
    #expect(history([.int8(system), .null]) == nil)
    #expect(history([.int8(system), .text("zz")]) == nil)
    #expect(history([]) == nil && Identity.history([]) == nil)
  }
}

extension PostgreSQL {
  @Suite(.timeLimit(.minutes(20))) struct ServerChoiceTests {
    @Test("a server tells its cluster and its timeline")
    func tells() async throws {
      let sessions = try Sessions()
      let server = try #require(await sessions.open().server)
      #expect(server.history?.timeline == 1 && server.history?.system != nil)
      await sessions.stop()
    }

    @Test("sessions with another server than the newest session's are closed; batches hear of it")
    func closes() async throws {
      let sessions = try Sessions()
      let choice = PostgresServerChoice()
      let closed = Signal<PostgresError>()
      let (first, second) = (
        try await sessions.open(choice: choice) { closed.send($0) }, try await sessions.open()
      )
      let server = try #require(await first.server)
      let sleep = PostgresBatch([PostgresStatement("SELECT pg_sleep(3600)")], changes: false)
      async let error = failure { try await first.run(sleep, within: .seconds(3600)) }
      let promoted = PostgresServerIdentity(
        started: server.started + 1,
        history: server.history.map { .init(system: $0.system, timeline: $0.timeline + 1) })
      #expect(choice.join(second, at: promoted) == nil)
      #expect(try await closed.next().meaning == .connectionLost)
      #expect(try await error.meaning == .connectionLost)
      // The old primary is still there, and is not used again.
      let refusal = try await failure { try await sessions.open(choice: choice) }
      #expect(refusal.meaning == .connectionLost)
      #expect(refusal.reason.contains("timeline 1; timeline 2 was in use"), "\(refusal.reason)")
      #expect(choice.server == promoted && closed.pending == 0)
      await sessions.stop()
    }
  }
}
