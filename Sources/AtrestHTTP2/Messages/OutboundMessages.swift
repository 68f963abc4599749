// SPDX-License-Identifier: Apache-2.0
// Decides what one stream sends, and who waits for it: the peer's window or the writer.

/// The messages of one stream on their way to DATA frames.
///
///     flowing ──queue is read empty──▶ deferred ──append, end──▶ flowing
///        │ append was refused
///        ▼
///     writerWaiting ──half is gone──▶ flowing
struct OutboundMessages {
  private enum Flow {
    case flowing
    /// nghttp2 found nothing to send, and asks again after `resume`.
    case deferred
    /// A message was refused; the writer wants to hear when there is room.
    case writerWaiting
  }

  /// What a DATA frame was filled with.
  struct Filled {
    var count: Int
    /// Nothing is left after it.
    var isEmpty: Bool
    /// There is room again for a writer that was refused.
    var isWritable: Bool
  }

  private var queue = SendQueue()
  private var flow = Flow.flowing

  var isEmpty: Bool { queue.isEmpty }
  /// Whether part of a message has been sent: what follows cannot be another thing than its rest.
  var isHalfSent: Bool { queue.isHalfRead }
  /// Memory that the messages take.
  var bufferedBytes: Int { queue.bufferedBytes }
  /// Bytes sent so far. Wraps; only a change means something.
  var progress: UInt64 { queue.progress }

  /// Takes a message, if there is room for it; an empty queue takes any.
  mutating func append(_ message: [UInt8], isCompressed: Bool, limitBytes: Int) -> Bool {
    guard queue.isEmpty || queue.byteCount + 5 + message.count <= limitBytes else {
      flow = .writerWaiting
      return false
    }
    queue.append(message, isCompressed: isCompressed)
    return true
  }

  /// Takes a message whatever is queued: the last one.
  mutating func append(_ message: [UInt8], isCompressed: Bool) {
    queue.append(message, isCompressed: isCompressed)
  }

  /// Takes the body of an answer that is not gRPC: no prefix precedes it.
  mutating func appendPlain(_ bytes: [UInt8]) { queue.appendPlain(bytes) }

  mutating func removeAll() { queue.removeAll() }

  /// - Returns: Whether nghttp2 has to be told that there is something to send again.
  mutating func mustResume() -> Bool {
    guard case .deferred = flow else { return false }
    flow = .flowing
    return true
  }

  /// Moves up to `capacity` bytes out.
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

  /// There was nothing to send, and more may come.
  mutating func wait() { flow = .deferred }
}
