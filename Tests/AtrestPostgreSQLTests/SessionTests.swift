// SPDX-License-Identifier: Apache-2.0
// Which servers are used, and when one counts as dead.

import AtrestSockets
import AtrestTestSupport
import Testing

@testable import AtrestPostgreSQL

extension PostgreSQL {
  @Suite(.timeLimit(.minutes(20))) struct SessionTests {
    private func with(_ setting: String) throws -> String {
      let equals = setting.split(separator: "=").joined(separator: "%3D")
      return try PostgresServer.shared.get().url + "&options=-c%20" + equals
    }

    /// The server behind several proxies, in order. Without encryption.
    private func url(
      _ proxies: Proxy..., of sessions: Sessions, database: String = "postgres"
    ) -> String {
      let hosts = proxies.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
      return "postgresql://\(sessions.server.login)@\(hosts)/\(database)?sslmode=disable"
    }

    @Test("a session has its time limits, its name and UTF-8")
    func settings() async throws {
      let sessions = try Sessions()
      var session = PostgresSession()
      session.applicationName = "a name"
      session.statementTimeout = .milliseconds(1500)
      session.lockTimeout = .seconds(2)
      session.idleTimeout = .seconds(3)
      let connection = try await sessions.open(session: session)
      for (name, value) in [
        ("statement_timeout", "1500ms"), ("lock_timeout", "2s"),
        ("idle_in_transaction_session_timeout", "3s"), ("application_name", "a name"),
        ("client_encoding", "UTF8"), ("client_min_messages", "warning"),
      ] {
        #expect(
          try await connection.value("SELECT current_setting($1)", .text(name)) == .text(value))
      }
      await sessions.stop()
    }

    @Test("a statement that takes too long is ended by the server, and the session goes on")
    func slowStatement() async throws {
      let sessions = try Sessions()
      var session = PostgresSession()
      session.statementTimeout = .milliseconds(500)
      let connection = try await sessions.open(session: session)
      let error = try await failure { try await connection.run("SELECT pg_sleep(60)") }
      #expect(error.sqlState == "57014")
      #expect(error.meaning == .busy)
      #expect(try await connection.value("SELECT 1") != nil)
      await sessions.stop()
    }

    @Test(
      "a server that confirms before it is durable is refused, and the message says what to do",
      arguments: ["off", "local", "remote_write"])
    func weakCommit(value: String) async throws {
      let sessions = try Sessions()
      let url = try with("synchronous_commit=\(value)")
      let error = try await failure { try await sessions.open(url) }
      #expect(error.meaning == .refused)
      #expect(error.userMessage.contains("synchronous_commit is “\(value)”"))
      #expect(error.userMessage.contains("Set it to “on”"))
      await sessions.stop()
    }

    @Test("its owner may allow weaker promises about standbys, and never none")
    func allowedCommit() async throws {
      let sessions = try Sessions()
      var session = PostgresSession()
      session.allowedCommits = [.local]
      for allowed in ["on", "remote_apply", "local"] {
        let connection = try await sessions.open(
          with("synchronous_commit=\(allowed)"), session: session)
        let settings = try await connection.run(
          "SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'")
        // Of the session: whoever changes the server's default does not change it here.
        #expect(settings.rows == [[.text(allowed), .text("session")]])
      }
      for refused in ["remote_write", "off"] {
        let error = try await failure {
          try await sessions.open(with("synchronous_commit=\(refused)"), session: session)
        }
        #expect(error.meaning == .refused)
      }
      await sessions.stop()
    }

    @Test("what a server may say about itself")
    func objections() {
      func objection(
        version: Int = 150_018, _ commit: String = "on", _ fsync: PostgresValue = .text("on"),
        pages: PostgresValue = .text("on"), standby: Bool = false, encoding: String = "UTF8"
      ) -> PostgresError.Meaning? {
        var answer = PostgresResult()
        answer.rows = [
          [.text(commit), fsync, pages, .bool(standby), .text(encoding), .int8(7), .int8(1)]
        ]
        return PostgresSession().objection(toVersion: version, answers: [answer])?.meaning
      }
      #expect(objection() == nil)
      #expect(objection(version: 170_004) == nil)
      #expect(objection(version: 140_012) == .refused)
      #expect(objection("on", .text("off")) == .refused)
      #expect(objection(pages: .text("off")) == .refused)
      #expect(objection("on", .null, pages: .null) == nil, "not readable everywhere")
      #expect(objection(encoding: "SQL_ASCII") == .refused)
      #expect(objection(standby: true) == .connectionLost, "it may be promoted")
      #expect(PostgresSession().objection(toVersion: 150_018, answers: [])?.meaning == .refused)
    }

    @Test("a user or a database that does not exist is told in the server's words")
    func unknownDatabase() async throws {
      let sessions = try Sessions()
      let url = sessions.server.url.replacing("@/postgres", with: "@/nowhere")
      let error = try await failure { try await sessions.open(url) }
      #expect(error.meaning == .connectionLost)
      #expect(error.userMessage.contains("\"nowhere\" does not exist"), "\(error.userMessage)")
      await sessions.stop()
    }

    @Test("a server is believed by its certificate and its name, and another name is not")
    func encrypted() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open(sessions.server.encryptedURL)
      let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
      #expect(try await connection.value(sql) == .bool(true))
      let error = try await failure {
        try await sessions.open(
          sessions.server.encryptedURL.replacing("@localhost", with: "@127.0.0.1"))
      }
      #expect(error.meaning == .connectionLost)
      #expect(error.reason.contains("does not match host name"), "\(error.reason)")
      await sessions.stop()
    }

    @Test("a wrong password is refused by the server, and shown by nobody")
    func wrongPassword() async throws {
      let sessions = try Sessions()
      let url = sessions.server.url.replacing(sessions.server.login, with: "postgres:s3cret")
      let error = try await failure { try await sessions.open(url) }
      #expect(error.meaning == .connectionLost)
      #expect(error.reason.contains("password authentication failed"))
      #expect(!"\(error)".contains("s3cret"))
      await sessions.stop()
    }

    @Test("where nobody listens, the failure comes at once")
    func nobody() async throws {
      let sessions = try Sessions()
      let error = try await failure {
        try await sessions.open("postgresql://postgres@127.0.0.1:1/postgres")
      }
      #expect(error.meaning == .connectionLost)
      await sessions.stop()
    }

    @Test("a host that accepts and never answers is given up, and the next one is used")
    func silentHost() async throws {
      let sessions = try Sessions()
      let (silent, proxy) = (try Proxy(to: sessions.server), try Proxy(to: sessions.server))
      silent.fail(.freeze)
      var limits = PostgresLimits()
      limits.connectDeadline = .milliseconds(300)
      let error = try await failure { try await sessions.open(silent.url, limits: limits) }
      #expect(error.meaning == .connectionLost)
      #expect(error.reason.contains("no answer in time"))
      limits.connectDeadline = .seconds(5)
      let connection = try await sessions.open(
        url(silent, proxy, of: sessions), limits: limits)
      #expect(try await connection.value("SELECT 1") != nil)
      await sessions.stop()
      silent.stop()
      proxy.stop()
    }

    @Test("a host that answers is waited for, however far away: it may be the newer primary")
    func farHost() async throws {
      let sessions = try Sessions()
      let (far, near) = (try Proxy(to: sessions.server), try Proxy(to: sessions.server))
      far.fail(.far)
      var limits = PostgresLimits.patient
      // Longer than until the first answer, shorter than until the session is ready.
      limits.silentGrace = .seconds(3)
      limits.slowGrace = .seconds(600)
      let choice = PostgresServerChoice()
      // Both are the same server, so the first one is used if it was waited for.
      _ = try await sessions.open(
        url(far, near, of: sessions), limits: limits, choice: choice)
      #expect(choice.target?.port == far.port)
      await sessions.stop()
      far.stop()
      near.stop()
    }

    @Test("an error names what a server said, not that another host hangs, unless that is in use")
    func hangingBeside() async throws {
      let sessions = try Sessions()
      let (silent, proxy) = (try Proxy(to: sessions.server), try Proxy(to: sessions.server))
      silent.fail(.freeze)
      var limits = PostgresLimits.patient
      limits.connectDeadline = .seconds(2)
      let error = try await failure {
        try await sessions.open(
          url(silent, proxy, of: sessions, database: "nowhere"), limits: limits)
      }
      #expect(error.reason.contains("\"nowhere\" does not exist"), "\(error.reason)")
      let choice = PostgresServerChoice()
      silent.fail(.none)
      proxy.stop()
      _ = try await sessions.open(
        url(silent, proxy, of: sessions), limits: limits, choice: choice)
      silent.fail(.freeze)
      let hanging = try await failure {
        try await sessions.open(url(silent, proxy, of: sessions), limits: limits, choice: choice)
      }
      #expect(hanging == .noAnswer)
      await sessions.stop()
      silent.stop()
    }

    @Test("a host that hangs does not keep a session with another one waiting")
    func hangingHost() async throws {
      let sessions = try Sessions()
      let (silent, proxy) = (try Proxy(to: sessions.server), try Proxy(to: sessions.server))
      silent.fail(.freeze)
      var limits = PostgresLimits()
      // Longer than the suite may take.
      limits.connectDeadline = .seconds(3600)
      for url in [url(silent, proxy, of: sessions), url(proxy, silent, of: sessions)] {
        let connection = try await sessions.open(url, limits: limits)
        #expect(try await connection.value("SELECT 1") != nil)
      }
      await sessions.stop()
      silent.stop()
      proxy.stop()
    }

    @Test(
      "a server that stops answering loses the connection when a batch's deadline has passed",
      arguments: [(false, PostgresError.Meaning.connectionLost), (true, .unknown)])
    func silentServer(changes: Bool, meaning: PostgresError.Meaning) async throws {
      let sessions = try Sessions()
      let proxy = try Proxy(to: sessions.server)
      let closed = Signal<PostgresError>()
      let connection = try await sessions.open(proxy.url) { closed.send($0) }
      proxy.fail(.freeze)
      let batch = PostgresBatch([PostgresStatement("SELECT 1")], changes: changes)
      let error = try await failure {
        try await connection.run(batch, within: .milliseconds(100))
      }
      #expect(error.meaning == meaning)
      #expect(try await closed.next().meaning == .connectionLost)
      await sessions.stop()
      proxy.stop()
    }

    @Test("a batch that waits too long behind a transaction fails alone")
    func waitingDeadline() async throws {
      let sessions = try Sessions()
      let connection = try await sessions.open()
      let transaction = try await PostgresTransaction.begin([], on: connection).transaction
      let batch = PostgresBatch([PostgresStatement("SELECT 1")])
      let error = try await failure {
        try await connection.run(batch, within: .milliseconds(20))
      }
      #expect(error.meaning == .busy)
      _ = try await transaction.commit([])
      #expect(try await connection.value("SELECT 1") != nil)
      await sessions.stop()
    }

    @Test("closing answers what is under way, and later batches; a stopped shard closes, too")
    func closing() async throws {
      let sessions = try Sessions()
      let closed = Signal<PostgresError>()
      let (one, two) = (
        try await sessions.open { closed.send($0) }, try await sessions.open { closed.send($0) }
      )
      let sleep = PostgresBatch([PostgresStatement("SELECT pg_sleep(60)")], changes: false)
      let process = try await one.process
      async let error = failure { try await one.run(sleep) }
      let sql = "SELECT wait_event FROM pg_stat_activity WHERE pid = $1"
      while try await two.value(sql, .int8(process)) != .text("PgSleep") {
        try Task.checkCancellation()
      }
      await one.close()
      await one.close()
      #expect(try await error.meaning == .closed)
      #expect(try await closed.next() == .closed)
      #expect(try await failure { try await one.run(sleep) }.meaning == .closed)
      await sessions.stop()
      #expect(try await closed.next() == .closed)
      #expect(closed.pending == 0)
      #expect(try await failure { try await two.run(sleep) }.meaning == .closed)
    }
  }
}
