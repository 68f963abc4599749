// SPDX-License-Identifier: Apache-2.0
// Decides how a request is read: which are refused on their headers, what becomes of the body.

import AtrestLedger
import CAtrestNghttp2

extension ServerConnection {
  func takeHeader(
    _ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let call = call(stream) else { return true }
    return call.takeHeader(name, value, limits: limits, recall: &recalled)
  }

  func endHeaders(_ stream: Int32, isEnd: Bool) {
    guard let call = call(stream) else { return }
    if isEnd { call.isRequestEnded = true }
    if let fields = call.fields {
      call.fields = nil
      begin(call, fields)
      accountRequest(call)
    }
    if isEnd { endRequest(call) }
  }

  private func begin(_ call: ServerStream, _ fields: RequestFields) {
    guard fields.size.fits(limits) else {
      return refuse(call, Status(.resourceExhausted, "The request's metadata is too large."))
    }
    guard fields.isPost else {
      return answerPlainly(call, .methodNotAllowed, isHead: fields.isHead)
    }
    switch fields.contentType {
    case .missing, .other:
      return answerPlainly(call, .unsupportedMediaType)
    case .unknownCodec:
      return refuse(call, Status(.unimplemented, "Messages are protobuf here."))
    case .grpc:
      break
    }
    if fields.hasBadBinary {
      return refuse(call, Status(.internal, "A -bin header is not base64."))
    }
    guard let encoding = fields.encoding else {
      return refuse(
        call, Status(.unimplemented, "The message encoding is not supported."),
        listsEncodings: true)
    }
    switch fields.timeout {
    case .none:
      break
    case .malformed:
      return refuse(call, Status(.internal, "The grpc-timeout header is malformed."))
    case .nanoseconds(let count):
      let deadline = now.advanced(byNanoseconds: count)
      call.deadline = deadline
      checkCalls(by: deadline)
    }
    guard unsentBytes == 0 || unsentBytes + limits.streamQueueBytes <= limits.maxUnsentBytes else {
      return refuse(call, .unreadAnswers)
    }
    call.encoding = encoding
    call.responseEncoding = fields.accepted
    if !call.isRequestEnded { watchRequest(call) }
    note(
      .started(
        call,
        RequestHead(
          path: fields.path, authority: fields.authority, metadata: fields.metadata,
          deadline: call.deadline)))
  }

  /// Ends a call that its owner has not heard of.
  private func refuse(_ call: ServerStream, _ status: Status, listsEncodings: Bool = false) {
    call.isOver = true
    call.isReading = false
    submitStatusAlone(call, status, listsEncodings: listsEncodings)
  }

  func takeData(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {
    guard let call = call(stream), call.isReading else {
      // What nobody wants is still taken, or the connection's window would close for good.
      nghttp2_session_consume(session, stream, bytes.count)
      return
    }
    call.received &+= UInt64(bytes.count)
    guard !call.isPaused else {
      // The stream's window stays closed by this much; the other streams go on.
      nghttp2_session_consume_connection(session, bytes.count)
      call.pausedInput.append(contentsOf: bytes)
      return boundUnfinished(call)
    }
    nghttp2_session_consume(session, stream, bytes.count)
    readMessages(call, bytes)
    boundUnfinished(call)
  }

  /// Ends a call that takes what the connection keeps of requests too far.
  private func boundUnfinished(_ call: ServerStream) {
    accountRequest(call)
    guard unfinishedBytes > limits.maxUnfinishedBytes, unfinishedBytes > call.requestBytes,
      call.requestBytes > 0
    else { return }
    fail(call, .unfinishedRequests)
  }

  /// Ends the calls begun last that take too far what a connection without trust keeps of requests.
  /// Of several calls that keep something; one alone may go on.
  func boundUnauthenticated() {
    guard !isAuthenticated, unfinishedBytes > limits.maxUnfinishedBytesUnauthenticated else {
      return
    }
    for call in everyCall.reversed() {
      guard unfinishedBytes > limits.maxUnfinishedBytesUnauthenticated else { return }
      guard call.requestBytes > 0, unfinishedBytes > call.requestBytes else { continue }
      fail(call, .unfinishedRequests)
    }
  }

  private func readMessages(_ call: ServerStream, _ bytes: UnsafeRawBufferPointer) {
    do throws(FramingError) {
      try call.reader.feed(bytes, limitBytes: maxMessageBytes(call)) { message, isCompressed in
        call.hasMessage = true
        call.messageDue = nil
        note(.message(call, message, isCompressed: isCompressed))
      }
    } catch {
      switch error {
      case .badFlag:
        return fail(call, Status(.internal, "A message has an unknown flag."))
      case .tooLarge:
        return failTooLarge(call)
      }
    }
    if call.reader.isMidMessage { watchRequest(call) }
  }

  private func maxMessageBytes(_ call: ServerStream) -> Int {
    min(limits.maxMessageBytes, call.maxMessageBytes ?? .max)
  }

  func failTooLarge(_ call: ServerStream) {
    fail(call, Status(.resourceExhausted, "A message is over \(maxMessageBytes(call)) bytes."))
  }

  func endData(_ stream: Int32) {
    guard let call = call(stream) else { return }
    call.isRequestEnded = true
    endRequest(call)
  }

  private func endRequest(_ call: ServerStream) {
    guard !call.isOver, call.isReading else { return }
    guard !call.isPaused else {
      call.isEndPaused = true
      return
    }
    if call.reader.isMidMessage {
      return fail(call, Status(.internal, "The request ended inside a message."))
    }
    note(.endOfRequest(call))
    accountRequest(call)
  }

  /// The message again, or nil after the call has been failed for what it sent.
  func inflate(_ bytes: [UInt8], for call: ServerStream) -> [UInt8]? {
    guard call.encoding != .identity else {
      fail(call, Status(.internal, "A message is compressed, but no encoding was declared."))
      return nil
    }
    do throws(InflateError) {
      var limits = limits
      limits.maxMessageBytes = maxMessageBytes(call)
      return try codecs.inflate(bytes, as: call.encoding, limits: limits)
    } catch {
      switch error {
      case .corrupt:
        fail(call, Status(.internal, "A compressed message is corrupt."))
      case .tooLarge:
        fail(call, Status(.resourceExhausted, "A compressed message unpacks to too much."))
      case .outOfMemory:
        fail(call, Status(.resourceExhausted, "There is no memory to unpack a message."))
      }
      return nil
    }
  }

  /// Ends a call for what its client did, and tells both sides.
  func fail(_ call: ServerStream, _ status: Status, _ reason: Cancellation = .badRequest) {
    guard !call.isOver else { return }
    abort(call, status)
    note(.cancelled(call, reason))
  }

  // MARK: Verbs

  /// Has somebody pay for what a call holds and will hold: who has made it is known now.
  public func bill(_ call: CallID, to payer: Holder) {
    self.call(call.streamID)?.bill(payer)
  }

  /// Allows the messages of a call no more than so many bytes, inflated too. What is larger ends
  /// the call, also what has arrived already. For methods that anybody may call and that need
  /// little.
  public func limitMessages(of call: CallID, to bytes: Int) {
    guard let call = self.call(call.streamID), !call.isOver else { return }
    call.maxMessageBytes = bytes
    if call.reader.declaredBytes > bytes { failTooLarge(call) }
  }

  /// Ends a call now, in the middle of a message if need be: what is queued is dropped, and what
  /// its caller does not read does not hold it up. Nothing further is told of it.
  public func abort(_ call: CallID, _ status: Status) {
    guard let call = self.call(call.streamID), !call.isOver else { return }
    abort(call, status)
  }

  /// Discards what the client still sends on a call, without inflating it, and tells neither
  /// messages nor the end of the request. The call stays open for `finish`.
  public func stopReading(_ call: CallID) {
    guard let call = self.call(call.streamID) else { return }
    releasePaused(call)
    call.isReading = false
    accountRequest(call)
  }

  /// Expects nothing more on a call than the end of its request. If that does not come within
  /// ``Limits/requestStall``, the call ends, whatever else comes.
  /// - Parameter keptBytes: What the owner keeps of the request until then.
  public func expectEnd(_ call: CallID, keptBytes: Int = 0) {
    guard let call = self.call(call.streamID), !call.isOver, !call.isRequestEnded else { return }
    guard !call.owesEnd else { return }
    call.owesEnd = true
    call.keptBytes = keptBytes
    // Anew: a check that is under way began with an earlier byte.
    call.readCheck = nil
    watchRequest(call)
    boundUnfinished(call)
  }

  /// Holds further messages of a call back; those already in line still come. The client may send
  /// on until the stream's window is full; other calls are not held up.
  public func pauseReading(_ call: CallID) {
    guard let call = self.call(call.streamID), !call.isOver else { return }
    call.isPaused = true
  }

  /// Ends `pauseReading`. What was held back comes as events.
  public func resumeReading(_ call: CallID) -> ServerEvents {
    let events = pendingEvents
    guard let call = self.call(call.streamID), call.isPaused else { return events }
    let input = call.pausedInput
    let isEndPaused = call.isEndPaused
    releasePaused(call)
    input.withUnsafeBytes { readMessages(call, $0) }
    accountRequest(call)
    if isEndPaused { endRequest(call) }
    return events
  }

  /// Opens the stream's window for what was held.
  private func releasePaused(_ call: ServerStream) {
    call.isPaused = false
    call.isEndPaused = false
    guard !call.pausedInput.isEmpty else { return }
    nghttp2_session_consume_stream(session, call.stream, call.pausedInput.count)
    call.pausedInput = []
  }
}

extension Status {
  fileprivate static let unfinishedRequests = Status(
    .resourceExhausted, "Too many requests were begun and not finished on this connection.")
}

extension ServerStream {
  /// Takes one header field. False when the block is absurdly large.
  func takeHeader(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, limits: Limits,
    recall: inout RecalledText
  ) -> Bool {
    if let verdict = fields?.take(name, value, limits: limits, recall: &recall) {
      return verdict != .absurd
    }
    return trailerBudget.add(name, value, limits) == .fits
  }
}
