// SPDX-License-Identifier: Apache-2.0
// A call as its handler sees it.

import AtrestHTTP2
import AtrestSockets

/// A call's headers and origin: the only input of authorization.
public struct CallHead: Sendable {
  /// Path, metadata, format and deadline.
  public let request: RequestHead
  /// The peer's address.
  public let peer: SocketAddress
  /// Whether the connection uses TLS.
  public let isEncrypted: Bool

  /// `/package.Service/Method`.
  public var path: String { request.path }
  /// The caller's metadata. Only available in `authorize`: keeping it would let callers fill the
  /// server's memory for as long as their calls are open.
  public var metadata: Metadata { request.metadata }

  /// What remains of the head after authorization.
  var authorized: CallHead {
    CallHead(
      request: RequestHead(
        path: request.path, format: request.format, deadline: request.deadline), peer: peer,
      isEncrypted: isEncrypted)
  }
}

/// One call, as its handler sees it. Use it only on the shard of its connection; give other threads
/// a `Responder` or a `StreamWriter`.
public struct ServerCall<Principal: Sendable> {
  /// The principal returned by the service's `authorize`.
  public let principal: Principal
  let state: CallState

  /// Path, format, deadline and peer, without metadata.
  public var head: CallHead { state.head }
  /// The call's deadline, after which the server answers DEADLINE_EXCEEDED. Nil means none.
  public var deadline: Instant? { state.head.request.deadline }
  /// The shard that runs the call.
  public var shard: Shard { state.connection.shard }
  /// When this turn of the shard began.
  public var now: Instant { state.connection.shard.now }

  /// Whether the message that the handler, or its receiver, was called with came compressed. False
  /// once the call is over.
  public var isMessageCompressed: Bool { state.isMessageCompressed }

  /// Completes the call from any thread, for a unary handler that returns `.later`. Create one per
  /// call.
  public func responder() -> Responder { Responder(state) }

  /// Runs `action` on the shard, at most once, if the call ends unanswered: it was cancelled, its
  /// deadline passed, its connection was lost, or the server drains. Runs at once if that has
  /// happened.
  public func onCancel(_ action: @escaping () -> Void) { state.onCancel(action) }

  /// Sets the metadata that precedes the response: `initial metadata`. Call it before the first
  /// message is sent; later it does nothing. A call that fails without a message has trailers
  /// only, which hold the metadata of its status.
  public func setInitialMetadata(_ metadata: Metadata) { state.setMetadata(metadata) }

  /// Sets whether messages are compressed that do not say so themselves, and a unary reply. For
  /// callers that accept an encoding.
  public func setCompression(_ compression: MessageCompression) {
    state.setCompression(compression)
  }

  /// Pauses a streaming request: no message is delivered, not even one that has been read already.
  /// The caller may send until the stream's flow-control window is full; other calls continue. A
  /// bidirectional call is paused without this while its answers wait to be read.
  public func pauseReading() { state.setPaused(.handler, true) }

  /// Ends `pauseReading`. Buffered messages are delivered at once.
  public func resumeReading() { state.setPaused(.handler, false) }
}

/// The result of a unary handler.
public enum UnaryOutcome: Sendable {
  /// The reply message, with OK.
  case reply([UInt8])
  /// A status other than `.ok`.
  case fail(Status)
  /// Nothing yet: the handler keeps the call's `Responder`.
  case later
}

/// An event of a streaming request.
public enum RequestEvent: Sendable {
  /// One message.
  case message([UInt8])
  /// The caller half-closed the call. The response may continue.
  case end
}
