// SPDX-License-Identifier: Apache-2.0
// Measures bytes on the wire, headers and framing included, for a page of records in each
// direction.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestWire
import Foundation

/// Prints bytes per record, plain and gzipped, and the size of a no-op.
func measureWireBytes(_ server: ServerProcess) async throws {
  print("\nBytes on the wire a record, completed fasts, pages of 1,000, TLS included")
  row("", "up", "down")
  guard let port = server.address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
    throw BenchmarkError(description: "no port in \(server.address)")
  }
  let proxy = try CountingProxy(to: port)
  defer { proxy.stop() }
  let pages = 10
  for compression in [Compression.identity, .gzip] {
    let caller = try await Caller(
      server, account: "wire-\(compression.rawValue)", at: "127.0.0.1:\(proxy.port)")
    let channel = try caller.channel(
      compression: compression == .identity ? nil : compression, isUnauthenticated: true)
    var source = OfferSource(replica: caller.replica)
    var before = proxy.bytes
    // The handshake is counted separately.
    var cursor = try await ExchangeResponse(
      decoding: channel.unary(
        Method.Sync.exchange, ExchangeRequest(cursor: nil).encoded, metadata: caller.metadata)
    ).cursor
    let connecting = (up: proxy.bytes.up - before.up, down: proxy.bytes.down - before.down)
    before = proxy.bytes
    for _ in 0..<pages {
      let offers = try (0..<1000).map { _ in try source.next() }
      let request = ExchangeRequest(cursor: cursor, offers: offers)
      cursor = try await ExchangeResponse(
        decoding: channel.unary(Method.Sync.exchange, request.encoded, metadata: caller.metadata)
      ).cursor
    }
    let up = Double(proxy.bytes.up - before.up) / Double(pages * 1000)
    before = proxy.bytes
    var plainDown = 0
    var place: Cursor?
    while place != cursor {
      let answer = try await channel.unary(
        Method.Sync.exchange, ExchangeRequest(cursor: place).encoded, metadata: caller.metadata)
      plainDown += answer.count
      place = try ExchangeResponse(decoding: answer).cursor
    }
    let down = compression == .identity ? plainDown : proxy.bytes.down - before.down
    row(
      compression == .identity ? "plain (down: the messages alone)" : compression.rawValue,
      figure(up, decimals: 1), figure(Double(down) / Double(pages * 1000), decimals: 1))
    if compression == .gzip {
      row(
        "connecting, first exchange (B)", figure(Double(connecting.up)),
        figure(Double(connecting.down)))
      before = proxy.bytes
      for _ in 0..<100 {
        _ = try await channel.unary(
          Method.Sync.exchange, ExchangeRequest(cursor: cursor).encoded, metadata: caller.metadata)
      }
      row(
        "no-op exchange (B each)", figure(Double(proxy.bytes.up - before.up) / 100),
        figure(Double(proxy.bytes.down - before.down) / 100))
    }
    await channel.close()
  }
}
