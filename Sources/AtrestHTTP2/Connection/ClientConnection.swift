// SPDX-License-Identifier: Apache-2.0
// The client side of one connection: calls and bytes in, events and bytes out.

import AtrestLedger

/// One HTTP/2 connection of a gRPC client, driven like a ``ServerConnection``. A call that ends
/// before its trailers never counts as success. Not Sendable.
public final class ClientConnection {
  enum Pending {
    case headers(ClientStream, Metadata)
    case message(ClientStream, [UInt8], isCompressed: Bool)
    case finished(ClientStream, Status)
    case goAway
    case writable(ClientStream)
  }

  /// The limits of this connection.
  public let limits: Limits
  /// Charged for bytes that the peer makes this connection buffer.
  public let holder: Balance
  /// Charged for the fixed memory of the connection and its calls.
  public let overhead: Balance

  let session: HTTP2Session
  let codecs: Codecs
  let authority: String
  let isSecure: Bool
  let userAgent: String
  let compression: Compression
  // Unchecked, as in `ServerConnection`.
  @exclusivity(unchecked) var streams = StreamTable<ClientStream>()
  private var events = EventQueue<Pending>()
  /// No call needs a check before this. May be early: it is not raised when a call ends.
  private var callCheck: Instant?
  /// Either side has sent GOAWAY or begun to drain: no new calls.
  private var isLeaving = false

  /// Creates a connection over a newly opened transport. Under TLS, ALPN has already selected `h2`.
  /// - Parameters:
  ///   - limits: Bounds on the peer.
  ///   - codecs: zlib streams, shared by the connections of one executor.
  ///   - authority: Host, and the port unless it is the scheme's default.
  ///   - isSecure: Whether `:scheme` is https.
  ///   - userAgent: The `user-agent` of every call.
  ///   - compression: The encoding of large requests. Nil or identity sends them uncompressed.
  ///   - now: The current instant.
  ///   - holder: Charged for bytes that the peer makes this connection buffer.
  ///   - overhead: Charged for the fixed memory of the connection and its calls.
  public init(
    limits: Limits = .default, codecs: Codecs = Codecs(), authority: String,
    isSecure: Bool = true, userAgent: String = "atrest", compression: Compression? = nil,
    now: Instant, holder: Balance = Balance(), overhead: Balance = Balance()
  ) {
    self.limits = limits
    self.codecs = codecs
    self.holder = holder
    self.overhead = overhead
    self.authority = authority
    self.isSecure = isSecure
    self.userAgent = userAgent
    self.compression = compression ?? .identity
    session = HTTP2Session(.client, limits: limits, now: now, overhead: overhead)
    session.owner = self
  }

  // MARK: Called by the owner

  /// Processes received bytes. Pass at most 64 KiB at a time: events queue up meanwhile.
  public func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) -> ClientEvents {
    session.receive(bytes, at: now)
    streams.recent?.stream.settle()
    return ClientEvents(connection: self)
  }

  /// Appends output until none is left or `buffer` holds ``Limits/outputHighWaterBytes``. After
  /// writing the buffer, call again until nothing is appended.
  public func appendOutput(to buffer: inout [UInt8]) { session.appendOutput(to: &buffer) }

  /// Events raised while output was produced or a method ran. Take them after `appendOutput`.
  public var pendingEvents: ClientEvents { ClientEvents(connection: self) }

  /// Processes expired timers: call deadlines, handshake, keepalive. Append output afterwards.
  public func deadlineReached(at now: Instant) -> ClientEvents {
    session.now = now
    session.timePassed()
    if session.isDraining { leave() }
    if let due = callCheck, due <= now { callCheck = checkCalls() }
    return ClientEvents(connection: self)
  }

  /// Reports EOF or a reset by the peer: every open call finishes with UNAVAILABLE.
  public func peerClosed(at now: Instant) -> ClientEvents {
    session.now = now
    session.terminate(.connectionLost)
    return ClientEvents(connection: self)
  }

  /// Starts no new calls. Finished when the last call ends or ``Limits/drainGrace`` has passed.
  public func beginDrain(at now: Instant) {
    session.now = now
    isLeaving = true
    session.beginDrain()
  }

  /// When to call `deadlineReached`. May be early, never late. Nil means never.
  public var nextDeadline: Instant? {
    session.isTerminated ? nil : earliest(callCheck, session.nextDeadline)
  }

  /// True when nothing is left to read or append. The owner then flushes its buffer and closes.
  public var isFinished: Bool { session.isFinished }

  /// False while more than ``Limits/maxQueuedFrames`` frames wait to be sent. The owner then stops
  /// reading.
  public var acceptsInput: Bool { session.acceptsInput }

  /// The number of open streams, including calls the owner has finished.
  public var openCalls: Int { streams.count }

  /// Whether `start` would accept a call now.
  public var canStartCall: Bool { !isLeaving && session.canBegin(streamBeside: streams.count) }

  // MARK: Events for the owner

  func note(_ event: Pending) { events.append(event) }

  /// Takes the next event. Inflates messages here; skips events of calls that have ended.
  func nextEvent() -> ClientEvent? {
    while let event = events.popFirst() {
      if let told = tell(event) { return told }
    }
    return nil
  }

  private func tell(_ event: Pending) -> ClientEvent? {
    switch event {
    case .headers(let stream, let metadata):
      return stream.isReported ? nil : .headers(stream.id, metadata)
    case .message(let stream, let bytes, let isCompressed):
      guard !stream.isReported else { return nil }
      guard isCompressed else { return .message(stream.id, bytes) }
      switch codecs.message(bytes, as: stream.response.encoding, limits: limits) {
      case .success(let message): return .message(stream.id, message)
      case .failure(let status):
        abandon(stream)
        return .finished(stream.id, status)
      }
    case .finished(let stream, let status):
      guard !stream.isReported else { return nil }
      stream.isReported = true
      return .finished(stream.id, status)
    case .goAway:
      return .goAway
    case .writable(let stream):
      return stream.isOver ? nil : .writable(stream.id)
    }
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

  // MARK: Streams

  func insert(_ stream: ClientStream) {
    streams.insert(stream, stream.number)
    session.callsBegan()
  }

  func forget(_ stream: ClientStream) {
    streams.remove(stream.number)
    guard streams.isEmpty else { return }
    callCheck = nil
    session.callsEnded()
  }
}

// MARK: Events of the session

extension ClientConnection: HTTP2SessionOwner {
  func handle(_ event: HTTP2Event) {
    switch event {
    case .headersBegan(let number):
      streams.find(number)?.response.headersBegan()
    case .headersEnded(let number, let isEnd):
      endHeaders(number, isEnd: isEnd)
    case .data(let number, let bytes):
      takeData(number, bytes)
    case .dataEnded(let number):
      guard let stream = streams.find(number) else { return }
      // A gRPC response ends with trailers.
      end(stream, .substitute(.internal, "a response without trailers"))
    case .payloadSent(let head, let isEnd):
      if isEnd { streams.find(head.stream)?.request.endSent() }
    case .streamClosed(let number, let code):
      closeStream(number, code)
    case .goAway:
      leave()
    case .graceOver:
      for stream in streams.all {
        fail(stream, Status(.unavailable, "The connection is closing."))
      }
    case .ended:
      endAllCalls()
    case .settings, .padding, .reset, .ping, .resetSent:
      break
    }
  }

  func takeHeader(
    _ number: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    streams.find(number)?.response.takeField(name, value, limits: limits) ?? true
  }

  /// Either side ends the connection: the owner starts calls elsewhere.
  private func leave() {
    guard !isLeaving else { return }
    isLeaving = true
    note(.goAway)
  }

  private func closeStream(_ number: Int32, _ code: HTTP2ErrorCode) {
    guard let stream = streams.find(number) else { return }
    stream.isClosed = true
    // A server's reset at the deadline may arrive just before our own timer fires.
    let isLate = code == .cancel && stream.deadline.map { $0 <= session.now } ?? false
    end(
      stream,
      isLate
        ? Status(.deadlineExceeded, "The deadline has passed.")
        : Status(http2Error: code.rawValue))
    // A paused call still buffers messages for its owner.
    if !stream.response.holdsEnd || stream.isReported { forget(stream) }
  }

  private func endAllCalls() {
    callCheck = nil
    let lost = Status(.unavailable, "The connection was lost.")
    for stream in streams.all {
      // Input that arrived before the end counts, buffered or not.
      let held = stream.response.resume()
      if let held { _ = held.input.withUnsafeBytes { readMessages(stream, $0) } }
      end(stream, held?.end ?? lost)
    }
    streams.removeAll()
  }
}
