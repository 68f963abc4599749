// SPDX-License-Identifier: Apache-2.0
// A storage job made of closures, with a response that is sent once the job is durable.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import Synchronization

/// Completes a call, and knows whether the caller still waits.
package struct Answer: Sendable {
  private let awaited: @Sendable () -> Bool
  private let add: @Sendable (UnaryOutcome, inout ResponseBatch) -> Void

  /// Creates an answer.
  ///
  /// - Parameters:
  ///   - isAwaited: False once the call has ended. Callable from any thread.
  ///   - add: Adds the outcome to a batch of responses.
  package init(
    isAwaited: @escaping @Sendable () -> Bool = { true },
    _ add: @escaping @Sendable (UnaryOutcome, inout ResponseBatch) -> Void
  ) {
    awaited = isAwaited
    self.add = add
  }

  /// Whether the caller is still waiting.
  package var isAwaited: Bool { awaited() }

  /// Adds the call's outcome to a batch of responses.
  package func callAsFunction(_ outcome: UnaryOutcome, _ answers: inout ResponseBatch) {
    add(outcome, &answers)
  }
}

/// Estimated response sizes of calls with potentially large responses.
enum AnswerSize {
  /// The size of a list of devices or events, in bytes.
  static func list<Entry>(_ entries: [Entry]?) -> Int { 128 * (entries?.count ?? 0) }
}

/// Notes what a job is known to read: see `StorageJob.prefetch`.
typealias StorageReads = @Sendable (inout StoreQueries) -> Void

/// A job made of two closures: the work in the transaction, and the completion after it.
final class Operation<Value: Sendable>: StorageJob {
  let payer: Payer
  let use: StorageUse
  let costBytes: Int
  private let answer: Answer?
  private let size: @Sendable (Value) -> Int
  private let reads: StorageReads
  private let work: @Sendable (Batch) throws(StoreError) -> Value
  private let completion: @Sendable (Result<Value, StoreError>, inout ResponseBatch) -> Void
  private let value = Mutex<Value?>(nil)

  /// Creates a job.
  ///
  /// - Parameters:
  ///   - payer: The party that is charged.
  ///   - answer: The call's answer. The job is skipped if the call has ended. Nil: always run it.
  ///   - size: The size of the response in bytes, if it may be large.
  ///   - reads: See `StorageJob.prefetch`.
  init(
    by payer: Payer, use: StorageUse, costBytes: Int = 256, for answer: Answer? = nil,
    size: @escaping @Sendable (Value) -> Int = { _ in 0 },
    reads: @escaping StorageReads = { _ in },
    work: @escaping @Sendable (Batch) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>, inout ResponseBatch) -> Void
  ) {
    self.payer = payer
    self.use = use
    self.size = size
    self.costBytes = costBytes
    self.answer = answer
    self.reads = reads
    self.work = work
    self.completion = completion
  }

  var answerBytes: Int { value.withLock { $0.map(size) ?? 0 } }
  var isAwaited: Bool { answer?.isAwaited ?? true }

  func prefetch(_ queries: inout StoreQueries) { reads(&queries) }

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

extension StorageQueue {
  /// Runs a job on the storage queue and completes the call with its result.
  ///
  /// - Parameters:
  ///   - size: The size of the response in bytes, if it may be large.
  ///   - reply: Converts the committed result into the call's outcome, and updates the in-memory
  ///     state.
  /// - Throws: `Status` if the queue is full or closed. No closure is called then.
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
