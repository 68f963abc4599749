// SPDX-License-Identifier: Apache-2.0
// What a handler knows of the call it serves.

import AtrestHTTP2
import AtrestSockets

/// A call's headers and where they came from: all that authorisation may look at.
public struct CallHead: Sendable {
  /// Path, metadata and deadline.
  public let request: RequestHead
  /// Who is at the other end of the connection.
  public let peer: SocketAddress
  /// Whether TLS lies between the peer and this call.
  public let isEncrypted: Bool

  /// `/package.Service/Method`.
  public var path: String { request.path }
  /// The caller's metadata. For `authorize` alone: afterwards it is gone, or callers could have the
  /// server hold it for as long as their calls are open.
  public var metadata: Metadata { request.metadata }

  /// What is kept of the head once the call may go on.
  var authorized: CallHead {
    CallHead(
      request: RequestHead(path: request.path, deadline: request.deadline), peer: peer,
      isEncrypted: isEncrypted)
  }
}

/// One call, as its handler sees it. Used on the shard of its connection only: hand a `Responder`
/// or a `StreamWriter` to other threads.
public struct ServerCall<Principal: Sendable> {
  /// What the service's `authorize` returned.
  public let principal: Principal
  let state: CallState

  /// Path, deadline, peer; no metadata any more.
  public var head: CallHead { state.head }
  /// When the call is over; the server answers DEADLINE_EXCEEDED by itself then.
  public var deadline: Instant? { state.head.request.deadline }
  /// The shard it runs on.
  public var shard: Shard { state.connection.shard }
  /// When this turn of the shard began.
  public var now: Instant { state.connection.shard.now }

  /// What completes the call from any thread, for a unary handler that returns `.later`. One per
  /// call.
  public func responder() -> Responder { Responder(state) }

  /// Runs `action` on the shard if the call ends before it was answered: the caller gave up, its
  /// deadline passed, its connection broke, or the server is draining. At once, if that has already
  /// happened. At most once.
  public func onCancel(_ action: @escaping () -> Void) { state.onCancel(action) }

  /// Holds back what the caller of a stream sends: messages already read still come, and the caller
  /// may send on until the stream's flow-control window is full. Other calls go on.
  public func pauseReading() { state.pauseReading() }

  /// Ends `pauseReading`. What was held back comes at once.
  public func resumeReading() { state.resumeReading() }
}

/// What a unary handler answers.
public enum UnaryOutcome: Sendable {
  /// This message, and OK.
  case reply([UInt8])
  /// This status. Not `.ok`.
  case fail(Status)
  /// Nothing yet: the handler holds the call's `Responder`.
  case later
}

/// What the caller of a stream sends.
public enum RequestEvent: Sendable {
  /// One message.
  case message([UInt8])
  /// The caller sends no more; the answer may go on.
  case end
}
