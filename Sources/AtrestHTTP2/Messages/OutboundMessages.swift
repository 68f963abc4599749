// SPDX-License-Identifier: Apache-2.0
// Queues one stream's messages and tracks who waits: for the peer's window or for queue space.

/// The messages of one stream, queued for DATA frames.
///
///     flowing ──queue is drained──▶ deferred ──append, end──▶ flowing
///        │ append was refused
///        ▼
///     writerWaiting ──half is sent──▶ flowing
struct OutboundMessages {
  private enum Flow {
    case flowing
    /// nghttp2 found nothing to send and asks again after `resume`.
    case deferred
    /// A message was refused. The writer waits for queue space.
    case writerWaiting
  }

  /// The result of filling one DATA frame.
  struct Filled {
    var count: Int
    /// The queue is empty now.
    var isEmpty: Bool
    /// A refused writer has space again.
    var isWritable: Bool
  }

  private var queue = SendQueue()
  private var flow = Flow.flowing

  var isEmpty: Bool { queue.isEmpty }
  /// Whether a message is partly sent. Only the rest of it may follow.
  var isHalfSent: Bool { queue.isHalfRead }
  /// Memory of the queued messages, in bytes.
  var bufferedBytes: Int { queue.bufferedBytes }
  /// Bytes sent so far. Wraps; only changes are meaningful.
  var progress: UInt64 { queue.progress }

  /// Appends a message if it fits in `limitBytes`. An empty queue accepts any message.
  mutating func append(_ message: [UInt8], isCompressed: Bool, limitBytes: Int) -> Bool {
    guard queue.isEmpty || queue.byteCount + 5 + message.count <= limitBytes else {
      flow = .writerWaiting
      return false
    }
    queue.append(message, flag: isCompressed ? .compressed : .plain)
    return true
  }

  /// Appends the last message, regardless of the queue's size.
  mutating func append(_ message: [UInt8], isCompressed: Bool) {
    queue.append(message, flag: isCompressed ? .compressed : .plain)
  }

  /// Appends gRPC-Web's last frame, regardless of the queue's size.
  mutating func appendTrailers(_ lines: [UInt8]) { queue.append(lines, flag: .trailers) }

  /// Appends the body of a non-gRPC response, without a length prefix. It is shared, so its memory
  /// is not counted.
  mutating func appendPlain(_ bytes: [UInt8]) { queue.appendPlain(bytes) }

  mutating func removeAll() { queue.removeAll() }

  /// Leaves the deferred state.
  /// - Returns: Whether nghttp2 must be told to resume the stream.
  mutating func mustResume() -> Bool {
    guard case .deferred = flow else { return false }
    flow = .flowing
    return true
  }

  /// Moves up to `capacity` bytes into `target`.
  mutating func fill(
    _ target: UnsafeMutablePointer<UInt8>, capacity: Int, limitBytes: Int
  ) -> Filled {
    let count = queue.read(into: target, capacity: capacity)
    var filled = Filled(count: count, isEmpty: queue.isEmpty, isWritable: false)
    if case .writerWaiting = flow, queue.byteCount <= limitBytes / 2 {
      flow = .flowing
      filled.isWritable = true
    }
    return filled
  }

  /// Nothing to send now; more may follow.
  mutating func wait() { flow = .deferred }
}
