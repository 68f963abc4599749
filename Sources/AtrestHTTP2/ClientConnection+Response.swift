// SPDX-License-Identifier: Apache-2.0
// Decides how a response is read, and what each way of ending amounts to.

import CAtrestNghttp2

extension ClientConnection {
  func takeHeader(
    _ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let call = call(stream) else { return true }
    switch call.fields.size.add(name, value, limits) {
    case .fits: call.fields.take(name, value)
    case .over: break
    case .absurd: return false
    }
    return true
  }

  func endHeaders(_ stream: Int32, isEnd: Bool) {
    guard let call = call(stream), !call.isOver else { return }
    let fields = call.fields
    guard fields.size.fits(limits) else {
      return fail(call, Status(.resourceExhausted, "The response's metadata is too large."))
    }
    if isEnd {
      return endCall(call, call.hasHeaders || fields.isAnswer ? fields.status : fields.refusal)
    }
    // 1xx: the real headers are still to come. After the first headers: a second block that is not
    // the end is nothing gRPC knows, and nghttp2 does not let it pass.
    if (100..<200).contains(fields.httpStatus) || call.hasHeaders { return }
    guard fields.isAnswer else { return fail(call, fields.refusal) }
    guard let encoding = fields.encoding else {
      return fail(call, Status(.internal, "The response uses an encoding that was not offered."))
    }
    call.hasHeaders = true
    call.encoding = encoding
    // Trailers may say more, but nothing of this again.
    call.fields = ResponseFields()
    call.account()
    note(.headers(call, fields.metadata))
  }

  func takeData(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {
    guard let call = call(stream), !call.isOver else {
      // What nobody wants is still taken, or the connection's window would close for good.
      nghttp2_session_consume(session, stream, bytes.count)
      return
    }
    guard !call.isPaused else {
      // The stream's window stays closed by this much; the other streams go on.
      nghttp2_session_consume_connection(session, bytes.count)
      call.pausedInput.append(contentsOf: bytes)
      return call.account()
    }
    nghttp2_session_consume(session, stream, bytes.count)
    readMessages(call, bytes)
    call.account()
  }

  func readMessages(_ call: ClientStream, _ bytes: UnsafeRawBufferPointer) {
    do throws(FramingError) {
      try call.reader.feed(bytes, limitBytes: limits.maxMessageBytes) { message, isCompressed in
        note(.message(call, message, isCompressed: isCompressed))
      }
    } catch {
      switch error {
      case .badFlag:
        fail(call, Status(.internal, "A message has an unknown flag."))
      case .tooLarge:
        fail(
          call,
          Status(.resourceExhausted, "A message is over \(limits.maxMessageBytes) bytes."))
      }
    }
  }

  /// END_STREAM on DATA: a gRPC response ends with trailers.
  func endData(_ stream: Int32) {
    guard let call = call(stream) else { return }
    endCall(call, Status(.internal, "The response ended without a status."))
  }

  func inflate(_ bytes: [UInt8], for call: ClientStream) -> Result<[UInt8], Status> {
    guard call.encoding != .identity else {
      return .failure(
        Status(.internal, "A message is compressed, but no encoding was declared."))
    }
    do throws(InflateError) {
      return .success(try codecs.inflate(bytes, as: call.encoding, limits: limits))
    } catch {
      return switch error {
      case .corrupt:
        .failure(Status(.internal, "A compressed message is corrupt."))
      case .tooLarge:
        .failure(Status(.resourceExhausted, "A compressed message unpacks to too much."))
      case .outOfMemory:
        .failure(Status(.resourceExhausted, "There is no memory to unpack a message."))
      }
    }
  }
}

extension ResponseFields {
  /// Whether this is a gRPC server speaking. A status of its own is one even under another HTTP
  /// code.
  var isAnswer: Bool { code != nil || (httpStatus == 200 && isGRPC) }

  /// What an answer that is not gRPC amounts to.
  var refusal: Status {
    httpStatus == 200
      ? Status(.unknown, "The server does not speak gRPC: its content-type is another.")
      : Status(http: httpStatus)
  }
}
