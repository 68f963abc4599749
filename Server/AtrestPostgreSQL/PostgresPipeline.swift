// SPDX-License-Identifier: Apache-2.0
// Which batch an answer belongs to, and what a failure leaves of each. Pure.

/// The batches of one connection, from the first wait to the answer.
///
///                  admitted                    its Sync is answered
///     ── admit ──▶ waiting ───────────▶ sent ───────────────────────▶ finished
///                    │ expired, lost     │ lost                         ▲
///                    └───────────────────┴──────────────────────────────┘
///
/// A batch that may commit is lost at its second deadline only. At the first one the server is
/// asked to give it up, and usually answers.
///
/// Batches are sent as they come, and answered in that order. While a transaction is open between
/// two of its trips, only its own batches are sent: others would become part of it.
///
/// Of a batch that was sent, `Progress` knows what a failure means. Before any error, a lost answer
/// leaves open whether the batch's end took effect. After an error of the server it is known that
/// it did not, because the server skips everything up to the Sync.
struct PostgresPipeline {
  typealias ID = UInt64

  /// A batch's part in a transaction.
  enum Role: Equatable {
    case single
    case begins
    case continues(ID)
    case ends(ID)

    /// The open transaction that the batch belongs to.
    var transaction: ID? {
      switch self {
      case .single, .begins: nil
      case .continues(let id), .ends(let id): id
      }
    }
  }

  enum Event {
    case row([PostgresValue], byteCount: Int)
    case completed(command: String)
    case failed(ServerFailure)
    case skipped
    case synced
    /// The server warned at some time since the last event.
    case warned
  }

  enum Action {
    case send(ID, [PostgresStatement])
    case finish(ID, Result<[PostgresResult], PostgresError>)
    /// The server is to give up what it does. The batch has a while longer to be answered.
    case cancel(ID)
    /// The connection is of no use any more: close it for this reason.
    case close(PostgresError)
  }

  private enum Progress {
    case answering
    /// The server has confirmed the statement that ends the transaction.
    case committed
    case failed(PostgresError)
  }

  private struct Entry {
    let id: ID
    let batch: PostgresBatch
    let role: Role
    let byteCount: Int
    var progress = Progress.answering
    var results: [PostgresResult] = []
    var current = PostgresResult()
    var resultBytes = 0
    var wasWarned = false
    /// Its deadline has passed, and the server was asked to give up.
    var isCancelled = false
    /// The server has answered the statement that ends the transaction, with whatever word.
    var hasEnded = false

    var nextStatement: PostgresStatement? {
      results.count < batch.statements.count ? batch.statements[results.count] : nil
    }
  }

  private enum Gate: Equatable {
    case open
    case transaction(ID)
  }

  private let limits: PostgresLimits
  private var gate = Gate.open
  private var waiting: [Entry] = []
  private var sent: [Entry] = []
  private var queuedBytes = 0
  private var lastID: ID = 0

  init(limits: PostgresLimits) {
    self.limits = limits
  }

  /// Whether the server owes an answer.
  var isAwaitingAnswer: Bool { !sent.isEmpty }

  // MARK: Batches

  /// Takes a batch in, or says why not.
  mutating func admit(
    _ batch: PostgresBatch, role: Role
  ) throws(PostgresError) -> (id: ID, actions: [Action]) {
    let byteCount = batch.byteCount
    // A transaction that is open must be able to end.
    if role == .single || role == .begins {
      guard sent.count + waiting.count < limits.batches else {
        throw .busy("\(limits.batches) batches wait already")
      }
    }
    guard queuedBytes + byteCount <= limits.queuedBytes else {
      throw .busy("more than \(limits.queuedBytes) bytes would wait")
    }
    lastID += 1
    queuedBytes += byteCount
    waiting.append(Entry(id: lastID, batch: batch, role: role, byteCount: byteCount))
    return (lastID, sendWhatMay())
  }

  /// A transaction was given up between its trips.
  mutating func abandon(_ transaction: ID) -> [Action] {
    gate == .transaction(transaction) ? rollBack() : []
  }

  /// A batch's deadline has passed.
  mutating func expire(_ id: ID) -> [Action] {
    if let index = waiting.firstIndex(where: { $0.id == id }) {
      let entry = waiting.remove(at: index)
      queuedBytes -= entry.byteCount
      let reason = "it waited too long for its turn"
      // A trip that was never sent leaves its transaction open.
      return [.finish(id, .failure(.busy(reason)))]
        + (entry.role.transaction.map { abandon($0) } ?? [])
    }
    guard let index = sent.firstIndex(where: { $0.id == id }) else { return [] }
    // A COMMIT that waits for its standby does not notice that its client has gone: it would keep
    // its session and its locks, and each attempt would leave another one behind.
    if index == 0, sent[0].batch.mayCommit, !sent[0].isCancelled {
      sent[0].isCancelled = true
      return [.cancel(id)]
    }
    return [.close(.noAnswer)]
  }

  /// The connection is gone: what became of each batch.
  mutating func lose(_ cause: PostgresError) -> [Action] {
    // What one batch did to the connection is no fault of the others.
    let forOthers = cause.meaning == .failed ? PostgresError.lost(cause.reason) : cause
    let lost = sent.enumerated().map { index, entry in
      Action.finish(entry.id, Self.outcome(of: entry, lostBy: index == 0 ? cause : forOthers))
    }
    let unsent = waiting.map { Action.finish($0.id, .failure(forOthers)) }
    (sent, waiting, gate, queuedBytes) = ([], [], .open, 0)
    return lost + unsent
  }

  private static func outcome(
    of entry: Entry, lostBy cause: PostgresError
  ) -> Result<[PostgresResult], PostgresError> {
    switch entry.progress {
    case .failed(let error): .failure(error)
    case .committed where !entry.wasWarned: .success(entry.results)
    case .answering where !entry.batch.mayCommit: .failure(cause)
    case .answering, .committed: .failure(.unknown(after: cause))
    }
  }

  // MARK: Answers

  /// Takes the next answer of the server.
  mutating func handle(_ event: Event) -> [Action] {
    guard !sent.isEmpty else {
      if case .warned = event { return [] }
      return [.close(.lost("an answer to nothing"))]
    }
    switch (event, sent[0].progress) {
    case (.row(let values, let byteCount), .answering):
      sent[0].resultBytes += byteCount
      guard sent[0].resultBytes <= limits.resultBytes else {
        return [.close(.failed("an answer is larger than \(limits.resultBytes) bytes"))]
      }
      sent[0].current.rows.append(values)
    case (.completed(let command), .answering):
      guard let statement = sent[0].nextStatement else {
        return [.close(.lost("an answer too many"))]
      }
      sent[0].current.command = command
      sent[0].results.append(sent[0].current)
      sent[0].current = PostgresResult()
      if let expected = statement.expectedCommand {
        sent[0].hasEnded = true
        // COMMIT of a transaction that had failed is answered with ROLLBACK, and is no error.
        sent[0].progress =
          command == expected ? .committed : .failed(.failed("COMMIT was answered with \(command)"))
      }
    case (.failed(let failure), .answering):
      sent[0].progress = .failed(Self.error(for: failure, at: sent[0]))
    case (.failed, .committed):
      break  // The session ended after the COMMIT; that the connection is lost follows.
    case (.synced, _):
      return finishFirst()
    case (.warned, _):
      // A commit that gave up waiting for its standby says so in a warning, and succeeds. libpq
      // shows a warning before the Sync in front of it is taken, so the next batch may be meant.
      for index in sent.indices.prefix(2) { sent[index].wasWarned = true }
    case (.skipped, .failed), (.row, .failed), (.completed, .failed), (.failed, .failed):
      break
    case (.skipped, .answering), (.skipped, .committed), (.row, .committed),
      (.completed, .committed):
      return [.close(.lost("an answer out of order"))]
    }
    return []
  }

  private static func error(for failure: ServerFailure, at entry: Entry) -> PostgresError {
    // A session that ends in the middle of its COMMIT may have written it already.
    let isAtEnd = entry.nextStatement.map { $0.expectedCommand != nil } ?? true
    let error = PostgresError.server(failure)
    return failure.isFatal && isAtEnd && entry.batch.mayCommit ? .unknown(after: error) : error
  }

  private mutating func finishFirst() -> [Action] {
    let entry = sent.removeFirst()
    queuedBytes -= entry.byteCount
    var actions: [Action] = []
    let error: PostgresError?
    switch entry.progress {
    case .failed(let known): error = known
    case .answering where entry.results.count < entry.batch.statements.count:
      let cause = PostgresError.lost("an answer is missing")
      return [.finish(entry.id, Self.outcome(of: entry, lostBy: cause)), .close(cause)]
    case .answering, .committed:
      error =
        entry.wasWarned && entry.batch.mayCommit
        ? .unknown(after: .lost("the server warned while it committed")) : nil
    }
    actions.append(.finish(entry.id, error.map { .failure($0) } ?? .success(entry.results)))
    if let error, error.meaning == .connectionLost {
      // Read-only, for example: the session answers, and is of no use.
      return actions + [.close(error)]
    }
    switch entry.role {
    case .begins where error == nil, .continues where error == nil, .single: break
    case .ends where entry.hasEnded:
      gate = .open
      actions += sendWhatMay()
    case .begins, .continues, .ends: actions += rollBack()
    }
    return actions
  }

  // MARK: Sending

  private mutating func sendWhatMay() -> [Action] {
    var actions: [Action] = []
    var index = 0
    while index < waiting.count {
      let entry = waiting[index]
      switch (gate, entry.role) {
      case (.open, .single): break
      case (.open, .begins): gate = .transaction(entry.id)
      case (.transaction(let id), .continues(let own)) where id == own: break
      case (.transaction(let id), .ends(let own)) where id == own: break
      case (.transaction, _):
        index += 1
        continue
      case (.open, .continues), (.open, .ends):
        // Its transaction was rolled back while it waited.
        waiting.remove(at: index)
        queuedBytes -= entry.byteCount
        actions.append(.finish(entry.id, .failure(.failed("its transaction has ended"))))
        continue
      }
      waiting.remove(at: index)
      sent.append(entry)
      actions.append(.send(entry.id, entry.batch.statements))
    }
    return actions
  }

  /// Ends the transaction that is open. Whatever follows waits for nothing: the server takes it
  /// after the rollback.
  private mutating func rollBack() -> [Action] {
    gate = .open
    lastID += 1
    let batch = PostgresBatch([PostgresStatement("ROLLBACK")], changes: false)
    sent.append(Entry(id: lastID, batch: batch, role: .single, byteCount: 0))
    return [.send(lastID, batch.statements)] + sendWhatMay()
  }
}
