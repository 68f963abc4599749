// SPDX-License-Identifier: Apache-2.0
// Decides the server's side of one connection: bytes and instants in, events and bytes out.

import AtrestLedger
import CAtrestNghttp2

/// One HTTP/2 connection of a gRPC server. How it is driven: ``HTTP2Connection``.
public final class ServerConnection: HTTP2Connection {
  enum Pending {
    case started(ServerStream, RequestHead)
    case message(ServerStream, [UInt8], isCompressed: Bool)
    case endOfRequest(ServerStream)
    case cancelled(ServerStream, Cancellation)
    case writable(ServerStream)
  }

  private var calls: [Int32: ServerStream] = [:]
  /// The call that was looked up last: the next lookup mostly wants it again.
  private var recent: ServerStream?
  private var pending: [Pending] = []
  private var pendingHead = 0
  var recalled = RecalledText()
  private var peerResets = Budget()
  private var ownResets = Budget()
  private var idleFrames = Budget()
  private var frames = FrameMeter()
  /// Frames without a cost that the peer has earned: see `frameBegan`.
  private var frameCredit = 0
  private var windowCredit = 0
  private var lateCredit = 0
  /// Bytes of requests that are not whole.
  private(set) var unfinishedBytes = 0
  /// Bytes of answers that wait for the peer.
  private(set) var unsentBytes = 0
  /// The call whose charges may not be what it holds: see `settle`.
  private var unsettled: ServerStream?
  /// Who pays for calls that are not billed to anybody: see `bill`.
  private let payer: Holder?
  /// Whether requests have the whole of ``Limits/maxUnfinishedBytes``, or only
  /// ``Limits/maxUnfinishedBytesUnauthenticated``. An owner that knows its callers says false
  /// before the first byte, and true once one has proved who it is; a `started` event is early
  /// enough for its own call.
  public var isAuthenticated = true
  private var lastPing: Instant?
  private var pingStrikes = 0
  /// When the last call ended.
  private var idleSince: Instant

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
    idleSince = now
    self.payer = payer
    super.init(
      limits: limits, codecs: codecs, now: now, isServer: true, holder: holder, overhead: overhead)
  }

  // MARK: What the owner calls

  /// Takes bytes that arrived. Hand in at most 64 KiB at a time: events queue up meanwhile.
  public func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) -> ServerEvents {
    read(bytes, at: now)
    // A header block may stop in the middle.
    if let recent, recent.fields != nil { accountRequest(recent) }
    // Afterwards: by now it is known which streams there are.
    frames.feed(bytes) { frameBegan($0) }
    return ServerEvents(connection: self)
  }

  /// Events that came up while output was written or a verb ran (`writable`, or the end of all
  /// calls when the connection ends). Take them after `appendOutput`.
  public var pendingEvents: ServerEvents { ServerEvents(connection: self) }

  /// Lets time pass: call deadlines, timeouts, keepalive, drain. Append output afterwards.
  public func deadlineReached(at now: Instant) -> ServerEvents {
    letTimePass(at: now)
    return ServerEvents(connection: self)
  }

  /// The peer is gone, by EOF or by reset: every call still open is cancelled.
  public func peerClosed(at now: Instant) -> ServerEvents {
    self.now = now
    terminate(.connectionLost)
    return ServerEvents(connection: self)
  }

  /// Starts to leave: GOAWAY for "soon", GOAWAY for good once the peer has seen the first, then
  /// finished when the last call ends or ``Limits/drainGrace`` is over.
  public func beginDrain(at now: Instant) {
    self.now = now
    startDrain()
  }

  /// Calls whose streams are open, finished by the owner or not.
  public override var openCalls: Int { calls.count }

  /// Whether the peer has shown that it speaks HTTP/2.
  public var isHandshaken: Bool {
    if case .awaitingSettings = handshake { return false }
    return true
  }

  // MARK: Events

  func note(_ event: Pending) {
    pending.append(event)
  }

  /// Takes the next event; a message is inflated here, and nothing is told of a call that is over.
  func nextEvent() -> ServerEvent? {
    while pendingHead < pending.count {
      let event = pending[pendingHead]
      pendingHead += 1
      switch event {
      case .started(let call, let head):
        guard !call.isOver else { continue }
        call.isAnnounced = true
        return .started(call.id, head)
      case .message(let call, let bytes, let isCompressed):
        guard !call.isOver, call.isReading else { continue }
        // The limit may have come after the message.
        if let limit = call.maxMessageBytes, bytes.count > limit {
          failTooLarge(call)
          continue
        }
        guard isCompressed else { return .message(call.id, bytes) }
        if let message = inflate(bytes, for: call) { return .message(call.id, message) }
      case .endOfRequest(let call):
        guard !call.isOver, call.isReading else { continue }
        return .endOfRequest(call.id)
      case .cancelled(let call, let reason):
        guard call.isAnnounced else { continue }
        return .cancelled(call.id, reason)
      case .writable(let call):
        guard !call.isOver else { continue }
        return .writable(call.id)
      }
    }
    pending.removeAll(keepingCapacity: pending.capacity <= 1024)
    pendingHead = 0
    // Not sooner: the headers of any of these calls may have been proof.
    boundUnauthenticated()
    guard pending.isEmpty else { return nextEvent() }
    settle()
    return nil
  }

  // MARK: Calls

  func call(_ stream: Int32) -> ServerStream? {
    if let recent, recent.stream == stream { return recent }
    guard let found = calls[stream] else { return nil }
    recent = found
    return found
  }

  /// A copy: looking at a call can end it.
  var everyCall: [ServerStream] { calls.values.sorted { $0.stream < $1.stream } }

  override func headersBegan(_ stream: Int32) {
    // A call known already: its trailers.
    guard call(stream) == nil, !isSendingGoAway else { return }
    if let last = drain.lastStream, stream > last {
      // nghttp2 ignores such streams once the second GOAWAY is sent; this is while it waits to be.
      return resetStream(stream, NGHTTP2_REFUSED_STREAM)
    }
    let call = ServerStream(
      stream: stream, now: now, holder: holder, overhead: overhead, payer: payer)
    calls[stream] = call
    recent = call
    if case .awaitingRequest = handshake { handshake = .done }
  }

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

  override func streamClosed(_ stream: Int32, code: UInt32) {
    guard let call = call(stream) else { return }
    calls[stream] = nil
    recent = nil
    unfinishedBytes -= call.requestBytes
    unsentBytes -= call.answerBytes
    call.release()
    if calls.isEmpty {
      callCheck = nil
      idleSince = now
    }
    // What was on its way when the call was answered early.
    if !call.isRequestEnded { lateCredit = min(Self.maxCredit, lateCredit + Self.lateFrames) }
    guard !call.isOver else { return }
    call.isOver = true
    note(.cancelled(call, .reset(code: code)))
  }

  override func endAllCalls(_ reason: Cancellation) {
    for call in everyCall {
      call.release()
      guard !call.isOver else { continue }
      call.isOver = true
      note(.cancelled(call, reason))
    }
    calls.removeAll()
    recent = nil
    unfinishedBytes = 0
    unsentBytes = 0
  }

  /// Counts anew what a call holds of its request. After everything that changes it.
  func accountRequest(_ call: ServerStream) {
    guard !call.isClosed else { return }
    var bytes = call.fields?.size.bytes ?? 0
    let isRead = call.isReading && !call.isOver
    if isRead {
      bytes += call.reader.bufferedBytes + call.pausedInput.capacity
      if !call.isRequestEnded { bytes += Self.callBytes + call.keptBytes }
    } else {
      call.reader = MessageReader()
    }
    call.ownBytes = isRead && !call.isRequestEnded ? 0 : Self.callBytes
    unfinishedBytes += bytes - call.requestBytes
    call.requestBytes = bytes
    settleLater(call)
  }

  /// Counts anew what a call holds of its answer. After everything that changes it.
  func accountAnswer(_ call: ServerStream) {
    guard !call.isClosed else { return }
    let bytes = call.queue.bufferedBytes
    unsentBytes += bytes - call.answerBytes
    call.answerBytes = bytes
    settleLater(call)
  }

  private func settleLater(_ call: ServerStream) {
    guard unsettled !== call else { return }
    settle()
    unsettled = call
  }

  /// Books what a call holds. Not at each change, but when another call changes and when all events
  /// are taken: most of what comes is gone by then.
  private func settle() {
    guard let call = unsettled else { return }
    unsettled = nil
    call.settle()
  }

  // MARK: Judging the peer

  override func checkCalls() -> Instant? {
    var next: Instant?
    for call in everyCall { next = earliest(next, check(call)) }
    return next
  }

  override func abandonCalls() {
    for call in everyCall {
      fail(call, Status(.unavailable, "The server is shutting down."), .draining)
    }
  }

  override var idleDeadline: Instant? {
    guard calls.isEmpty, case .none = drain, case .done = handshake else { return nil }
    return idleSince.advanced(byNanoseconds: times.idle)
  }

  override func settingsArrived() {
    guard case .awaitingSettings = handshake else { return }
    handshake = .awaitingRequest(until: now.advanced(byNanoseconds: times.firstRequest))
  }

  /// Source: gRFC A8. Sending headers or data forgives, so that a client may measure bandwidth.
  override func pingArrived() {
    let interval = calls.isEmpty ? times.idlePingInterval : times.pingInterval
    if let lastPing, now.nanoseconds.saturatingSubtract(lastPing.nanoseconds) < interval {
      pingStrikes += 1
      if pingStrikes > limits.maxPingStrikes {
        // Clients double their interval on exactly this text.
        sendGoAway(error: NGHTTP2_ENHANCE_YOUR_CALM, "too_many_pings")
      }
    }
    lastPing = now
  }

  override func resetArrived(_ stream: Int32, code: UInt32) {
    guard let call = call(stream), !call.isOver else { return }
    if peerResets.spend(limit: limits.maxPeerResets, window: times.resetWindow, now: now) {
      sendGoAway(error: NGHTTP2_ENHANCE_YOUR_CALM, "too_many_resets")
    }
  }

  override func resetWasSent(_ stream: Int32, code: UInt32) {
    // Neither means that work was begun and thrown away.
    if code == NGHTTP2_NO_ERROR.rawValue || code == NGHTTP2_REFUSED_STREAM.rawValue { return }
    if ownResets.spend(limit: limits.maxOwnResets, window: times.resetWindow, now: now) {
      sendGoAway(error: NGHTTP2_ENHANCE_YOUR_CALM, "too_many_errors")
    }
  }

  override func payloadWasSent(_ head: nghttp2_frame_hd, isEnd: Bool) {
    lastPing = nil
    pingStrikes = 0
    if UInt32(head.type) == NGHTTP2_DATA.rawValue {
      // A peer may answer each frame with two updates, or tell in small steps what it has read.
      windowCredit = min(Self.maxCredit, windowCredit + 2 + head.length / 64)
    }
    // Data is what a client measures bandwidth by, with pings.
    frameCredit = min(limits.maxIdleFrames, frameCredit + (isEnd ? Self.framesPerCall : 1))
    let stream = head.stream_id
    guard isEnd, let call = call(stream), !call.isRequestEnded else { return }
    // The client still sends: free the stream. Only now, or the trailers would not leave.
    resetStream(stream, NGHTTP2_NO_ERROR)
  }

  /// Frames that may come with a call for nothing: priorities, settings, a reset.
  private static let framesPerCall = 8
  /// DATA frames that may still come for a call whose client has not heard yet that it is over.
  private static let lateFrames = 64
  /// Updates of windows that are kept in mind: those for 4 MiB read in the smallest steps.
  private static let maxCredit = 65_536

  /// Source of the kinds: CVE-2019-9513, 9518 and their like. Requests, and DATA that brings
  /// something, have limits of their own; PING and RST_STREAM too, but answers to pings that were
  /// never sent and resets of calls long gone reach none of those.
  private func frameBegan(_ head: FrameHead) {
    guard !isSendingGoAway, !isTerminated else { return }
    switch UInt32(head.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_CONTINUATION.rawValue:
      return
    case NGHTTP2_DATA.rawValue:
      let isEnd = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
      if head.length > 0 || isEnd, call(head.stream) != nil { return }
      if head.length > 0, lateCredit > 0 {
        lateCredit -= 1
        return
      }
    case NGHTTP2_WINDOW_UPDATE.rawValue:
      if windowCredit > 0 {
        windowCredit -= 1
        return
      }
    default:
      if frameCredit > 0 {
        frameCredit -= 1
        return
      }
    }
    countIdleFrame()
  }

  override func paddingArrived() { countIdleFrame() }

  private func countIdleFrame() {
    if idleFrames.spend(limit: limits.maxIdleFrames, window: times.resetWindow, now: now) {
      sendGoAway(error: NGHTTP2_ENHANCE_YOUR_CALM, "too_many_frames")
    }
  }
}
