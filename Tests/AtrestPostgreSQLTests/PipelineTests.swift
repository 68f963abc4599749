// SPDX-License-Identifier: Apache-2.0
// Laws of the pipeline, against a model of the server that fails at random.

import AtrestTestSupport
import Testing

@testable import AtrestPostgreSQL

@Suite(.timeLimit(.minutes(20))) struct PipelineTests {
  private typealias ID = PostgresPipeline.ID

  /// A server that answers statements of batches in order, and knows what it made durable.
  private struct Model {
    var pipeline = PostgresPipeline(limits: PostgresLimits())
    var admitted: [ID: PostgresBatch] = [:]
    var finished: [ID: Result<[PostgresResult], PostgresError>] = [:]
    /// What was sent, with the number of its statements that were answered.
    var inbox: [(id: ID, statements: [PostgresStatement], answered: Int, hasFailed: Bool)] = []
    var durable: Set<ID> = []
    var cancelled: Set<ID> = []
    var isInTransaction = false
    var hasFailedTransaction = false
    var transactions: [ID] = []
    var isClosed = false
    var problem: String?

    mutating func carryOut(_ actions: [PostgresPipeline.Action]) {
      for action in actions {
        switch action {
        case .send(let id, let statements): inbox.append((id, statements, 0, false))
        case .finish(let id, let answer):
          if finished[id] != nil { problem = "finished twice" }
          finished[id] = answer
          if case .failure = answer { transactions.removeAll { $0 == id } }
        case .cancel(let id):
          if cancelled.contains(id) { problem = "cancelled twice" }
          cancelled.insert(id)
        case .close(let error):
          if !isClosed {
            isClosed = true
            carryOut(pipeline.lose(error))
          }
        }
      }
    }

    mutating func admit(_ batch: PostgresBatch, _ role: PostgresPipeline.Role) throws {
      let (id, actions) = try pipeline.admit(batch, role: role)
      admitted[id] = batch
      if role == .begins { transactions.append(id) }
      carryOut(actions)
    }

    /// The server answers one thing. What it does and what the client hears may differ.
    mutating func answer(_ random: inout SeededRandom) {
      guard !inbox.isEmpty, !isClosed else { return }
      let (id, statements, answered, hasFailed) = inbox[0]
      guard answered < statements.count else {
        // Sync: an implicit transaction commits.
        if !isInTransaction, !hasFailed, admitted[id]?.mayCommit == true { durable.insert(id) }
        inbox.removeFirst()
        return carryOut(pipeline.handle(.synced))
      }
      inbox[0].answered += 1
      if hasFailed { return carryOut(pipeline.handle(.skipped)) }
      let text: String
      if case .unnamed(let sql) = statements[answered].text { text = sql } else { text = "" }
      switch text {
      case "ROLLBACK":
        (isInTransaction, hasFailedTransaction) = (false, false)
        return carryOut(pipeline.handle(.completed(command: "ROLLBACK")))
      case "COMMIT" where hasFailedTransaction:
        (isInTransaction, hasFailedTransaction) = (false, false)
        return carryOut(pipeline.handle(.completed(command: "ROLLBACK")))
      default: break
      }
      if hasFailedTransaction || random.oneIn(8) {
        inbox[0].hasFailed = true
        if isInTransaction { hasFailedTransaction = true }
        let state = random.oneIn(2) ? "40001" : "23505"
        let failure = ServerFailure(sqlState: state, isFatal: false, message: "")
        return carryOut(pipeline.handle(.failed(failure)))
      }
      switch text {
      case "BEGIN":
        if isInTransaction { problem = "a transaction in a transaction" }
        isInTransaction = true
        carryOut(pipeline.handle(.completed(command: "BEGIN")))
      case "COMMIT":
        isInTransaction = false
        durable.insert(id)
        if random.oneIn(12) { return lose() }  // Durable, and the answer is lost.
        carryOut(pipeline.handle(.completed(command: "COMMIT")))
      default:
        if random.oneIn(3) { carryOut(pipeline.handle(.row([.int8(1)], byteCount: 8))) }
        carryOut(pipeline.handle(.completed(command: "SELECT 1")))
      }
    }

    mutating func lose() {
      guard !isClosed else { return }
      isClosed = true
      carryOut(pipeline.lose(.lost("cut")))
    }
  }

  @Test("each batch is answered once; only what is unknown or a success may have become durable")
  func laws() throws {
    try checkLaw(cases: 3_000) { random in
      var model = Model()
      let write = PostgresStatement("write")
      for _ in 0..<Int.random(in: 1...60, using: &random) where !model.isClosed {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          let statements = Array(repeating: write, count: .random(in: 1...3, using: &random))
          try model.admit(PostgresBatch(statements, changes: random.oneIn(2)), .single)
        case 1:
          let statements = [PostgresStatement("BEGIN"), write]
          try model.admit(PostgresBatch(statements, changes: false), .begins)
        case 2:
          // Only a transaction whose first trip was answered can go on.
          guard let open = model.transactions.first, case .success? = model.finished[open] else {
            continue
          }
          if random.oneIn(3) {
            try model.admit(PostgresBatch([write], changes: false), .continues(open))
          } else if random.oneIn(4) {
            model.transactions.removeFirst()
            model.carryOut(model.pipeline.abandon(open))
          } else {
            model.transactions.removeFirst()
            let batch = PostgresBatch(statements: [write, .commit], mayCommit: true)
            try model.admit(batch, .ends(open))
          }
        case 3 where random.oneIn(10):
          model.lose()
        case 4 where random.oneIn(10):
          if let id = model.admitted.keys.sorted().last(where: { model.finished[$0] == nil }) {
            model.carryOut(model.pipeline.expire(id))
          }
        default: model.answer(&random)
        }
      }
      // What is left is answered, or the connection is lost, in which transactions are open.
      for _ in 0..<400 where random.oneIn(2) || !model.isClosed { model.answer(&random) }
      model.lose()
      guard model.problem == nil, model.finished.count >= model.admitted.count else { return false }
      return model.admitted.allSatisfy { id, batch in
        switch model.finished[id] {
        case nil: false
        case .success(let results):
          results.count == batch.statements.count
            && (!batch.mayCommit || model.durable.contains(id))
        case .failure(let error):
          error.meaning == .unknown ? batch.mayCommit : !model.durable.contains(id)
        }
      }
    }
  }

  @Test("COMMIT that is answered with ROLLBACK did not happen")
  func rolledBack() throws {
    var pipeline = PostgresPipeline(limits: PostgresLimits())
    let batch = PostgresBatch(statements: [.commit], mayCommit: true)
    let begin = PostgresBatch([PostgresStatement("BEGIN")], changes: false)
    let (id, _) = try pipeline.admit(begin, role: .begins)
    _ = pipeline.handle(.completed(command: "BEGIN"))
    _ = pipeline.handle(.synced)
    let (commit, _) = try pipeline.admit(batch, role: .ends(id))
    _ = pipeline.handle(.completed(command: "ROLLBACK"))
    let actions = pipeline.handle(.synced)
    guard case .finish(commit, .failure(let error))? = actions.first else {
      Issue.record("not answered: \(actions)")
      return
    }
    #expect(error.meaning == .failed)
    #expect(actions.count == 1, "nothing is left to roll back")
  }

  @Test("a session that dies with its COMMIT is unknown; one that dies before it is not")
  func fatal() throws {
    for (answered, meaning) in [(0, PostgresError.Meaning.connectionLost), (1, .unknown)] {
      var pipeline = PostgresPipeline(limits: PostgresLimits())
      let batch = PostgresBatch(statements: [PostgresStatement("write"), .commit], mayCommit: true)
      let (id, _) = try pipeline.admit(batch, role: .single)
      for _ in 0..<answered { _ = pipeline.handle(.completed(command: "INSERT 0 1")) }
      let failure = ServerFailure(sqlState: "57P01", isFatal: true, message: "")
      _ = pipeline.handle(.failed(failure))
      guard case .finish(id, .failure(let error))? = pipeline.lose(.lost("cut")).first else {
        Issue.record("not answered")
        return
      }
      #expect(error.meaning == meaning)
    }
  }
}
