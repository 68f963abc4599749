// SPDX-License-Identifier: Apache-2.0
// One call of a client, from the wish to the status.

import AtrestHTTP2
import AtrestSockets
import Synchronization

/// What all calls share. Subclasses decide what messages mean.
class ClientCall: @unchecked Sendable {
  // Sendable because the mutable members are set before the call is handed to its shard, and
  // touched only there afterwards; the flag is atomic.
  let path: String
  let metadata: Metadata
  let timeout: Duration?
  /// Dropped once it has been handed to the connection.
  var request: [UInt8]
  var deadline: Instant?
  /// How many connections were tried for it.
  var attempts = 0
  /// The shard has it. Before that, a cancellation only sets the flag, which `begin` looks at.
  var hasBegun = false
  var isOver = false
  /// Fires while the call waits; on a connection, the transport watches the time.
  var waitToken: DeadlineToken?
  /// Where it runs, while it does.
  var handler: ClientHandler?
  var id: CallID?
  private let isCancelled = Atomic(false)

  init(_ path: String, _ request: [UInt8], _ metadata: Metadata, _ timeout: Duration?) {
    self.path = path
    self.request = request
    self.metadata = metadata
    self.timeout = timeout
  }

  var cancellationRequested: Bool { isCancelled.load(ordering: .acquiring) }
  func requestCancellation() { isCancelled.store(true, ordering: .releasing) }

  /// A message came.
  /// - Returns: What to end the call with, if it broke the rules.
  func receive(_ message: [UInt8], core: ChannelCore) -> Status? { nil }
  /// The call is over.
  func complete(_ status: Status) {}

  /// Ends the call, once.
  final func finish(_ status: Status) {
    guard !isOver else { return }
    isOver = true
    request = []
    handler = nil
    complete(status)
  }
}

/// One message each way.
final class UnaryClientCall: ClientCall, @unchecked Sendable {
  var completion: (@Sendable (Result<[UInt8], Status>) -> Void)?
  private var response: [UInt8]?

  override func receive(_ message: [UInt8], core: ChannelCore) -> Status? {
    guard response == nil else {
      return Status(.internal, "The server sent two messages where one was due.")
    }
    response = message
    return nil
  }

  override func complete(_ status: Status) {
    let completion = completion
    self.completion = nil
    guard status.code == .ok else {
      completion?(.failure(status))
      return
    }
    guard let response else {
      completion?(.failure(Status(.internal, "The server sent no message where one was due.")))
      return
    }
    self.response = nil
    completion?(.success(response))
  }
}

/// One message out, a stream in.
final class StreamClientCall: ClientCall, @unchecked Sendable {
  let buffer: StreamBuffer

  init(
    _ path: String, _ request: [UInt8], _ metadata: Metadata, _ timeout: Duration?,
    bufferMessages: Int
  ) {
    buffer = StreamBuffer(limit: bufferMessages)
    super.init(path, request, metadata, timeout)
  }

  override func receive(_ message: [UInt8], core: ChannelCore) -> Status? {
    // A reader that is behind makes the server wait until it has caught up.
    if buffer.add(message) == .full { handler?.pause(self) }
    return nil
  }

  override func complete(_ status: Status) { buffer.end(status) }
}
