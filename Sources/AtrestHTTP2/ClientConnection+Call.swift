// SPDX-License-Identifier: Apache-2.0
// Decides how a call is started, fed and given up.

import CAtrestNghttp2

extension ClientConnection {
  /// Begins a call. Its headers leave with the next `appendOutput`, in one flight with messages
  /// sent before that.
  /// - Parameters:
  ///   - path: `/package.Service/Method`.
  ///   - metadata: What travels with it.
  ///   - timeout: Time for the whole call; the server is told, and this side ends the call too.
  ///   - now: The present.
  /// - Returns: Nil when the peer allows no more calls at once, has said GOAWAY, or is gone.
  public func start(
    path: String, metadata: Metadata = Metadata(), timeout: Duration? = nil, at now: Instant
  ) -> CallID? {
    self.now = now
    guard canStartCall else { return nil }
    let timeoutNanoseconds = timeout?.clampedNanoseconds
    let list = requestHeaders(path: path, metadata: metadata, timeout: timeoutNanoseconds)
    var provider = bodyProvider()
    let stream = list.withFields {
      nghttp2_submit_request(session, nil, $0, $1, &provider, nil)
    }
    guard stream > 0 else { return nil }
    let call = ClientStream(stream: stream, holder: holder, overhead: overhead)
    remember(call)
    if let timeoutNanoseconds {
      let deadline = now.advanced(byNanoseconds: timeoutNanoseconds)
      call.deadline = deadline
      checkCalls(by: deadline)
    }
    return call.id
  }

  private func requestHeaders(path: String, metadata: Metadata, timeout: UInt64?) -> HeaderList {
    var list = HeaderList()
    list.add(":method", "POST")
    if isSecure { list.add(":scheme", "https") } else { list.add(":scheme", "http") }
    list.add(":path".utf8, path.utf8)
    list.add(":authority".utf8, authority.utf8)
    list.add("te", "trailers")
    list.add("content-type", "application/grpc")
    list.add("user-agent".utf8, userAgent.utf8)
    switch compression {
    case .identity: break
    case .gzip: list.add("grpc-encoding", "gzip")
    case .deflate: list.add("grpc-encoding", "deflate")
    }
    list.add("grpc-accept-encoding", "identity, deflate, gzip")
    if let timeout { list.add("grpc-timeout", CallTimeout.encode(nanoseconds: timeout)) }
    list.add(metadata, limitBytes: limits.maxHeaderListBytes)
    return list
  }

  /// Sends one message, the last one when `end` is true.
  public func send(_ message: [UInt8], on call: CallID, end: Bool = false) -> SendResult {
    guard let call = self.call(call.streamID), !call.isOver, !call.isSendingEnded else {
      return .gone
    }
    var bytes = message
    var isCompressed = false
    if compression != .identity, message.count >= limits.compressionThresholdBytes,
      let smaller = codecs.deflate(message, as: compression, limits: limits)
    {
      bytes = smaller
      isCompressed = true
    }
    guard call.queue.isEmpty || call.queue.byteCount + 5 + bytes.count <= limits.streamQueueBytes
    else {
      call.wantsWritable = true
      return .queueFull
    }
    call.queue.append(bytes, isCompressed: isCompressed)
    call.account()
    call.isSendingEnded = end
    watchRequest(call)
    resume(call)
    return .queued
  }

  /// Says that no further message follows.
  public func finishSending(_ call: CallID) {
    guard let call = self.call(call.streamID), !call.isOver else { return }
    call.isSendingEnded = true
    resume(call)
  }

  /// Gives a call up: RST_STREAM(CANCEL). No event follows for it.
  public func cancel(_ call: CallID) {
    guard let call = self.call(call.streamID) else { return }
    abandon(call)
  }

  /// Holds further messages of a call back; those already in line still come. The server may send
  /// on until the stream's window is full; other calls are not held up.
  public func pauseReading(_ call: CallID) {
    guard let call = self.call(call.streamID), !call.isOver else { return }
    call.isPaused = true
  }

  /// Ends `pauseReading`. What was held back comes as events.
  public func resumeReading(_ call: CallID) -> ClientEvents {
    let events = pendingEvents
    guard let call = self.call(call.streamID), call.isPaused else { return events }
    let input = call.pausedInput
    let end = call.pausedEnd
    call.isPaused = false
    call.pausedInput = []
    call.pausedEnd = nil
    if !call.isStreamClosed, !input.isEmpty {
      nghttp2_session_consume_stream(session, call.stream, input.count)
    }
    input.withUnsafeBytes { readMessages(call, $0) }
    call.account()
    if let end { endCall(call, end) }
    if call.isStreamClosed { forget(call) }
    return events
  }

  // MARK: Ends

  /// Notes the end of a call, unless it is known already. A partial message makes success a lie.
  func endCall(_ call: ClientStream, _ status: Status) {
    guard !call.isOver else { return }
    if call.isPaused, !call.pausedInput.isEmpty {
      if call.pausedEnd == nil { call.pausedEnd = status }
      return
    }
    call.isOver = true
    let isCut = status.code == .ok && call.reader.isMidMessage
    note(
      .finished(call, isCut ? Status(.internal, "The response ended inside a message.") : status))
    stopSending(call)
  }

  /// Ends a call from this side, and tells the owner.
  func fail(_ call: ClientStream, _ status: Status) {
    guard !call.isOver else { return }
    call.isPaused = false
    endCall(call, status)
    drop(call)
  }

  /// Ends a call from this side without a word to the owner.
  func abandon(_ call: ClientStream) {
    call.isReported = true
    call.isOver = true
    drop(call)
  }

  private func drop(_ call: ClientStream) {
    call.release()
    if call.isStreamClosed {
      forget(call)
    } else {
      resetStream(call.stream, NGHTTP2_CANCEL)
    }
  }

  /// The server has answered in full: what was still to be sent is of no use.
  private func stopSending(_ call: ClientStream) {
    call.release()
    guard !call.isRequestSent, !call.isStreamClosed else { return }
    resetStream(call.stream, NGHTTP2_NO_ERROR)
  }

  /// Looks at one call's deadline and progress. Returns when to look again.
  func check(_ call: ClientStream) -> Instant? {
    if let deadline = call.deadline, deadline <= now {
      call.deadline = nil
      fail(call, Status(.deadlineExceeded, "The deadline has passed."))
    }
    if let check = call.writeCheck, check.at <= now {
      call.writeCheck = nil
      if !call.queue.isEmpty {
        if check.mark == call.queue.progress {
          fail(call, Status(.unavailable, "The server stopped reading the request."))
        } else {
          watchRequest(call)
        }
      }
    }
    return earliest(call.deadline, call.writeCheck?.at)
  }

  private func watchRequest(_ call: ClientStream) {
    guard call.writeCheck == nil else { return }
    let at = now.advanced(byNanoseconds: times.writeStall)
    call.writeCheck = Check(at: at, mark: call.queue.progress)
    checkCalls(by: at)
  }

  private func resume(_ call: ClientStream) {
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
    call.account()
    if call.queue.isEmpty, call.isSendingEnded {
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
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
}
