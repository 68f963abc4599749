// SPDX-License-Identifier: Apache-2.0
// Decides what a client connection tells its owner.

/// What happened on a client connection, in order.
public enum ClientEvent: Sendable {
  /// The server's first metadata. Absent when the server answers with a status only.
  case headers(CallID, Metadata)
  /// A whole response message, inflated.
  case message(CallID, [UInt8])
  /// The call is over: trailers folded in, `.ok` too. The last event of a call, and the only one
  /// that means success. None follows `cancel`.
  case finished(CallID, Status)
  /// The server asks for no new calls on this connection. Those open go on.
  case goAway
  /// After `queueFull`: there is room again.
  case writable(CallID)
}

/// The events of a ``ClientConnection``, taken one at a time with `for event in …`.
/// What is not taken stays first in line for the next time.
public struct ClientEvents: Sequence, IteratorProtocol {
  let connection: ClientConnection

  /// The next event, or nil when nothing is left to tell for now.
  public mutating func next() -> ClientEvent? { connection.nextEvent() }
}
