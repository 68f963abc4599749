// SPDX-License-Identifier: Apache-2.0
// Decides what may follow what in a response: headers, messages, trailers. Pure.

/// The response half of one call on a server.
///
///     idle ──message──▶ open ──finish──▶ finishing ──messages are sent──▶ trailers
///      │                 │
///      │ finish          │ abort
///      ▼                 ▼
///     over: a status alone, a reset
///
/// An answer that is not gRPC goes from idle to plain, whose body ends the stream.
struct OutboundResponse {
  private enum State {
    case idle
    case open
    /// The status follows the messages that are queued.
    case finishing(Status)
    case plain
    case over
  }

  /// How a status leaves.
  enum Ending {
    /// Nothing was sent: one HEADERS frame is the whole response ("Trailers-Only").
    case alone
    /// As trailers, after what is queued.
    case afterMessages
  }

  private var state = State.idle
  var messages = OutboundMessages()
  /// How messages may be compressed, as the client accepts.
  var encoding = Compression.identity

  /// Whether either side has ended the call: nothing more is taken for it.
  var isEnded: Bool {
    switch state {
    case .idle, .open: false
    case .finishing, .plain, .over: true
    }
  }

  /// Whether something waits for the client to read.
  var isUnread: Bool {
    if case .finishing = state { return true }
    return !messages.isEmpty
  }

  /// The first message is queued.
  /// - Returns: Whether headers have to go before it.
  mutating func start() -> Bool {
    guard case .idle = state else { return false }
    state = .open
    return true
  }

  /// The only or last message is queued, and OK follows it.
  /// - Returns: Whether headers have to go before it.
  mutating func startLast() -> Bool {
    defer { state = .finishing(.ok) }
    if case .idle = state { return true }
    return false
  }

  /// The call has its status.
  mutating func finish(_ status: Status) -> Ending {
    guard case .open = state else {
      state = .over
      return .alone
    }
    state = .finishing(status)
    return .afterMessages
  }

  /// A plain HTTP answer, whose body was queued or is empty.
  mutating func startPlain() { state = .plain }

  /// Nothing further is sent: the stream is reset, or closed.
  mutating func abandon() {
    state = .over
    messages.removeAll()
  }

  /// What follows a DATA frame.
  enum Next {
    case more
    case end
    case trailers(Status)
    case wait
  }

  func next(after filled: OutboundMessages.Filled) -> Next {
    guard filled.isEmpty else { return .more }
    switch state {
    case .plain: return .end
    case .finishing(let status): return .trailers(status)
    case .idle, .open, .over: return filled.count == 0 ? .wait : .more
    }
  }

  /// Whether headers have left, or are about to.
  var isStarted: Bool {
    if case .idle = state { return false }
    return true
  }
}
