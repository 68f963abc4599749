// SPDX-License-Identifier: Apache-2.0
// The state machine of a request on the server. Pure.

/// The request half of one call on a server.
///
///     headers ──END_HEADERS──▶ reading ──END_STREAM──▶ ended
///                               │  ▲
///           pause, enough messages │  │ readOn, until nothing is buffered
///                               ▼  │
///                              paused (buffers input, and the end)
///
///     any ──refused, answered, reset──▶ discarding
///
/// nghttp2 rejects frames that RFC 9113 forbids in the stream's state. This type enforces gRPC's
/// own message order and what the owner accepts.
///
/// Not copyable: a question about a request that lies in an object would copy all of it.
struct InboundRequest: ~Copyable {
  /// What may still arrive.
  private enum Expectation {
    case firstMessage
    case anyMessage
    /// The owner accepts no further message and retains this many request bytes until the end.
    case end(keptBytes: Int)
  }

  private struct Body {
    var reader = MessageReader()
    var expectation = Expectation.firstMessage

    mutating func feed(
      _ bytes: UnsafeRawBufferPointer, limitBytes: Int,
      emit: ([UInt8], _ isCompressed: Bool) -> Bool
    ) throws(FramingError) -> Int {
      var hasMessage = false
      let count = try reader.feed(bytes, limitBytes: limitBytes) { message, isCompressed in
        hasMessage = true
        return emit(message, isCompressed)
      }
      if hasMessage, case .firstMessage = expectation { expectation = .anyMessage }
      return count
    }

    var bufferedBytes: Int {
      guard case .end(let keptBytes) = expectation else { return reader.bufferedBytes }
      return reader.bufferedBytes + keptBytes
    }
  }

  private enum State {
    case headers(RequestFields)
    case reading(Body)
    case paused(Body, BufferedInput, isEnded: Bool)
    case ended
    case discarding(isEnded: Bool)
  }

  /// What happened to received body bytes.
  enum Intake: Equatable {
    case read
    /// So many of them, and the rest is buffered until `readOn`: the stream window stays closed by
    /// as much.
    case readPartly(Int)
    /// All are buffered until `readOn`.
    case held
    case discarded
  }

  /// The meaning of END_STREAM.
  enum End {
    case complete
    case insideMessage
    /// Reported after `readOn`.
    case held
    case ignored
  }

  private var state: State
  /// Request trailers are counted, not stored.
  private var trailers = HeaderBudget()
  /// The message encoding declared by the headers.
  var encoding = Compression.identity
  /// Message size limit in bytes, if the owner set one below the connection's.
  var maxMessageBytes: Int?
  /// Body bytes so far. Wraps; only changes are meaningful.
  private(set) var received: UInt64 = 0

  /// A request whose header block arrives in `fields`.
  init(_ fields: RequestFields) { state = .headers(fields) }

  // MARK: State

  /// Whether input is buffered.
  var isPaused: Bool {
    if case .paused = state { return true }
    return false
  }

  /// Whether END_STREAM has arrived.
  var isEnded: Bool {
    switch state {
    case .headers, .reading: false
    case .paused(_, _, let isEnded), .discarding(let isEnded): isEnded
    case .ended: true
    }
  }

  /// Whether messages are still reported to the owner.
  var isWanted: Bool {
    if case .discarding = state { return false }
    return true
  }

  /// Whether the client must send bytes: a stream may be silent between messages, not inside one.
  var owesBytes: Bool {
    guard case .reading(let body) = state else { return false }
    return switch body.expectation {
    case .firstMessage, .end: true
    case .anyMessage: body.reader.isMidMessage
    }
  }

  /// Whether only the end of the request is expected.
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

  /// The declared length of the partial message; 0 if there is none.
  var declaredBytes: Int {
    switch state {
    case .reading(let body), .paused(let body, _, _): body.reader.declaredBytes
    case .headers, .ended, .discarding: 0
    }
  }

  /// Memory buffered because the client has not ended its request, in bytes; and whether it still
  /// has to.
  var holding: (bytes: Int, isUnfinished: Bool) {
    switch state {
    case .headers(let fields): (fields.size.bytes, true)
    case .reading(let body): (body.bufferedBytes, true)
    case .paused(let body, let input, isEnded: false):
      (body.bufferedBytes + input.bufferedBytes, true)
    case .paused(let body, let input, isEnded: true):
      (body.reader.bufferedBytes + input.bufferedBytes, false)
    case .ended, .discarding: (0, false)
    }
  }

  // MARK: Events

  /// Takes one trailer field.
  /// - Returns: False if the block is so large that the stream must be reset.
  mutating func takeTrailer(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, limits: Limits
  ) -> Bool { trailers.add(name, value, limits) == .fits }

  /// Takes the end of a header block.
  /// - Returns: The fields, if it was the first block.
  mutating func headersEnded() -> RequestFields? {
    guard case .headers(let fields) = state else { return nil }
    state = .reading(Body())
    return fields
  }

  /// Takes body bytes.
  /// - Parameter emit: Called with each complete message. Returns whether it takes another one.
  /// - Throws: `FramingError`. The request must then be discarded.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, limitBytes: Int,
    emit: ([UInt8], _ isCompressed: Bool) -> Bool
  ) throws(FramingError) -> Intake {
    switch state {
    case .reading(var body):
      state = .discarding(isEnded: false)  // Keeps the body uniquely referenced while it changes.
      received &+= UInt64(bytes.count)
      let count = try body.feed(bytes, limitBytes: limitBytes, emit: emit)
      guard count < bytes.count else {
        state = .reading(body)
        return .read
      }
      var input = BufferedInput()
      input.append(UnsafeRawBufferPointer(rebasing: bytes[count...]))
      state = .paused(body, input, isEnded: false)
      return .readPartly(count)
    case .paused(let body, var input, let isEnded):
      state = .discarding(isEnded: isEnded)
      received &+= UInt64(bytes.count)
      input.append(bytes)
      state = .paused(body, input, isEnded: isEnded)
      return .held
    case .headers, .ended, .discarding:
      return .discarded
    }
  }

  /// Takes END_STREAM, on arrival or after buffered input.
  mutating func end() -> End {
    switch state {
    case .reading(let body):
      state = .ended
      return body.reader.isMidMessage ? .insideMessage : .complete
    case .paused(let body, let input, _):
      state = .paused(body, input, isEnded: true)
      return .held
    case .headers, .ended, .discarding:
      state = .discarding(isEnded: true)
      return .ignored
    }
  }

  // MARK: Verbs

  /// Buffers further input.
  mutating func pause() {
    guard case .reading(let body) = state else { return }
    state = .paused(body, BufferedInput(), isEnded: false)
  }

  /// Reads on in the buffered input. Ends the pause once nothing is left of it.
  ///
  /// - Parameter emit: As for `receive`.
  /// - Returns: How many bytes were read, and whether END_STREAM comes next. Zero and false if the
  ///   request was not paused.
  /// - Throws: `FramingError`. The request is discarded then.
  mutating func readOn(
    limitBytes: Int, emit: ([UInt8], _ isCompressed: Bool) -> Bool
  ) throws(FramingError) -> (count: Int, isEnded: Bool) {
    guard case .paused(var body, var input, let isEnded) = state else { return (0, false) }
    state = .discarding(isEnded: isEnded)
    let count = try input.withRest { rest throws(FramingError) in
      try body.feed(rest, limitBytes: limitBytes, emit: emit)
    }
    input.drop(count)
    guard input.isEmpty else {
      state = .paused(body, input, isEnded: isEnded)
      return (count, false)
    }
    state = .reading(body)
    return (count, isEnded)
  }

  /// Takes the request for a stream of messages: none is due, the first one included.
  mutating func expectMessages() {
    guard case .reading(var body) = state, case .firstMessage = body.expectation else { return }
    state = .discarding(isEnded: false)
    body.expectation = .anyMessage
    state = .reading(body)
  }

  /// Accepts no further message.
  /// - Returns: False if nothing changes: the end has arrived or is expected already.
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
      state = .paused(body, input, isEnded: false)
    case .headers, .paused, .ended, .discarding:
      return false
    }
    return true
  }

  /// Discards the rest of the request.
  /// - Returns: How many bytes were buffered.
  mutating func discard() -> Int {
    var held = 0
    if case .paused(_, let input, _) = state { held = input.count }
    state = .discarding(isEnded: isEnded)
    return held
  }
}
