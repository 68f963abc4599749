// SPDX-License-Identifier: Apache-2.0
// One call on the server, from its headers to its trailers.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets

/// What all calls share: they end once. Lives on the shard of its connection; subclasses decide
/// what messages mean.
class CallState {
  let id: CallID
  let head: CallHead
  let connection: ServerHandler
  private(set) var isOver = false
  /// What it was granted on.
  private var grant: CallerGrant?
  private var cancelActions: [() -> Void] = []

  init(id: CallID, head: CallHead, connection: ServerHandler) {
    self.id = id
    self.head = head
    self.connection = connection
  }

  /// Counts as one of the caller's from here to its end; false if those are enough.
  final func hold(_ grant: CallerGrant, limit: Int) -> Bool {
    guard grant.begin(limit: limit) else { return false }
    self.grant = grant
    return true
  }

  /// Who pays for what it holds.
  final var payer: Holder? { grant?.payer }

  final func isGranted(on grant: CallerGrant) -> Bool { self.grant === grant }

  private func letGo() {
    grant?.end()
    grant = nil
  }

  /// The call has been entered in its connection's list.
  func begin() {}
  func receive(_ message: [UInt8]) {}
  func endOfRequest() {}
  /// The connection's queue for this call has room again.
  func writable() {}
  /// The call is over: lets go of what refers back to it.
  func release() {}
  /// The call is over without an answer from here.
  func wasCancelled() {
    guard !isOver else { return }
    isOver = true
    letGo()
    let actions = cancelActions
    cancelActions = []
    release()
    for action in actions { action() }
  }

  final func onCancel(_ action: @escaping () -> Void) {
    // An answered call cannot be cancelled any more; one that was cancelled has no handler running.
    if !isOver { cancelActions.append(action) }
  }

  /// Answers a unary call, unless it is over.
  final func finish(_ outcome: UnaryOutcome) {
    switch outcome {
    case .reply(let message):
      guard end() else { return }
      connection.reply(message, to: id)
    case .fail(let status):
      finish(status.code == .ok ? .abandoned : status)
    case .later:
      break
    }
  }

  /// Ends the call, unless it is over.
  final func finish(_ status: Status) {
    guard end() else { return }
    connection.finish(id, status)
  }

  /// Ends the call for what a handler threw.
  final func finish(after error: any Error) {
    finish(connection.status(for: error, path: head.path))
  }

  private func end() -> Bool {
    guard !isOver else { return false }
    isOver = true
    letGo()
    cancelActions = []
    release()
    return true
  }
}

/// A call that takes exactly one message.
class SingleRequestCall: CallState {
  private var request: [UInt8]?

  /// The request is complete.
  func run(_ request: [UInt8]) {}

  final override func receive(_ message: [UInt8]) {
    guard request == nil else { return finish(.wrongMessageCount) }
    request = message
    // Or whoever never ends a request could have the server hold its message for ever.
    connection.expectEnd(id, keptBytes: message.capacity)
  }

  final override func endOfRequest() {
    guard let request else { return finish(.wrongMessageCount) }
    // The handler is the only owner of the bytes from here.
    self.request = nil
    run(request)
  }
}

/// One message each way.
final class UnaryCall<Principal: Sendable>: SingleRequestCall {
  typealias Handler = @Sendable (ServerCall<Principal>, [UInt8]) throws -> UnaryOutcome
  private let principal: Principal
  private let handler: Handler

  init(
    id: CallID, head: CallHead, connection: ServerHandler, principal: Principal,
    handler: @escaping Handler
  ) {
    self.principal = principal
    self.handler = handler
    super.init(id: id, head: head, connection: connection)
  }

  override func run(_ request: [UInt8]) {
    do {
      finish(try handler(ServerCall(principal: principal, state: self), request))
    } catch {
      finish(after: error)
    }
  }
}

/// One message in, a stream out.
final class ServerStreamingCall<Principal: Sendable>: SingleRequestCall {
  typealias Handler = @Sendable (ServerCall<Principal>, [UInt8], StreamWriter) throws -> Void
  private let principal: Principal
  private let handler: Handler
  private var stream: StreamCore?

  init(
    id: CallID, head: CallHead, connection: ServerHandler, principal: Principal,
    handler: @escaping Handler
  ) {
    self.principal = principal
    self.handler = handler
    super.init(id: id, head: head, connection: connection)
  }

  override func run(_ request: [UInt8]) {
    let stream = StreamCore(self)
    self.stream = stream
    // Kept until the error is known: a writer that is let go of ends the call by itself.
    let writer = StreamWriter(stream)
    do {
      try handler(ServerCall(principal: principal, state: self), request, writer)
    } catch {
      stream.fail(connection.status(for: error, path: head.path))
    }
    withExtendedLifetime(writer) {}
  }

  override func writable() { stream?.writable() }

  override func release() { stream = nil }

  override func wasCancelled() {
    let stream = stream
    super.wasCancelled()
    stream?.ended()
  }
}

/// Streams both ways.
final class BidirectionalCall<Principal: Sendable>: CallState {
  typealias Handler =
    @Sendable (ServerCall<Principal>, StreamWriter) throws ->
    (RequestEvent) throws -> Void
  private let principal: Principal
  private let handler: Handler
  private var stream: StreamCore?
  private var receiver: ((RequestEvent) throws -> Void)?

  init(
    id: CallID, head: CallHead, connection: ServerHandler, principal: Principal,
    handler: @escaping Handler
  ) {
    self.principal = principal
    self.handler = handler
    super.init(id: id, head: head, connection: connection)
  }

  override func begin() {
    let stream = StreamCore(self)
    self.stream = stream
    // Kept until the error is known: a writer that is let go of ends the call by itself.
    let writer = StreamWriter(stream)
    attempt {
      let receiver = try handler(ServerCall(principal: principal, state: self), writer)
      if !isOver { self.receiver = receiver }
    }
    withExtendedLifetime(writer) {}
  }

  override func receive(_ message: [UInt8]) {
    attempt { try receiver?(.message(message)) }
  }

  override func endOfRequest() {
    attempt { try receiver?(.end) }
    dropReceiver()
  }

  override func writable() { stream?.writable() }

  override func release() {
    dropReceiver()
    stream = nil
  }

  override func wasCancelled() {
    let stream = stream
    super.wasCancelled()
    stream?.ended()
  }

  /// It may hold the last reference to the writer, whose end is the call's, which comes back here.
  private func dropReceiver() {
    let dropped = receiver
    receiver = nil
    withExtendedLifetime(dropped) {}
  }

  private func attempt(_ body: () throws -> Void) {
    let receiver = receiver  // Holds the writer, as above.
    do {
      try body()
    } catch {
      dropReceiver()
      stream?.fail(connection.status(for: error, path: head.path))
    }
    withExtendedLifetime(receiver) {}
  }
}

extension Status {
  /// Source: grpc/grpc doc/statuscodes.md, "request cardinality violation".
  static let wrongMessageCount = Status(
    .unimplemented, "This method takes exactly one request message.")
  static let unknownMethod = Status(.unimplemented, "This server has no such method.")
  static let unexpected = Status(.unknown, "The server met an unexpected problem. Try again later.")
  static let grantRevoked = Status(.unauthenticated, "This caller has no access any more.")
  static let tooManyCalls = Status(
    .resourceExhausted, "This caller has too many calls under way. Wait for one to end.")
  static let leaving = Status(.unavailable, "The server is shutting down. Try again in a moment.")
  static let slowReader = Status(
    .resourceExhausted, "The stream was read too slowly and was ended. Open it again.")
}
