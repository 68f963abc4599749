// SPDX-License-Identifier: Apache-2.0
// The interface between a connection and its protocol: bytes and instants in, bytes out.

import AtrestHTTP2

/// A protocol on a connection. Each handler serves one connection, runs on that connection's shard,
/// and may wrap another handler (TLS wraps HTTP/2).
///
/// The owner calls `opened` once, then the other methods in any order, then `closed` once and
/// nothing after it. If the connection could not be opened, `closed` comes without `opened`. A
/// handler may call its `ByteStreamOwner` from any method. Such calls take effect at the end of the
/// turn.
/// of the turn.
public protocol ByteStreamHandler: AnyObject {
  /// The connection is open. `owner` lives until `closed`: hold it unowned or weak, or drop it
  /// there.
  func opened(by owner: any ByteStreamOwner, at now: Instant)
  /// Receives at most 64 KiB from the peer. The buffer is valid during the call only.
  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant)
  /// The peer is half-closed (FIN received). Output still flows until `isFinished`.
  func endOfInput(at now: Instant)
  /// Appends output to `buffer`, if there is any. Not called again before the kernel has accepted
  /// all of it. So the bytes appended by one call, which should be about 256 KiB at most, bound the
  /// memory for a peer that does not read.
  func appendOutput(to buffer: inout [UInt8])
  /// True when nothing is left to read or write. The owner then flushes and closes.
  var isFinished: Bool { get }
  /// False while the handler cannot accept more bytes. The owner then leaves them in the kernel. An
  /// HTTP/2 handler must not use this for bodies: HTTP/2 has its own flow control and must receive
  /// WINDOW_UPDATE frames.
  var acceptsInput: Bool { get }
  /// When to call `deadlineReached`. Nil: never. Read after each turn that involved the handler.
  var nextDeadline: Instant? { get }
  /// Called when `nextDeadline` has passed.
  func deadlineReached(at now: Instant)
  /// The connection has ended. No other method is called afterwards.
  func closed(_ reason: CloseReason, at now: Instant)
}

extension ByteStreamHandler {
  /// True. The handler bounds its input by other means.
  public var acceptsInput: Bool { true }
}

/// The operations that a handler may request of its connection, on the connection's shard only.
public protocol ByteStreamOwner: AnyObject {
  /// Sends the handler's output at the end of this turn. Cheap and idempotent.
  func needsFlush()
  /// Closes the connection now. Unsent bytes are dropped.
  func close()
  /// The peer's address.
  var peer: SocketAddress { get }
  /// The connection slot of an accepted connection, which tracks the peer's authentication. Nil for
  /// outgoing connections.
  var slot: ConnectionSlot? { get }
}

extension ByteStreamOwner {
  /// Nil.
  public var slot: ConnectionSlot? { nil }
}

/// Why a connection ended.
public enum CloseReason: Equatable, Sendable {
  /// The handler was finished, and the kernel accepted all of its output.
  case finished
  /// `close()` was called, or the shard stopped.
  case closedHere
  /// The peer reset the connection.
  case reset
  /// The peer did not read pending bytes within the time limit.
  case writeStalled
  /// The connection could not be opened, or failed.
  case failed(SocketError)
}
