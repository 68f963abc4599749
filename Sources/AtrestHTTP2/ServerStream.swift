// SPDX-License-Identifier: Apache-2.0
// Decides what is remembered of one call on a server.

import AtrestLedger

/// One call, from its first header to the close of its stream. Freed by `streamClosed` only.
final class ServerStream {
  let stream: Int32
  var id: CallID { CallID(stream) }

  // The request.
  /// Present while its headers arrive.
  var fields: RequestFields? = RequestFields()
  var encoding = Compression.identity
  var reader = MessageReader()
  /// Bytes of body so far. Wraps; only a change means something.
  var received: UInt64 = 0
  var hasMessage = false
  /// What a message may have, where the owner allows less than the connection does.
  var maxMessageBytes: Int?
  /// A whole message that the owner keeps until the request ends.
  var keptBytes = 0
  /// The client has ended its side.
  var isRequestEnded = false
  /// The owner took the `started` event; without it no other event is told.
  var isAnnounced = false
  /// Trailers of a request are counted, not kept.
  var trailerBudget = HeaderBudget()
  var isReading = true
  /// The owner needs no further message; only the end of the request is awaited.
  var owesEnd = false
  var isPaused = false
  /// What arrived while paused; no more than the stream's window.
  var pausedInput: [UInt8] = []
  var isEndPaused = false

  // The response.
  var responseEncoding = Compression.identity
  var queue = SendQueue()
  var isResponseStarted = false
  /// nghttp2 waits for `resume_data`.
  var isDeferred = false
  var wantsWritable = false
  /// Set when the call has been ended by either side; nothing more is told or taken.
  var isOver = false
  /// What trailers say once the queue is empty.
  var trailers: Status?
  /// A plain HTTP answer: its body, which no trailers follow.
  var isPlainAnswer = false

  // Times.
  var deadline: Instant?
  /// When its headers began.
  let began: Instant
  /// When the message that is arriving must be whole.
  var messageDue: Instant?
  var readCheck: Check?
  var writeCheck: Check?

  // What it holds, in bytes, as the connection has counted it last.
  var requestBytes = 0
  var answerBytes = 0
  /// The call itself, once the peer has done its part: a stream may be open for good.
  var ownBytes = 0
  /// The stream is closed.
  private(set) var isClosed = false
  // Unchecked, because the check costs more than the booking: only `settle` and `bill` touch them,
  // and nothing that those call comes back here.
  @exclusivity(unchecked) private var messages: Charge
  @exclusivity(unchecked) private var own: Charge

  init(stream: Int32, now: Instant, holder: Holder, overhead: Holder, payer: Holder?) {
    self.stream = stream
    began = now
    messages = Charge(at: holder, by: payer)
    own = Charge(at: overhead, by: payer)
  }

  /// Books what was counted.
  func settle() {
    messages.change(to: requestBytes + answerBytes)
    own.change(to: ownBytes)
  }

  /// The stream is closed: what is still to be told of it needs none of this.
  func release() {
    isClosed = true
    fields = nil
    reader = MessageReader()
    pausedInput = []
    queue.removeAll()
    requestBytes = 0
    answerBytes = 0
    ownBytes = 0
    settle()
  }

  /// From now on somebody else pays for what it holds.
  func bill(_ payer: Holder) {
    messages.bill(payer)
    own.bill(payer)
  }

  /// Whether the client owes bytes: a stream may be silent between messages, not inside one.
  var owesRequest: Bool {
    isReading && !isPaused && !isRequestEnded
      && (!hasMessage || reader.isMidMessage || owesEnd)
  }
}

/// A moment at which progress is compared with what it was.
struct Check {
  var at: Instant
  var mark: UInt64
}

/// A count that is forgiven when its window has passed.
struct Budget {
  private var count = 0
  private var since: Instant?

  /// Counts one more. True when it is one too many.
  mutating func spend(limit: Int, window: UInt64, now: Instant) -> Bool {
    if let since, now.nanoseconds.saturatingSubtract(since.nanoseconds) < window {
      count += 1
    } else {
      since = now
      count = 1
    }
    return count > limit
  }
}
