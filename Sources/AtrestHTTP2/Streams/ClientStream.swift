// SPDX-License-Identifier: Apache-2.0
// The client's state of one stream: its two halves, its timers, its memory charges.

import AtrestLedger

/// One call, from `start` until its stream closes.
final class ClientStream {
  let number: Int32
  var id: CallID { CallID(number) }
  var request = OutboundRequest()
  // Unchecked, as in `ServerStream`.
  @exclusivity(unchecked) var response = InboundResponse()
  /// The stream is closed. Buffered response bytes may still be read.
  var isClosed = false
  /// The owner has received the end or cancelled the call.
  var isReported = false

  var deadline: Instant?
  var writeCheck: ProgressCheck?

  @exclusivity(unchecked) private var messages: Charge
  private let overhead: Charge

  init(_ number: Int32, holder: Balance, overhead: Balance) {
    self.number = number
    messages = Charge(at: holder)
    self.overhead = Charge(ServerStream.ownBytes, at: overhead)
  }

  /// Whether the call has its final status.
  var isOver: Bool { response.isOver }

  /// Stops sending and receiving.
  func release() {
    request.stop()
    response.abandon()
    settle()
  }

  /// Updates the memory charge. Call after every change to the buffers.
  func settle() {
    messages.change(to: response.bufferedBytes + request.messages.bufferedBytes)
  }
}
