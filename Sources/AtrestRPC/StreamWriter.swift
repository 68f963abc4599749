// SPDX-License-Identifier: Apache-2.0
// Sends a streaming response and bounds its queue for slow readers.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// The response half of a streaming call. Thread-safe; messages sent from one thread keep their
/// order. Releasing it without `finish` ends the call with INTERNAL.
public final class StreamWriter: Sendable {
  /// The result of `send`.
  public enum SendOutcome: Sendable {
    /// Queued. It is sent in order, unless the call ends first.
    case queued
    /// The peer reads too slowly: the queue was full and has been dropped, and the call ended with
    /// RESOURCE_EXHAUSTED. Returned once; then `.closed`.
    case slowReader
    /// The call is over.
    case closed
  }

  private let queue: StreamQueue

  init(_ queue: StreamQueue) {
    self.queue = queue
  }

  deinit {
    queue.finish(.abandoned)
  }

  /// The shard of the call.
  public var shard: Shard { queue.shard }

  /// Whether messages may still be sent.
  public var isOpen: Bool { queue.isOpen }

  /// Queues one message. Never blocks. Messages queued together cost one hop to the shard.
  public func send(_ message: [UInt8]) -> SendOutcome { queue.send(message) }

  /// The same, compressed or not whatever ``ServerCall/setCompression(_:)`` says.
  public func send(_ message: [UInt8], compression: MessageCompression) -> SendOutcome {
    queue.send(message, compression)
  }

  /// Waits until the queue is empty, then queues one message: for streams longer than the queue,
  /// such as an export. Never fails for a slow reader; `limits.writeStall` ends the call if its
  /// reader stops.
  public func sendWhenReady(_ message: [UInt8]) async -> SendOutcome {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      queue.whenReady { done.resume() }
    }
    return send(message)
  }

  /// Runs `action` once, when the queue is empty or the call is over: on the shard, or at once on
  /// the calling thread.
  public func whenReady(_ action: @escaping @Sendable () -> Void) { queue.whenReady(action) }

  /// Ends the call after the queued messages. Later calls of `send` and `finish` do nothing.
  public func finish(_ status: Status = .ok) { queue.finish(status) }

  /// Runs `action` once if the call ends before `finish`: it was cancelled, its connection was
  /// lost, its deadline passed, its reader was too slow, or the server drains. On the shard, or at
  /// once on the calling thread if that has happened.
  public func onCancel(_ action: @escaping @Sendable () -> Void) { queue.onCancel(action) }
}
