// SPDX-License-Identifier: Apache-2.0
// Detects clients that abuse the protocol without breaking it. Pure.

/// Why a client gets GOAWAY(ENHANCE_YOUR_CALM).
enum Offence {
  case tooManyPings
  case tooManyResets
  case tooManyErrors
  case tooManyFrames

  /// The GOAWAY debug data. Clients double their ping interval on exactly `too_many_pings`.
  var reason: StaticString {
    switch self {
    case .tooManyPings: "too_many_pings"
    case .tooManyResets: "too_many_resets"
    case .tooManyErrors: "too_many_errors"
    case .tooManyFrames: "too_many_frames"
    }
  }
}

/// Counts client actions that cost the server work for no purpose. Each method returns an offence
/// once a bound of ``Limits`` is exceeded.
struct PeerPolicing {
  /// Uncharged frames per call: priorities, settings, a reset.
  private static let framesPerCall = 8
  /// DATA frames that may still arrive for a call whose client does not know yet that it ended.
  private static let lateFrames = 64
  /// Maximum credit for WINDOW_UPDATE frames: enough for 4 MiB read in the smallest steps.
  private static let maxCredit = 65_536

  private let limits: Limits
  private let times: Times
  private var lastPing: Instant?
  private var pingStrikes = 0
  private var peerResets = WindowedCount()
  private var ownResets = WindowedCount()
  private var idleFrames = WindowedCount()
  // Free frames earned by the client, by kind.
  private var frameCredit = 0
  private var windowCredit = 0
  private var lateCredit = 0

  init(_ limits: Limits, times: Times) {
    self.limits = limits
    self.times = times
  }

  /// Records a received PING. Source: gRFC A8.
  mutating func pingArrived(hasCalls: Bool, at now: Instant) -> Offence? {
    let interval = hasCalls ? times.pingInterval : times.idlePingInterval
    defer { lastPing = now }
    guard let lastPing, now.nanoseconds.saturatingSubtract(lastPing.nanoseconds) < interval
    else { return nil }
    pingStrikes += 1
    return pingStrikes > limits.maxPingStrikes ? .tooManyPings : nil
  }

  /// Records a call reset by the client. Source: CVE-2023-44487.
  mutating func resetArrived(at now: Instant) -> Offence? {
    let isOver = peerResets.add(limit: limits.maxPeerResets, window: times.resetWindow, now: now)
    return isOver ? .tooManyResets : nil
  }

  /// Records a stream reset by this side. Source: CVE-2025-8671.
  mutating func resetSent(_ code: HTTP2ErrorCode, at now: Instant) -> Offence? {
    // Neither code means that work was started and discarded.
    if code == .noError || code == .refusedStream { return nil }
    let isOver = ownResets.add(limit: limits.maxOwnResets, window: times.resetWindow, now: now)
    return isOver ? .tooManyErrors : nil
  }

  /// Headers or data were sent. This resets the ping count: clients ping to measure bandwidth.
  mutating func payloadSent(_ head: FrameHead, isEnd: Bool) {
    lastPing = nil
    pingStrikes = 0
    if head.isData {
      // A peer may answer each frame with two WINDOW_UPDATEs, or report reads in small steps.
      windowCredit = min(Self.maxCredit, windowCredit + 2 + head.length / 64)
    }
    frameCredit = min(limits.maxIdleFrames, frameCredit + (isEnd ? Self.framesPerCall : 1))
  }

  /// A call ended before its request did: more DATA may be in flight, and the request's end.
  mutating func callEndedEarly() {
    lateCredit = min(Self.maxCredit, lateCredit + Self.lateFrames)
  }

  /// Records the start of a frame. Requests and non-empty DATA have their own limits. PING and
  /// RST_STREAM have, too, but unsolicited PING ACKs and resets of streams long closed escape them
  /// and count here. Source of the frame kinds: CVE-2019-9513, CVE-2019-9518 and similar.
  mutating func frameBegan(_ head: FrameHead, isOfOpenCall: Bool, at now: Instant) -> Offence? {
    switch head.kind {
    case .request:
      return nil
    case .data:
      if head.length > 0 || head.endsStream, isOfOpenCall { return nil }
      if head.length > 0 || head.endsStream, lateCredit > 0 {
        lateCredit -= 1
        return nil
      }
    case .windowUpdate:
      if windowCredit > 0 {
        windowCredit -= 1
        return nil
      }
    case .other:
      if frameCredit > 0 {
        frameCredit -= 1
        return nil
      }
    }
    return idleFrameArrived(at: now)
  }

  /// Records a frame that carried nothing, such as DATA that is all padding.
  mutating func idleFrameArrived(at now: Instant) -> Offence? {
    let isOver = idleFrames.add(limit: limits.maxIdleFrames, window: times.resetWindow, now: now)
    return isOver ? .tooManyFrames : nil
  }
}

/// A counter that restarts after its window.
private struct WindowedCount {
  private var count = 0
  private var since: Instant?

  /// Counts one event.
  /// - Returns: Whether the count exceeds `limit`.
  mutating func add(limit: Int, window: UInt64, now: Instant) -> Bool {
    if let since, now.nanoseconds.saturatingSubtract(since.nanoseconds) < window {
      count += 1
    } else {
      since = now
      count = 1
    }
    return count > limit
  }
}
