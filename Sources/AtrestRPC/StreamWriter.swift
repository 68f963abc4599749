// SPDX-License-Identifier: Apache-2.0
// Sends the messages of a streaming answer, and bounds what waits for a slow reader.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// The answering half of a streaming call. Any thread may use it; messages arrive in the order of
/// `send` on one thread. Let go without `finish`, it ends the call INTERNAL.
public final class StreamWriter: Sendable {
  /// What became of a message.
  public enum SendOutcome: Sendable {
    /// It will go out in order, unless the call ends first.
    case queued
    /// The peer reads too slowly: the queue was full, what waited in it was dropped, and the call
    /// has been ended with RESOURCE_EXHAUSTED. Reported once; then `.closed`.
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

  /// The shard the call lives on.
  public var shard: Shard { queue.shard }

  /// Whether messages may still be sent.
  public var isOpen: Bool { queue.isOpen }

  /// Queues one message. Never blocks. Messages queued together cost one hop to the shard.
  public func send(_ message: [UInt8]) -> SendOutcome { queue.send(message) }

  /// Waits until nothing is queued here, then queues one message: for streams longer than what may
  /// wait, such as an export. Never cuts the reader; `limits.writeStall` ends a call whose reader
  /// has stopped for good.
  public func sendWhenReady(_ message: [UInt8]) async -> SendOutcome {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      queue.whenReady { done.resume() }
    }
    return send(message)
  }

  /// Runs `action` once, when nothing is queued here or the call is over: on the shard, or at once
  /// on the calling thread.
  public func whenReady(_ action: @escaping @Sendable () -> Void) { queue.whenReady(action) }

  /// Ends the call after what is queued. Later calls of `send` and `finish` do nothing.
  public func finish(_ status: Status = .ok) { queue.finish(status) }

  /// Runs `action` once when the call ends before `finish`: the caller gave up, the connection
  /// broke, a deadline passed, the reader was too slow, or the server is draining. On the shard; or
  /// at once on the calling thread, if that has already happened.
  public func onCancel(_ action: @escaping @Sendable () -> Void) { queue.onCancel(action) }
}
