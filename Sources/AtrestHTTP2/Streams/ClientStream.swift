// SPDX-License-Identifier: Apache-2.0
// Keeps what a client knows of one stream: its two halves, its times, and what it costs.

import AtrestLedger

/// One call, from `start` to the close of its stream.
final class ClientStream {
  let number: Int32
  var id: CallID { CallID(number) }
  var request = OutboundRequest()
  var response = InboundResponse()
  /// The stream is gone; what is held of its response may still be read.
  var isClosed = false
  /// The owner has been told the end, or wants to hear nothing more.
  var isReported = false

  var deadline: Instant?
  var writeCheck: ProgressCheck?

  private var messages: Charge
  private let overhead: Charge

  init(_ number: Int32, holder: Holder, overhead: Holder) {
    self.number = number
    messages = Charge(at: holder)
    self.overhead = Charge(ServerStream.ownBytes, at: overhead)
  }

  /// Whether the end is known and noted.
  var isOver: Bool { response.isOver }

  /// Nothing more is sent, and nothing more is read.
  func release() {
    request.stop()
    response.abandon()
    settle()
  }

  /// Books what it holds. After everything that changes it.
  func settle() {
    messages.change(to: response.bufferedBytes + request.messages.bufferedBytes)
  }
}
