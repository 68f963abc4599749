// SPDX-License-Identifier: Apache-2.0
// Reads requests: rejects some on their headers and receives the bodies of the others.

import AtrestLedger

extension ServerConnection {
  // MARK: Events of the session

  func endHeaders(_ number: Int32, isEnd: Bool) {
    guard let stream = streams.find(number) else { return }
    if let fields = stream.request.headersEnded() {
      decide(stream, fields, isEnd: isEnd)
      countRequest(stream)
    }
    if isEnd { endRequest(stream) }
  }

  private func decide(_ stream: ServerStream, _ fields: RequestFields, isEnd: Bool) {
    switch RequestVerdict(fields, limits: limits, site: site) {
    case .call(let format):
      stream.response.format = format
      let reservedBytes = unsentBytes + limits.streamQueueBytes
      guard unsentBytes == 0 || reservedBytes <= limits.maxUnsentBytes else {
        return refuse(stream, .unreadAnswers)
      }
      begin(stream, fields, isEnd: isEnd)
    case .refused(let status, let format, let listsEncodings):
      stream.response.format = format
      refuse(stream, status, listsEncodings: listsEncodings)
    case .answered(let response):
      _ = stream.request.discard()
      answer(stream, response)
    }
  }

  /// Ends a call that the owner never hears of.
  private func refuse(_ stream: ServerStream, _ status: Status, listsEncodings: Bool = false) {
    _ = stream.request.discard()
    submitStatusAlone(stream, status, listsEncodings: listsEncodings)
  }

  private func begin(_ stream: ServerStream, _ fields: RequestFields, isEnd: Bool) {
    if case .nanoseconds(let count) = fields.timeout {
      let deadline = session.now.advanced(byNanoseconds: count)
      stream.deadline = deadline
      checkCalls(by: deadline)
    }
    stream.request.encoding = fields.encoding ?? .identity
    stream.response.encoding = fields.accepted
    if !isEnd { armTimers(stream) }
    let head = RequestHead(
      path: fields.path, authority: fields.authority, metadata: fields.metadata,
      format: stream.response.format, deadline: stream.deadline)
    note(.started(stream, head))
  }

  func takeData(_ number: Int32, _ bytes: UnsafeRawBufferPointer) {
    guard let stream = streams.find(number) else {
      // Data for an unknown stream is consumed too, or the connection window would stay closed.
      return session.consume(number, bytes.count)
    }
    switch readMessages(stream, bytes) {
    case .read:
      session.consume(number, bytes.count)
      boundUnfinished(stream)
    case .readPartly(let count):
      session.consumeConnection(bytes.count)
      session.consumeStream(number, count)
      boundUnfinished(stream)
    case .held:
      // Only the stream window stays closed by this much; other streams continue.
      session.consumeConnection(bytes.count)
      boundUnfinished(stream)
    case .discarded:
      session.consume(number, bytes.count)
    }
  }

  private func readMessages(
    _ stream: ServerStream, _ bytes: UnsafeRawBufferPointer
  ) -> InboundRequest.Intake {
    do throws(FramingError) {
      let intake = try stream.request.receive(bytes, limitBytes: maxMessageBytes(stream)) {
        report($0, isCompressed: $1, of: stream)
      }
      armTimers(stream)
      return intake
    } catch {
      fail(stream, error)
      return .read
    }
  }

  /// Reads on in what a request buffered.
  func readOn(_ stream: ServerStream) {
    do throws(FramingError) {
      let (count, isEnded) = try stream.request.readOn(limitBytes: maxMessageBytes(stream)) {
        report($0, isCompressed: $1, of: stream)
      }
      if count > 0 { session.consumeStream(stream.number, count) }
      armTimers(stream)
      countRequest(stream)
      if isEnded { endRequest(stream) }
    } catch {
      fail(stream, error)
    }
  }

  /// Reports a message.
  ///
  /// A message takes five bytes on the wire and a hundred here, and the owner may end the call at
  /// the first. So few are read ahead of the owner.
  /// - Returns: Whether another one may be read.
  private func report(_ message: [UInt8], isCompressed: Bool, of stream: ServerStream) -> Bool {
    stream.messageDue = nil
    stream.untakenMessages += 1
    note(.message(stream, message, isCompressed: isCompressed))
    return stream.untakenMessages < Self.messagesAhead
  }

  private func fail(_ stream: ServerStream, _ error: FramingError) {
    switch error {
    case .badFlag: fail(stream, Status(.internal, "A message has an unknown flag."))
    case .tooLarge: failTooLarge(stream)
    }
  }

  func endRequest(_ stream: ServerStream) {
    switch stream.request.end() {
    case .complete:
      note(.endOfRequest(stream))
      countRequest(stream)
    case .insideMessage:
      fail(stream, Status(.internal, "The request ended inside a message."))
    case .held, .ignored:
      break
    }
  }

  // MARK: Bounds

  /// Ends a call that takes the connection over its limit of incomplete request bytes.
  func boundUnfinished(_ stream: ServerStream) {
    countRequest(stream)
    guard unfinishedBytes > limits.maxUnfinishedBytes, unfinishedBytes > stream.requestBytes,
      stream.requestBytes > 0
    else { return }
    fail(stream, .unfinishedRequests)
  }

  /// Ends the most recent calls while an unauthenticated connection exceeds its limit of incomplete
  /// request bytes. A single call may continue.
  func boundUnauthenticated() {
    guard !isAuthenticated, unfinishedBytes > limits.maxUnfinishedBytesUnauthenticated else {
      return
    }
    for stream in streams.all.reversed() {
      guard unfinishedBytes > limits.maxUnfinishedBytesUnauthenticated else { return }
      guard stream.requestBytes > 0, unfinishedBytes > stream.requestBytes else { continue }
      fail(stream, .unfinishedRequests)
    }
  }

  private func maxMessageBytes(_ stream: ServerStream) -> Int {
    min(limits.maxMessageBytes, stream.request.maxMessageBytes ?? .max)
  }

  func failTooLarge(_ stream: ServerStream) {
    fail(stream, Status(.resourceExhausted, "A message is over \(maxMessageBytes(stream)) bytes."))
  }

  /// The inflated message, or nil after failing the call for invalid input.
  func inflate(_ bytes: [UInt8], for stream: ServerStream) -> [UInt8]? {
    var limits = limits
    limits.maxMessageBytes = maxMessageBytes(stream)
    switch codecs.message(bytes, as: stream.request.encoding, limits: limits) {
    case .success(let message): return message
    case .failure(let status):
      fail(stream, status)
      return nil
    }
  }

  /// Ends a call for its client's fault and reports it to both sides.
  func fail(_ stream: ServerStream, _ status: Status, _ reason: Cancellation = .badRequest) {
    guard !stream.isOver else { return }
    abort(stream, status)
    note(.cancelled(stream, reason))
  }

  func armTimers(_ stream: ServerStream) {
    guard stream.request.owesBytes else { return }
    if stream.messageDue == nil, !stream.request.owesEnd {
      let start = stream.request.hasMessage ? session.now : stream.began
      let due = start.advanced(byNanoseconds: session.times.requestTimeout)
      stream.messageDue = due
      checkCalls(by: due)
    }
    guard stream.readCheck == nil else { return }
    let at = session.now.advanced(byNanoseconds: session.times.requestStall)
    stream.readCheck = ProgressCheck(at: at, mark: stream.request.received)
    checkCalls(by: at)
  }

  // MARK: Verbs

  /// Charges `payer` for what a call holds now and later. Called once the caller is known.
  public func bill(_ call: CallID, to payer: Balance) {
    streams.find(call.streamID)?.bill(payer)
  }

  /// Limits the messages of a call to `bytes`, compressed and inflated. A larger message ends the
  /// call, even if it has already arrived. For unauthenticated methods with small requests.
  public func limitMessages(of call: CallID, to bytes: Int) {
    guard let stream = openStream(call) else { return }
    stream.request.maxMessageBytes = bytes
    if stream.request.declaredBytes > bytes { failTooLarge(stream) }
  }

  /// Discards the rest of a request without inflating it. No `message` or `endOfRequest` events
  /// follow. The call stays open for `finish`.
  public func stopReading(_ call: CallID) {
    if let stream = streams.find(call.streamID) { stopReading(stream) }
  }

  func stopReading(_ stream: ServerStream) {
    ignoreHeaders(of: stream)
    let held = stream.request.discard()
    if held > 0 { session.consumeStream(stream.number, held) }
    countRequest(stream)
  }

  /// Expects a stream of messages. The first message may take as long as any later one: until the
  /// call's deadline. Incomplete messages still have time limits.
  public func expectMessages(_ call: CallID) {
    guard let stream = openStream(call) else { return }
    stream.request.expectMessages()
    stream.readCheck = nil
    stream.messageDue = nil
    armTimers(stream)
  }

  /// Expects nothing but the end of the request. If it does not arrive within
  /// ``Limits/requestStall``, the call ends, whatever else arrives.
  /// - Parameter keptBytes: Request bytes that the owner retains until then.
  public func expectEnd(_ call: CallID, keptBytes: Int = 0) {
    guard let stream = openStream(call), stream.request.expectEnd(keptBytes: keptBytes) else {
      return
    }
    // Restart: a pending check began with an earlier byte.
    stream.readCheck = nil
    armTimers(stream)
    boundUnfinished(stream)
  }

  /// Holds everything that arrives of a request back, uninflated, until `goOn`: for an owner that
  /// cannot say yet whether it takes the call, or the next message. Call it before the next event
  /// is taken.
  ///
  /// What is held counts as an unfinished request. The client may send until the stream window is
  /// full. Only the call's deadline limits how long it may last.
  public func hold(_ call: CallID) { openStream(call)?.hold() }

  /// Ends `hold`. What was held is returned as events.
  public func goOn(_ call: CallID) -> ServerEvents {
    guard let stream = openStream(call) else { return pendingEvents }
    noteAgain(stream.takeHeldEvents())
    countRequest(stream)
    if stream.untakenMessages == 0, stream.request.isPaused { note(.readOn(stream)) }
    return pendingEvents
  }

  /// Whether the call's message that was reported last came compressed.
  public func isMessageCompressed(of call: CallID) -> Bool {
    openStream(call)?.isMessageCompressed ?? false
  }

  /// The stream of a call that has not ended.
  func openStream(_ call: CallID) -> ServerStream? {
    guard let stream = streams.find(call.streamID), !stream.isOver else { return nil }
    return stream
  }
}

extension Status {
  fileprivate static let unfinishedRequests = Status(
    .resourceExhausted, "Too many requests were begun and not finished on this connection.")
}
