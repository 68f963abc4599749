// SPDX-License-Identifier: Apache-2.0
// Decides what each part of a response means, given what came before it. Pure.

/// The response half of one call on a client.
///
///     headers ──of gRPC──▶ reading ──trailers──▶ over
///        │ 1xx: again       │  ▲
///        │            pause │  │ resume
///        │                  ▼  │
///        │                 paused (holds input, and the end)
///        └── trailers only, not gRPC, reset ──▶ over
struct InboundResponse {
  private struct Body {
    var reader = MessageReader()
    /// The header block that is arriving: trailers.
    var fields = ResponseFields()
  }

  private enum State {
    case headers(ResponseFields, isPaused: Bool)
    case reading(Body)
    case paused(Body, input: [UInt8], end: Status?)
    case over
  }

  /// What a header block means.
  enum Headers {
    case ignored
    case metadata(Metadata)
    /// The server has ended the call.
    case status(Status)
    /// The call cannot go on.
    case failure(Status)
  }

  /// What became of bytes of the body.
  enum Intake {
    case read
    /// Kept until `resume`: the stream's window stays closed by as much.
    case held
    case discarded
  }

  private var state = State.headers(ResponseFields(), isPaused: false)
  /// How messages are compressed, as the headers declare.
  private(set) var encoding = Compression.identity

  // MARK: State

  var isOver: Bool {
    if case .over = state { return true }
    return false
  }

  /// Whether an end is held back behind input.
  var holdsEnd: Bool {
    if case .paused(_, _, .some) = state { return true }
    return false
  }

  /// Memory that the server has this side hold.
  var bufferedBytes: Int {
    switch state {
    case .headers(let fields, _): fields.size.bytes
    case .reading(let body): body.fields.size.bytes + body.reader.bufferedBytes
    case .paused(let body, let input, _):
      body.fields.size.bytes + body.reader.bufferedBytes + input.capacity
    case .over: 0
    }
  }

  // MARK: Events

  mutating func headersBegan() {
    withFields { $0 = ResponseFields() }
  }

  /// One header field arrived.
  /// - Returns: False when the block is absurdly large.
  mutating func takeField(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, limits: Limits
  ) -> Bool {
    var verdict = HeaderBudget.Verdict.fits
    withFields { fields in
      verdict = fields.size.add(name, value, limits)
      if verdict == .fits { fields.take(name, value) }
    }
    return verdict != .absurd
  }

  /// A header block has ended.
  mutating func headersEnded(isEnd: Bool, limits: Limits) -> Headers {
    let isFirst: Bool
    let fields: ResponseFields
    let isPaused: Bool
    switch state {
    case .headers(let block, let paused): (fields, isFirst, isPaused) = (block, true, paused)
    case .reading(let body), .paused(let body, _, _):
      (fields, isFirst, isPaused) = (body.fields, false, false)
    case .over: return .ignored
    }
    guard fields.size.fits(limits) else {
      return .failure(Status(.resourceExhausted, "The response's metadata is too large."))
    }
    if isEnd { return .status(!isFirst || fields.isAnswer ? fields.status : fields.refusal) }
    // 1xx: the real headers are still to come. After the first headers: a second block that is not
    // the end is nothing gRPC knows, and nghttp2 does not let it pass.
    if (100..<200).contains(fields.httpStatus) || !isFirst { return .ignored }
    guard fields.isAnswer else { return .failure(fields.refusal) }
    guard let encoding = fields.encoding else {
      return .failure(
        Status(.internal, "The response uses an encoding that was not offered."))
    }
    self.encoding = encoding
    state = isPaused ? .paused(Body(), input: [], end: nil) : .reading(Body())
    return .metadata(fields.metadata)
  }

  /// Bytes of the body arrived.
  /// - Parameter emit: Takes each message that is whole.
  /// - Throws: `FramingError`; the call must then be failed.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, limitBytes: Int,
    emit: ([UInt8], _ isCompressed: Bool) -> Void
  ) throws(FramingError) -> Intake {
    switch state {
    case .reading(var body):
      state = .over  // The body has one owner while it changes.
      defer { state = .reading(body) }
      try body.reader.feed(bytes, limitBytes: limitBytes, emit: emit)
      return .read
    case .paused(let body, var input, let end):
      state = .over
      input.append(contentsOf: bytes)
      state = .paused(body, input: input, end: end)
      return .held
    case .headers, .over:
      return .discarded
    }
  }

  /// The call ends. What is held back comes before the end, unless it is dropped.
  /// - Returns: How the call ends, the first time that it does; nil when that is not told now.
  mutating func end(_ status: Status, dropsHeld: Bool = false) -> Status? {
    switch state {
    case .over:
      return nil
    case .paused(let body, let input, let end) where !input.isEmpty && !dropsHeld:
      state = .paused(body, input: input, end: end ?? status)
      return nil
    case .headers:
      state = .over
      return status
    case .reading(let body), .paused(let body, _, _):
      state = .over
      // A partial message makes success a lie.
      let isCut = status.code == .ok && body.reader.isMidMessage
      return isCut ? Status(.internal, "The response ended inside a message.") : status
    }
  }

  // MARK: Verbs

  /// Holds what comes back.
  mutating func pause() {
    switch state {
    case .headers(let fields, _): state = .headers(fields, isPaused: true)
    case .reading(let body): state = .paused(body, input: [], end: nil)
    case .paused, .over: break
    }
  }

  /// Reads on.
  /// - Returns: What was held, to be received again, and the end, if it came; nil if the response
  ///   was not paused.
  mutating func resume() -> (input: [UInt8], end: Status?)? {
    switch state {
    case .headers(let fields, isPaused: true):
      state = .headers(fields, isPaused: false)
      return ([], nil)
    case .paused(let body, let input, let end):
      state = .reading(body)
      return (input, end)
    case .headers, .reading, .over:
      return nil
    }
  }

  /// Wants nothing more.
  mutating func abandon() { state = .over }

  private mutating func withFields(_ change: (inout ResponseFields) -> Void) {
    switch state {
    case .headers(var fields, let isPaused):
      state = .over  // The fields have one owner while they change.
      change(&fields)
      state = .headers(fields, isPaused: isPaused)
    case .reading(var body):
      state = .over
      change(&body.fields)
      state = .reading(body)
    case .paused(var body, let input, let end):
      state = .over
      change(&body.fields)
      state = .paused(body, input: input, end: end)
    case .over:
      break
    }
  }
}
