// SPDX-License-Identifier: Apache-2.0
// Reads a streaming answer, message by message.

import AtrestHTTP2
import AtrestSockets

/// The messages of a streaming answer, in order. Read by one task, once.
///
/// What the reader has not taken is bounded: past `streamBufferMessages` the server is made to wait
/// by flow control.
public struct ResponseStream: AsyncSequence, Sendable {
  /// One message.
  public typealias Element = [UInt8]
  /// How a call ends, unless it ends well.
  public typealias Failure = Status

  /// Cancels the call when nobody can read it any more.
  fileprivate final class Lease: Sendable {
    let handle: CallHandle
    init(_ handle: CallHandle) { self.handle = handle }
    deinit { handle.cancel() }
  }

  /// Reads the stream.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let lease: Lease
    fileprivate let buffer: StreamBuffer

    /// The next message, nil after OK.
    /// - Throws: `Status`, for any other end; CANCELLED when the task is cancelled.
    public mutating func next() async throws(Status) -> [UInt8]? {
      try await next(isolation: nil)
    }

    /// The next message, nil after OK, without leaving the caller's actor in between.
    /// - Throws: `Status`, for any other end; CANCELLED when the task is cancelled.
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

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(lease: lease, buffer: buffer)
  }

  /// Ends the call: the reader gets CANCELLED.
  public func cancel() {
    lease.handle.cancel()
  }
}
