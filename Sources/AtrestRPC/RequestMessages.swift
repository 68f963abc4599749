// SPDX-License-Identifier: Apache-2.0
// Lets a task read a streaming request.

import AtrestHTTP2
import AtrestSockets

/// The messages of a streaming request, in order. For one task, once.
///
///     methods.bidirectional("Chat") { call, writer in
///       let (messages, receiver) = RequestMessages.make(for: call)
///       Task {
///         for try await message in messages { _ = await writer.sendWhenReady(message) }
///         writer.finish()
///       }
///       return receiver
///     }
///
/// Buffering is bounded: past `bufferMessages` unread messages, flow control pauses the caller.
public struct RequestMessages: AsyncSequence, Sendable {
  /// One message.
  public typealias Element = [UInt8]
  /// CANCELLED, unless the caller ended its request.
  public typealias Failure = Status

  /// The call's reference to the buffer. The call releases it when it ends.
  private final class Feed: Sendable {
    let buffer: StreamBuffer
    init(_ buffer: StreamBuffer) { self.buffer = buffer }
    deinit { buffer.end(.requestCut) }
  }

  /// Iterates over the messages.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let messages: RequestMessages

    /// The next message, or nil after the last.
    /// - Throws: `Status` of CANCELLED if the call or the task ends before that.
    public mutating func next() async throws(Status) -> [UInt8]? {
      try await next(isolation: nil)
    }

    /// The same, without leaving the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Status)
      -> [UInt8]?
    {
      let (buffer, call) = (messages.buffer, messages.call)
      let taken = await withTaskCancellationHandler {
        await buffer.take()
      } onCancel: {
        buffer.end(.requestCut)
      }
      if taken.mayResume { call.shard.async { call.value.setPaused(.handler, false) } }
      return try taken.result.get()
    }
  }

  private let buffer: StreamBuffer
  private let call: ShardBound<CallState>

  /// The messages of a call, and the receiver its handler must return. Call it on the call's shard.
  /// - Parameter bufferMessages: Unread messages to buffer before flow control pauses the caller.
  public static func make<Principal>(
    for call: ServerCall<Principal>, bufferMessages: Int = 16
  ) -> (messages: RequestMessages, receiver: (RequestEvent) throws -> Void) {
    let buffer = StreamBuffer(limit: bufferMessages)
    let feed = Feed(buffer)
    let state = ShardBound(call.state, to: call.shard)
    return (
      RequestMessages(buffer: buffer, call: state),
      { event in
        switch event {
        case .message(let message):
          if feed.buffer.add(message) == .full { state.value.setPaused(.handler, true) }
        case .end:
          feed.buffer.end(.ok)
        }
      }
    )
  }

  /// Returns an iterator. Use one per call.
  public func makeAsyncIterator() -> Iterator { Iterator(messages: self) }
}

extension Status {
  fileprivate static let requestCut = Status(.cancelled, "The call ended before its request did.")
}
