// SPDX-License-Identifier: Apache-2.0
// Decides when a client abuses the protocol without breaking it. Pure.

/// Why a client is sent away with ENHANCE_YOUR_CALM.
enum Offence {
  case tooManyPings
  case tooManyResets
  case tooManyErrors
  case tooManyFrames

  /// The debug data of the GOAWAY. Clients double their ping interval on exactly `too_many_pings`.
  var reason: StaticString {
    switch self {
    case .tooManyPings: "too_many_pings"
    case .tooManyResets: "too_many_resets"
    case .tooManyErrors: "too_many_errors"
    case .tooManyFrames: "too_many_frames"
    }
  }
}

/// Counts what a client does that costs a server work and brings nothing. Each verb returns an
/// offence once a bound of ``Limits`` is passed.
struct PeerPolicing {
  /// Frames that may come with a call for nothing: priorities, settings, a reset.
  private static let framesPerCall = 8
  /// DATA frames that may still come for a call whose client has not heard yet that it is over.
  private static let lateFrames = 64
  /// The most window updates that are expected: those for 4 MiB read in the smallest steps.
  private static let maxCredit = 65_536

  private let limits: Limits
  private let times: Times
  private var lastPing: Instant?
  private var pingStrikes = 0
  private var peerResets = WindowedCount()
  private var ownResets = WindowedCount()
  private var idleFrames = WindowedCount()
  // Frames that cost nothing and that the client has earned, by kind.
  private var frameCredit = 0
  private var windowCredit = 0
  private var lateCredit = 0

  init(_ limits: Limits, times: Times) {
    self.limits = limits
    self.times = times
  }

  /// A ping arrived. Source: gRFC A8.
  mutating func pingArrived(hasCalls: Bool, at now: Instant) -> Offence? {
    let interval = hasCalls ? times.pingInterval : times.idlePingInterval
    defer { lastPing = now }
    guard let lastPing, now.nanoseconds.saturatingSubtract(lastPing.nanoseconds) < interval
    else { return nil }
    pingStrikes += 1
    return pingStrikes > limits.maxPingStrikes ? .tooManyPings : nil
  }

  /// The client has reset a call. Source: CVE-2023-44487.
  mutating func resetArrived(at now: Instant) -> Offence? {
    let isOver = peerResets.add(limit: limits.maxPeerResets, window: times.resetWindow, now: now)
    return isOver ? .tooManyResets : nil
  }

  /// This side has reset a stream. Source: CVE-2025-8671.
  mutating func resetSent(_ code: HTTP2ErrorCode, at now: Instant) -> Offence? {
    // Neither means that work was begun and thrown away.
    if code == .noError || code == .refusedStream { return nil }
    let isOver = ownResets.add(limit: limits.maxOwnResets, window: times.resetWindow, now: now)
    return isOver ? .tooManyErrors : nil
  }

  /// Headers or data were sent. That forgives pings, so that a client may measure bandwidth.
  mutating func payloadSent(_ head: FrameHead, isEnd: Bool) {
    lastPing = nil
    pingStrikes = 0
    if head.isData {
      // A peer may answer each frame with two updates, or tell in small steps what it has read.
      windowCredit = min(Self.maxCredit, windowCredit + 2 + head.length / 64)
    }
    frameCredit = min(limits.maxIdleFrames, frameCredit + (isEnd ? Self.framesPerCall : 1))
  }

  /// A call was answered before its request had ended: more of that may be on its way.
  mutating func callEndedEarly() {
    lateCredit = min(Self.maxCredit, lateCredit + Self.lateFrames)
  }

  /// A frame began. Requests, and DATA that brings something, have limits of their own; PING and
  /// RST_STREAM too, but answers to pings that were never sent and resets of calls long gone reach
  /// none of those. Source of the kinds: CVE-2019-9513, 9518 and their like.
  mutating func frameBegan(_ head: FrameHead, isOfOpenCall: Bool, at now: Instant) -> Offence? {
    switch head.kind {
    case .request:
      return nil
    case .data:
      if head.length > 0 || head.endsStream, isOfOpenCall { return nil }
      if head.length > 0, lateCredit > 0 {
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

  /// A frame arrived that brought nothing, such as DATA that is all padding.
  mutating func idleFrameArrived(at now: Instant) -> Offence? {
    let isOver = idleFrames.add(limit: limits.maxIdleFrames, window: times.resetWindow, now: now)
    return isOver ? .tooManyFrames : nil
  }
}

/// A count that starts again when its window has passed.
private struct WindowedCount {
  private var count = 0
  private var since: Instant?

  /// Counts one more.
  /// - Returns: Whether it is one too many.
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
