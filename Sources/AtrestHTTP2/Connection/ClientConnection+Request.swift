// SPDX-License-Identifier: Apache-2.0
// Starts, feeds and cancels calls.

extension ClientConnection {
  /// Starts a call. Its HEADERS leave with the next `appendOutput`, together with messages sent
  /// before that.
  /// - Parameters:
  ///   - path: `/package.Service/Method`.
  ///   - metadata: The request metadata.
  ///   - timeout: Time for the whole call. Sent as `grpc-timeout` and enforced on this side too.
  ///   - now: The current instant.
  /// - Returns: Nil if the peer's concurrent-stream limit is reached, a GOAWAY was sent or
  ///   received, or the connection is closed.
  public func start(
    path: String, metadata: Metadata = Metadata(), timeout: Duration? = nil, at now: Instant
  ) -> CallID? {
    session.now = now
    guard canStartCall else { return nil }
    let timeoutNanoseconds = timeout?.clampedNanoseconds
    let headers = requestHeaders(path: path, metadata: metadata, timeout: timeoutNanoseconds)
    guard let number = session.submitRequest(headers) else { return nil }
    let stream = ClientStream(number, holder: holder, overhead: overhead)
    insert(stream)
    if let timeoutNanoseconds {
      let deadline = now.advanced(byNanoseconds: timeoutNanoseconds)
      stream.deadline = deadline
      checkCalls(by: deadline)
    }
    return stream.id
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

  /// Queues one message. `end` half-closes the call after it.
  public func send(_ message: [UInt8], on call: CallID, end: Bool = false) -> SendResult {
    guard let stream = openStream(call), stream.request.isOpen else { return .gone }
    let (bytes, isCompressed) = codecs.encode(message, as: compression, limits: limits)
    guard
      stream.request.messages.append(
        bytes, isCompressed: isCompressed, limitBytes: limits.streamQueueBytes)
    else { return .queueFull }
    stream.settle()
    if end { stream.request.end() }
    armTimers(stream)
    resume(stream)
    return .queued
  }

  /// Half-closes the call: no further message follows.
  public func finishSending(_ call: CallID) {
    guard let stream = openStream(call) else { return }
    stream.request.end()
    resume(stream)
  }

  /// Cancels a call with RST_STREAM(CANCEL). No further event follows for it.
  public func cancel(_ call: CallID) {
    if let stream = streams.find(call.streamID) { abandon(stream) }
  }

  // MARK: Ends

  /// Records the end of a call, unless it has ended already.
  func end(_ stream: ClientStream, _ status: Status, dropsHeld: Bool = false) {
    guard let status = stream.response.end(status, dropsHeld: dropsHeld) else { return }
    note(.finished(stream, status))
    stream.release()
    // The server has answered in full: the rest of the request is useless.
    if !stream.request.isSent, !stream.isClosed { session.reset(stream.number, .noError) }
  }

  /// Ends a call from this side and reports it to the owner.
  func fail(_ stream: ClientStream, _ status: Status) {
    guard !stream.isOver else { return }
    end(stream, status, dropsHeld: true)
    drop(stream)
  }

  /// Ends a call from this side without reporting it to the owner.
  func abandon(_ stream: ClientStream) {
    stream.isReported = true
    drop(stream)
  }

  private func drop(_ stream: ClientStream) {
    stream.release()
    if stream.isClosed { forget(stream) } else { session.reset(stream.number, .cancel) }
  }

  // MARK: Time

  /// Checks one call's deadline and progress. Returns when to check again.
  func check(_ stream: ClientStream) -> Instant? {
    let now = session.now
    if let deadline = stream.deadline, deadline <= now {
      stream.deadline = nil
      fail(stream, Status(.deadlineExceeded, "The deadline has passed."))
    }
    if let check = stream.writeCheck, check.at <= now {
      stream.writeCheck = nil
      if !stream.request.messages.isEmpty {
        if check.mark == stream.request.messages.progress {
          fail(stream, Status(.unavailable, "The server stopped reading the request."))
        } else {
          armTimers(stream)
        }
      }
    }
    return earliest(stream.deadline, stream.writeCheck?.at)
  }

  private func armTimers(_ stream: ClientStream) {
    guard stream.writeCheck == nil else { return }
    let at = session.now.advanced(byNanoseconds: session.times.writeStall)
    stream.writeCheck = ProgressCheck(at: at, mark: stream.request.messages.progress)
    checkCalls(by: at)
  }

  // MARK: To the session

  private func resume(_ stream: ClientStream) {
    if stream.request.messages.mustResume() { session.resume(stream.number) }
  }

  func readBody(
    _ number: Int32, into target: UnsafeMutablePointer<UInt8>, capacity: Int
  ) -> HTTP2BodyPart {
    guard let stream = streams.find(number) else { return .gone }
    let filled = stream.request.messages.fill(
      target, capacity: capacity, limitBytes: limits.streamQueueBytes)
    stream.settle()
    if filled.isWritable { note(.writable(stream)) }
    switch stream.request.next(after: filled) {
    case .more: return .bytes(filled.count)
    case .end: return .last(filled.count)
    case .wait:
      stream.request.messages.wait()
      return .deferred
    }
  }

  /// The stream of a call that has not ended.
  func openStream(_ call: CallID) -> ClientStream? {
    guard let stream = streams.find(call.streamID), !stream.isOver else { return nil }
    return stream
  }
}
