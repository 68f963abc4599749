// SPDX-License-Identifier: Apache-2.0
// Keeps what a server knows of one stream: its two halves, its times, and what it costs.

import AtrestLedger

/// One call, from its first header to the close of its stream.
final class ServerStream {
  /// Memory of a stream beside its messages, in bytes. Measured: see Tests/Heap.
  static let ownBytes = 1536

  let number: Int32
  var id: CallID { CallID(number) }
  var request = InboundRequest()
  var response = OutboundResponse()
  /// The owner took the `started` event; without it no other event is told.
  var isAnnounced = false

  var deadline: Instant?
  /// When its headers began.
  let began: Instant
  /// When the message that is arriving must be whole.
  var messageDue: Instant?
  var readCheck: ProgressCheck?
  var writeCheck: ProgressCheck?

  /// Memory of each half, in bytes, as the connection has counted it last.
  private(set) var requestBytes = 0
  private(set) var responseBytes = 0
  /// The stream itself, once the client has done its part: it may be open for good.
  private var overheadBytes = 0
  // Unchecked, because the check costs more than the booking: only `settle` and `bill` touch them,
  // and nothing that those call comes back here.
  @exclusivity(unchecked) private var messages: Charge
  @exclusivity(unchecked) private var overhead: Charge

  init(_ number: Int32, now: Instant, holder: Holder, overhead: Holder, payer: Holder?) {
    self.number = number
    began = now
    messages = Charge(at: holder, by: payer)
    self.overhead = Charge(at: overhead, by: payer)
  }

  /// Whether either side has ended the call: nothing more is told or taken.
  var isOver: Bool { response.isEnded }

  // MARK: Memory

  /// Counts anew what the request holds.
  /// - Returns: The difference.
  func countRequest() -> Int {
    // What a client does not end, it pays for in full.
    let isUnfinished = request.isWanted && !request.isEnded
    let bytes = request.bufferedBytes + (isUnfinished ? Self.ownBytes : 0)
    overheadBytes = isUnfinished ? 0 : Self.ownBytes
    defer { requestBytes = bytes }
    return bytes - requestBytes
  }

  /// Counts anew what the response holds.
  /// - Returns: The difference.
  func countResponse() -> Int {
    let bytes = response.messages.bufferedBytes
    defer { responseBytes = bytes }
    return bytes - responseBytes
  }

  /// Books what was counted.
  func settle() {
    messages.change(to: requestBytes + responseBytes)
    overhead.change(to: overheadBytes)
  }

  /// The stream is closed: what is still to be told of it needs no memory.
  func release() {
    _ = request.discard()
    response.abandon()
    requestBytes = 0
    responseBytes = 0
    overheadBytes = 0
    settle()
  }

  /// From now on somebody else pays for what it holds.
  func bill(_ payer: Holder) {
    messages.bill(payer)
    overhead.bill(payer)
  }
}

/// A moment at which progress is compared with what it was.
struct ProgressCheck {
  var at: Instant
  var mark: UInt64
}
