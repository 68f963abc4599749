// SPDX-License-Identifier: Apache-2.0
// Reads responses, and decides what each way of ending amounts to.

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
      // What nobody wants is still taken, or the connection's window would close for good.
      return session.consume(number, bytes.count)
    }
    switch readMessages(stream, bytes) {
    case .read, .discarded: session.consume(number, bytes.count)
    // The stream's window stays closed by this much; the other streams go on.
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

  /// Holds further messages of a call back; those already in line still come. The server may send
  /// on until the stream's window is full; other calls are not held up.
  public func pauseReading(_ call: CallID) { openStream(call)?.response.pause() }

  /// Ends `pauseReading`. What was held back comes as events.
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
