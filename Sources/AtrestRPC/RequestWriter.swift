// SPDX-License-Identifier: Apache-2.0
// Sends the messages of a streaming request, as fast as the server reads them.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// The asking half of a streaming call, used by one task. Let go without `finish`, it cancels the
/// call: a server must not take half a request for a whole one.
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

  /// Waits until what was sent before is with the connection, then queues one message. So a server
  /// that reads slowly slows the sender down: about `limits.streamQueueBytes` and the stream's
  /// flow-control window lie between them.
  /// - Returns: False if the call is over; its response says why. Cancelling the task cancels the
  ///   call.
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

  /// Ends the request after what is queued. Later calls of `send` and `finish` do nothing.
  public func finish() {
    isFinished.store(true, ordering: .relaxed)
    queue.finish(.ok)
  }
}

/// The only message of a response, once it is there.
public struct SingleResponse: Sendable {
  private let stream: ResponseStream

  init(_ stream: ResponseStream) { self.stream = stream }

  /// Waits for the message, and for the server's OK. To be called once.
  /// - Throws: `Status`, for any other end; INTERNAL if there is not exactly one message.
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

  /// Ends the call: `message` gets CANCELLED.
  public func cancel() { stream.cancel() }
}
