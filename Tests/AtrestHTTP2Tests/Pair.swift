// SPDX-License-Identifier: Apache-2.0
// Connects a client and a server in memory, in pieces of any size.

import AtrestHTTP2
import Testing

@testable import AtrestTestSupport

/// A real client and server without a socket between them.
final class Pair {
  let client: ClientConnection
  let server: ServerConnection
  var now = Instant.start
  var clientEvents: [ClientEvent] = []
  var serverEvents: [ServerEvent] = []
  /// Called on each event before the next is taken.
  var onServer: (ServerEvent, ServerConnection) -> Void = { _, _ in }
  /// Bytes passed on at a time.
  var pieceBytes = 64 * 1024
  /// Bytes passed on so far, in both directions.
  var bytesCarried = 0

  init(
    limits: Limits = .default, clientLimits: Limits? = nil, compression: Compression? = nil
  ) {
    client = ClientConnection(
      limits: clientLimits ?? limits, authority: "localhost", compression: compression, now: now)
    server = ServerConnection(limits: limits, now: now)
  }

  /// Passes bytes both ways until both ends are silent.
  func pump() {
    while true {
      var up: [UInt8] = []
      client.appendOutput(to: &up)
      take(client.pendingEvents)
      for piece in pieces(up) {
        piece.withUnsafeBytes { take(server.receive($0, at: now)) }
      }
      var down: [UInt8] = []
      server.appendOutput(to: &down)
      take(server.pendingEvents)
      for piece in pieces(down) {
        piece.withUnsafeBytes { take(client.receive($0, at: now)) }
      }
      bytesCarried += up.count + down.count
      if up.isEmpty, down.isEmpty { return }
    }
  }

  func wait(_ duration: Duration) {
    now = now.advanced(by: duration)
    take(client.deadlineReached(at: now))
    take(server.deadlineReached(at: now))
    pump()
  }

  private func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: pieceBytes).map {
      bytes[$0..<min($0 + pieceBytes, bytes.count)]
    }
  }

  func take(_ events: ServerEvents) {
    for event in events {
      serverEvents.append(event)
      onServer(event, server)
    }
  }

  func take(_ events: ClientEvents) { clientEvents += Array(events) }

  /// Echoes each message at once.
  func echo() {
    onServer = { event, server in
      if case .message(let call, let bytes) = event { server.reply(bytes, to: call) }
    }
  }

  @discardableResult
  func begin(
    _ message: [UInt8] = [1], end: Bool = true, metadata: Metadata = Metadata(),
    timeout: Duration? = nil
  ) -> CallID? {
    let call = client.start(
      path: "/test.Echo/Say", metadata: metadata, timeout: timeout, at: now)
    if let call { _ = client.send(message, on: call, end: end) }
    return call
  }

  var statuses: [Status] {
    clientEvents.compactMap { if case .finished(_, let status) = $0 { status } else { nil } }
  }

  var responses: [[UInt8]] {
    clientEvents.compactMap { if case .message(_, let bytes) = $0 { bytes } else { nil } }
  }

  var requests: [[UInt8]] {
    serverEvents.compactMap { if case .message(_, let bytes) = $0 { bytes } else { nil } }
  }

  var head: RequestHead? {
    for case .started(_, let head) in serverEvents { return head }
    return nil
  }
}

/// Incompressible bytes from a seed.
func noise(_ count: Int, seed: UInt64) -> [UInt8] {
  var random = SeededRandom(seed: seed)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}
