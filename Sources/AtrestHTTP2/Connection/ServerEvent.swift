// SPDX-License-Identifier: Apache-2.0
// The events a server connection reports to its owner.

/// Why a call ended before the server finished it.
public enum Cancellation: Hashable, Sendable {
  /// The client reset the stream with this HTTP/2 error code (8 is CANCEL).
  case reset(code: UInt32)
  /// The connection was lost or violated the protocol.
  case connectionLost
  /// The deadline passed. The client has been sent DEADLINE_EXCEEDED or a reset.
  case deadlineExceeded
  /// The request was invalid (framing, compression, size). The client has been sent the status or a
  /// reset.
  case badRequest
  /// The peer stopped sending the request or reading the response for too long.
  case stalled
  /// The connection's drain grace passed. The client has been sent UNAVAILABLE or a reset.
  case draining
}

/// An event on a server connection, in order.
public enum ServerEvent: Sendable {
  /// A call started. Its body is not inflated yet, and never is if the owner answers this event
  /// with `finish` or `stopReading`.
  case started(CallID, RequestHead)
  /// A complete request message, inflated.
  case message(CallID, [UInt8])
  /// The client half-closed the call.
  case endOfRequest(CallID)
  /// The call ended before the owner finished it. The last event of a call; never follows `finish`.
  case cancelled(CallID, Cancellation)
  /// The queue has room again after `queueFull`.
  case writable(CallID)
}

/// The events of a ``ServerConnection``, taken one at a time with `for event in …`.
///
/// Lazy on purpose: a message is inflated when its event is taken, so rejecting a call on its
/// `started` event costs no inflation. Act on each event before taking the next. Events not taken
/// stay queued.
public struct ServerEvents: Sequence, IteratorProtocol {
  let connection: ServerConnection

  /// The next event, or nil when the queue is empty.
  public mutating func next() -> ServerEvent? { connection.nextEvent() }
}
