// SPDX-License-Identifier: Apache-2.0
// Decides what a client still sends of a request. Pure.

/// The request half of one call on a client. Its headers have left with `start`.
///
///     open ──last message, or none──▶ ending ──END_STREAM leaves──▶ sent
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

  /// Whether further messages are taken.
  var isOpen: Bool {
    if case .open = state { return true }
    return false
  }

  /// Whether the server has the whole request.
  var isSent: Bool {
    if case .sent = state { return true }
    return false
  }

  /// No further message follows.
  mutating func end() {
    if case .open = state { state = .ending }
  }

  /// END_STREAM has left.
  mutating func endSent() { state = .sent }

  /// The call is over: what is queued is dropped.
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
