// SPDX-License-Identifier: Apache-2.0
// Storage work of any sort, with what is to be answered once it is durable.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import Synchronization

/// Where a call's outcome goes, and whether anybody still waits for it.
package struct Answer: Sendable {
  private let awaited: @Sendable () -> Bool
  private let add: @Sendable (UnaryOutcome, inout ResponseBatch) -> Void

  /// An answer.
  ///
  /// - Parameters:
  ///   - isAwaited: False once the call ended without it. From any thread.
  ///   - add: Adds the outcome to those that leave together.
  package init(
    isAwaited: @escaping @Sendable () -> Bool = { true },
    _ add: @escaping @Sendable (UnaryOutcome, inout ResponseBatch) -> Void
  ) {
    awaited = isAwaited
    self.add = add
  }

  /// Whether the caller is still there.
  package var isAwaited: Bool { awaited() }

  /// Adds the call's outcome to those that leave together.
  package func callAsFunction(_ outcome: UnaryOutcome, _ answers: inout ResponseBatch) {
    add(outcome, &answers)
  }
}

/// About how many bytes an answer has, for those that may have many.
enum AnswerSize {
  /// Of a list of devices or events.
  static func list<Entry>(_ entries: [Entry]?) -> Int { 128 * (entries?.count ?? 0) }
}

/// A job made of two closures: what to do in the transaction, and what to answer after it.
final class Operation<Value: Sendable>: StorageJob {
  let payer: Payer
  let use: StorageUse
  let costBytes: Int
  private let answer: Answer?
  private let size: @Sendable (Value) -> Int
  private let work: @Sendable (Batch) throws(StoreError) -> Value
  private let completion: @Sendable (Result<Value, StoreError>, inout ResponseBatch) -> Void
  private let value = Mutex<Value?>(nil)

  /// - Parameters:
  ///   - payer: Who is charged.
  ///   - answer: The call's, so that nothing is done for one that has ended; nil: it is done
  ///     anyway.
  ///   - size: Bytes of the answer, if they may be many.
  init(
    by payer: Payer, use: StorageUse, costBytes: Int = 256, for answer: Answer? = nil,
    size: @escaping @Sendable (Value) -> Int = { _ in 0 },
    work: @escaping @Sendable (Batch) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>, inout ResponseBatch) -> Void
  ) {
    self.payer = payer
    self.use = use
    self.size = size
    self.costBytes = costBytes
    self.answer = answer
    self.work = work
    self.completion = completion
  }

  var answerBytes: Int { value.withLock { $0.map(size) ?? 0 } }
  var isAwaited: Bool { answer?.isAwaited ?? true }

  func run(in batch: Batch) throws(StoreError) {
    let result = try work(batch)
    value.withLock { $0 = result }
  }

  func finish(_ error: StoreError?, _ answers: inout ResponseBatch) {
    if let error { return completion(.failure(error), &answers) }
    guard let value = value.withLock({ $0 }) else {
      preconditionFailure("a job that was committed was never run")
    }
    completion(.success(value), &answers)
  }
}

extension CommitQueue {
  /// Does work on the storage queue and answers a call with what comes of it.
  ///
  /// - Parameters:
  ///   - size: Bytes of the reply, if they may be many.
  ///   - reply: Turns the committed result into the call's outcome, and brings memory up to date.
  /// - Throws: `Status` if the queue is full or closed; nothing is called then.
  func perform<Value: Sendable>(
    by payer: Payer, use: StorageUse, costBytes: Int = 256, answer: Answer,
    size: @escaping @Sendable (Value) -> Int = { _ in 0 },
    work: @escaping @Sendable (Batch) throws(StoreError) -> Value,
    reply: @escaping @Sendable (Value) -> UnaryOutcome
  ) throws(Status) {
    let job = Operation(
      by: payer, use: use, costBytes: costBytes, for: answer, size: size, work: work
    ) { result, answers in
      switch result {
      case .success(let value): answer(reply(value), &answers)
      case .failure(let error): answer(.fail(Status(error)), &answers)
      }
    }
    guard submit(job) else { throw .busy }
  }
}
