// SPDX-License-Identifier: Apache-2.0
// Hand-driven peers for the real client and server.

import Testing

@testable import AtrestHTTP2

/// A server under test with a client made of raw frames.
final class RawClient {
  let server: ServerConnection
  let reader = FrameReader()
  var now = Instant.start
  var events: [ServerEvent] = []
  /// All frames the server has sent.
  var frames: [Frame] = []
  /// Called on each event before the next is taken.
  var onEvent: (ServerEvent, ServerConnection) -> Void = { _, _ in }

  init(
    limits: Limits = .default, site: WebSite? = nil, handshake: Bool = true,
    settings: [(UInt16, UInt32)] = []
  ) {
    server = ServerConnection(limits: limits, site: site, now: now)
    if handshake {
      send(preface + Frame.settings(settings).bytes + Frame.settingsAck.bytes)
      frames.removeAll()
    }
  }

  func send(_ frames: Frame...) { send(frames.flatMap(\.bytes)) }

  /// Passes bytes to the server, takes all events, and reads all response frames.
  func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { take(server.receive($0, at: now)) }
    flush()
  }

  func wait(_ duration: Duration) {
    now = now.advanced(by: duration)
    take(server.deadlineReached(at: now))
    flush()
  }

  func take(_ new: ServerEvents) {
    for event in new {
      events.append(event)
      onEvent(event, server)
    }
  }

  func flush() {
    while true {
      var output: [UInt8] = []
      server.appendOutput(to: &output)
      take(server.pendingEvents)
      if output.isEmpty { break }
      frames += reader.read(output)
    }
  }

  func frames(of type: UInt8, stream: UInt32? = nil) -> [Frame] {
    frames.filter { $0.type == type && (stream == nil || $0.stream == stream) }
  }

  /// All header blocks sent so far, in order, as fields. Call once.
  func headerBlocks() -> [[String: String]] {
    frames(of: 1).map(reader.fields)
  }

  var goAways: [Frame] { frames(of: 7) }

  var started: [CallID] {
    events.compactMap { if case .started(let call, _) = $0 { call } else { nil } }
  }

  var messages: [[UInt8]] {
    events.compactMap { if case .message(_, let bytes) = $0 { bytes } else { nil } }
  }

  var cancellations: [Cancellation] {
    events.compactMap { if case .cancelled(_, let reason) = $0 { reason } else { nil } }
  }

  var head: RequestHead? {
    for case .started(_, let head) in events { return head }
    return nil
  }

  func call(_ stream: Int32 = 1) -> CallID { CallID(stream) }

  /// Acknowledges keepalive pings, so that time may pass without losing the connection.
  func answerPings() {
    for ping in frames(of: 6) where ping.flags == 0 {
      var answer = ping
      answer.flags = Frame.ack
      send(answer)
    }
    frames.removeAll { $0.type == 6 }
  }
}

/// A client under test with a server made of raw frames.
final class RawServer {
  let client: ClientConnection
  let reader = FrameReader(skipsPreface: true)
  var now = Instant.start
  var events: [ClientEvent] = []
  var frames: [Frame] = []

  init(
    limits: Limits = .default, compression: Compression? = nil, handshake: Bool = true,
    settings: [(UInt16, UInt32)] = []
  ) {
    client = ClientConnection(
      limits: limits, authority: "localhost", isSecure: false, compression: compression, now: now)
    if handshake { send(Frame.settings(settings), .settingsAck) }
  }

  func send(_ frames: Frame...) {
    frames.flatMap(\.bytes).withUnsafeBytes { events += Array(client.receive($0, at: now)) }
    flush()
  }

  func wait(_ duration: Duration) {
    now = now.advanced(by: duration)
    events += Array(client.deadlineReached(at: now))
    flush()
  }

  func flush() {
    while true {
      var output: [UInt8] = []
      client.appendOutput(to: &output)
      events += Array(client.pendingEvents)
      if output.isEmpty { break }
      frames += reader.read(output)
    }
  }

  /// Starts a call with one message and flushes it.
  @discardableResult
  func begin(_ message: [UInt8] = [1], end: Bool = true, timeout: Duration? = nil) -> CallID? {
    let call = client.start(path: "/test.Echo/Say", timeout: timeout, at: now)
    if let call { _ = client.send(message, on: call, end: end) }
    flush()
    return call
  }

  var statuses: [Status] {
    events.compactMap { if case .finished(_, let status) = $0 { status } else { nil } }
  }

  var messages: [[UInt8]] {
    events.compactMap { if case .message(_, let bytes) = $0 { bytes } else { nil } }
  }

  func frames(of type: UInt8) -> [Frame] { frames.filter { $0.type == type } }
}

let responseFields = [(":status", "200"), ("content-type", "application/grpc")]
