// SPDX-License-Identifier: Apache-2.0
// The events a client connection reports to its owner.

/// An event on a client connection, in order.
public enum ClientEvent: Sendable {
  /// The server's initial metadata. Absent in a trailers-only response.
  case headers(CallID, Metadata)
  /// A complete response message, inflated.
  case message(CallID, [UInt8])
  /// The call ended, with the status and trailers; also for `.ok`. The last event of a call, and
  /// the only one that means success. Not sent after `cancel`.
  case finished(CallID, Status)
  /// The server sent GOAWAY: no new calls on this connection. Open calls continue.
  case goAway
  /// The queue has room again after `queueFull`.
  case writable(CallID)
}

/// The events of a ``ClientConnection``, taken one at a time with `for event in …`. Events not
/// taken stay queued.
public struct ClientEvents: Sequence, IteratorProtocol {
  let connection: ClientConnection

  /// The next event, or nil when the queue is empty.
  public mutating func next() -> ClientEvent? { connection.nextEvent() }
}
