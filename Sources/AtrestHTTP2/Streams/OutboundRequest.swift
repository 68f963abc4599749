// SPDX-License-Identifier: Apache-2.0
// The state machine of a request on the client. Pure.

/// The request half of one call on a client. Its headers were sent by `start`.
///
///     open ──last message, or none──▶ ending ──END_STREAM is sent──▶ sent
///       │                               │
///       └──────── call is over ─────────┴──▶ stopped
struct OutboundRequest {
  private enum State {
    case open
    case ending
    case sent
    case stopped
  }

  private var state = State.open
  var messages = OutboundMessages()

  /// Whether further messages are accepted.
  var isOpen: Bool {
    if case .open = state { return true }
    return false
  }

  /// Whether the whole request was sent.
  var isSent: Bool {
    if case .sent = state { return true }
    return false
  }

  /// Half-closes the request.
  mutating func end() {
    if case .open = state { state = .ending }
  }

  /// END_STREAM was sent.
  mutating func endSent() { state = .sent }

  /// The call ended: drops queued messages.
  mutating func stop() {
    messages.removeAll()
    switch state {
    case .open, .ending: state = .stopped
    case .sent, .stopped: break
    }
  }

  /// What follows a DATA frame.
  enum Next {
    case more
    case end
    case wait
  }

  func next(after filled: OutboundMessages.Filled) -> Next {
    guard filled.isEmpty else { return .more }
    switch state {
    case .ending: return .end
    case .open, .sent, .stopped: return filled.count == 0 ? .wait : .more
    }
  }
}
