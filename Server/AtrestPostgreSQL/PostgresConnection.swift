// SPDX-License-Identifier: Apache-2.0
// One session with a database, driven by a shard.

import AtrestHTTP2
import AtrestSockets

/// A connection to PostgreSQL that lives on a shard and never blocks it.
///
///                        PQconnectPoll                  checked
///     ── start ──▶ connecting ─────────────▶ open ──┬──────────────▶ given to its owner
///                      │                            │
///                      │ failed, deadline           │ lost, deadline, refused, close
///                      └──────────▶ closed ◀────────┘
///
/// libpq owns the socket; the shard's epoll descriptor watches it, and `PostgresPipeline` knows
/// which answer belongs to whom. A turn reads once what the socket has, takes every answer that is
/// complete, and writes what the socket takes. Reading never waits for writing: a server whose
/// answers are not read stops reading. A server that stops for longer than a batch's deadline loses
/// the connection, and each batch learns what that means for it.
///
/// An open connection keeps itself alive: whoever opened it closes it.
package actor PostgresConnection {
  private enum State {
    case new
    case connecting(PQHandle, DescriptorWatch?, CheckedContinuation<PostgresError?, Never>)
    case open(PQHandle, DescriptorWatch)
    case closed(PostgresError)
  }

  private struct Waiter {
    let continuation: CheckedContinuation<Result<[PostgresResult], PostgresError>, Never>
    var deadline: DeadlineToken
  }

  package nonisolated let shard: Shard
  private let limits: PostgresLimits
  private let onNotification: @Sendable (PostgresNotification) -> Void
  private let onClosed: @Sendable (PostgresError) -> Void
  private var state = State.new
  private var pipeline: PostgresPipeline
  private var waiters: [PostgresPipeline.ID: Waiter] = [:]
  /// Its owner has it, and hears of its end.
  private var isGiven = false
  /// Which server it is with. Nil until the connection is open.
  package private(set) var server: PostgresServerIdentity?
  private let choice: PostgresServerChoice
  /// Nil until the connection is open.
  private var pin: PostgresPin?
  /// Whether the server has said anything.
  private var hasHeard = false

  private init(
    on shard: Shard, limits: PostgresLimits, choice: PostgresServerChoice,
    onNotification: @escaping @Sendable (PostgresNotification) -> Void,
    onClosed: @escaping @Sendable (PostgresError) -> Void
  ) {
    self.shard = shard
    self.limits = limits
    self.choice = choice
    self.onNotification = onNotification
    self.onClosed = onClosed
    pipeline = PostgresPipeline(limits: limits)
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    shard.asUnownedSerialExecutor()
  }

  // MARK: Opening

  /// Opens a session with the newest primary among the address's hosts: all are tried at once.
  ///
  /// Each host gets `limits.connectDeadline`; after the first that may be used, `limits.slowGrace`,
  /// or `limits.silentGrace` if it has said nothing. libpq's own walk over hosts takes the first
  /// primary, which may be one that came back.
  /// - Parameters:
  ///   - shard: Stays in use until the connection is closed.
  ///   - choice: The server that the program's other sessions are with.
  ///   - onNotification: Called on the shard with what channels say to which the session listens.
  ///   - onClosed: Called on the shard, once, when a connection that was opened has ended. What it
  ///     left unanswered has its answers by then.
  /// - Throws: `PostgresError`: `refused` if a server may not be used; else what happened at the
  ///   address in use, such as `noAnswer`; else what a server said; else the first host's.
  package static func open(
    _ address: PostgresAddress, on shard: Shard, session: PostgresSession = PostgresSession(),
    limits: PostgresLimits = PostgresLimits(),
    choice: PostgresServerChoice = PostgresServerChoice(),
    onNotification: @escaping @Sendable (PostgresNotification) -> Void = { _ in },
    onClosed: @escaping @Sendable (PostgresError) -> Void = { _ in }
  ) async throws(PostgresError) -> PostgresConnection {
    let targets = try await address.targets(limit: limits.addresses)
    let attempts = targets.map { _ in
      PostgresConnection(
        on: shard, limits: limits, choice: choice, onNotification: onNotification,
        onClosed: onClosed)
    }
    let problems = await start(
      attempts, at: targets, parameters: address.parameters, session: session)
    var primaries: [Int] = []
    var servers: [PostgresServerIdentity] = []
    for (index, attempt) in attempts.enumerated() {
      guard let server = await attempt.server, await attempt.isOpen else { continue }
      primaries.append(index)
      servers.append(server)
    }
    guard let best = PostgresServerIdentity.best(of: servers, current: choice.server) else {
      // A name may have addresses without a listener: the first error says most.
      let current = targets.firstIndex { $0 == choice.target }.flatMap { problems[$0] }
      let all = targets.indices.compactMap { problems[$0] }
      throw all.last { $0.meaning == .refused } ?? current ?? all.first { $0 != .noAnswer }
        ?? all.first ?? .lost("it has no address")
    }
    for index in primaries where index != primaries[best] { await attempts[index].close() }
    let connection = attempts[primaries[best]]
    try await connection.give(at: servers[best], target: targets[primaries[best]])
    return connection
  }

  /// Starts all attempts at once, and waits until each has ended.
  /// - Returns: The errors of those that failed, by their index.
  private static func start(
    _ attempts: [PostgresConnection], at targets: [PostgresTarget],
    parameters: [PostgresAddress.Parameter], session: PostgresSession
  ) async -> [Int: PostgresError] {
    await withTaskGroup(of: (index: Int, problem: PostgresError?).self) { group in
      for (index, (attempt, target)) in zip(attempts, targets).enumerated() {
        group.addTask {
          do throws(PostgresError) {
            try await attempt.start(target, parameters: parameters, session: session)
            return (index, nil)
          } catch {
            await attempt.close(as: error)
            return (index, error)
          }
        }
      }
      var (problems, isFound) = ([Int: PostgresError](), false)
      for await (index, problem) in group {
        if let problem {
          problems[index] = problem
        } else if !isFound {
          isFound = true
          for attempt in attempts { await attempt.hurry() }
        }
      }
      return problems
    }
  }

  private func start(
    _ target: PostgresTarget, parameters: [PostgresAddress.Parameter], session: PostgresSession
  ) async throws(PostgresError) {
    let end = shard.now.advanced(by: limits.connectDeadline)
    let deadline = shard.schedule(at: end) {
      self.close(as: .noAnswer)
    }
    defer { shard.cancel(deadline) }
    guard
      let handle = PQHandle(
        target, parameters: parameters, applicationName: session.applicationName)
    else { throw .lost("memory is exhausted") }
    let problem: PostgresError? = await withCheckedContinuation { continuation in
      guard case .new = state else { return continuation.resume(returning: .closed) }
      state = .connecting(handle, nil, continuation)
      // As if libpq had asked to write: that is how it wants to be begun with.
      watchWhileConnecting(for: .writable)
    }
    if let problem { throw problem }
    let answers = try await run(session.opening, within: limits.connectDeadline)
    guard case .open(let handle, _) = state else { throw .closed }
    if let objection = session.objection(toVersion: handle.serverVersion, answers: answers) {
      throw objection
    }
    pin = PostgresSession.pin(answers)
    let history = try await history()
    let statements = ([PostgresPin.prepared] + session.prepared).map {
      PostgresStatement.preparing($0)
    }
    _ = try await run(PostgresBatch(statements, changes: false), within: limits.connectDeadline)
    guard case .open = state, let started = PostgresSession.started(answers) else { throw .closed }
    server = PostgresServerIdentity(started: started, history: history)
  }

  /// Asks for itself: some services that are not quite PostgreSQL refuse it.
  private func history() async throws(PostgresError) -> PostgresServerIdentity.History? {
    do throws(PostgresError) {
      return PostgresServerIdentity.history(
        try await run(PostgresServerIdentity.question, within: limits.connectDeadline))
    } catch {
      guard error.meaning == .failed else { throw error }
      return nil
    }
  }

  /// Gives up before the deadline: another attempt has succeeded.
  private func hurry() {
    guard server == nil else { return }
    let now = shard.now
    _ = shard.schedule(at: now.advanced(by: limits.silentGrace)) {
      if !self.hasHeard { self.close(as: .noAnswer) }
    }
    _ = shard.schedule(at: now.advanced(by: limits.slowGrace)) {
      if self.server == nil { self.close(as: .noAnswer) }
    }
  }

  /// Lets the owner have the session.
  private func give(
    at server: PostgresServerIdentity, target: PostgresTarget
  ) throws(PostgresError) {
    guard case .open = state else { throw .lost("the connection was lost") }
    if let objection = choice.join(self, at: server, target: target) {
      close(as: objection)
      throw objection
    }
    isGiven = true
  }

  /// Closes the session soon, because its program has turned to another server.
  nonisolated func closeSoon(as reason: PostgresError) {
    shard.async { self.assumeIsolated { $0.close(as: reason) } }
  }

  /// A socket may have been replaced by another of the same number, so each step has its own watch.
  private func watchWhileConnecting(for interest: DescriptorWatch.Readiness) {
    guard case .connecting(let handle, let old, let continuation) = state else { return }
    old?.cancel()
    guard let socket = handle.socket, let watch = watch(socket, for: interest) else {
      return close(as: .lost(handle.problem))
    }
    state = .connecting(handle, watch, continuation)
  }

  private func watch(
    _ socket: CInt, for interest: DescriptorWatch.Readiness
  ) -> DescriptorWatch? {
    try? DescriptorWatch(
      socket, on: shard, for: interest, onReady: { self.ready($0) },
      onStop: { self.close(as: .closed) })
  }

  private func connect() {
    guard case .connecting(let handle, let watch, let continuation) = state else { return }
    // Before libpq can close the socket.
    watch?.cancel()
    state = .connecting(handle, nil, continuation)
    switch handle.connect() {
    case .reading: watchWhileConnecting(for: .readable)
    case .writing: watchWhileConnecting(for: .writable)
    case .failed: close(as: .lost(handle.problem))
    case .connected:
      guard handle.beginPipeline(), let socket = handle.socket,
        let watch = self.watch(socket, for: .readable)
      else { return close(as: .lost(handle.problem)) }
      state = .open(handle, watch)
      continuation.resume(returning: nil)
    }
  }

  /// Whether batches can be run.
  package var isOpen: Bool {
    if case .open = state { true } else { false }
  }

  // MARK: Batches

  /// Sends a batch and waits for its answers. Batches that are sent meanwhile follow it at once.
  ///
  /// Cancelling the task does not cancel the batch, whose outcome would be unknown: its deadline
  /// ends it.
  /// - Parameter deadline: Counted from now; nil for `limits.batchDeadline`. When it passes, a
  ///   batch that still waits for its turn fails alone; one that was sent takes the connection
  ///   with it, if it may commit only after `limits.cancelDeadline` more.
  /// - Returns: A result for each statement, in order.
  /// - Throws: `PostgresError`, the first of the batch.
  package func run(
    _ batch: PostgresBatch, within deadline: Duration? = nil
  ) async throws(PostgresError) -> [PostgresResult] {
    try await submit(batch, role: .single, within: deadline).results
  }

  /// Begins a transaction that keeps the promise of the session's opening: see `PostgresPin`.
  /// - Returns: The transaction, and a result for each statement of `opening`.
  /// - Throws: `PostgresError`. Nothing has happened then; the connection is closed if it is not
  ///   the session that it was.
  func begin(
    _ begin: PostgresStatement, _ opening: [PostgresStatement], within deadline: Duration?
  ) async throws(PostgresError) -> (id: PostgresPipeline.ID, results: [PostgresResult]) {
    guard let pin else { throw .closed }
    let batch = PostgresBatch([begin, pin.statement] + opening, changes: false)
    let (id, results) = try await submit(batch, role: .begins, within: deadline)
    if let objection = pin.objection(to: results.dropFirst().first) {
      close(as: objection)
      throw objection
    }
    return (id, Array(results.dropFirst(2)))
  }

  func submit(
    _ batch: PostgresBatch, role: PostgresPipeline.Role, within deadline: Duration?
  ) async throws(PostgresError) -> (id: PostgresPipeline.ID, results: [PostgresResult]) {
    var admitted: PostgresPipeline.ID = 0
    // Not admitted before: in a task that prefers an executor, this call gives up the actor first,
    // and a turn in between would look for the answers of a batch that was never sent.
    let answer = await withCheckedContinuation { continuation in
      do throws(PostgresError) {
        let (id, actions) = try admit(batch, role: role)
        admitted = id
        let at = shard.now.advanced(by: deadline ?? limits.batchDeadline)
        let token = shard.schedule(at: at) { self.expire(id) }
        waiters[id] = Waiter(continuation: continuation, deadline: token)
        carryOut(actions)
        pump()
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return (admitted, try answer.get())
  }

  private func admit(
    _ batch: PostgresBatch, role: PostgresPipeline.Role
  ) throws(PostgresError) -> (id: PostgresPipeline.ID, actions: [PostgresPipeline.Action]) {
    switch state {
    case .open: break
    case .closed(let error): throw error.meaning == .failed ? .lost(error.reason) : error
    case .new, .connecting: preconditionFailure("a batch before the connection is open")
    }
    do {
      return try pipeline.admit(batch, role: role)
    } catch {
      // A transaction that cannot go on has ended.
      if let transaction = role.transaction { abandon(transaction) }
      throw error
    }
  }

  func abandon(_ transaction: PostgresPipeline.ID) {
    carryOut(pipeline.abandon(transaction))
    pump()
  }

  private func expire(_ id: PostgresPipeline.ID) {
    carryOut(pipeline.expire(id))
    pump()
  }

  private func carryOut(_ actions: [PostgresPipeline.Action]) {
    for action in actions {
      switch action {
      case .finish(let id, let answer):
        // The pipeline's own batches, such as a rollback, have nobody who waits.
        guard let waiter = waiters.removeValue(forKey: id) else { continue }
        shard.cancel(waiter.deadline)
        waiter.continuation.resume(returning: answer)
      case .send(_, let statements):
        guard case .open(let handle, _) = state else { continue }
        if !handle.send(statements) { close(as: .lost(handle.problem)) }
      case .cancel(let id):
        guard case .open(let handle, _) = state else { continue }
        handle.cancel()
        let end = shard.now.advanced(by: limits.cancelDeadline)
        waiters[id]?.deadline = shard.schedule(at: end) { self.expire(id) }
      case .close(let error):
        close(as: error)
      }
    }
  }

  // MARK: Turns

  private func ready(_ readiness: DescriptorWatch.Readiness) {
    if readiness.contains(.readable) { hasHeard = true }
    switch state {
    case .connecting: connect()
    case .open(let handle, _):
      if readiness.contains(.readable), !handle.receive() {
        // What the server said last explains why: a session that was ended, for example.
        takeAnswers()
        return close(as: .lost(handle.problem))
      }
      pump()
    case .new, .closed: break
    }
  }

  /// Takes every answer that is complete, sends what the socket takes, and watches for the rest.
  private func pump() {
    takeAnswers()
    guard case .open(let handle, let watch) = state else { return }
    guard let isWaitingToWrite = handle.flush() else { return close(as: .lost(handle.problem)) }
    // Flushing a full socket reads as well. The turn in which it is writable takes those answers.
    watch.wait(for: isWaitingToWrite ? [.readable, .writable] : .readable)
  }

  private func takeAnswers() {
    while case .open(let handle, _) = state, pipeline.isAwaitingAnswer,
      let answer = handle.nextAnswer()
    {
      if handle.takeWarning() { carryOut(pipeline.handle(.warned)) }
      switch answer {
      case .row(let values, let byteCount):
        carryOut(pipeline.handle(.row(values, byteCount: byteCount)))
      case .completed(let command): carryOut(pipeline.handle(.completed(command: command)))
      case .failed(let failure): carryOut(pipeline.handle(.failed(failure)))
      case .skipped: carryOut(pipeline.handle(.skipped))
      case .synced: carryOut(pipeline.handle(.synced))
      case .unreadable(let type):
        close(as: .failed("an answer has a type that is not read (\(type)): cast it"))
      case .broken: close(as: .lost(handle.problem))
      }
    }
    while case .open(let handle, _) = state, let notification = handle.nextNotification() {
      onNotification(notification)
    }
  }

  // MARK: Closing

  /// Closes the connection. Batches that were sent and may have committed are unknown, all others
  /// did not happen. Idempotent.
  package func close() {
    close(as: .closed)
  }

  private func close(as error: PostgresError) {
    let before = state
    if case .closed = before { return }
    state = .closed(error)
    choice.leave(self)
    switch before {
    case .connecting(_, let watch, let continuation):
      watch?.cancel()
      continuation.resume(returning: error)
    case .open(_, let watch):
      // Cancelled before its handle is released with `before`, which closes the socket.
      watch.cancel()
    case .new, .closed: break
    }
    carryOut(pipeline.lose(error))
    if isGiven { onClosed(error) }
  }
}
