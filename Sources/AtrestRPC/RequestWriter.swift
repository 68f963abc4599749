// SPDX-License-Identifier: Apache-2.0
// Sends a streaming request with backpressure.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// The request half of a streaming call, for one task. Releasing it without `finish` cancels the
/// call: a server must not take a partial request for a complete one.
public final class RequestWriter: Sendable {
  private let queue: StreamQueue
  private let handle: CallHandle
  private let isFinished = Atomic(false)

  init(_ queue: StreamQueue, _ handle: CallHandle) {
    self.queue = queue
    self.handle = handle
  }

  deinit {
    if !isFinished.load(ordering: .relaxed) { handle.cancel() }
  }

  /// Waits until earlier messages are with the connection, then queues one message. A slow server
  /// thus slows the sender: about `limits.streamQueueBytes` and one flow-control window are in
  /// between. Cancelling the task cancels the call.
  /// - Returns: False if the call is over; its response says why.
  @discardableResult
  public func send(_ message: [UInt8]) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        queue.whenReady { done.resume() }
      }
    } onCancel: {
      handle.cancel()
    }
    return queue.send(message) == .queued
  }

  /// Half-closes the call after the queued messages. Later calls of `send` and `finish` do nothing.
  public func finish() {
    isFinished.store(true, ordering: .relaxed)
    queue.finish(.ok)
  }
}

/// The single response message of a client-streaming call.
public struct SingleResponse: Sendable {
  private let stream: ResponseStream

  init(_ stream: ResponseStream) { self.stream = stream }

  /// Waits for the message and for OK. Call once.
  /// - Throws: `Status` for any other end; INTERNAL if there is not exactly one message.
  public func message() async throws(Status) -> [UInt8] {
    var iterator = stream.makeAsyncIterator()
    guard let message = try await iterator.next() else {
      throw Status(.internal, "The server sent no message where one was due.")
    }
    guard try await iterator.next() == nil else {
      throw Status(.internal, "The server sent two messages where one was due.")
    }
    return message
  }

  /// Cancels the call: `message` throws CANCELLED.
  public func cancel() { stream.cancel() }
}
