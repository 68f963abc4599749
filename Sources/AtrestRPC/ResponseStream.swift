// SPDX-License-Identifier: Apache-2.0
// Reads a streaming response, message by message.

import AtrestHTTP2
import AtrestSockets

/// The messages of a streaming response, in order. For one task, once.
///
/// Buffering is bounded: past `streamBufferMessages` unread messages, flow control pauses the
/// server.
public struct ResponseStream: AsyncSequence, Sendable {
  /// One message.
  public typealias Element = [UInt8]
  /// The call's status, unless it is OK.
  public typealias Failure = Status

  /// Cancels the call when its last reader is released.
  fileprivate final class Lease: Sendable {
    let handle: CallHandle
    init(_ handle: CallHandle) { self.handle = handle }
    deinit { handle.cancel() }
  }

  /// Iterates over the stream.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let lease: Lease
    fileprivate let buffer: StreamBuffer

    /// The next message, or nil after OK.
    /// - Throws: `Status` for any other end; CANCELLED if the task is cancelled.
    public mutating func next() async throws(Status) -> [UInt8]? {
      try await next(isolation: nil)
    }

    /// The next message, or nil after OK, without leaving the caller's actor.
    /// - Throws: `Status` for any other end; CANCELLED if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Status)
      -> [UInt8]?
    {
      let (buffer, handle) = (buffer, lease.handle)
      let taken = await withTaskCancellationHandler {
        await buffer.take()
      } onCancel: {
        handle.cancel()
      }
      if taken.mayResume {
        handle.core.shard.async { handle.core.value.resume(handle.call) }
      }
      return try taken.result.get()
    }
  }

  private let lease: Lease
  private let buffer: StreamBuffer

  init(_ handle: CallHandle, _ buffer: StreamBuffer) {
    lease = Lease(handle)
    self.buffer = buffer
  }

  /// Returns an iterator. Use one per stream.
  public func makeAsyncIterator() -> Iterator {
    Iterator(lease: lease, buffer: buffer)
  }

  /// Cancels the call: the reader receives CANCELLED.
  public func cancel() {
    lease.handle.cancel()
  }
}
