// SPDX-License-Identifier: Apache-2.0
// Decides the client's side of one connection: calls and bytes in, events and bytes out.

import AtrestLedger
import CAtrestNghttp2

/// One HTTP/2 connection of a gRPC client. How it is driven: ``HTTP2Connection``. A call that ends
/// before its trailers never counts as success.
public final class ClientConnection: HTTP2Connection {
  enum Pending {
    case headers(ClientStream, Metadata)
    case message(ClientStream, [UInt8], isCompressed: Bool)
    case finished(ClientStream, Status)
    case goAway
    case writable(ClientStream)
  }

  let authority: String
  let isSecure: Bool
  let userAgent: String
  let compression: Compression
  private var calls: [Int32: ClientStream] = [:]
  /// The call that was looked up last: the next lookup mostly wants it again.
  private var recent: ClientStream?
  private var pending: [Pending] = []
  private var pendingHead = 0
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
    self.authority = authority
    self.isSecure = isSecure
    self.userAgent = userAgent
    self.compression = compression ?? .identity
    super.init(
      limits: limits, codecs: codecs, now: now, isServer: false, holder: holder, overhead: overhead)
  }

  // MARK: What the owner calls

  /// Takes bytes that arrived. Hand in at most 64 KiB at a time: events queue up meanwhile.
  public func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) -> ClientEvents {
    read(bytes, at: now)
    recent?.account()
    return ClientEvents(connection: self)
  }

  /// Events that came up while output was written or a verb ran. Take them after `appendOutput`.
  public var pendingEvents: ClientEvents { ClientEvents(connection: self) }

  /// Lets time pass: call deadlines, handshake, keepalive. Append output afterwards.
  public func deadlineReached(at now: Instant) -> ClientEvents {
    letTimePass(at: now)
    return ClientEvents(connection: self)
  }

  /// The peer is gone, by EOF or by reset: every open call finishes UNAVAILABLE.
  public func peerClosed(at now: Instant) -> ClientEvents {
    self.now = now
    terminate(.connectionLost)
    return ClientEvents(connection: self)
  }

  /// Starts no more calls; finished when the last one ends or ``Limits/drainGrace`` is over.
  public func beginDrain(at now: Instant) {
    self.now = now
    isLeaving = true
    startDrain(withNotice: false)
  }

  /// Calls whose streams are open, finished by the owner or not.
  public override var openCalls: Int { calls.count }

  /// Whether `start` would take a call now.
  public var canStartCall: Bool {
    guard !isFinished, !isLeaving, nghttp2_session_check_request_allowed(session) != 0 else {
      return false
    }
    let allowed = nghttp2_session_get_remote_settings(
      session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    // Before the server's SETTINGS arrive the number is unlimited; our own bound is a polite guess.
    return calls.count < min(Int(allowed), limits.maxConcurrentStreams)
  }

  // MARK: Events

  func note(_ event: Pending) {
    pending.append(event)
  }

  /// Takes the next event; a message is inflated here, and nothing is told of a call that is over.
  func nextEvent() -> ClientEvent? {
    while pendingHead < pending.count {
      let event = pending[pendingHead]
      pendingHead += 1
      switch event {
      case .headers(let call, let metadata):
        guard !call.isReported else { continue }
        return .headers(call.id, metadata)
      case .message(let call, let bytes, let isCompressed):
        guard !call.isReported else { continue }
        guard isCompressed else { return .message(call.id, bytes) }
        switch inflate(bytes, for: call) {
        case .success(let message): return .message(call.id, message)
        case .failure(let status):
          abandon(call)
          return .finished(call.id, status)
        }
      case .finished(let call, let status):
        guard !call.isReported else { continue }
        call.isReported = true
        return .finished(call.id, status)
      case .goAway:
        return .goAway
      case .writable(let call):
        guard !call.isOver else { continue }
        return .writable(call.id)
      }
    }
    pending.removeAll(keepingCapacity: pending.capacity <= 1024)
    pendingHead = 0
    return nil
  }

  // MARK: Calls

  func call(_ stream: Int32) -> ClientStream? {
    if let recent, recent.stream == stream { return recent }
    guard let found = calls[stream] else { return nil }
    recent = found
    return found
  }

  func remember(_ call: ClientStream) {
    calls[call.stream] = call
    recent = call
  }

  func forget(_ call: ClientStream) {
    calls[call.stream] = nil
    recent = nil
    if calls.isEmpty { callCheck = nil }
  }

  override func headersBegan(_ stream: Int32) { call(stream)?.fields = ResponseFields() }

  override func headerArrived(
    _ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool { takeHeader(stream, name, value) }

  override func headersEnded(_ stream: Int32, isEnd: Bool) { endHeaders(stream, isEnd: isEnd) }

  override func dataArrived(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {
    takeData(stream, bytes)
  }

  override func dataEnded(_ stream: Int32) { endData(stream) }

  override func readBody(
    _ stream: Int32, into target: UnsafeMutablePointer<UInt8>, capacity: Int,
    flags: UnsafeMutablePointer<UInt32>
  ) -> Int { fillBody(stream, into: target, capacity: capacity, flags: flags) }

  override func payloadWasSent(_ head: nghttp2_frame_hd, isEnd: Bool) {
    let stream = head.stream_id
    if isEnd { call(stream)?.isRequestSent = true }
  }

  override func streamClosed(_ stream: Int32, code: UInt32) {
    guard let call = call(stream) else { return }
    call.isStreamClosed = true
    // A server that resets on the deadline may be a moment ahead of our own timer.
    let isLate = code == NGHTTP2_CANCEL.rawValue && call.deadline.map { $0 <= now } ?? false
    endCall(
      call,
      isLate
        ? Status(.deadlineExceeded, "The deadline has passed.") : Status(http2Error: code))
    // A paused call still holds messages for its owner.
    if call.pausedEnd == nil || call.isReported { forget(call) }
  }

  override func endAllCalls(_ reason: Cancellation) {
    let lost = Status(.unavailable, "The connection was lost.")
    for call in everyCall {
      // What arrived before the end counts, held back or not.
      let (input, end) = (call.pausedInput, call.pausedEnd)
      call.isPaused = false
      call.pausedInput = []
      input.withUnsafeBytes { readMessages(call, $0) }
      endCall(call, end ?? lost)
    }
    calls.removeAll()
    recent = nil
  }

  // MARK: Judging the peer

  /// Silence is normal without calls; servers count pings then as abuse.
  override var wantsKeepalive: Bool { !calls.isEmpty }

  override func settingsArrived() {
    if case .awaitingSettings = handshake { handshake = .done }
  }

  override func goAwayArrived() {
    guard !isLeaving else { return }
    isLeaving = true
    note(.goAway)
  }

  override func checkCalls() -> Instant? {
    var next: Instant?
    for call in everyCall { next = earliest(next, check(call)) }
    return next
  }

  override func abandonCalls() {
    for call in everyCall { fail(call, Status(.unavailable, "The connection is closing.")) }
  }

  /// A copy: looking at a call can end it.
  private var everyCall: [ClientStream] { calls.values.sorted { $0.stream < $1.stream } }
}
