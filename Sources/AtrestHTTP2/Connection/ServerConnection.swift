// SPDX-License-Identifier: Apache-2.0
// Drives the server's side of one connection: bytes and instants in, events and bytes out.

import AtrestLedger

/// One HTTP/2 connection of a gRPC server, without a socket and without a clock.
///
/// The owner loops: `receive` what arrived and act on the events; ``appendOutput(to:)``, write;
/// take ``pendingEvents``; ask ``nextDeadline`` when to call `deadlineReached`; close when
/// ``isFinished`` and all is written, and call `peerClosed` so that calls still open end. Verbs may
/// be called at any time on the owner's executor, while events are being taken too, and tolerate a
/// call that has ended meanwhile. Not Sendable.
///
/// Three state machines decide, and this class carries out what they say: `ConnectionLifecycle` of
/// the session, and for each stream an `InboundRequest` and an `OutboundResponse`. `PeerPolicing`
/// judges what is legal and abusive.
public final class ServerConnection {
  enum Pending {
    case started(ServerStream, RequestHead)
    case message(ServerStream, [UInt8], isCompressed: Bool)
    case endOfRequest(ServerStream)
    case cancelled(ServerStream, Cancellation)
    case writable(ServerStream)
  }

  /// The bounds this connection keeps.
  public let limits: Limits
  /// Where what the peer makes this connection hold is booked: messages that are not whole,
  /// messages that are not read. Less as soon as the peer does its part. True when all events are
  /// taken, not between them.
  public let holder: Holder
  /// Where what the connection and its calls need by themselves is booked.
  public let overhead: Holder
  /// Whether requests have the whole of ``Limits/maxUnfinishedBytes``, or only
  /// ``Limits/maxUnfinishedBytesUnauthenticated``. An owner that knows its callers says false
  /// before the first byte, and true once one has proved who it is; a `started` event is early
  /// enough for its own call.
  public var isAuthenticated = true

  let session: HTTP2Session
  let codecs: Codecs
  var streams = StreamTable<ServerStream>()
  var recalled = RecalledText()
  private var events = EventQueue<Pending>()
  private var policing: PeerPolicing
  private var frames = FrameMeter()
  /// No call wants attention before this. May be early: it is not raised when a call ends.
  private var callCheck: Instant?
  /// Bytes of requests that are not whole.
  private(set) var unfinishedBytes = 0
  /// Bytes of answers that wait for the peer.
  private(set) var unsentBytes = 0
  /// The stream whose charges may not be what it holds: see `settle`.
  private var unsettled: ServerStream?
  /// Who pays for calls that are not billed to anybody: see `bill`.
  private let payer: Holder?

  /// A connection that has just been accepted (and, under TLS, has agreed on `h2`).
  /// - Parameters:
  ///   - limits: Bounds on the peer.
  ///   - codecs: zlib's streams, shared by the connections of one executor.
  ///   - now: The present.
  ///   - holder: Where what the peer makes it hold is booked.
  ///   - overhead: Where what it needs by itself is booked.
  ///   - payer: Who pays for that, as long as nobody else does.
  public init(
    limits: Limits = .default, codecs: Codecs = Codecs(), now: Instant, holder: Holder = Holder(),
    overhead: Holder = Holder(), payer: Holder? = nil
  ) {
    self.limits = limits
    self.codecs = codecs
    self.holder = holder
    self.overhead = overhead
    self.payer = payer
    session = HTTP2Session(.server, limits: limits, now: now, overhead: overhead)
    policing = PeerPolicing(limits, times: session.times)
    session.owner = self
  }

  // MARK: What the owner calls

  /// Takes bytes that arrived. Hand in at most 64 KiB at a time: events queue up meanwhile.
  public func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) -> ServerEvents {
    session.receive(bytes, at: now)
    // A header block may stop in the middle.
    if let recent = streams.recent?.stream, recent.request.areHeadersArriving {
      countRequest(recent)
    }
    // Afterwards: by now it is known which streams there are.
    frames.feed(bytes) { head in
      guard session.isReading else { return }
      judge(
        policing.frameBegan(
          head, isOfOpenCall: head.isData && streams.find(head.stream) != nil, at: now))
    }
    return ServerEvents(connection: self)
  }

  /// Appends what is to be sent, until nothing is left or `buffer` holds
  /// ``Limits/outputHighWaterBytes``. Call again once the buffer is written, until it appends
  /// nothing.
  public func appendOutput(to buffer: inout [UInt8]) { session.appendOutput(to: &buffer) }

  /// Events that came up while output was written or a verb ran (`writable`, or the end of all
  /// calls when the connection ends). Take them after `appendOutput`.
  public var pendingEvents: ServerEvents { ServerEvents(connection: self) }

  /// Lets time pass: call deadlines, timeouts, keepalive, drain. Append output afterwards.
  public func deadlineReached(at now: Instant) -> ServerEvents {
    session.now = now
    session.timePassed()
    if let due = callCheck, due <= now { callCheck = checkCalls() }
    return ServerEvents(connection: self)
  }

  /// The peer is gone, by EOF or by reset: every call still open is cancelled.
  public func peerClosed(at now: Instant) -> ServerEvents {
    session.now = now
    session.terminate(.connectionLost)
    return ServerEvents(connection: self)
  }

  /// Starts to leave: GOAWAY for "soon", GOAWAY for good once the peer has seen the first, then
  /// finished when the last call ends or ``Limits/drainGrace`` is over.
  public func beginDrain(at now: Instant) {
    session.now = now
    session.beginDrain()
  }

  /// When `deadlineReached` wants to be called; may be early, never late. Nil means not at all.
  public var nextDeadline: Instant? {
    session.isTerminated ? nil : earliest(callCheck, session.nextDeadline)
  }

  /// True when nothing is left to read or to append: the owner writes what it has, then closes.
  public var isFinished: Bool { session.isFinished }

  /// False while more than ``Limits/maxQueuedFrames`` wait to be sent. The owner then leaves what
  /// arrives unread: each frame of a peer that reads no answers could otherwise queue another one.
  public var acceptsInput: Bool { session.acceptsInput }

  /// Calls whose streams are open, finished by the owner or not.
  public var openCalls: Int { streams.count }

  /// Whether the peer has shown that it speaks HTTP/2.
  public var isHandshaken: Bool { session.isHandshaken }

  // MARK: Events for the owner

  func note(_ event: Pending) { events.append(event) }

  /// Takes the next event; a message is inflated here, and nothing is told of a call that is over.
  func nextEvent() -> ServerEvent? {
    while let event = events.popFirst() {
      if let told = tell(event) { return told }
    }
    // Not sooner: the headers of any of these calls may have been proof.
    boundUnauthenticated()
    guard events.isEmpty else { return nextEvent() }
    settle()
    return nil
  }

  private func tell(_ event: Pending) -> ServerEvent? {
    switch event {
    case .started(let stream, let head):
      guard !stream.isOver else { return nil }
      stream.isAnnounced = true
      return .started(stream.id, head)
    case .message(let stream, let bytes, let isCompressed):
      guard !stream.isOver, stream.request.isWanted else { return nil }
      // The limit may have come after the message.
      if let limit = stream.request.maxMessageBytes, bytes.count > limit {
        failTooLarge(stream)
        return nil
      }
      guard isCompressed else { return .message(stream.id, bytes) }
      return inflate(bytes, for: stream).map { .message(stream.id, $0) }
    case .endOfRequest(let stream):
      guard !stream.isOver, stream.request.isWanted else { return nil }
      return .endOfRequest(stream.id)
    case .cancelled(let stream, let reason):
      return stream.isAnnounced ? .cancelled(stream.id, reason) : nil
    case .writable(let stream):
      return stream.isOver ? nil : .writable(stream.id)
    }
  }

  // MARK: Time

  /// Lowers the moment of the next look at the calls.
  func checkCalls(by moment: Instant) { callCheck = earliest(callCheck, moment) }

  /// Looks at every call's deadline and progress. Returns when to look again.
  private func checkCalls() -> Instant? {
    var next: Instant?
    for stream in streams.all { next = earliest(next, check(stream)) }
    return next
  }

  // MARK: Memory

  /// Counts anew what a call holds of its request. After everything that changes it.
  func countRequest(_ stream: ServerStream) {
    unfinishedBytes += stream.countRequest()
    settleLater(stream)
  }

  /// Counts anew what a call holds of its answer. After everything that changes it.
  func countResponse(_ stream: ServerStream) {
    unsentBytes += stream.countResponse()
    settleLater(stream)
  }

  private func settleLater(_ stream: ServerStream) {
    guard unsettled !== stream else { return }
    settle()
    unsettled = stream
  }

  /// Books what a call holds. Not at each change, but when another call changes and when all events
  /// are taken: most of what comes is gone by then.
  private func settle() {
    guard let stream = unsettled else { return }
    unsettled = nil
    stream.settle()
  }
}

// MARK: Events of the session

extension ServerConnection: HTTP2SessionOwner {
  func handle(_ event: HTTP2Event) {
    switch event {
    case .headersBegan(let number):
      beginStream(number)
    case .headersEnded(let number, let isEnd):
      endHeaders(number, isEnd: isEnd)
    case .data(let number, let bytes):
      takeData(number, bytes)
    case .dataEnded(let number):
      if let stream = streams.find(number) { endRequest(stream) }
    case .payloadSent(let head, let isEnd):
      policing.payloadSent(head, isEnd: isEnd)
      guard isEnd, let stream = streams.find(head.stream), !stream.request.isEnded else { return }
      // The client still sends: free the stream. Only now, or the trailers would not leave.
      session.reset(head.stream, .noError)
    case .streamClosed(let number, let code):
      closeStream(number, code)
    case .reset(let number):
      guard let stream = streams.find(number), !stream.isOver else { return }
      judge(policing.resetArrived(at: session.now))
    case .resetSent(let code):
      judge(policing.resetSent(code, at: session.now))
    case .ping:
      judge(policing.pingArrived(hasCalls: !streams.isEmpty, at: session.now))
    case .padding:
      judge(policing.idleFrameArrived(at: session.now))
    case .graceOver:
      for stream in streams.all {
        fail(stream, Status(.unavailable, "The server is shutting down."), .draining)
      }
    case .ended(let reason):
      endAllCalls(reason)
    case .settings, .goAway:
      break
    }
  }

  func takeHeader(
    _ number: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let stream = streams.find(number) else { return true }
    return stream.request.takeField(name, value, limits: limits, recall: &recalled)
  }

  private func beginStream(_ number: Int32) {
    // A stream known already: its trailers.
    guard streams.find(number) == nil, session.isReading else { return }
    // nghttp2 ignores such streams once the second GOAWAY is sent; this is while it waits to be.
    if session.isRefused(number) { return session.reset(number, .refusedStream) }
    streams.insert(
      ServerStream(number, now: session.now, holder: holder, overhead: overhead, payer: payer),
      number)
    session.callsBegan()
  }

  private func closeStream(_ number: Int32, _ code: HTTP2ErrorCode) {
    guard let stream = streams.find(number) else { return }
    streams.remove(number)
    if !stream.request.isEnded { policing.callEndedEarly() }
    let wasOver = stream.isOver
    release(stream)
    if streams.isEmpty {
      callCheck = nil
      session.callsEnded()
    }
    if !wasOver { note(.cancelled(stream, .reset(code: code.rawValue))) }
  }

  private func endAllCalls(_ reason: Cancellation) {
    callCheck = nil
    for stream in streams.all {
      let wasOver = stream.isOver
      release(stream)
      if !wasOver { note(.cancelled(stream, reason)) }
    }
    streams.removeAll()
  }

  private func release(_ stream: ServerStream) {
    unfinishedBytes -= stream.requestBytes
    unsentBytes -= stream.responseBytes
    stream.release()
  }

  private func judge(_ offence: Offence?) {
    guard let offence, session.sendGoAway(.enhanceYourCalm, offence.reason) else { return }
    endAllCalls(.connectionLost)
  }
}
