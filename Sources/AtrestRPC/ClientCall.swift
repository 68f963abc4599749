// SPDX-License-Identifier: Apache-2.0
// The client's state machine of one call.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import Synchronization

/// One call of any kind.
///
///     created ──▶ waiting ──a connection takes it──▶ running ──▶ over
///
/// Every state goes to over on cancellation, deadline or connection loss, once.
final class ClientCall: @unchecked Sendable {
  // Sendable: mutable members are set before the call is handed to its shard and touched only there
  // afterwards. The flag is atomic.

  /// The request.
  enum Request {
    case message([UInt8])
    case stream(StreamQueue)
  }

  /// The receiver of the response.
  enum Response {
    case single(completion: @Sendable (Result<[UInt8], Status>) -> Void, message: [UInt8]? = nil)
    case stream(StreamBuffer)
  }

  private enum Phase {
    case created
    /// Waiting for a connection. The token fires at the deadline; once running, the transport
    /// enforces it.
    case waiting(DeadlineToken?)
    case running(ClientHandler, CallID)
    case over
  }

  let path: String
  let metadata: Metadata
  let timeout: Duration?
  var deadline: Instant?
  /// How many connections were tried for this call.
  var attempts = 0
  /// Nil before it is set and after it was sent.
  private var request: Request?
  private var response: Response?
  private var phase = Phase.created
  private let isCancelled = Atomic(false)

  /// - Parameter request: Nil if the request is streamed: see `streamRequest`.
  init(_ path: String, _ metadata: Metadata, _ timeout: Duration?, request: [UInt8]? = nil) {
    self.path = path
    self.metadata = metadata
    self.timeout = timeout
    self.request = request.map(Request.message)
  }

  /// Sets the receiver of the response. Call before the call is handed to its shard.
  func setResponse(_ response: Response) { self.response = response }

  /// Makes this a streaming request on `shard`.
  /// - Returns: The queue for its messages. Nothing is sent before a connection takes the call.
  func streamRequest(on shard: Shard, limits: Limits) -> StreamQueue {
    let queue = StreamQueue(
      ShardBound(sending: self, to: shard), maxBytes: limits.streamQueueBytes,
      maxMessages: limits.maxQueuedFrames, isBlocked: true, charge: Charge(at: Balance()))
    request = .stream(queue)
    return queue
  }

  // MARK: Any thread

  var cancellationRequested: Bool { isCancelled.load(ordering: .acquiring) }
  func requestCancellation() { isCancelled.store(true, ordering: .releasing) }

  // MARK: On the shard

  var isOver: Bool {
    if case .over = phase { return true }
    return false
  }

  /// Whether the shard has received the call. Before that, a cancellation only sets the flag.
  var hasBegun: Bool {
    if case .created = phase { return false }
    return true
  }

  var isWaiting: Bool {
    if case .waiting = phase { return true }
    return false
  }

  /// The connection and stream of a running call.
  var connection: (handler: ClientHandler, id: CallID)? {
    guard case .running(let handler, let id) = phase else { return nil }
    return (handler, id)
  }

  func wait(until token: DeadlineToken?) { phase = .waiting(token) }

  /// Removes the deadline token, which the caller must cancel.
  func takeWaitToken() -> DeadlineToken? {
    guard case .waiting(let token) = phase else { return nil }
    phase = .waiting(nil)
    return token
  }

  /// A connection has taken the call.
  func run(on handler: ClientHandler, as id: CallID) {
    phase = .running(handler, id)
    switch request {
    case .message(let message):
      // An empty queue accepts any message. A call that has failed already reports that in an
      // event.
      _ = handler.send(message, on: id, end: true)
      request = nil
    case .stream(let queue):
      queue.writable()
    case nil:
      break
    }
  }

  /// The connection's queue for this call has space again.
  func writable() {
    if case .stream(let queue) = request { queue.writable() }
  }

  /// Delivers a response message.
  /// - Returns: The status to end the call with, if the server violated the cardinality.
  func receive(_ message: [UInt8]) -> Status? {
    switch response {
    case .single(let completion, nil):
      response = .single(completion: completion, message: message)
    case .single:
      return Status(.internal, "The server sent two messages where one was due.")
    case .stream(let buffer):
      // A slow reader pauses the server by flow control.
      guard buffer.add(message) == .full, case .running(let handler, let id) = phase else { break }
      handler.pauseReading(id)
    case nil:
      break
    }
    return nil
  }

  /// Ends the call, once.
  func finish(_ status: Status) {
    guard !isOver else { return }
    phase = .over
    let (request, response) = (request, response)
    self.request = nil
    self.response = nil
    if case .stream(let queue) = request { queue.ended() }
    switch response {
    case .single(let completion, let message):
      completion(Self.result(status, message))
    case .stream(let buffer):
      buffer.end(status)
    case nil:
      break
    }
  }

  private static func result(_ status: Status, _ message: [UInt8]?) -> Result<[UInt8], Status> {
    guard status.code == .ok else { return .failure(status) }
    guard let message else {
      return .failure(Status(.internal, "The server sent no message where one was due."))
    }
    return .success(message)
  }
}

extension ClientCall: StreamQueueTarget {
  func send(_ message: [UInt8], _ compression: MessageCompression?) -> SendResult {
    guard case .running(let handler, let id) = phase else { return .gone }
    return handler.send(message, on: id, end: false)
  }

  func endStream(_ status: Status) {
    if case .running(let handler, let id) = phase { handler.finishSending(id) }
  }
}
