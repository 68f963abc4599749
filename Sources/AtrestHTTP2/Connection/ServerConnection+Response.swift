// SPDX-License-Identifier: Apache-2.0
// Sends responses: headers with the first message, trailers after the last.

extension ServerConnection {
  // MARK: Verbs

  /// Queues one message. Response headers precede the first.
  public func send(
    _ message: [UInt8], on call: CallID, compression: MessageCompression? = nil
  ) -> SendResult {
    guard let stream = openStream(call) else { return .gone }
    let (bytes, isCompressed) = encode(message, for: stream, compression)
    guard
      stream.response.messages.append(
        bytes, isCompressed: isCompressed, limitBytes: limits.streamQueueBytes)
    else { return .queueFull }
    countResponse(stream)
    watchResponse(stream)
    if stream.response.start() {
      // Small messages may precede large ones, so the encoding is declared at once.
      submitHeaders(stream, stream.response.encoding)
    }
    resume(stream)
    return .queued
  }

  /// Combines `send` and `finish(.ok)`: the path of a unary call.
  /// - Returns: `queueFull` if the call ended with RESOURCE_EXHAUSTED instead, because unsent
  ///   responses would exceed ``Limits/maxUnsentBytes``.
  @discardableResult
  public func reply(_ message: [UInt8], to call: CallID) -> SendResult {
    guard let stream = openStream(call) else { return .gone }
    let (bytes, isCompressed) = encode(message, for: stream)
    guard unsentBytes == 0 || unsentBytes + bytes.capacity <= limits.maxUnsentBytes else {
      end(stream, .unreadAnswers)
      return .queueFull
    }
    stopReading(stream)
    stream.response.messages.append(bytes, isCompressed: isCompressed)
    appendWebTrailers(stream, .ok)
    countResponse(stream)
    watchResponse(stream)
    if stream.response.startLast() {
      submitHeaders(stream, isCompressed ? stream.response.encoding : .identity)
    }
    resume(stream)
    return .queued
  }

  /// Ends a call: trailers after the queued messages, or trailers-only if nothing was sent. The
  /// rest of the request is discarded. If it does not end within ``Limits/lateRequest``,
  /// RST_STREAM(NO_ERROR) follows.
  public func finish(_ call: CallID, _ status: Status) {
    if let stream = openStream(call) { end(stream, status) }
  }

  /// Ends a call now, even inside a message. Queued messages are dropped, so a peer that does not
  /// read cannot delay the end. No further events follow.
  public func abort(_ call: CallID, _ status: Status) {
    if let stream = openStream(call) { abort(stream, status) }
  }

  /// Sets the metadata of a call's response headers. Ignored once they were sent, and for a
  /// response without a message, which has trailers only. What exceeds ``Limits/maxTrailerBytes``
  /// is left out.
  public func setMetadata(_ metadata: Metadata, of call: CallID) {
    openStream(call)?.response.metadata = metadata
  }

  /// Sets whether a call's messages are compressed that do not say so themselves.
  public func setCompression(_ compression: MessageCompression, of call: CallID) {
    openStream(call)?.response.compression = compression
  }

  private func submitHeaders(_ stream: ServerStream, _ encoding: Compression) {
    let (metadata, format) = (stream.response.metadata, stream.response.format)
    guard !metadata.isEmpty || format.isWeb else {
      return session.submitResponse(stream.number, responseHeaders(encoding))
    }
    stream.response.metadata = Metadata()
    var list = HeaderList()
    list.add(":status", "200")
    list.add("content-type", format.contentType)
    if encoding != .identity { list.add("grpc-encoding".utf8, encoding.rawValue.utf8) }
    list.add(metadata, limitBytes: limits.maxTrailerBytes)
    session.submitResponse(stream.number, list, hasBody: true)
  }

  // MARK: Ends

  private func end(_ stream: ServerStream, _ status: Status) {
    stopReading(stream)
    switch stream.response.finish(status) {
    case .alone:
      submitStatus(stream, status, listsEncodings: false)
    case .afterMessages:
      appendWebTrailers(stream, status)
      countResponse(stream)
      watchResponse(stream)
      resume(stream)
    }
  }

  /// In gRPC-Web, the status follows the messages in the body.
  private func appendWebTrailers(_ stream: ServerStream, _ status: Status) {
    guard stream.response.format.isWeb else { return }
    var list = HeaderList()
    list.add(status, limitBytes: limits.maxTrailerBytes)
    stream.response.messages.appendTrailers(list.lines)
  }

  /// Ends a call now and drops queued messages. Resets the stream if a message is half sent or a
  /// closed window blocks the trailers.
  func abort(_ stream: ServerStream, _ status: Status) {
    let isBlocked = stream.response.isStarted && session.isBlocked(stream.number)
    guard stream.response.messages.isHalfSent || isBlocked else {
      stream.response.messages.removeAll()
      countResponse(stream)
      return end(stream, status)
    }
    reset(stream)
  }

  private func reset(_ stream: ServerStream) {
    stream.response.abandon()
    stopReading(stream)
    countResponse(stream)
    session.reset(stream.number, .cancel)
  }

  // MARK: Time

  /// Checks one call's deadline and progress. Returns when to check again.
  func check(_ stream: ServerStream) -> Instant? {
    let now = session.now
    if let due = stream.lateRequestDue {
      guard due <= now else { return due }
      session.reset(stream.number, .noError)
      return nil
    }
    if let deadline = stream.deadline, deadline <= now {
      stream.deadline = nil
      guard !stream.isOver else {
        // Finished, but the client does not read the rest.
        session.reset(stream.number, .cancel)
        return nil
      }
      fail(stream, Status(.deadlineExceeded, "The deadline has passed."), .deadlineExceeded)
      // The write check still covers output that could not be flushed by then.
    }
    if let due = stream.messageDue, due <= now {
      stream.messageDue = nil
      if stream.request.owesBytes {
        let status = Status(.deadlineExceeded, "The request took too long to arrive.")
        fail(stream, status, .stalled)
      }
    }
    if let check = stream.readCheck, check.at <= now {
      stream.readCheck = nil
      if stream.request.owesBytes,
        stream.request.owesEnd || check.mark == stream.request.received
      {
        fail(stream, Status(.deadlineExceeded, "The request stopped arriving."), .stalled)
      } else {
        armTimers(stream)
      }
    }
    if let check = stream.writeCheck, check.at <= now {
      stream.writeCheck = nil
      if stream.response.isUnread {
        guard check.mark != stream.response.messages.progress else {
          // The client reads nothing: trailers would not arrive either.
          if !stream.isOver { note(.cancelled(stream, .stalled)) }
          reset(stream)
          return nil
        }
        watchResponse(stream)
      }
    }
    let next = earliest(stream.deadline, earliest(stream.readCheck?.at, stream.writeCheck?.at))
    return earliest(next, stream.messageDue)
  }

  /// The response has been sent and the client is still sending. Nothing else is expected of it.
  func awaitLateRequest(_ stream: ServerStream) {
    let due = session.now.advanced(byNanoseconds: session.times.lateRequest)
    stream.lateRequestDue = due
    checkCalls(by: due)
  }

  private func watchResponse(_ stream: ServerStream) {
    guard stream.writeCheck == nil else { return }
    let at = session.now.advanced(byNanoseconds: session.times.writeStall)
    stream.writeCheck = ProgressCheck(at: at, mark: stream.response.messages.progress)
    checkCalls(by: at)
  }

  // MARK: To the session

  private func encode(
    _ message: [UInt8], for stream: ServerStream, _ compression: MessageCompression? = nil
  ) -> ([UInt8], Bool) {
    codecs.encode(
      message, as: stream.response.encoding, compression ?? stream.response.compression,
      limits: limits)
  }

  private func resume(_ stream: ServerStream) {
    if stream.response.messages.mustResume() { session.resume(stream.number) }
  }

  func readBody(
    _ number: Int32, into target: UnsafeMutablePointer<UInt8>, capacity: Int
  ) -> HTTP2BodyPart {
    guard let stream = streams.find(number) else { return .gone }
    let filled = stream.response.messages.fill(
      target, capacity: capacity, limitBytes: limits.streamQueueBytes)
    countResponse(stream)
    if filled.isWritable { note(.writable(stream)) }
    switch stream.response.next(after: filled) {
    case .more:
      return .bytes(filled.count)
    case .end:
      return .last(filled.count)
    case .trailers(let status):
      submitTrailers(stream, status)
      return .beforeTrailers(filled.count)
    case .wait:
      stream.response.messages.wait()
      return .deferred
    }
  }

  private func submitTrailers(_ stream: ServerStream, _ status: Status) {
    if status.code == .ok, status == .ok {
      return session.submitTrailers(stream.number, trailersOfOK)
    }
    var list = HeaderList()
    list.add(status, limitBytes: limits.maxTrailerBytes)
    session.submitTrailers(stream.number, list)
  }

  /// Ends a call that was never reported to the owner.
  func submitStatusAlone(_ stream: ServerStream, _ status: Status, listsEncodings: Bool) {
    _ = stream.response.finish(status)
    submitStatus(stream, status, listsEncodings: listsEncodings)
  }

  /// Trailers-only: one HEADERS frame is the whole response, so the client may still retry. In
  /// gRPC-Web, too: a browser reads headers.
  private func submitStatus(_ stream: ServerStream, _ status: Status, listsEncodings: Bool) {
    var list = HeaderList()
    list.add(":status", "200")
    list.add("content-type", stream.response.format.contentType)
    if listsEncodings { list.add("grpc-accept-encoding", "identity, deflate, gzip") }
    list.add(status, limitBytes: limits.maxTrailerBytes)
    session.submitResponse(stream.number, list, hasBody: false)
  }

  /// An HTTP response without a gRPC status.
  func answer(_ stream: ServerStream, _ response: WebResponse) {
    stream.response.startPlain()
    site?.onAnswer?(response.status)
    var list = HeaderList()
    list.add(":status", response.status)
    for field in response.fields { list.add(field.name, field.value) }
    if !response.body.isEmpty {
      stream.response.messages.appendPlain(response.body)
      watchResponse(stream)
      // Nobody reads a file byte by byte for hours.
      let due = session.now.advanced(byNanoseconds: session.times.fileTimeout)
      stream.deadline = due
      checkCalls(by: due)
    }
    session.submitResponse(stream.number, list, hasBody: !response.body.isEmpty)
  }
}

private func responseHeaders(_ encoding: Compression) -> ConstantHeaders {
  switch encoding {
  case .identity: headersOfPlain
  case .gzip: headersOfGzip
  case .deflate: headersOfDeflate
  }
}

private let headersOfPlain = ConstantHeaders([
  (":status", "200"), ("content-type", "application/grpc"),
])
private let headersOfGzip = ConstantHeaders([
  (":status", "200"), ("content-type", "application/grpc"), ("grpc-encoding", "gzip"),
])
private let headersOfDeflate = ConstantHeaders([
  (":status", "200"), ("content-type", "application/grpc"), ("grpc-encoding", "deflate"),
])
private let trailersOfOK = ConstantHeaders([("grpc-status", "0")])

extension Status {
  static let unreadAnswers = Status(
    .resourceExhausted, "Answers wait on this connection that were not read. Read them, then go on."
  )
}
