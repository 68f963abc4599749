// SPDX-License-Identifier: Apache-2.0
// Decides what each part of a request means, given what came before it. Pure.

/// The request half of one call on a server.
///
///     headers ──END_HEADERS──▶ reading ──END_STREAM──▶ ended
///                               │  ▲
///                         pause │  │ resume
///                               ▼  │
///                              paused (holds input, and the end)
///
///     any ──refused, answered, reset──▶ discarding
///
/// nghttp2 lets no frame through that RFC 9113 forbids in the stream's state; what is left to judge
/// is gRPC's own order, and what the owner wants to hear.
struct InboundRequest {
  /// What may still come.
  private enum Expectation {
    case firstMessage
    case anyMessage
    /// The owner takes no further message, and keeps so many bytes of the request until its end.
    case end(keptBytes: Int)
  }

  private struct Body {
    var reader = MessageReader()
    var expectation = Expectation.firstMessage

    var bufferedBytes: Int {
      guard case .end(let keptBytes) = expectation else { return reader.bufferedBytes }
      return reader.bufferedBytes + keptBytes
    }
  }

  private enum State {
    case headers(RequestFields)
    case reading(Body)
    case paused(Body, input: [UInt8], isEnded: Bool)
    case ended
    case discarding(isEnded: Bool)
  }

  /// What became of bytes of the body.
  enum Intake {
    case read
    /// Kept until `resume`: the stream's window stays closed by as much.
    case held
    case discarded
  }

  /// What END_STREAM means.
  enum End {
    case complete
    case insideMessage
    /// It is told after `resume`.
    case held
    case ignored
  }

  private var state = State.headers(RequestFields())
  /// Trailers of a request are counted, not kept.
  private var trailers = HeaderBudget()
  /// How messages are compressed, as the headers declare.
  var encoding = Compression.identity
  /// What a message may have, where the owner allows less than the connection does.
  var maxMessageBytes: Int?
  /// Bytes of body so far. Wraps; only a change means something.
  private(set) var received: UInt64 = 0

  // MARK: State

  /// Whether END_STREAM has arrived.
  var isEnded: Bool {
    switch state {
    case .headers, .reading: false
    case .paused(_, _, let isEnded), .discarding(let isEnded): isEnded
    case .ended: true
    }
  }

  /// Whether the owner wants to hear of messages.
  var isWanted: Bool {
    if case .discarding = state { return false }
    return true
  }

  var areHeadersArriving: Bool {
    if case .headers = state { return true }
    return false
  }

  /// Whether the client owes bytes: a stream may be silent between messages, not inside one.
  var owesBytes: Bool {
    guard case .reading(let body) = state else { return false }
    return switch body.expectation {
    case .firstMessage, .end: true
    case .anyMessage: body.reader.isMidMessage
    }
  }

  /// Whether only the end is due.
  var owesEnd: Bool {
    guard case .end = expectation else { return false }
    return true
  }

  var hasMessage: Bool {
    if case .firstMessage = expectation { return false }
    return true
  }

  private var expectation: Expectation {
    switch state {
    case .headers: .firstMessage
    case .reading(let body), .paused(let body, _, _): body.expectation
    case .ended, .discarding: .anyMessage
    }
  }

  /// The length that a message has declared of which a part has arrived; zero if none has.
  var declaredBytes: Int {
    switch state {
    case .reading(let body), .paused(let body, _, _): body.reader.declaredBytes
    case .headers, .ended, .discarding: 0
    }
  }

  /// Memory that the client has this side hold by not ending its request.
  var bufferedBytes: Int {
    switch state {
    case .headers(let fields): fields.size.bytes
    case .reading(let body): body.bufferedBytes
    case .paused(let body, let input, isEnded: false): body.bufferedBytes + input.capacity
    case .paused(let body, let input, isEnded: true):
      body.reader.bufferedBytes + input.capacity
    case .ended, .discarding: 0
    }
  }

  // MARK: Events

  /// One header field arrived.
  /// - Returns: False when the block is absurdly large.
  mutating func takeField(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, limits: Limits,
    recall: inout RecalledText
  ) -> Bool {
    guard case .headers(var fields) = state else {
      return trailers.add(name, value, limits) == .fits
    }
    state = .discarding(isEnded: false)  // The fields have one owner while they change.
    let verdict = fields.take(name, value, limits: limits, recall: &recall)
    state = .headers(fields)
    return verdict != .absurd
  }

  /// A header block has ended.
  /// - Returns: The fields, if it was the first block.
  mutating func headersEnded() -> RequestFields? {
    guard case .headers(let fields) = state else { return nil }
    state = .reading(Body())
    return fields
  }

  /// Bytes of the body arrived.
  /// - Parameter emit: Takes each message that is whole.
  /// - Throws: `FramingError`; the request must then be discarded.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, limitBytes: Int,
    emit: ([UInt8], _ isCompressed: Bool) -> Void
  ) throws(FramingError) -> Intake {
    switch state {
    case .reading(var body):
      state = .discarding(isEnded: false)  // The body has one owner while it changes.
      defer { state = .reading(body) }
      received &+= UInt64(bytes.count)
      var hasMessage = false
      try body.reader.feed(bytes, limitBytes: limitBytes) { message, isCompressed in
        hasMessage = true
        emit(message, isCompressed)
      }
      if hasMessage, case .firstMessage = body.expectation { body.expectation = .anyMessage }
      return .read
    case .paused(let body, var input, let isEnded):
      state = .discarding(isEnded: isEnded)
      received &+= UInt64(bytes.count)
      input.append(contentsOf: bytes)
      state = .paused(body, input: input, isEnded: isEnded)
      return .held
    case .headers, .ended, .discarding:
      return .discarded
    }
  }

  /// END_STREAM arrived, or comes after what was held.
  mutating func end() -> End {
    switch state {
    case .reading(let body):
      state = .ended
      return body.reader.isMidMessage ? .insideMessage : .complete
    case .paused(let body, let input, _):
      state = .paused(body, input: input, isEnded: true)
      return .held
    case .headers, .ended, .discarding:
      state = .discarding(isEnded: true)
      return .ignored
    }
  }

  // MARK: Verbs

  /// Holds what comes back.
  mutating func pause() {
    guard case .reading(let body) = state else { return }
    state = .paused(body, input: [], isEnded: false)
  }

  /// Reads on.
  /// - Returns: What was held, to be received again, and whether its end came, too; nil if the
  ///   request was not paused.
  mutating func resume() -> (input: [UInt8], isEnded: Bool)? {
    guard case .paused(let body, let input, let isEnded) = state else { return nil }
    state = .reading(body)
    return (input, isEnded)
  }

  /// Takes no further message.
  /// - Returns: False if that makes no difference: the end has come, or is expected already.
  mutating func expectEnd(keptBytes: Int) -> Bool {
    guard !owesEnd else { return false }
    switch state {
    case .reading(var body):
      state = .discarding(isEnded: false)
      body.expectation = .end(keptBytes: keptBytes)
      state = .reading(body)
    case .paused(var body, let input, isEnded: false):
      state = .discarding(isEnded: false)
      body.expectation = .end(keptBytes: keptBytes)
      state = .paused(body, input: input, isEnded: false)
    case .headers, .paused, .ended, .discarding:
      return false
    }
    return true
  }

  /// Wants nothing more.
  /// - Returns: How many bytes had been held.
  mutating func discard() -> Int {
    var held = 0
    if case .paused(_, let input, _) = state { held = input.count }
    state = .discarding(isEnded: isEnded)
    return held
  }
}
