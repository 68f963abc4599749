// SPDX-License-Identifier: Apache-2.0
// Decides what is remembered of one call on a client.

import AtrestLedger

/// One call, from `start` to the close of its stream.
final class ClientStream {
  let stream: Int32
  var id: CallID { CallID(stream) }

  // The request.
  var queue = SendQueue()
  var isSendingEnded = false
  /// END_STREAM has left.
  var isRequestSent = false
  /// nghttp2 waits for `resume_data`.
  var isDeferred = false
  var wantsWritable = false

  // The response.
  var fields = ResponseFields()
  var hasHeaders = false
  var encoding = Compression.identity
  var reader = MessageReader()
  var isPaused = false
  /// What arrived while paused; no more than the stream's window.
  var pausedInput: [UInt8] = []
  /// The end, when it arrived while paused: it must not overtake what is held.
  var pausedEnd: Status?
  var isStreamClosed = false

  /// The end is known and noted.
  var isOver = false
  /// The owner has been told the end, or wants to hear nothing more.
  var isReported = false

  // Times.
  var deadline: Instant?
  var writeCheck: Check?

  // What it holds, as the connection has counted it.
  var charge: Charge
  var own: Charge

  init(stream: Int32, holder: Holder, overhead: Holder) {
    self.stream = stream
    charge = Charge(at: holder)
    own = Charge(HTTP2Connection.callBytes, at: overhead)
  }

  /// Nothing more is sent, and nothing more is read.
  func release() {
    queue.removeAll()
    reader = MessageReader()
    fields = ResponseFields()
    pausedInput = []
    account()
  }

  /// Counts anew what it holds. After everything that changes it.
  func account() {
    charge.change(
      to: fields.size.bytes + reader.bufferedBytes + pausedInput.capacity + queue.bufferedBytes)
  }
}
