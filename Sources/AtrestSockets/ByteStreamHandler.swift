// SPDX-License-Identifier: Apache-2.0
// The seat a protocol takes on a connection: bytes and instants in, bytes out.

import AtrestHTTP2

/// What turns a connection's bytes into meaning. One handler serves one connection, is driven on
/// that connection's shard only, and may wrap another handler (TLS wraps HTTP/2).
///
/// The owner calls `opened` once, then the other verbs in any order, then `closed` once and nothing
/// after it. A handler whose connection could not be opened gets `closed` without `opened`. A
/// handler may call its `ByteStreamOwner` from inside any verb: that only leaves a mark for the end
/// of the turn.
public protocol ByteStreamHandler: AnyObject {
  /// Bytes may flow. `owner` lives until `closed`; hold it unowned or weak, or drop it in `closed`.
  func opened(by owner: any ByteStreamOwner, at now: Instant)
  /// Takes bytes of the peer, at most 64 KiB a call; the buffer dies on return.
  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant)
  /// The peer will send no more (its FIN came). Output still flows until `isFinished`.
  func endOfInput(at now: Instant)
  /// Appends what waits to be sent; nothing when there is nothing. Asked again only after all of it
  /// has been handed to the kernel, so what one call appends (keep it near 256 KiB) is what a peer
  /// that does not read can make a connection hold.
  func appendOutput(to buffer: inout [UInt8])
  /// True when nothing more is to be read or written: the owner sends what it holds and closes.
  var isFinished: Bool { get }
  /// False while the handler cannot take more bytes; the owner then leaves them in the kernel.
  /// Bodies are no reason under HTTP/2, which has flow control of its own and must see
  /// WINDOW_UPDATE.
  var acceptsInput: Bool { get }
  /// When to call `deadlineReached`; nil means never. Read after each turn that touched the
  /// handler.
  var nextDeadline: Instant? { get }
  /// `nextDeadline` has passed.
  func deadlineReached(at now: Instant)
  /// The connection is over; nothing is called after this.
  func closed(_ reason: CloseReason, at now: Instant)
}

extension ByteStreamHandler {
  /// True: bounded by other means.
  public var acceptsInput: Bool { true }
}

/// What a handler may ask of the connection it sits on. On the connection's shard only.
public protocol ByteStreamOwner: AnyObject {
  /// Has the handler's output collected and sent at the end of this turn. Cheap, and idempotent.
  func needsFlush()
  /// Ends the connection now: what is already in hand is not sent.
  func close()
  /// Who is at the other end.
  var peer: SocketAddress { get }
  /// The slot that an accepted connection takes: tell it what the peer has shown. Nil for others.
  var slot: ConnectionSlot? { get }
}

extension ByteStreamOwner {
  /// None.
  public var slot: ConnectionSlot? { nil }
}

/// Why a connection ended.
public enum CloseReason: Equatable, Sendable {
  /// The handler was finished, and all of its output was handed to the kernel.
  case finished
  /// `close()` was called, or the shard stopped.
  case closedHere
  /// The peer tore the connection down.
  case reset
  /// The peer read nothing for the time allowed while bytes waited for it.
  case writeStalled
  /// The connection could not be opened, or failed.
  case failed(SocketError)
}
