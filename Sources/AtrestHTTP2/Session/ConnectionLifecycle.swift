// SPDX-License-Identifier: Apache-2.0
// Times keepalive, idle timeout and graceful shutdown of a connection. Pure.

/// The lifecycle of one HTTP/2 connection without its frames: instants in, actions out.
///
///     handshaking ──SETTINGS──▶ awaitingRequest ──HEADERS──▶ open
///          │        (a client's is open at once) │            │ idle, or beginDrain
///          │ time                                │ time       ▼
///          │                                     └────────▶ noticed ──ACK, or time──▶ draining
///          ▼                                                                           │ grace
///     terminated ◀──sent── sendingGoAway ◀──abuse── any                                ▼
///          ▲                                                                       abandoned
///          └──────────────────────────── a second later ──────────────────────────────┘
struct ConnectionLifecycle {
  enum Role {
    case client
    case server
  }

  private enum Phase {
    /// Waiting for the peer's SETTINGS.
    case handshaking(until: Instant)
    /// Server only: waiting for the first request.
    case awaitingRequest(until: Instant)
    case open
    /// GOAWAY with the largest stream ID was sent. Requests in flight are still served.
    case noticed(until: Instant, graceUntil: Instant)
    /// GOAWAY with the actual last stream ID was sent.
    case draining(lastStream: Int32, graceUntil: Instant)
    /// The drain grace passed and open calls were ended. Output is flushed for one more second.
    case abandoned(lastStream: Int32, until: Instant)
    /// GOAWAY with an error is being sent. The end of a drain still applies.
    case sendingGoAway(until: Instant?)
    case terminated
  }

  /// What the session must do.
  enum Action {
    case sendPing
    /// The warning GOAWAY, and a ping whose ACK proves that the peer has read it. Source: gRFC A9.
    case sendShutdownNotice
    /// The GOAWAY with the last stream ID, which is passed to ``drainBegan(lastStream:)``.
    case sendFinalGoAway
    case abandonCalls
    case terminate(Cancellation)
  }

  /// How long the last frames may wait for a peer that does not read, in nanoseconds.
  private static let lastWords: UInt64 = 1_000_000_000

  private let role: Role
  private let times: Times
  private var phase: Phase
  private var lastHeard: Instant
  private var pingSent: Instant?
  /// When the current header block began. An incomplete block stalls every stream.
  private var headerBlockSince: Instant?
  /// When the last call ended; nil while calls are open.
  var idleSince: Instant?

  init(_ role: Role, times: Times, now: Instant) {
    self.role = role
    self.times = times
    phase = .handshaking(until: now.advanced(byNanoseconds: times.handshake))
    lastHeard = now
    idleSince = now
  }

  // MARK: State

  var isTerminated: Bool {
    if case .terminated = phase { return true }
    return false
  }

  /// Whether received bytes are still processed.
  var isReading: Bool {
    switch phase {
    case .sendingGoAway, .terminated: false
    case .handshaking, .awaitingRequest, .open, .noticed, .draining, .abandoned: true
    }
  }

  /// Whether the peer has completed the HTTP/2 handshake.
  var isHandshaken: Bool {
    if case .handshaking = phase { return false }
    return true
  }

  /// The last stream ID of the final GOAWAY; nil before it.
  var lastStream: Int32? {
    switch phase {
    case .draining(let last, _), .abandoned(let last, _): last
    case .handshaking, .awaitingRequest, .open, .noticed, .sendingGoAway, .terminated: nil
    }
  }

  // MARK: Events

  mutating func bytesArrived(at now: Instant) {
    lastHeard = now
    pingSent = nil
  }

  mutating func settingsArrived(at now: Instant) {
    guard case .handshaking = phase else { return }
    switch role {
    case .client: phase = .open
    case .server:
      phase = .awaitingRequest(until: now.advanced(byNanoseconds: times.firstRequest))
    }
  }

  mutating func requestBegan() {
    if case .awaitingRequest = phase { phase = .open }
    idleSince = nil
  }

  mutating func headerBlockBegan(at now: Instant) { headerBlockSince = now }
  mutating func headerBlockEnded() { headerBlockSince = nil }

  /// Starts a graceful shutdown, unless one has begun.
  mutating func beginDrain(at now: Instant) -> Action? {
    switch phase {
    case .noticed, .draining, .abandoned, .sendingGoAway, .terminated:
      return nil
    case .handshaking, .awaitingRequest, .open:
      phase = .noticed(
        until: now.advanced(byNanoseconds: times.drainNotice),
        graceUntil: now.advanced(byNanoseconds: times.drainGrace))
      // A client opens no more streams, so none can be in flight: it needs no notice.
      return role == .server ? .sendShutdownNotice : .sendFinalGoAway
    }
  }

  /// The peer acknowledged the notice's ping.
  mutating func noticeAcknowledged() -> Action? {
    guard case .noticed = phase else { return nil }
    return .sendFinalGoAway
  }

  /// Records the last stream ID of the final GOAWAY.
  mutating func drainBegan(lastStream: Int32) {
    guard case .noticed(_, let graceUntil) = phase else { return }
    phase = .draining(lastStream: lastStream, graceUntil: graceUntil)
  }

  /// Begins the GOAWAY for a misbehaving peer; the connection ends once it is sent.
  /// - Returns: False if the connection is ending already.
  mutating func goAwayBegan() -> Bool {
    switch phase {
    case .sendingGoAway, .terminated:
      return false
    case .handshaking, .awaitingRequest, .open:
      phase = .sendingGoAway(until: nil)
    case .noticed(_, let until), .draining(_, let until):
      phase = .sendingGoAway(until: until.advanced(byNanoseconds: Self.lastWords))
    case .abandoned(_, let until):
      phase = .sendingGoAway(until: until)
    }
    return true
  }

  mutating func goAwaySent() -> Action? {
    guard case .sendingGoAway = phase else { return nil }
    return .terminate(.connectionLost)
  }

  mutating func terminated() { phase = .terminated }

  // MARK: Time

  /// The next due action, if any. Call until it returns nil.
  mutating func dueAction(at now: Instant) -> Action? {
    if isTerminated { return nil }
    if let headerBlockDeadline, headerBlockDeadline <= now { return .terminate(.connectionLost) }
    switch phase {
    case .handshaking(let until) where until <= now:
      return .terminate(.connectionLost)
    case .awaitingRequest(let until) where until <= now:
      return beginDrain(at: now)
    case .open:
      if let idleDeadline, idleDeadline <= now { return beginDrain(at: now) }
    case .noticed(let until, let graceUntil) where min(until, graceUntil) <= now:
      return .sendFinalGoAway
    case .draining(let last, let graceUntil) where graceUntil <= now:
      phase = .abandoned(
        lastStream: last, until: now.advanced(byNanoseconds: Self.lastWords))
      return .abandonCalls
    case .abandoned(_, let until) where until <= now:
      return .terminate(.draining)
    case .sendingGoAway(let until?) where until <= now:
      return .terminate(.draining)
    case .handshaking, .awaitingRequest, .noticed, .draining, .abandoned, .sendingGoAway,
      .terminated:
      break
    }
    guard let due = keepaliveDeadline, due <= now else { return nil }
    if pingSent != nil { return .terminate(.connectionLost) }
    pingSent = now
    return .sendPing
  }

  /// When the next action may be due; nil means never.
  var nextDeadline: Instant? {
    if isTerminated { return nil }
    return earliest(phaseDeadline, earliest(keepaliveDeadline, headerBlockDeadline))
  }

  private var phaseDeadline: Instant? {
    switch phase {
    case .handshaking(let until), .awaitingRequest(let until): until
    case .open: idleDeadline
    case .noticed(let until, let graceUntil): min(until, graceUntil)
    case .draining(_, let until), .abandoned(_, let until): until
    case .sendingGoAway(let until): until
    case .terminated: nil
    }
  }

  private var headerBlockDeadline: Instant? {
    headerBlockSince?.advanced(byNanoseconds: times.requestStall)
  }

  /// Idle clients without calls do not ping: servers count such pings as abuse.
  private var keepaliveDeadline: Instant? {
    if let pingSent { return pingSent.advanced(byNanoseconds: times.keepaliveTimeout) }
    guard role == .server || idleSince == nil else { return nil }
    return lastHeard.advanced(byNanoseconds: times.keepalive)
  }

  private var idleDeadline: Instant? { idleSince?.advanced(byNanoseconds: times.idle) }
}
