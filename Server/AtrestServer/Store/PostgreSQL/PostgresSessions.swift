// SPDX-License-Identifier: Apache-2.0
// Opens a daemon's sessions with its database, and knows whether it can be reached.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestSockets
import Logging
import Synchronization

/// The sessions of one daemon with one database. Thread-safe.
///
/// A database that does not answer is tried again after growing pauses, not by every job: whoever
/// asks meanwhile is told at once.
final class PostgresSessions: Sendable {
  private struct State {
    var isReachable = true
    /// Why it may not be used at all; nil if it is only away.
    var refusal: PostgresError?
    var pause = PostgresSessions.shortestPause
    var nextTry = Instant(nanoseconds: 0)
    var reason = ""
  }

  private static let shortestPause: Duration = .milliseconds(50)
  private static let longestPause: Duration = .seconds(2)

  let address: PostgresAddress
  private let cell: CellNumber
  private let session: PostgresSession
  private let limits: PostgresLimits
  /// A store that is made is known by this number.
  private let name: UInt64
  private let logger: Logger
  private let state = Mutex(State())
  private let isMigrated = Atomic(false)
  private let onChange = Mutex<@Sendable () -> Void>({})
  /// The server that all sessions are with.
  let choice = PostgresServerChoice()

  init(
    _ address: PostgresAddress, of cell: CellNumber, session: PostgresSession,
    limits: PostgresLimits = PostgresLimits(), name: UInt64, logger: Logger
  ) {
    self.name = name
    self.address = address
    self.cell = cell
    self.session = session
    self.limits = limits
    self.logger = logger
  }

  /// The session of whoever runs none of the store's statements.
  var plain: PostgresSession {
    var session = session
    session.prepared = []
    session.settings = [:]
    return session
  }

  /// Whether the database could be reached when it was tried last.
  var isReachable: Bool { state.withLock { $0.isReachable } }

  /// - Parameter action: Called on any thread when `isReachable` has changed.
  func onChange(_ action: @escaping @Sendable () -> Void) { onChange.withLock { $0 = action } }

  /// Brings the database to this version's format. One that is away is brought there by the first
  /// session that finds it.
  ///
  /// - Throws: `StoreError`, if it may not be used: only its owner can change that.
  func begin(on shard: Shard) async throws(StoreError) {
    do throws(StoreError) { await (try open(on: shard)).close() } catch {
      guard case .unavailable = error, state.withLock({ $0.refusal }) == nil else { throw error }
    }
  }

  /// Opens a session. The first one brings the database to this version's format.
  ///
  /// - Throws: `StoreError`: `unavailable`; what `PostgresSchema.migrate` says of the first one; or
  ///   what `PostgresSchema.objection` says, if the database was migrated or exchanged since.
  func open(on shard: Shard) async throws(StoreError) -> PostgresConnection {
    let now = MonotonicClock.now()
    let refusal = state.withLock { $0.isReachable || now >= $0.nextTry ? nil : $0.reason }
    if let refusal { throw .unavailable(reason: refusal) }
    if !isMigrated.load(ordering: .acquiring) { try await migrate(on: shard) }
    let connection: PostgresConnection
    let objection: StoreError?
    do throws(PostgresError) {
      connection = try await PostgresConnection.open(
        address, on: shard, session: session, limits: limits, choice: choice)
      objection = try await self.objection(to: connection)
    } catch {
      throw failed(error)
    }
    guard let objection else {
      succeeded()
      return connection
    }
    await connection.close()
    failed("it is not the store that it was, or has another format", objection.userMessage)
    throw objection
  }

  private func objection(
    to connection: PostgresConnection
  ) async throws(PostgresError) -> StoreError? {
    do throws(PostgresError) {
      return try await PostgresSchema.objection(to: connection, as: cell)
    } catch {
      await connection.close()
      throw error
    }
  }

  /// Runs work on a session of its own.
  ///
  /// - Throws: `StoreError`.
  func withSession<R: Sendable>(
    on shard: Shard, _ body: (PostgresConnection) async throws(PostgresError) -> R
  ) async throws(StoreError) -> R {
    let connection = try await open(on: shard)
    do throws(PostgresError) {
      let result = try await body(connection)
      await connection.close()
      return result
    } catch {
      await connection.close()
      throw StoreError(error)
    }
  }

  /// Brings the database to this version's format, for a session that is opened elsewhere: as long
  /// as it is open, no daemon migrates.
  func prepare(on shard: Shard) async throws(PostgresError) {
    guard !isMigrated.load(ordering: .acquiring) else { return }
    do throws(StoreError) { try await migrate(on: shard) } catch {
      if case .unavailable(let reason) = error { throw .lost(reason) }
      throw .lost(error.userMessage)
    }
  }

  private func migrate(on shard: Shard) async throws(StoreError) {
    let connection: PostgresConnection
    do throws(PostgresError) {
      // Nothing is prepared: the tables may not be there yet. No lock is shared: servers that begin
      // together would keep each other from migrating.
      var session = plain
      session.sharedLock = nil
      connection = try await PostgresConnection.open(
        address, on: shard, session: session, limits: limits, choice: choice)
    } catch {
      throw failed(error)
    }
    do throws(StoreError) {
      try await PostgresSchema.migrate(on: connection, name: name, cell: cell)
    } catch {
      await connection.close()
      failed("it cannot be brought to this version's format", error.userMessage)
      throw error
    }
    await connection.close()
    isMigrated.store(true, ordering: .releasing)
  }

  /// Notes that a session has been opened, here or by somebody else.
  func succeeded() {
    let wasAway = state.withLock { state in
      defer { state = State() }
      return !state.isReachable
    }
    guard wasAway else { return }
    logger.notice("the database can be reached again")
    onChange.withLock { $0 }()
  }

  /// Notes that no session could be opened.
  /// - Returns: What the caller throws.
  private func failed(_ error: PostgresError) -> StoreError {
    failed(error.reason, error.userMessage, refusal: error.meaning == .refused ? error : nil)
    return .unavailable(reason: error.reason)
  }

  func failed(_ reason: String, _ message: String, refusal: PostgresError? = nil) {
    let isNew = state.withLock { state in
      defer {
        state.isReachable = false
        state.refusal = refusal
        state.reason = reason
        state.nextTry = MonotonicClock.now().advanced(by: state.pause)
        state.pause = min(Self.longestPause, state.pause * 2)
      }
      return state.isReachable
    }
    guard isNew else { return }
    logger.error("the database cannot be used", metadata: ["error": "\(message)"])
    onChange.withLock { $0 }()
  }
}
