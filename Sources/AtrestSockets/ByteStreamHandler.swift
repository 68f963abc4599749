// SPDX-License-Identifier: Apache-2.0
// The interface between a protocol and its connection: bytes and instants in, bytes out.

import AtrestHTTP2

/// The protocol logic of one connection. Driven only on that connection's shard. May wrap another
/// handler (TLS wraps HTTP/2).
///
/// The owner calls `opened` once, then other methods in any order, then `closed` once and nothing
/// after it. If the connection could not be opened, it calls `closed` without `opened`. A handler
/// may call its `ByteStreamOwner` from any method: that only schedules work for the end of the
/// turn.
public protocol ByteStreamHandler: AnyObject {
  /// The connection is open. `owner` lives until `closed`: hold it unowned or weak, or drop it in
  /// `closed`.
  func opened(by owner: any ByteStreamOwner, at now: Instant)
  /// Processes received bytes, at most 64 KiB per call. The buffer is invalid after the call.
  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant)
  /// The peer sent FIN. Output is still sent until `isFinished`.
  func endOfInput(at now: Instant)
  /// Appends pending output, if any. Called again only after the kernel has taken all of it. One
  /// call's output (keep it near 256 KiB) is therefore what a peer that does not read can make a
  /// connection buffer.
  func appendOutput(to buffer: inout [UInt8])
  /// True when the handler is done reading and writing. The owner then flushes and closes.
  var isFinished: Bool { get }
  /// False while the handler cannot take more bytes, which then stay in the kernel. Not for HTTP/2
  /// bodies: HTTP/2 has its own flow control and must receive WINDOW_UPDATE.
  var acceptsInput: Bool { get }
  /// When to call `deadlineReached`. Nil: never. Read after each turn that involved the handler.
  var nextDeadline: Instant? { get }
  /// Called when `nextDeadline` has passed.
  func deadlineReached(at now: Instant)
  /// The connection has ended. The last call.
  func closed(_ reason: CloseReason, at now: Instant)
}

extension ByteStreamHandler {
  /// True: input is bounded by other means.
  public var acceptsInput: Bool { true }
}

/// The connection as its handler sees it. Use it only on the connection's shard.
public protocol ByteStreamOwner: AnyObject {
  /// Schedules a flush of the handler's output for the end of this turn. Cheap and idempotent.
  func needsFlush()
  /// Closes the connection. Buffered output is not sent.
  func close()
  /// The peer's address.
  var peer: SocketAddress { get }
  /// The slot of an accepted connection; nil for others. The handler reports handshake and
  /// authentication to it.
  var slot: ConnectionSlot? { get }
}

extension ByteStreamOwner {
  /// Nil: no slot.
  public var slot: ConnectionSlot? { nil }
}

/// Why a connection ended.
public enum CloseReason: Equatable, Sendable {
  /// The handler finished, and the kernel has taken all of its output.
  case finished
  /// `close()` was called, or the shard stopped.
  case closedHere
  /// The peer reset the connection.
  case reset
  /// The peer read nothing within `writeStallTimeout` while output was pending.
  case writeStalled
  /// The connection could not be opened, or failed.
  case failed(SocketError)
}
