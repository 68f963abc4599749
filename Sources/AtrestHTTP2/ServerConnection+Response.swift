// SPDX-License-Identifier: Apache-2.0
// Decides how a response is sent: headers with the first message, trailers after the last.

import CAtrestNghttp2

/// Header lists that never change. nghttp2 only reads them.
private struct ConstantLists: @unchecked Sendable {  // Immutable once built, and never freed.
  let plain: UnsafeMutableBufferPointer<nghttp2_nv>
  let gzip: UnsafeMutableBufferPointer<nghttp2_nv>
  let deflate: UnsafeMutableBufferPointer<nghttp2_nv>
  let trailersOK: UnsafeMutableBufferPointer<nghttp2_nv>

  init() {
    func list(_ fields: [nghttp2_nv]) -> UnsafeMutableBufferPointer<nghttp2_nv> {
      let list = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: fields.count)
      _ = list.initialize(from: fields)
      return list
    }
    let common = [
      constantField(":status", "200"), constantField("content-type", "application/grpc"),
    ]
    plain = list(common)
    gzip = list(common + [constantField("grpc-encoding", "gzip")])
    deflate = list(common + [constantField("grpc-encoding", "deflate")])
    trailersOK = list([constantField("grpc-status", "0")])
  }

  func headers(_ encoding: Compression) -> UnsafeMutableBufferPointer<nghttp2_nv> {
    switch encoding {
    case .identity: plain
    case .gzip: gzip
    case .deflate: deflate
    }
  }
}

private let constantLists = ConstantLists()

/// Answers to what is not gRPC. A short body, so that generic HTTP/2 tools have something to read.
enum PlainAnswer {
  case unsupportedMediaType
  case methodNotAllowed
}

extension ServerConnection {
  // MARK: Verbs

  /// Sends one message; response headers go out before the first.
  public func send(_ message: [UInt8], on call: CallID) -> SendResult {
    guard let call = self.call(call.streamID), !call.isOver else { return .gone }
    let (bytes, isCompressed) = encode(message, for: call)
    guard call.queue.isEmpty || call.queue.byteCount + 5 + bytes.count <= limits.streamQueueBytes
    else {
      call.wantsWritable = true
      return .queueFull
    }
    enqueue(bytes, isCompressed: isCompressed, on: call)
    if !call.isResponseStarted {
      // Small messages may precede large ones: what the client accepts is declared at once.
      startResponse(call, declaring: call.responseEncoding)
    }
    resume(call)
    return .queued
  }

  /// `send` and `finish(.ok)` in one: the path of a unary call.
  /// - Returns: `queueFull` if the call ended with RESOURCE_EXHAUSTED instead, because too much
  ///   waits on the connection for its peer to read: ``Limits/maxUnsentBytes``.
  @discardableResult
  public func reply(_ message: [UInt8], to call: CallID) -> SendResult {
    guard let call = self.call(call.streamID), !call.isOver else { return .gone }
    let (bytes, isCompressed) = encode(message, for: call)
    guard unsentBytes == 0 || unsentBytes + bytes.capacity <= limits.maxUnsentBytes else {
      end(call, .unreadAnswers)
      return .queueFull
    }
    call.isOver = true
    call.isReading = false
    accountRequest(call)
    call.trailers = .ok
    enqueue(bytes, isCompressed: isCompressed, on: call)
    if !call.isResponseStarted {
      startResponse(call, declaring: isCompressed ? call.responseEncoding : .identity)
    }
    resume(call)
    return .queued
  }

  /// Ends a call: trailers after what is queued, or a status alone when nothing was sent. If the
  /// client was still sending, RST_STREAM(NO_ERROR) follows and what it sends is discarded.
  public func finish(_ call: CallID, _ status: Status) {
    guard let call = self.call(call.streamID), !call.isOver else { return }
    end(call, status)
  }

  // MARK: Ends

  private func end(_ call: ServerStream, _ status: Status) {
    stopReading(call.id)
    call.isOver = true
    if call.isResponseStarted {
      call.trailers = status
      watchResponse(call)
      resume(call)
    } else {
      submitStatusAlone(call, status, listsEncodings: false)
    }
  }

  /// Ends a call now: what is queued is dropped. A message half sent, or a closed window in front
  /// of the trailers, leaves only a reset.
  func abort(_ call: ServerStream, _ status: Status) {
    let isBlocked =
      call.isResponseStarted
      && (nghttp2_session_get_stream_remote_window_size(session, call.stream) <= 0
        || nghttp2_session_get_remote_window_size(session) <= 0)
    if call.queue.isHalfRead || isBlocked {
      call.isOver = true
      call.isReading = false
      call.queue.removeAll()
      accountRequest(call)
      accountAnswer(call)
      resetStream(call.stream, NGHTTP2_CANCEL)
    } else {
      call.queue.removeAll()
      end(call, status)
    }
  }

  /// Looks at one call's deadline and progress. Returns when to look again.
  func check(_ call: ServerStream) -> Instant? {
    if let deadline = call.deadline, deadline <= now {
      call.deadline = nil
      guard !call.isOver else {
        // Finished, but the client does not read the end of it.
        resetStream(call.stream, NGHTTP2_CANCEL)
        return nil
      }
      fail(call, Status(.deadlineExceeded, "The deadline has passed."), .deadlineExceeded)
      // What could not be flushed by then still has the write check.
    }
    if let due = call.messageDue, due <= now {
      call.messageDue = nil
      if call.owesRequest {
        fail(call, Status(.deadlineExceeded, "The request took too long to arrive."), .stalled)
      }
    }
    if let check = call.readCheck, check.at <= now {
      call.readCheck = nil
      if call.owesRequest, call.owesEnd || check.mark == call.received {
        fail(call, Status(.deadlineExceeded, "The request stopped arriving."), .stalled)
      } else if call.owesRequest {
        watchRequest(call)
      }
    }
    if let check = call.writeCheck, check.at <= now {
      call.writeCheck = nil
      if !call.queue.isEmpty || call.trailers != nil {
        if check.mark == call.queue.progress { return resetStalled(call) }
        watchResponse(call)
      }
    }
    let next = earliest(call.deadline, earliest(call.readCheck?.at, call.writeCheck?.at))
    return earliest(next, call.messageDue)
  }

  /// The client reads nothing: nothing said on this stream would arrive.
  private func resetStalled(_ call: ServerStream) -> Instant? {
    resetStream(call.stream, NGHTTP2_CANCEL)
    guard !call.isOver else { return nil }
    call.isOver = true
    note(.cancelled(call, .stalled))
    return nil
  }

  func watchRequest(_ call: ServerStream) {
    guard call.owesRequest else { return }
    if call.messageDue == nil, !call.owesEnd {
      let due = (call.hasMessage ? now : call.began).advanced(byNanoseconds: times.requestTimeout)
      call.messageDue = due
      checkCalls(by: due)
    }
    guard call.readCheck == nil else { return }
    let at = now.advanced(byNanoseconds: times.requestStall)
    call.readCheck = Check(at: at, mark: call.received)
    checkCalls(by: at)
  }

  private func watchResponse(_ call: ServerStream) {
    guard call.writeCheck == nil else { return }
    let at = now.advanced(byNanoseconds: times.writeStall)
    call.writeCheck = Check(at: at, mark: call.queue.progress)
    checkCalls(by: at)
  }

  // MARK: To nghttp2

  private func encode(_ message: [UInt8], for call: ServerStream) -> ([UInt8], Bool) {
    guard call.responseEncoding != .identity, message.count >= limits.compressionThresholdBytes,
      let smaller = codecs.deflate(message, as: call.responseEncoding, limits: limits)
    else { return (message, false) }
    return (smaller, true)
  }

  private func enqueue(_ message: [UInt8], isCompressed: Bool, on call: ServerStream) {
    call.queue.append(message, isCompressed: isCompressed)
    accountAnswer(call)
    watchResponse(call)
  }

  private func startResponse(_ call: ServerStream, declaring encoding: Compression) {
    call.isResponseStarted = true
    let list = constantLists.headers(encoding)
    var provider = bodyProvider()
    nghttp2_submit_response(session, call.stream, list.baseAddress, list.count, &provider)
  }

  private func resume(_ call: ServerStream) {
    guard call.isDeferred, !isTerminated else { return }
    call.isDeferred = false
    nghttp2_session_resume_data(session, call.stream)
  }

  func fillBody(
    _ stream: Int32, into target: UnsafeMutablePointer<UInt8>, capacity: Int,
    flags: UnsafeMutablePointer<UInt32>
  ) -> Int {
    guard let call = call(stream) else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    let count = call.queue.read(into: target, capacity: capacity)
    accountAnswer(call)
    if call.queue.isEmpty, call.isPlainAnswer {
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
    } else if call.queue.isEmpty, let status = call.trailers {
      flags.pointee |=
        NGHTTP2_DATA_FLAG_EOF.rawValue | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      submitTrailers(call, status)
    } else if count == 0 {
      call.isDeferred = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    if call.wantsWritable, call.queue.byteCount <= limits.streamQueueBytes / 2 {
      call.wantsWritable = false
      note(.writable(call))
    }
    return count
  }

  private func submitTrailers(_ call: ServerStream, _ status: Status) {
    if status.code == .ok, status == .ok {
      let list = constantLists.trailersOK
      nghttp2_submit_trailer(session, call.stream, list.baseAddress, list.count)
      return
    }
    var list = HeaderList()
    list.add(status, limitBytes: limits.maxTrailerBytes)
    _ = list.withFields { nghttp2_submit_trailer(session, call.stream, $0, $1) }
  }

  /// "Trailers-Only": one HEADERS frame is the whole response, so that a client may still retry.
  func submitStatusAlone(_ call: ServerStream, _ status: Status, listsEncodings: Bool) {
    guard !isTerminated else { return }
    call.isResponseStarted = true
    var list = HeaderList()
    list.add(":status", "200")
    list.add("content-type", "application/grpc")
    if listsEncodings { list.add("grpc-accept-encoding", "identity, deflate, gzip") }
    list.add(status, limitBytes: limits.maxTrailerBytes)
    _ = list.withFields { nghttp2_submit_response(session, call.stream, $0, $1, nil) }
  }

  /// An HTTP answer without a gRPC status.
  func answerPlainly(_ call: ServerStream, _ answer: PlainAnswer, isHead: Bool = false) {
    call.isOver = true
    call.isReading = false
    call.isResponseStarted = true
    call.isPlainAnswer = true
    var list = HeaderList()
    let text: StaticString
    switch answer {
    case .unsupportedMediaType:
      list.add(":status", "415")
      text = "This port speaks gRPC: content-type application/grpc.\n"
    case .methodNotAllowed:
      list.add(":status", "405")
      list.add("allow", "POST")
      text = "This port speaks gRPC: method POST.\n"
    }
    list.add("content-type", "text/plain")
    guard !isHead else {  // RFC 9110, section 9.3.2: no content, whatever there is to say.
      _ = list.withFields { nghttp2_submit_response(session, call.stream, $0, $1, nil) }
      return
    }
    call.queue.appendPlain(text.withUTF8Buffer(Array.init))
    watchResponse(call)
    var provider = bodyProvider()
    _ = list.withFields {
      nghttp2_submit_response(session, call.stream, $0, $1, &provider)
    }
  }
}

extension HeaderList {
  /// Code, message, details, further trailers, as far as they fit.
  mutating func add(_ status: Status, limitBytes: Int) {
    add("grpc-status", "\(status.code.rawValue)")
    if !status.message.isEmpty {
      let room = min(1024, max(0, limitBytes - size - 64))
      add("grpc-message".utf8, PercentCoding.encode(status.message, limitBytes: room))
    }
    if !status.details.isEmpty {
      let text = Base64.encode(status.details)
      let name = "grpc-status-details-bin"
      if size + name.utf8.count + text.count + 32 <= limitBytes { add(name.utf8, text) }
    }
    add(status.metadata, limitBytes: limitBytes)
  }
}

extension Status {
  static let unreadAnswers = Status(
    .resourceExhausted, "Answers wait on this connection that were not read. Read them, then go on."
  )
}
