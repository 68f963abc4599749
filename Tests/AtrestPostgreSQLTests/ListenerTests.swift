// SPDX-License-Identifier: Apache-2.0
// What a listener hears, and when it knows that it may have missed something.

import AtrestHTTP2
import AtrestSockets
import AtrestTestSupport
import Testing

@testable import AtrestPostgreSQL

extension PostgreSQL {
  @Suite(.timeLimit(.minutes(20))) struct ListenerTests {
    private typealias Events = Signal<PostgresListener.Event>

    private func listener(
      to channel: String, at url: String, on sessions: Sessions, into events: Events,
      limits: PostgresLimits = .patient, timing: PostgresListener.Timing = .patient,
      choice: PostgresServerChoice = PostgresServerChoice()
    ) async throws -> PostgresListener {
      let listener = PostgresListener(
        to: channel, at: try PostgresAddress(parsing: url), on: sessions.shard, limits: limits,
        timing: timing, choice: choice
      ) { events.send($0) }
      await listener.start()
      return listener
    }

    /// The instant that the next event, which must be `alive`, tells.
    private func alive(_ events: Events) async throws -> Instant {
      let event = try await events.next()
      guard case .alive(let since) = event else { throw Unexpected("not alive: \(event)") }
      return since
    }

    /// The error that the next event, which must be `lost`, tells.
    private func lost(_ events: Events) async throws -> PostgresError {
      let event = try await events.next()
      guard case .lost(let error) = event else { throw Unexpected("not lost: \(event)") }
      return error
    }

    private func notify(
      _ channel: String, _ payload: String, on connection: PostgresConnection
    ) async throws {
      _ = try await connection.run("SELECT pg_notify($1, $2)", .text(channel), .text(payload))
    }

    @Test("what one session notifies reaches the listener of another, in order, and no other")
    func hears() async throws {
      let sessions = try Sessions()
      let (events, channel) = (Events(), Fresh.name("Channel"))
      let listener = try await listener(
        to: channel, at: sessions.server.url, on: sessions, into: events)
      _ = try await alive(events)
      let connection = try await sessions.open()
      for number in 0..<20 {
        try await notify(channel.lowercased(), "not this one", on: connection)
        try await notify(channel, "\(number)", on: connection)
      }
      for number in 0..<20 {
        #expect(try await events.next() == .heard(payload: "\(number)"))
      }
      await listener.stop()
      #expect(events.pending == 0)
      await sessions.stop()
    }

    @Test("a network that swallows everything ends the trust, and tells; later it is regained")
    func frozen() async throws {
      let sessions = try Sessions()
      let proxy = try Proxy(to: sessions.server)
      let (events, channel) = (Events(), Fresh.name("channel"))
      var timing = PostgresListener.Timing()
      timing.trust = .seconds(5)
      timing.pingInterval = .milliseconds(20)
      let listener = try await listener(
        to: channel, at: proxy.url, on: sessions, into: events, timing: timing)
      let first = try await alive(events)
      #expect(listener.aliveSince == first)
      proxy.fail(.freeze)
      #expect(try await lost(events).meaning == .connectionLost)
      #expect(listener.aliveSince == nil)
      let connection = try await sessions.open()
      try await notify(channel, "missed", on: connection)
      proxy.fail(.none)
      // Attempts may have failed meanwhile, each with its own event.
      var second: Instant?
      while second == nil {
        switch try await events.next() {
        case .alive(let since): second = since
        case .lost: continue
        case .heard(let payload): throw Unexpected("heard \(payload) without listening")
        }
      }
      #expect(second.map { $0 > first } == true)
      try await notify(channel, "heard", on: connection)
      #expect(try await events.next() == .heard(payload: "heard"))
      await listener.stop()
      await sessions.stop()
      proxy.stop()
    }

    @Test("a server that hangs, for new sessions too, ends what waits for it long before deadlines")
    func hanging() async throws {
      let sessions = try Sessions()
      let proxy = try Proxy(to: sessions.server)
      let (events, choice) = (Events(), PostgresServerChoice())
      var (timing, limits) = (PostgresListener.Timing(), PostgresLimits.patient)
      timing.trust = .seconds(5)
      timing.pingInterval = .milliseconds(20)
      limits.connectDeadline = .seconds(5)
      let connection = try await sessions.open(proxy.url, choice: choice)
      let listener = try await listener(
        to: Fresh.name("channel"), at: proxy.url, on: sessions, into: events, limits: limits,
        timing: timing, choice: choice)
      _ = try await alive(events)
      proxy.fail(.freeze)
      let batch = PostgresBatch([PostgresStatement("SELECT 1")], changes: true)
      let error = try await failure { try await connection.run(batch, within: .seconds(3600)) }
      #expect(error.meaning == .unknown)
      await listener.stop()
      await sessions.stop()
      proxy.stop()
    }

    @Test("a session that is ended is told of at once, not at the next ping")
    func terminated() async throws {
      let sessions = try Sessions()
      let (events, channel) = (Events(), Fresh.name("channel"))
      var timing = PostgresListener.Timing.patient
      timing.pingInterval = .seconds(3600)
      let listener = try await listener(
        to: channel, at: sessions.server.url + "&application_name=\(channel)", on: sessions,
        into: events, timing: timing)
      let first = try await alive(events)
      let connection = try await sessions.open()
      _ = try await connection.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
        .text(channel))
      #expect(try await lost(events).meaning == .connectionLost)
      #expect(try await alive(events) > first)
      await listener.stop()
      await sessions.stop()
    }

    @Test("a listener leaves a server that its owner's newest session is not with")
    func anotherServer() async throws {
      let sessions = try Sessions()
      let (events, channel) = (Events(), Fresh.name("channel"))
      let choice = PostgresServerChoice()
      let listener = try await listener(
        to: channel, at: sessions.server.url, on: sessions, into: events, choice: choice)
      let first = try await alive(events)
      let connection = try await sessions.open()
      #expect(await connection.server == choice.server, "its own session counts")
      let other = PostgresServerIdentity(started: -1, history: nil)
      #expect(choice.join(connection, at: other) == nil)
      #expect(try await lost(events).meaning == .connectionLost)
      // Now its own session is the newest one.
      #expect(try await alive(events) > first)
      #expect(await connection.server == choice.server)
      await listener.stop()
      await sessions.stop()
    }

    @Test("a listener that cannot reach its server goes on trying, and can be stopped")
    func unreachable() async throws {
      let sessions = try Sessions()
      let events = Events()
      var timing = PostgresListener.Timing()
      timing.shortestPause = .milliseconds(1)
      timing.longestPause = .milliseconds(4)
      let listener = try await listener(
        to: "nowhere", at: "postgresql://postgres@127.0.0.1:1/postgres", on: sessions,
        into: events, timing: timing)
      for _ in 0..<5 { #expect(try await lost(events).meaning == .connectionLost) }
      #expect(listener.aliveSince == nil)
      await listener.stop()
      await sessions.stop()
    }
  }

  @Suite(.timeLimit(.minutes(20))) struct LivenessTests {
    private func at(_ milliseconds: UInt64) -> Instant {
      Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test("a proof is trusted from the ping's sending, not from its answer, and for the window")
    func trust() {
      var liveness = PostgresLiveness(window: .milliseconds(100))
      #expect(liveness.aliveSince(at: at(0)) == nil)
      liveness.listens(at: at(10))
      #expect(liveness.aliveSince(at: at(10)) == nil, "nothing was answered yet")
      let since = liveness.answered(pingSentAt: at(20))
      #expect(since == at(10))
      #expect(liveness.aliveSince(at: at(120)) == at(10))
      #expect(liveness.aliveSince(at: at(121)) == nil)
      // The session lived on, so nothing was missed.
      let again = liveness.answered(pingSentAt: at(200))
      #expect(again == nil)
      #expect(liveness.aliveSince(at: at(300)) == at(10))
      liveness.lost()
      #expect(liveness.aliveSince(at: at(201)) == nil)
      // The answer belongs to the session before.
      let late = liveness.answered(pingSentAt: at(202))
      #expect(late == nil)
      #expect(liveness.aliveSince(at: at(203)) == nil)
    }

    @Test("pauses double up to the longest, and begin anew after a success")
    func backoff() {
      var backoff = PostgresBackoff(from: .milliseconds(100), to: .seconds(1))
      let pauses = (0..<6).map { _ in backoff.pause() }
      #expect(pauses == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
      backoff.reset()
      #expect(backoff.pause() == .milliseconds(100))
    }
  }
}
