// SPDX-License-Identifier: Apache-2.0
// Decides when a connection pings, when silence means it is lost, and how it leaves.

import CAtrestNghttp2

/// The times of ``Limits`` in nanoseconds, converted once.
struct Times {
  let handshake, firstRequest, requestStall, requestTimeout, writeStall, idle: UInt64
  let keepalive, keepaliveTimeout, drainNotice, drainGrace: UInt64
  let pingInterval, idlePingInterval, resetWindow: UInt64

  init(_ limits: Limits) {
    handshake = limits.handshakeTimeout.clampedNanoseconds
    firstRequest = limits.firstRequestTimeout.clampedNanoseconds
    requestStall = limits.requestStall.clampedNanoseconds
    requestTimeout = limits.requestTimeout.clampedNanoseconds
    writeStall = limits.writeStall.clampedNanoseconds
    idle = limits.idleConnection.clampedNanoseconds
    keepalive = limits.keepaliveInterval.clampedNanoseconds
    keepaliveTimeout = limits.keepaliveTimeout.clampedNanoseconds
    drainNotice = limits.drainNotice.clampedNanoseconds
    drainGrace = limits.drainGrace.clampedNanoseconds
    pingInterval = limits.minimumPingInterval.clampedNanoseconds
    idlePingInterval = limits.minimumIdlePingInterval.clampedNanoseconds
    resetWindow = limits.resetWindow.clampedNanoseconds
  }
}

/// What a new connection still owes.
enum Handshake {
  case awaitingSettings(until: Instant)
  /// Servers only.
  case awaitingRequest(until: Instant)
  case done

  var deadline: Instant? {
    switch self {
    case .awaitingSettings(let until), .awaitingRequest(let until): until
    case .done: nil
    }
  }
}

/// When the peer was last heard, and whether a ping asks for a sign of life.
struct Keepalive {
  private(set) var lastHeard: Instant
  var pingSent: Instant?

  init(now: Instant) {
    lastHeard = now
  }

  mutating func heard(at now: Instant) {
    lastHeard = now
    pingSent = nil
  }
}

/// How far a connection has got in leaving.
enum Drain {
  case none
  /// GOAWAY with the largest stream id is out: requests already on their way still count.
  case noticed(until: Instant, graceUntil: Instant)
  /// GOAWAY with the real last stream is out.
  case final(graceUntil: Instant, lastStream: Int32)
  /// The grace is over and calls were ended; one moment to tell the peer so.
  case abandoned(until: Instant, lastStream: Int32)

  var deadline: Instant? {
    switch self {
    case .none: nil
    case .noticed(let until, let graceUntil): min(until, graceUntil)
    case .final(let until, _), .abandoned(let until, _): until
    }
  }

  /// The last stream the second GOAWAY promised to serve.
  var lastStream: Int32? {
    switch self {
    case .none, .noticed: nil
    case .final(_, let last), .abandoned(_, let last): last
    }
  }
}

/// Tells the answer to a drain's ping from the answer to any other.
private let drainPing: [UInt8] = Array("drain!!!".utf8)

extension HTTP2Connection {
  var keepaliveDeadline: Instant? {
    if let sent = keepalive.pingSent {
      return sent.advanced(byNanoseconds: times.keepaliveTimeout)
    }
    return wantsKeepalive ? keepalive.lastHeard.advanced(byNanoseconds: times.keepalive) : nil
  }

  func passKeepaliveTime() {
    guard let due = keepaliveDeadline, due <= now else { return }
    if keepalive.pingSent != nil { return terminate(.connectionLost) }
    keepalive.pingSent = now
    nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
  }

  /// The first GOAWAY, and a ping whose answer proves that the peer has read it. Source: gRFC A9.
  /// A client starts no streams that could be lost on the way, and needs no notice.
  func startDrain(withNotice: Bool = true) {
    guard case .none = drain, !isTerminated else { return }
    handshake = .done
    drain = .noticed(
      until: now.advanced(byNanoseconds: times.drainNotice),
      graceUntil: now.advanced(byNanoseconds: times.drainGrace))
    guard withNotice else { return finalGoAway() }
    nghttp2_submit_shutdown_notice(session)
    drainPing.withUnsafeBufferPointer {
      _ = nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), $0.baseAddress)
    }
  }

  func pingAnswered(_ payload: [UInt8]) {
    if payload == drainPing { finalGoAway() }
  }

  /// The second GOAWAY: streams above the last one seen were not, and will not be, processed.
  private func finalGoAway() {
    guard case .noticed(_, let graceUntil) = drain else { return }
    let last = nghttp2_session_get_last_proc_stream_id(session)
    drain = .final(graceUntil: graceUntil, lastStream: last)
    nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, NGHTTP2_NO_ERROR.rawValue, nil, 0)
  }

  func passDrainTime() {
    if case .noticed = drain, let due = drain.deadline, due <= now { finalGoAway() }
    if case .final(let until, let last) = drain, until <= now {
      // One second for the last words; a peer that does not read does not get to keep us.
      drain = .abandoned(
        until: now.advanced(byNanoseconds: 1_000_000_000), lastStream: last)
      abandonCalls()
    }
    if case .abandoned(let until, _) = drain, until <= now { terminate(.draining) }
  }
}
