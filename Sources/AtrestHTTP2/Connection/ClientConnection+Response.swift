// SPDX-License-Identifier: Apache-2.0
// Reads responses and maps every way a stream can end to a status.

extension ClientConnection {
  func endHeaders(_ number: Int32, isEnd: Bool) {
    guard let stream = streams.find(number) else { return }
    switch stream.response.headersEnded(isEnd: isEnd, limits: limits) {
    case .ignored: break
    case .metadata(let metadata):
      stream.settle()
      note(.headers(stream, metadata))
    case .status(let status): end(stream, status)
    case .failure(let status): fail(stream, status)
    }
  }

  func takeData(_ number: Int32, _ bytes: UnsafeRawBufferPointer) {
    guard let stream = streams.find(number) else {
      // Data for an unknown stream is consumed too, or the connection window would stay closed.
      return session.consume(number, bytes.count)
    }
    switch readMessages(stream, bytes) {
    case .read, .discarded: session.consume(number, bytes.count)
    // Only the stream window stays closed by this much; other streams continue.
    case .held: session.consumeConnection(bytes.count)
    }
    stream.settle()
  }

  func readMessages(
    _ stream: ClientStream, _ bytes: UnsafeRawBufferPointer
  ) -> InboundResponse.Intake {
    do throws(FramingError) {
      return try stream.response.receive(bytes, limitBytes: limits.maxMessageBytes) {
        message, isCompressed in
        note(.message(stream, message, isCompressed: isCompressed))
      }
    } catch {
      switch error {
      case .badFlag:
        fail(stream, Status(.internal, "A message has an unknown flag."))
      case .tooLarge:
        let status = Status(
          .resourceExhausted, "A message is over \(limits.maxMessageBytes) bytes.")
        fail(stream, status)
      }
      return .read
    }
  }

  // MARK: Verbs

  /// Pauses message delivery for a call. Messages already queued are still delivered. The server
  /// may send until the stream window is full; other calls are unaffected.
  public func pauseReading(_ call: CallID) { openStream(call)?.response.pause() }

  /// Ends `pauseReading`. Buffered input is returned as events.
  public func resumeReading(_ call: CallID) -> ClientEvents {
    let events = pendingEvents
    guard let stream = streams.find(call.streamID), let (input, end) = stream.response.resume()
    else { return events }
    if !stream.isClosed, !input.isEmpty { session.consumeStream(stream.number, input.count) }
    _ = input.withUnsafeBytes { readMessages(stream, $0) }
    stream.settle()
    if let end { self.end(stream, end) }
    if stream.isClosed { forget(stream) }
    return events
  }
}

extension ResponseFields {
  /// Whether the response comes from a gRPC server. A `grpc-status` counts even with an HTTP status
  /// other than 200.
  var isAnswer: Bool { code != nil || (httpStatus == 200 && isGRPC) }

  /// The status for a response that is not gRPC.
  var refusal: Status {
    httpStatus == 200
      ? .substitute(.unknown, "a page that is not gRPC's")
      : Status(http: httpStatus)
  }
}
