// SPDX-License-Identifier: Apache-2.0
// Decides what becomes of one call of a client, from the wish to the status.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import Synchronization

/// One call, whatever its kind.
///
///     created ──▶ waiting ──a connection takes it──▶ running ──▶ over
///
/// From every state, a cancellation, a deadline and a lost connection lead to over, once.
final class ClientCall: @unchecked Sendable {
  // Sendable because the mutable members are set before the call is handed to its shard, and
  // touched only there afterwards; the flag is atomic.

  /// What it sends.
  enum Request {
    case message([UInt8])
    case stream(StreamQueue)
  }

  /// Who takes what comes back.
  enum Response {
    case single(completion: @Sendable (Result<[UInt8], Status>) -> Void, message: [UInt8]? = nil)
    case stream(StreamBuffer)
  }

  private enum Phase {
    case created
    /// For a connection. The token fires at the deadline; on a connection, the transport watches
    /// the time.
    case waiting(DeadlineToken?)
    case running(ClientHandler, CallID)
    case over
  }

  let path: String
  let metadata: Metadata
  let timeout: Duration?
  var deadline: Instant?
  /// How many connections were tried for it.
  var attempts = 0
  /// Nil before it is known, and once it has been sent.
  private var request: Request?
  private var response: Response?
  private var phase = Phase.created
  private let isCancelled = Atomic(false)

  /// - Parameter request: Nil: it is streamed, see `streamRequest`.
  init(_ path: String, _ metadata: Metadata, _ timeout: Duration?, request: [UInt8]? = nil) {
    self.path = path
    self.metadata = metadata
    self.timeout = timeout
    self.request = request.map(Request.message)
  }

  /// Who takes the response. Before the call is handed to its shard.
  func setResponse(_ response: Response) { self.response = response }

  /// Streams its request, on `shard`.
  /// - Returns: What takes the messages; nothing is sent before a connection has the call.
  func streamRequest(on shard: Shard, limits: Limits) -> StreamQueue {
    let queue = StreamQueue(
      ShardBound(sending: self, to: shard), maxBytes: limits.streamQueueBytes,
      maxMessages: limits.maxQueuedFrames, isBlocked: true, charge: Charge(at: Holder()))
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

  /// The shard has it. Before that, a cancellation only sets the flag.
  var hasBegun: Bool {
    if case .created = phase { return false }
    return true
  }

  var isWaiting: Bool {
    if case .waiting = phase { return true }
    return false
  }

  /// Where it runs, while it does.
  var connection: (handler: ClientHandler, id: CallID)? {
    guard case .running(let handler, let id) = phase else { return nil }
    return (handler, id)
  }

  func wait(until token: DeadlineToken?) { phase = .waiting(token) }

  /// Waits no longer; what watches the time is to be cancelled.
  func takeWaitToken() -> DeadlineToken? {
    guard case .waiting(let token) = phase else { return nil }
    phase = .waiting(nil)
    return token
  }

  /// A connection has taken it.
  func run(on handler: ClientHandler, as id: CallID) {
    phase = .running(handler, id)
    switch request {
    case .message(let message):
      // An empty queue takes any message; a call that has failed already says so in an event.
      _ = handler.send(message, on: id, end: true)
      request = nil
    case .stream(let queue):
      queue.writable()
    case nil:
      break
    }
  }

  /// The connection's queue for this call has room again.
  func writable() {
    if case .stream(let queue) = request { queue.writable() }
  }

  /// A message came.
  /// - Returns: What to end the call with, if it broke the rules.
  func receive(_ message: [UInt8]) -> Status? {
    switch response {
    case .single(let completion, nil):
      response = .single(completion: completion, message: message)
    case .single:
      return Status(.internal, "The server sent two messages where one was due.")
    case .stream(let buffer):
      // A reader that is behind makes the server wait until it has caught up.
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
  func send(_ message: [UInt8]) -> SendResult {
    guard case .running(let handler, let id) = phase else { return .gone }
    return handler.send(message, on: id, end: false)
  }

  func endStream(_ status: Status) {
    if case .running(let handler, let id) = phase { handler.finishSending(id) }
  }
}
