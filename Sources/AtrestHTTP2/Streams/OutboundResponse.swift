// SPDX-License-Identifier: Apache-2.0
// The state machine of a response on the server: headers, messages, trailers. Pure.

/// The response half of one call on a server.
///
///     idle ──message──▶ open ──finish──▶ finishing ──messages are sent──▶ trailers
///      │                 │
///      │ finish          │ abort
///      ▼                 ▼
///     over: trailers-only, or reset
///
/// In gRPC-Web the status is queued after the last message, and the body ends the stream.
/// A response that is not gRPC goes from idle to plain; its body ends the stream.
struct OutboundResponse {
  private enum State {
    case idle
    case open
    /// The status follows the queued messages.
    case finishing(Status)
    case plain
    case over
  }

  /// How a status is sent.
  enum Ending {
    /// Trailers-only: nothing was sent before, so one HEADERS frame is the whole response.
    case alone
    /// As trailers, after the queued messages.
    case afterMessages
  }

  private var state = State.idle
  var messages = OutboundMessages()
  var format = CallFormat.grpc
  /// The response encoding that the client accepts.
  var encoding = Compression.identity
  /// What the response's messages wish unless they say otherwise.
  var compression = MessageCompression.worthwhile
  /// Sent with the headers.
  var metadata = Metadata()

  /// Whether either side has ended the call: nothing more is accepted for it.
  var isEnded: Bool {
    switch state {
    case .idle, .open: false
    case .finishing, .plain, .over: true
    }
  }

  /// Whether output waits for the client to read.
  var isUnread: Bool {
    if case .finishing = state { return true }
    return !messages.isEmpty
  }

  /// Records the first queued message.
  /// - Returns: Whether headers must precede it.
  mutating func start() -> Bool {
    guard case .idle = state else { return false }
    state = .open
    return true
  }

  /// Records the only or last queued message, followed by OK.
  /// - Returns: Whether headers must precede it.
  mutating func startLast() -> Bool {
    defer { state = .finishing(.ok) }
    if case .idle = state { return true }
    return false
  }

  /// Ends the response with a status.
  mutating func finish(_ status: Status) -> Ending {
    guard case .open = state else {
      state = .over
      return .alone
    }
    state = .finishing(status)
    return .afterMessages
  }

  /// Starts a plain HTTP response. Its body is queued or empty.
  mutating func startPlain() { state = .plain }

  /// Drops all output: the stream is reset or closed.
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
    case .finishing(let status): return format.isWeb ? .end : .trailers(status)
    case .idle, .open, .over: return filled.count == 0 ? .wait : .more
    }
  }

  /// Whether headers were submitted.
  var isStarted: Bool {
    if case .idle = state { return false }
    return true
  }
}
