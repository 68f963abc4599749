// SPDX-License-Identifier: Apache-2.0
// The server's state of one stream: its two halves, its timers, its memory charges.

import AtrestLedger

/// One call, from its first header until its stream closes.
final class ServerStream {
  /// Memory of a stream without its messages, in bytes. Measured: see Tests/Heap.
  static let ownBytes = 1536

  let number: Int32
  var id: CallID { CallID(number) }
  // Unchecked, like all that each call touches: the exclusivity check costs more than the access.
  // Nothing called during an access asks again: what `receive` finds goes into a queue.
  @exclusivity(unchecked) var request: InboundRequest
  @exclusivity(unchecked) var response = OutboundResponse()
  /// Events that wait until the owner goes on with the call; nil: they do not wait.
  @exclusivity(unchecked) private(set) var heldEvents: HeldEvents?
  /// Messages that were reported, and that the owner has not taken.
  @exclusivity(unchecked) var untakenMessages = 0
  /// The owner has taken the `started` event. Before that no other event is reported.
  @exclusivity(unchecked) var isAnnounced = false
  /// Whether the message that was reported last came compressed.
  @exclusivity(unchecked) var isMessageCompressed = false

  var deadline: Instant?
  /// When the first header block began.
  let began: Instant
  /// When the current message must be complete.
  var messageDue: Instant?
  var readCheck: ProgressCheck?
  var writeCheck: ProgressCheck?
  /// When a request must end whose response has.
  var lateRequestDue: Instant?

  /// Memory of each half as last counted, in bytes.
  @exclusivity(unchecked) private(set) var requestBytes = 0
  @exclusivity(unchecked) private(set) var responseBytes = 0
  /// The stream itself, once the client has ended its request: the call may stay open indefinitely.
  @exclusivity(unchecked) private var overheadBytes = 0
  @exclusivity(unchecked) private var messages: Charge
  @exclusivity(unchecked) private var overhead: Charge

  init(
    _ number: Int32, _ fields: RequestFields, now: Instant, holder: Balance, overhead: Balance,
    payer: Balance?
  ) {
    self.number = number
    request = InboundRequest(fields)
    began = now
    messages = Charge(at: holder, by: payer)
    self.overhead = Charge(at: overhead, by: payer)
  }

  /// Whether either side has ended the call: nothing more is reported or accepted.
  var isOver: Bool { response.isEnded }

  // MARK: Memory

  /// Recounts the buffered request bytes.
  /// - Returns: The difference in bytes.
  func countRequest() -> Int {
    let held = request.holding
    // An unfinished request is charged for its stream too.
    let bytes =
      held.bytes + (held.isUnfinished ? Self.ownBytes : 0) + (heldEvents?.byteCount ?? 0)
    overheadBytes = held.isUnfinished ? 0 : Self.ownBytes
    defer { requestBytes = bytes }
    return bytes - requestBytes
  }

  /// Recounts the buffered response bytes.
  /// - Returns: The difference in bytes.
  func countResponse() -> Int {
    let bytes = response.messages.bufferedBytes
    defer { responseBytes = bytes }
    return bytes - responseBytes
  }

  /// Charges the counted bytes.
  func settle() {
    messages.change(to: requestBytes + responseBytes)
    overhead.change(to: overheadBytes)
  }

  /// Keeps what arrives of the request. See `ServerConnection.hold`.
  func hold() {
    guard heldEvents == nil else { return }
    heldEvents = HeldEvents()
    request.pause()
  }

  func holdBack(_ event: ServerConnection.Pending) { heldEvents?.append(event) }

  /// Ends `hold`, and returns the events in order.
  func takeHeldEvents() -> [ServerConnection.Pending] {
    defer { heldEvents = nil }
    return heldEvents?.events ?? []
  }

  /// The stream closed: its remaining events need no memory.
  func release() {
    heldEvents = nil
    _ = request.discard()
    response.abandon()
    requestBytes = 0
    responseBytes = 0
    overheadBytes = 0
    settle()
  }

  /// Moves the charges to another payer, also for later bytes.
  func bill(_ payer: Balance) {
    messages.bill(payer)
    overhead.bill(payer)
  }
}

/// Events of a request that its owner has not decided on. At most what arrived in one read: later
/// input waits in the request.
struct HeldEvents {
  private(set) var events: [ServerConnection.Pending] = []
  private(set) var byteCount = 0

  mutating func append(_ event: ServerConnection.Pending) {
    if case .message(_, let bytes, _) = event { byteCount += bytes.capacity }
    byteCount += MemoryLayout<ServerConnection.Pending>.stride
    events.append(event)
  }
}

/// A later instant at which progress is compared with `mark`.
struct ProgressCheck {
  var at: Instant
  var mark: UInt64
}
