// SPDX-License-Identifier: Apache-2.0
// Decides what a server connection tells its owner.

/// Why a call ended before the server finished it.
public enum Cancellation: Hashable, Sendable {
  /// The client reset the stream, with this HTTP/2 error code (8 is CANCEL).
  case reset(code: UInt32)
  /// The connection ended or broke its protocol.
  case connectionLost
  /// Time ran out. The client has been told.
  case deadlineExceeded
  /// The request made no sense (framing, compression, size). The client has been told.
  case badRequest
  /// The peer stopped sending a request, or reading a response, for too long.
  case stalled
  /// The connection's drain grace is over. The client has been told UNAVAILABLE.
  case draining
}

/// What happened on a server connection, in order.
public enum ServerEvent: Sendable {
  /// A call began. Nothing of its body has been inflated, nor will be if the owner answers this
  /// event with `finish` or `stopReading`.
  case started(CallID, RequestHead)
  /// A whole request message, inflated.
  case message(CallID, [UInt8])
  /// The client has nothing more to send.
  case endOfRequest(CallID)
  /// The call is over though the owner did not finish it. The last event of a call; none follows
  /// for a call that the owner finished.
  case cancelled(CallID, Cancellation)
  /// After `queueFull`: there is room again.
  case writable(CallID)
}

/// The events of a ``ServerConnection``, taken one at a time with `for event in …`.
///
/// Lazy on purpose: a message is inflated when its event is taken, so an owner that refuses a call
/// on its `started` event never pays for the body behind it. Act on each event before taking the
/// next. What is not taken stays first in line for the next time.
public struct ServerEvents: Sequence, IteratorProtocol {
  let connection: ServerConnection

  /// The next event, or nil when nothing is left to tell for now.
  public mutating func next() -> ServerEvent? { connection.nextEvent() }
}
