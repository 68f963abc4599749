// SPDX-License-Identifier: Apache-2.0
// The state machine of a response on the client. Pure.

/// The response half of one call on a client.
///
///     headers ──of gRPC──▶ reading ──trailers──▶ over
///        │ 1xx: again       │  ▲
///        │            pause │  │ resume
///        │                  ▼  │
///        │                 paused (buffers input, and the end)
///        └── trailers only, not gRPC, reset ──▶ over
///
/// Not copyable, like ``InboundRequest``.
struct InboundResponse: ~Copyable {
  private struct Body {
    var reader = MessageReader()
    /// The current header block: trailers.
    var fields = ResponseFields()
  }

  private enum State {
    case headers(ResponseFields, isPaused: Bool)
    case reading(Body)
    case paused(Body, input: [UInt8], end: Status?)
    case over
  }

  /// The meaning of a header block.
  enum Headers {
    case ignored
    case metadata(Metadata)
    /// The server ended the call.
    case status(Status)
    /// The call must be failed.
    case failure(Status)
  }

  /// What happened to received body bytes.
  enum Intake {
    case read
    /// Buffered until `resume`: the stream window stays closed by as much.
    case held
    case discarded
  }

  private var state = State.headers(ResponseFields(), isPaused: false)
  /// The message encoding declared by the headers.
  private(set) var encoding = Compression.identity

  // MARK: State

  var isOver: Bool {
    if case .over = state { return true }
    return false
  }

  /// Whether the end waits behind buffered input.
  var holdsEnd: Bool {
    if case .paused(_, _, .some) = state { return true }
    return false
  }

  /// Memory buffered for the server's bytes.
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
    guard let fields, fields.size.count > 0 else { return }
    switch state {
    case .headers(_, let isPaused):
      state = .headers(ResponseFields(), isPaused: isPaused)
    case .reading(var body):
      state = .over  // Keeps the body uniquely referenced while it changes.
      body.fields = ResponseFields()
      state = .reading(body)
    case .paused(var body, let input, let end):
      state = .over
      body.fields = ResponseFields()
      state = .paused(body, input: input, end: end)
    case .over:
      break
    }
  }

  /// Takes one header field.
  /// - Returns: False if the block is so large that the stream must be reset.
  mutating func takeField(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, limits: Limits
  ) -> Bool {
    guard let fields else { return true }
    let verdict = fields.size.add(name, value, limits)
    if verdict == .fits { fields.take(name, value) }
    return verdict != .absurd
  }

  /// Takes the end of a header block.
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
    // 1xx: the final headers are still to come. Later blocks without END_STREAM have no meaning in
    // gRPC, and nghttp2 rejects them.
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

  /// Takes body bytes.
  /// - Parameter emit: Called with each complete message.
  /// - Throws: `FramingError`. The call must then be failed.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, limitBytes: Int,
    emit: ([UInt8], _ isCompressed: Bool) -> Void
  ) throws(FramingError) -> Intake {
    switch state {
    case .reading(var body):
      state = .over  // Keeps the body uniquely referenced while it changes.
      defer { state = .reading(body) }
      _ = try body.reader.feed(bytes, limitBytes: limitBytes) { message, isCompressed in
        emit(message, isCompressed)
        return true
      }
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

  /// Ends the call. Buffered input precedes the end, unless `dropsHeld`.
  /// - Returns: The final status, once; nil if it was returned before or waits behind buffered
  ///   input.
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
      // A partial message must not count as success.
      let isCut = status.code == .ok && body.reader.isMidMessage
      return isCut ? Status(.internal, "The response ended inside a message.") : status
    }
  }

  // MARK: Verbs

  /// Buffers further input.
  mutating func pause() {
    switch state {
    case .headers(let fields, _): state = .headers(fields, isPaused: true)
    case .reading(let body): state = .paused(body, input: [], end: nil)
    case .paused, .over: break
    }
  }

  /// Ends `pause`.
  /// - Returns: The buffered input, to be passed to `receive` again, and the end, if it arrived;
  ///   nil if the response was not paused.
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

  /// Discards the rest of the response.
  mutating func abandon() { state = .over }

  /// The header block that arrives, or the last one.
  private var fields: ResponseFields? {
    switch state {
    case .headers(let fields, _): fields
    case .reading(let body), .paused(let body, _, _): body.fields
    case .over: nil
    }
  }
}
