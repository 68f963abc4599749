// SPDX-License-Identifier: Apache-2.0
// The server side of one connection: bytes and instants in, events and bytes out.

import AtrestLedger

/// One HTTP/2 connection of a gRPC server, without a socket or a clock.
///
/// The owner loops: call `receive` and act on the events; call ``appendOutput(to:)`` and write;
/// take ``pendingEvents``; call `deadlineReached` at ``nextDeadline``. When ``isFinished`` and all
/// output is written, it closes and calls `peerClosed` to end open calls. Methods may be called at
/// any time on the owner's executor, also while taking events, and tolerate calls that have ended.
/// Not Sendable.
///
/// Three state machines decide and this class acts: the session's `ConnectionLifecycle`, and an
/// `InboundRequest` and an `OutboundResponse` per stream. `PeerPolicing` judges legal but abusive
/// traffic.
public final class ServerConnection {
  enum Pending {
    case started(ServerStream, RequestHead)
    case message(ServerStream, [UInt8], isCompressed: Bool)
    case endOfRequest(ServerStream)
    case cancelled(ServerStream, Cancellation)
    case writable(ServerStream)
    /// More of what the request buffered is to be read.
    case readOn(ServerStream)
  }

  /// Messages of one call that are read before the owner has taken the first.
  static let messagesAhead = 16

  /// The limits of this connection.
  public let limits: Limits
  /// Charged for bytes that the peer makes this connection buffer: incomplete messages and unread
  /// responses. The charge falls as the peer completes or reads them. Accurate once all events are
  /// taken, not between events.
  public let holder: Balance
  /// Charged for the fixed memory of the connection and its calls.
  public let overhead: Balance
  /// Whether incomplete requests may use ``Limits/maxUnfinishedBytes`` or only
  /// ``Limits/maxUnfinishedBytesUnauthenticated``. An owner that authenticates callers sets false
  /// before the first byte and true after the first authenticated call. Setting it on a `started`
  /// event is early enough for that call.
  public var isAuthenticated = true

  let session: HTTP2Session
  let codecs: Codecs
  /// The files for browsers, if any are served.
  let site: WebSite?
  // Unchecked: each frame, or header field, asks these, and the exclusivity check costs more than
  // the answer. Their methods call nothing that could ask again: an event waits in the queue until
  // the owner takes it.
  @exclusivity(unchecked) var streams = StreamTable<ServerStream>()
  @exclusivity(unchecked) var recalled = RecalledText()
  /// The request whose header block is arriving; nil between blocks, and during trailers. There is
  /// one block at a time: RFC 9113, section 4.3.
  @exclusivity(unchecked) private var arriving: (stream: ServerStream, fields: RequestFields)?
  @exclusivity(unchecked) private var events = EventQueue<Pending>()
  @exclusivity(unchecked) private var policing: PeerPolicing
  private var frames = FrameMeter()
  /// No call needs a check before this. May be early: it is not raised when a call ends.
  private var callCheck: Instant?
  /// Bytes of incomplete requests.
  @exclusivity(unchecked) private(set) var unfinishedBytes = 0
  /// Bytes of unsent responses.
  @exclusivity(unchecked) private(set) var unsentBytes = 0
  /// The stream whose charges may be out of date: see `settle`.
  @exclusivity(unchecked) private var unsettled: ServerStream?
  /// Charged for calls without a payer of their own: see `bill`.
  private let payer: Balance?
  /// What an unauthenticated peer makes the session hold.
  private var sessionCharge: Charge
  /// Session memory of an unauthenticated peer that is not charged, in bytes: the header tables of
  /// an ordinary client, and of each stream what its own charge covers. Tables of many small fields
  /// take ten times as much.
  private var unchargedSessionBytes: Int { 2048 + 512 * streams.count }

  /// Creates a connection over a newly accepted transport. Under TLS, ALPN has already selected
  /// `h2`.
  /// - Parameters:
  ///   - limits: Bounds on the peer.
  ///   - codecs: zlib streams, shared by the connections of one executor.
  ///   - site: Files for browsers. Nil: whatever is not a call is refused.
  ///   - now: The current instant.
  ///   - holder: Charged for bytes that the peer makes this connection buffer.
  ///   - overhead: Charged for the fixed memory of the connection and its calls.
  ///   - payer: Pays for those bytes until `bill` names a call's own payer.
  public init(
    limits: Limits = .default, codecs: Codecs = Codecs(), site: WebSite? = nil, now: Instant,
    holder: Balance = Balance(), overhead: Balance = Balance(), payer: Balance? = nil
  ) {
    self.limits = limits
    self.codecs = codecs
    self.site = site
    self.holder = holder
    self.overhead = overhead
    self.payer = payer
    sessionCharge = Charge(at: holder, by: payer)
    session = HTTP2Session(.server, limits: limits, now: now, overhead: overhead)
    policing = PeerPolicing(limits, times: session.times)
    session.owner = self
  }

  // MARK: Called by the owner

  /// Processes received bytes. Pass at most 64 KiB at a time: events queue up meanwhile.
  public func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) -> ServerEvents {
    session.receive(bytes, at: now)
    // A header block may be incomplete.
    if let arriving { countRequest(arriving.stream) }
    // After `receive`, which determines which streams exist.
    frames.feed(bytes) { head in
      guard session.isReading else { return }
      judge(policing.frameBegan(head, isOfOpenCall: isOfOpenCall(head), at: now))
    }
    return ServerEvents(connection: self)
  }

  /// Appends output until none is left or `buffer` holds ``Limits/outputHighWaterBytes``. After
  /// writing the buffer, call again until nothing is appended.
  public func appendOutput(to buffer: inout [UInt8]) { session.appendOutput(to: &buffer) }

  /// Events raised while output was produced or a method ran: `writable`, or the end of all calls
  /// when the connection ends. Take them after `appendOutput`.
  public var pendingEvents: ServerEvents { ServerEvents(connection: self) }

  /// Processes expired timers: call deadlines, timeouts, keepalive, drain. Append output
  /// afterwards.
  public func deadlineReached(at now: Instant) -> ServerEvents {
    session.now = now
    session.timePassed()
    if let due = callCheck, due <= now { callCheck = checkCalls() }
    return ServerEvents(connection: self)
  }

  /// Reports EOF or a reset by the peer: every open call is cancelled.
  public func peerClosed(at now: Instant) -> ServerEvents {
    session.now = now
    session.terminate(.connectionLost)
    return ServerEvents(connection: self)
  }

  /// Starts a graceful shutdown: a first GOAWAY as notice, and the final GOAWAY once the peer has
  /// seen it. Finished when the last call ends or ``Limits/drainGrace`` has passed.
  public func beginDrain(at now: Instant) {
    session.now = now
    session.beginDrain()
  }

  /// When to call `deadlineReached`. May be early, never late. Nil means never.
  public var nextDeadline: Instant? {
    session.isTerminated ? nil : earliest(callCheck, session.nextDeadline)
  }

  /// True when nothing is left to read or append. The owner then flushes its buffer and closes.
  public var isFinished: Bool { session.isFinished }

  /// False while more than ``Limits/maxQueuedFrames`` frames wait to be sent. The owner then stops
  /// reading: otherwise a peer that does not read could queue a reply with every frame.
  public var acceptsInput: Bool { session.acceptsInput }

  /// The number of open streams, including calls the owner has finished.
  public var openCalls: Int { streams.count }

  /// Whether the peer has completed the HTTP/2 handshake.
  public var isHandshaken: Bool { session.isHandshaken }

  private func isOfOpenCall(_ head: FrameHead) -> Bool {
    guard head.isData, let stream = streams.find(head.stream) else { return false }
    return stream.lateRequestDue == nil
  }

  // MARK: Events for the owner

  func note(_ event: Pending) { events.append(event) }

  /// Puts events that were held back before those that came after them.
  func noteAgain(_ earlier: [Pending]) {
    if !earlier.isEmpty { events.prepend(earlier) }
  }

  /// Takes the next event. Inflates messages here; skips events of calls that have ended.
  func nextEvent() -> ServerEvent? {
    while let event = events.popFirst() {
      if let told = tell(event) { return told }
    }
    // Only now: the headers of any of these calls may have authenticated the connection.
    boundUnauthenticated()
    guard events.isEmpty else { return nextEvent() }
    settle()
    chargeSession()
    return nil
  }

  private func tell(_ event: consuming Pending) -> ServerEvent? {
    switch consume event {
    case .started(let stream, let head):
      guard !stream.isOver else { return nil }
      stream.isAnnounced = true
      return .started(stream.id, head)
    case .message(let stream, let bytes, let isCompressed):
      guard !stream.isOver, stream.request.isWanted else { return nil }
      guard stream.heldEvents == nil else {
        return hold(.message(stream, bytes, isCompressed: isCompressed), of: stream)
      }
      stream.untakenMessages -= 1
      if stream.untakenMessages == 0, stream.request.isPaused { note(.readOn(stream)) }
      // The limit may have been set after the message arrived.
      if let limit = stream.request.maxMessageBytes, bytes.count > limit {
        failTooLarge(stream)
        return nil
      }
      stream.isMessageCompressed = isCompressed
      guard isCompressed else { return .message(stream.id, bytes) }
      return inflate(bytes, for: stream).map { .message(stream.id, $0) }
    case .endOfRequest(let stream):
      guard !stream.isOver, stream.request.isWanted else { return nil }
      guard stream.heldEvents == nil else { return hold(.endOfRequest(stream), of: stream) }
      return .endOfRequest(stream.id)
    case .cancelled(let stream, let reason):
      return stream.isAnnounced ? .cancelled(stream.id, reason) : nil
    case .writable(let stream):
      return stream.isOver ? nil : .writable(stream.id)
    case .readOn(let stream):
      if !stream.isOver, stream.heldEvents == nil { readOn(stream) }
      return nil
    }
  }

  private func hold(_ event: Pending, of stream: ServerStream) -> ServerEvent? {
    stream.holdBack(event)
    boundUnfinished(stream)
    return nil
  }

  // MARK: Time

  /// Schedules the next check of all calls no later than `moment`.
  func checkCalls(by moment: Instant) { callCheck = earliest(callCheck, moment) }

  /// Checks every call's deadline and progress. Returns when to check again.
  private func checkCalls() -> Instant? {
    var next: Instant?
    for stream in streams.all { next = earliest(next, check(stream)) }
    return next
  }

  // MARK: Memory

  /// Recounts a call's buffered request bytes. Call after every change to them.
  func countRequest(_ stream: ServerStream) {
    unfinishedBytes += stream.countRequest()
    settleLater(stream)
  }

  /// Recounts a call's buffered response bytes. Call after every change to them.
  func countResponse(_ stream: ServerStream) {
    unsentBytes += stream.countResponse()
    settleLater(stream)
  }

  private func chargeSession() {
    sessionCharge.change(
      to: isAuthenticated ? 0 : max(0, session.grownBytes - unchargedSessionBytes))
  }

  private func settleLater(_ stream: ServerStream) {
    guard unsettled !== stream else { return }
    settle()
    unsettled = stream
  }

  /// Updates a call's charges. Deferred until another call changes or all events are taken, because
  /// most buffered bytes are gone by then.
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
      arriving = nil
      endHeaders(number, isEnd: isEnd)
    case .data(let number, let bytes):
      takeData(number, bytes)
    case .dataEnded(let number):
      if let stream = streams.find(number) { endRequest(stream) }
    case .payloadSent(let head, let isEnd):
      policing.payloadSent(head, isEnd: isEnd)
      guard isEnd, let stream = streams.find(head.stream), !stream.request.isEnded else { return }
      awaitLateRequest(stream)
      policing.callEndedEarly()
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
    if let fields = arriving?.fields {
      return fields.take(name, value, limits: limits, recall: &recalled) != .absurd
    }
    return streams.find(number)?.request.takeTrailer(name, value, limits: limits) ?? true
  }

  private func beginStream(_ number: Int32) {
    arriving = nil
    // A known stream: these are its trailers.
    guard streams.find(number) == nil, session.isReading else { return }
    // nghttp2 ignores such streams once the second GOAWAY is sent; this covers the time before.
    if session.isRefused(number) { return session.reset(number, .refusedStream) }
    let fields = RequestFields()
    let stream = ServerStream(
      number, fields, now: session.now, holder: holder, overhead: overhead, payer: payer)
    arriving = (stream, fields)
    streams.insert(stream, number)
    session.callsBegan()
  }

  /// The rest of a stream's header block, if it is arriving, is counted and not stored.
  func ignoreHeaders(of stream: ServerStream) {
    if arriving?.stream === stream { arriving = nil }
  }

  private func closeStream(_ number: Int32, _ code: HTTP2ErrorCode) {
    guard let stream = streams.find(number) else { return }
    streams.remove(number)
    if !stream.request.isEnded, stream.lateRequestDue == nil { policing.callEndedEarly() }
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
    ignoreHeaders(of: stream)
    unfinishedBytes -= stream.requestBytes
    unsentBytes -= stream.responseBytes
    stream.release()
  }

  private func judge(_ offence: Offence?) {
    guard let offence, session.sendGoAway(.enhanceYourCalm, offence.reason) else { return }
    endAllCalls(.connectionLost)
  }
}
