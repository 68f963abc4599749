// SPDX-License-Identifier: Apache-2.0
// Runs asynchronous work for a thread that blocks.

import AtrestSockets
import Dispatch

/// Runs tasks on a shard, so that they need no thread of the cooperative pool: a caller may have
/// blocked all of them.
final class ShardTaskExecutor: TaskExecutor {
  private let shard: Shard

  init(_ shard: Shard) {
    self.shard = shard
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    shard.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Blocks the calling thread, which is not the shard's, until `work` is done.
  func wait<R: Sendable>(
    _ work: @escaping @Sendable () async throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let caller = BlockedCaller<Void, R>()
    Task(executorPreference: self) {
      do throws(StoreError) { caller.end(.success(try await work())) } catch {
        caller.end(.failure(error))
      }
    }
    return try caller.serve { _ throws(StoreError) in }
  }
}

/// Lets a blocked thread run what a task asks of it, until the task ends.
///
///     task    ── run ──▶ waits            ── end
///     caller     waits ──▶ body, answer ──▶ waits ──▶ returns
final class BlockedCaller<Request, Reply: Sendable>: @unchecked Sendable {
  // Sendable: of the two threads one always waits for the other, and semaphores hand the members
  // over. So is what a request refers to.
  private enum Step {
    case run(Request)
    case end(Result<Reply, StoreError>)
  }

  private let toCaller = DispatchSemaphore(value: 0)
  private let toTask = DispatchSemaphore(value: 0)
  private var step: Step?
  private var problem: StoreError?

  /// Has the caller run its body. Blocks the task's thread meanwhile.
  func run(_ request: Request) throws(StoreError) {
    step = .run(request)
    toCaller.signal()
    toTask.wait()
    if let problem { throw problem }
  }

  /// The last step.
  func end(_ result: Result<Reply, StoreError>) {
    step = .end(result)
    toCaller.signal()
  }

  /// Runs `body` for each request, on this thread, until the task ends.
  func serve(_ body: (Request) throws(StoreError) -> Void) throws(StoreError) -> Reply {
    while true {
      toCaller.wait()
      switch step {
      case .run(let request):
        do throws(StoreError) {
          try body(request)
          problem = nil
        } catch {
          problem = error
        }
        step = nil
        toTask.signal()
      case .end(let result): return try result.get()
      case nil: throw .failed(reason: "a task without a step")
      }
    }
  }
}
