// SPDX-License-Identifier: Apache-2.0
// The server's state machine of one call, from its headers to its trailers.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets

/// One call of any kind. Confined to the shard of its connection.
///
///     begun ──one message──▶ holdingRequest ──END_STREAM──▶ answering ──▶ over
///       │                                                      ▲
///       └──the caller streams──▶ receiving ──────END_STREAM────┘
///
/// Every state goes to over on `finish` or cancellation, once.
final class CallState {
  /// Receives the messages of a streaming request.
  typealias Receiver = (RequestEvent) throws -> Void

  /// The method's handler. Only it knows the service's principal type.
  enum Handler {
    case unary((CallState, [UInt8]) throws -> UnaryOutcome)
    case serverStreaming((CallState, [UInt8], StreamWriter) throws -> Void)
    case clientStreaming((CallState, Responder) throws -> Receiver)
    case bidirectional((CallState, StreamWriter) throws -> Receiver)
  }

  /// Why no messages are taken from the caller.
  struct Pause: OptionSet {
    let rawValue: UInt8
    /// The handler says so.
    static let handler = Pause(rawValue: 1)
    /// It does not read the answers.
    static let unreadAnswers = Pause(rawValue: 2)
  }

  private enum Phase {
    case begun(Handler)
    /// The message of a method that takes exactly one. The handler runs at the end of the request.
    case holdingRequest(Handler, [UInt8])
    case receiving(Receiver, StreamQueue?)
    /// The request is complete; the response or response stream is pending.
    case answering(StreamQueue?)
    case over(wasCancelled: Bool)
  }

  let id: CallID
  let head: CallHead
  let connection: ServerHandler
  private var phase: Phase
  /// The grant it counts against.
  private var grant: CallerGrant?
  private var cancelActions: [() -> Void] = []
  private var pauses: Pause = []

  init(id: CallID, head: CallHead, connection: ServerHandler, handler: Handler) {
    self.id = id
    self.head = head
    self.connection = connection
    phase = .begun(handler)
  }

  var isOver: Bool {
    if case .over = phase { return true }
    return false
  }

  // MARK: Grant and payer

  /// Counts against the caller's grant until the call ends. False if the limit is reached.
  func count(on grant: CallerGrant, limit: Int) -> Bool {
    guard grant.begin(limit: limit) else { return false }
    self.grant = grant
    return true
  }

  /// Pays for the memory of this call.
  var payer: Balance? { grant?.payer }

  func isGranted(on grant: CallerGrant) -> Bool { self.grant === grant }

  // MARK: Events

  /// Starts the handler of a streaming request. The call is already registered with its connection.
  func begin() {
    guard case .begun(let handler) = phase else { return }
    switch handler {
    case .unary, .serverStreaming:
      break
    case .clientStreaming(let handle):
      connection.expectMessages(id)
      phase = .answering(nil)
      attempt(nil) { receive(with: try handle(self, Responder(self))) }
    case .bidirectional(let handle):
      connection.expectMessages(id)
      let queue = StreamQueue(self)
      phase = .answering(queue)
      // Keeps the writer alive until the error is known: its `deinit` ends the call.
      let writer = StreamWriter(queue)
      attempt(queue) { receive(with: try handle(self, writer)) }
      withExtendedLifetime(writer) {}
    }
  }

  /// The handler may have ended the call before it returned.
  private func receive(with receiver: @escaping Receiver) {
    guard case .answering(let queue) = phase else { return }
    phase = .receiving(receiver, queue)
  }

  func receive(_ message: [UInt8]) {
    switch phase {
    case .begun(let handler):
      phase = .holdingRequest(handler, message)
      // Otherwise a caller that never ends its request could make the server hold its message for
      // ever.
      connection.expectEnd(id, keptBytes: message.capacity)
    case .holdingRequest:
      finish(.wrongMessageCount)
    case .receiving(let receiver, let queue):
      attempt(queue) { try receiver(.message(message)) }
      if let queue { awaitReader(of: queue) }
    case .answering, .over:
      break
    }
  }

  /// Takes no further message while answers to earlier ones wait for the caller to read them.
  private func awaitReader(of queue: StreamQueue) {
    guard !isOver, queue.isWaiting else { return }
    setPaused(.unreadAnswers, true)
    let call = ShardBound(self, to: connection.shard)
    queue.whenReady { call.value.setPaused(.unreadAnswers, false) }
  }

  func endOfRequest() {
    switch phase {
    case .begun:
      finish(.wrongMessageCount)
    case .holdingRequest(let handler, let request):
      // The handler is the only owner of the bytes from here.
      phase = .answering(nil)
      run(handler, request)
    case .receiving(let receiver, let queue):
      // The receiver may hold the last reference to the writer, whose `deinit` ends the call.
      phase = .answering(queue)
      attempt(queue) { try receiver(.end) }
    case .answering, .over:
      break
    }
  }

  private func run(_ handler: Handler, _ request: [UInt8]) {
    switch handler {
    case .unary(let handle):
      attempt(nil) { finish(try handle(self, request)) }
    case .serverStreaming(let handle):
      let queue = StreamQueue(self)
      phase = .answering(queue)
      let writer = StreamWriter(queue)
      attempt(queue) { try handle(self, request, writer) }
      withExtendedLifetime(writer) {}
    case .clientStreaming, .bidirectional:
      break  // They receive messages as they arrive.
    }
  }

  /// The connection's queue for this call has space again.
  func writable() { queue?.writable() }

  /// The call ended without a response from this side.
  func wasCancelled() {
    guard !isOver else { return }
    // Released at the end: the receiver may hold the writer, whose `deinit` re-enters.
    let last = phase
    let queue = queue
    phase = .over(wasCancelled: true)
    settle()
    let actions = cancelActions
    cancelActions = []
    for action in actions { action() }
    queue?.ended()
    withExtendedLifetime(last) {}
  }

  // MARK: Verbs

  /// Runs `action` if the call ends without a response; at once if it already has.
  func onCancel(_ action: @escaping () -> Void) {
    switch phase {
    case .begun, .holdingRequest, .receiving, .answering: cancelActions.append(action)
    case .over(wasCancelled: true): action()
    case .over(wasCancelled: false): break
    }
  }

  var isPaused: Bool { !pauses.isEmpty }

  /// Pauses the caller's messages by flow control, until no reason is left.
  func setPaused(_ reason: Pause, _ isPaused: Bool) {
    let wasPaused = self.isPaused
    if isPaused { pauses.insert(reason) } else { pauses.remove(reason) }
    guard !isOver, wasPaused != self.isPaused else { return }
    if isPaused { connection.pauseReading(id) } else { connection.resumeReading(id) }
  }

  /// Sets what the response's headers carry, and whether its messages are compressed.
  func setMetadata(_ metadata: Metadata) { connection.setMetadata(metadata, of: id) }
  func setCompression(_ compression: MessageCompression) {
    connection.setCompression(compression, of: id)
  }

  var isMessageCompressed: Bool { connection.isMessageCompressed(of: id) }

  /// Completes a unary call, unless it is over.
  func finish(_ outcome: UnaryOutcome) {
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
  func finish(_ status: Status) {
    guard end() else { return }
    connection.finish(id, status)
  }

  private var queue: StreamQueue? {
    switch phase {
    case .receiving(_, let queue), .answering(let queue): queue
    case .begun, .holdingRequest, .over: nil
    }
  }

  /// Runs handler code. An error it throws ends the call.
  private func attempt(_ queue: StreamQueue?, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      let status = connection.status(for: error, path: head.path)
      if let queue { queue.fail(status) } else { finish(status) }
    }
  }

  /// - Returns: False if the call was over.
  private func end() -> Bool {
    guard !isOver else { return false }
    let last = phase
    phase = .over(wasCancelled: false)
    settle()
    cancelActions = []
    withExtendedLifetime(last) {}
    return true
  }

  private func settle() {
    grant?.end()
    grant = nil
  }
}

extension CallState: StreamQueueTarget {
  func send(_ message: [UInt8], _ compression: MessageCompression?) -> SendResult {
    connection.send(message, on: id, compression)
  }
  func endStream(_ status: Status) { finish(status) }
}

extension Status {
  /// Source: grpc/grpc doc/statuscodes.md, "request cardinality violation".
  static let wrongMessageCount = Status(
    .unimplemented, "This method takes exactly one request message.")
  static let unknownMethod = Status(.unimplemented, "This server has no such method.")
  static let notInBrowsers = Status(
    .unimplemented, "This method takes a stream of messages, which gRPC-Web cannot send. Use gRPC.")
  static let unexpected = Status(.unknown, "The server met an unexpected problem. Try again later.")
  static let grantRevoked = Status(.unauthenticated, "This caller has no access any more.")
  static let tooManyCalls = Status(
    .resourceExhausted, "This caller has too many calls under way. Wait for one to end.")
  static let leaving = Status(.unavailable, "The server is shutting down. Try again in a moment.")
  static let slowReader = Status(
    .resourceExhausted, "The stream was read too slowly and was ended. Open it again.")
}

extension StreamQueue {
  /// The response queue of a call, on its shard.
  convenience init(_ call: CallState) {
    let context = call.connection.context
    self.init(
      ShardBound(call, to: context.shard), maxBytes: context.configuration.streamWriterBytes,
      maxMessages: context.configuration.streamWriterMessages,
      charge: Charge(at: call.connection.holder, by: call.payer))
  }
}
