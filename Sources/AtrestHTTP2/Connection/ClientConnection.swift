// SPDX-License-Identifier: Apache-2.0
// Drives the client's side of one connection: calls and bytes in, events and bytes out.

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

  /// The bounds this connection keeps.
  public let limits: Limits
  /// Where what the peer makes this connection hold is booked.
  public let holder: Holder
  /// Where what the connection and its calls need by themselves is booked.
  public let overhead: Holder

  let session: HTTP2Session
  let codecs: Codecs
  let authority: String
  let isSecure: Bool
  let userAgent: String
  let compression: Compression
  var streams = StreamTable<ClientStream>()
  private var events = EventQueue<Pending>()
  /// No call wants attention before this. May be early: it is not raised when a call ends.
  private var callCheck: Instant?
  /// Either side has said that no more calls begin here.
  private var isLeaving = false

  /// A connection that has just been made (and, under TLS, has agreed on `h2`).
  /// - Parameters:
  ///   - limits: Bounds on the peer.
  ///   - codecs: zlib's streams, shared by the connections of one executor.
  ///   - authority: Host, and port unless it is the scheme's own.
  ///   - isSecure: Whether `:scheme` is https.
  ///   - userAgent: The `user-agent` of every call.
  ///   - compression: What large requests use. Nil or identity: none.
  ///   - now: The present.
  ///   - holder: Where what the peer makes it hold is booked.
  ///   - overhead: Where what it needs by itself is booked.
  public init(
    limits: Limits = .default, codecs: Codecs = Codecs(), authority: String,
    isSecure: Bool = true, userAgent: String = "atrest", compression: Compression? = nil,
    now: Instant, holder: Holder = Holder(), overhead: Holder = Holder()
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

  // MARK: What the owner calls

  /// Takes bytes that arrived. Hand in at most 64 KiB at a time: events queue up meanwhile.
  public func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) -> ClientEvents {
    session.receive(bytes, at: now)
    streams.recent?.stream.settle()
    return ClientEvents(connection: self)
  }

  /// Appends what is to be sent, until nothing is left or `buffer` holds
  /// ``Limits/outputHighWaterBytes``. Call again once the buffer is written, until it appends
  /// nothing.
  public func appendOutput(to buffer: inout [UInt8]) { session.appendOutput(to: &buffer) }

  /// Events that came up while output was written or a verb ran. Take them after `appendOutput`.
  public var pendingEvents: ClientEvents { ClientEvents(connection: self) }

  /// Lets time pass: call deadlines, handshake, keepalive. Append output afterwards.
  public func deadlineReached(at now: Instant) -> ClientEvents {
    session.now = now
    session.timePassed()
    if let due = callCheck, due <= now { callCheck = checkCalls() }
    return ClientEvents(connection: self)
  }

  /// The peer is gone, by EOF or by reset: every open call finishes UNAVAILABLE.
  public func peerClosed(at now: Instant) -> ClientEvents {
    session.now = now
    session.terminate(.connectionLost)
    return ClientEvents(connection: self)
  }

  /// Starts no more calls; finished when the last one ends or ``Limits/drainGrace`` is over.
  public func beginDrain(at now: Instant) {
    session.now = now
    isLeaving = true
    session.beginDrain()
  }

  /// When `deadlineReached` wants to be called; may be early, never late. Nil means not at all.
  public var nextDeadline: Instant? {
    session.isTerminated ? nil : earliest(callCheck, session.nextDeadline)
  }

  /// True when nothing is left to read or to append: the owner writes what it has, then closes.
  public var isFinished: Bool { session.isFinished }

  /// False while more than ``Limits/maxQueuedFrames`` wait to be sent. The owner then leaves what
  /// arrives unread.
  public var acceptsInput: Bool { session.acceptsInput }

  /// Calls whose streams are open, finished by the owner or not.
  public var openCalls: Int { streams.count }

  /// Whether `start` would take a call now.
  public var canStartCall: Bool { !isLeaving && session.canBegin(streamBeside: streams.count) }

  // MARK: Events for the owner

  func note(_ event: Pending) { events.append(event) }

  /// Takes the next event; a message is inflated here, and nothing is told of a call that is over.
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

  /// Lowers the moment of the next look at the calls.
  func checkCalls(by moment: Instant) { callCheck = earliest(callCheck, moment) }

  /// Looks at every call's deadline and progress. Returns when to look again.
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
      end(stream, Status(.internal, "The response ended without a status."))
    case .payloadSent(let head, let isEnd):
      if isEnd { streams.find(head.stream)?.request.endSent() }
    case .streamClosed(let number, let code):
      closeStream(number, code)
    case .goAway:
      guard !isLeaving else { return }
      isLeaving = true
      note(.goAway)
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

  private func closeStream(_ number: Int32, _ code: HTTP2ErrorCode) {
    guard let stream = streams.find(number) else { return }
    stream.isClosed = true
    // A server that resets on the deadline may be a moment ahead of our own timer.
    let isLate = code == .cancel && stream.deadline.map { $0 <= session.now } ?? false
    end(
      stream,
      isLate
        ? Status(.deadlineExceeded, "The deadline has passed.")
        : Status(http2Error: code.rawValue))
    // A paused call still holds messages for its owner.
    if !stream.response.holdsEnd || stream.isReported { forget(stream) }
  }

  private func endAllCalls() {
    callCheck = nil
    let lost = Status(.unavailable, "The connection was lost.")
    for stream in streams.all {
      // What arrived before the end counts, held back or not.
      let held = stream.response.resume()
      if let held { _ = held.input.withUnsafeBytes { readMessages(stream, $0) } }
      end(stream, held?.end ?? lost)
    }
    streams.removeAll()
  }
}
