// SPDX-License-Identifier: Apache-2.0
// Hostile and truncated input: typed errors, bounded memory, no traps.

import AtrestTestSupport
import CAtrestOpenSSL
import Testing

@testable import AtrestTLS

@Suite(.timeLimit(.minutes(20))) struct HostileTests {
  /// Runs a handshake up to flight number `steps` and returns both ends.
  private func partWay(_ steps: Int, _ version: TLSVersion) throws -> Pair {
    let identity = try ServerIdentity.generate()
    let pair = try Pair(
      ClientTLS(.pinned(identity.fingerprint), newest: version), ServerTLS(identity))
    for step in 0..<steps {
      let (from, to) = step % 2 == 0 ? (pair.client, pair.server) : (pair.server, pair.client)
      to.take(from.output()[...])
    }
    return pair
  }

  @Test("random bytes at any moment of a handshake, and after it, never trap and never pass")
  func garbage() throws {
    try checkLaw(cases: 1_500) { random in
      let steps = Int.random(in: 0...5, using: &random)
      let pair = try partWay(steps, random.oneIn(2) ? .tls12 : .tls13)
      for end in [pair.client, pair.server] {
        _ = end.output()
        let wasEstablished = end.session.isEstablished
        for _ in 0..<4 {
          var bytes = (0..<Int.random(in: 1...400, using: &random)).map { _ in
            UInt8(truncatingIfNeeded: random.next())
          }
          // Often with a valid record header, so that it gets further.
          if !random.oneIn(3), bytes.count > 5 {
            bytes[0] = UInt8.random(in: 20...24, using: &random)
            bytes[1] = 3
            bytes[2] = UInt8.random(in: 0...4, using: &random)
            bytes[3] = 0
            bytes[4] = UInt8(min(bytes.count - 5, 255))
          }
          end.take(bytes[...])
          guard end.session.outputBytes < 70_000 else { return false }
        }
        guard end.received.isEmpty, wasEstablished || end.establishedCount == 0 else {
          return false
        }
        if let error = end.error, end.session.failure != error { return false }
      }
      return true
    }
  }

  @Test("a byte changed on the way is noticed, wherever it is")
  func flippedByte() throws {
    try checkLaw(cases: 400) { random in
      let identity = try ServerIdentity.generate()
      let pair = try Pair(
        ClientTLS(.pinned(identity.fingerprint), newest: random.oneIn(2) ? .tls12 : .tls13),
        ServerTLS(identity))
      // Flights of a handshake. The last ones contain data and tickets.
      var place = Int.random(in: 0..<3_000, using: &random)
      let flip = UInt8.random(in: 1...255, using: &random)
      converse(pair.client, pair.server) { bytes in
        var bytes = bytes
        if bytes.indices.contains(place) { bytes[place] ^= flip }
        place -= bytes.count
        return [bytes[...]]
      }
      guard place < 0 else { return true }
      // Both ends never consider the connection good while data is corrupted: what arrives is what
      // was sent.
      for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
        guard let record = try? from.encrypt([1, 2, 3]) else { continue }
        to.take(record[...])
        guard to.received.isEmpty || to.received == [1, 2, 3] else { return false }
      }
      return true
    }
  }

  @Test("a changed record ends the connection with an error, and tells the peer so")
  func changedRecord() throws {
    for version in [TLSVersion.tls12, .tls13] {
      let pair = try Pair(version)
      var record = try pair.client.encrypt([1, 2, 3])
      record[record.count - 1] ^= 1
      pair.server.take(record[...])
      guard case .broken = pair.server.error else {
        Issue.record("\(String(describing: pair.server.error))")
        continue
      }
      #expect(pair.server.received.isEmpty)
      converse(pair.client, pair.server)
      #expect(pair.client.error == .refused(alert: 20), "bad_record_mac")
      #expect(throws: TLSError.self) { try pair.server.encrypt([1]) }
    }
  }

  @Test("a peer without TLS is told apart, at its first bytes")
  func plaintext() throws {
    let words: [[UInt8]] = [
      Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), Array("GET / HTTP/1.1\r\n".utf8),
      Array("HTTP/1.1 400 Bad Request\r\n".utf8), Array("SSH-2.0-OpenSSH_9.2\r\n".utf8),
      [0, 0, 18, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100], [22, 2, 0, 0], [22], [0],
    ]
    for bytes in words {
      for step in [bytes.count, 1] {
        let pair = try partWay(0, .tls13)
        for end in [pair.client, pair.server] {
          for start in stride(from: 0, to: bytes.count, by: step) {
            end.take(bytes[start..<min(start + step, bytes.count)])
          }
          if bytes == [22] {
            #expect(end.error == nil)
          } else {
            #expect(end.error == .notTLS)
          }
        }
      }
    }
  }

  @Test("a connection that ends without goodbye is not one that ended well")
  func truncation() throws {
    for steps in 0...1 {
      let pair = try partWay(steps, .tls13)
      #expect(throws: TLSError.handshakeCut) { try pair.server.session.endOfInput() }
      #expect(throws: TLSError.handshakeCut) { try pair.client.session.endOfInput() }
    }
    let pair = try Pair()
    let record = try pair.client.encrypt([1, 2, 3])
    pair.server.take(record[..<(record.count - 1)])
    #expect(throws: TLSError.truncated) { try pair.server.session.endOfInput() }
    #expect(throws: TLSError.truncated) { try pair.client.session.endOfInput() }
    let other = try Pair()
    other.client.session.close()
    let goodbye = other.client.output()
    other.server.take(goodbye[...])
    // Input after close_notify is ignored.
    other.server.take([1, 2, 3])
    try other.server.session.endOfInput()
    #expect(other.server.error == nil)
  }

  @Test("a handshake has a bound")
  func longHandshake() throws {
    let pair = try partWay(0, .tls13)
    // The start of a ClientHello that claims to be 128 KiB long, in records of 16 KiB.
    let header: [UInt8] = [22, 3, 1, 0x40, 0]
    var body = [UInt8](repeating: 0, count: 0x4000)
    body.replaceSubrange(0..<4, with: [1, 2, 0, 0])
    var sent = 0
    while pair.server.error == nil, sent < 1 << 20 {
      pair.server.take((header + body)[...])
      body[0] = 0
      sent += header.count + body.count
    }
    #expect(pair.server.error != nil)
    #expect(sent <= TLSSession.handshakeLimitBytes + 2 * 16_400)
  }

  /// OpenSSL's own client and a server, after their handshake.
  private func meetForeignClient() throws -> (ForeignEnd, SessionEnd) {
    let server = SessionEnd(try TLSSession(server: ServerTLS(.generate())))
    let client = try ForeignEnd(protocols: [2] + Array("h2".utf8))
    converse(client, server)
    _ = client.output()
    return (client, server)
  }

  @Test("what a peer can make this side say is no more than what it said")
  func keyUpdates() throws {
    let (client, server) = try meetForeignClient()
    var sent = 0
    for _ in 0..<32 {
      let bytes = client.newKeys()
      sent += bytes.count
      server.take(bytes[...])
    }
    #expect(server.error == nil)
    #expect(server.session.outputBytes > 0 && server.session.outputBytes <= sent)
  }

  @Test("who changes keys all the time is cut off, however much comes at once")
  func manyKeyUpdates() throws {
    let (client, server) = try meetForeignClient()
    let bytes = (0..<2_000).flatMap { _ in client.newKeys() }
    server.take(bytes[...])
    #expect(server.error == .broken("the peer changes its keys all the time"))
    #expect(server.session.outputBytes < 40 * 64, "the rest was not looked at")
  }

  @Test("keys may change with each 64 KiB of data")
  func keyUpdatesWithData() throws {
    let (client, server) = try meetForeignClient()
    let data = [UInt8](repeating: 7, count: 64 * 1024)
    for _ in 0..<100 {
      server.take(client.newKeys()[...])
      data.withUnsafeBytes { _ = SSL_write(client.session, $0.baseAddress, CInt($0.count)) }
      server.take(client.output()[...])
      _ = server.output()
    }
    #expect(server.error == nil && server.received.count == 100 * data.count)
  }
}

extension ForeignEnd {
  /// A KeyUpdate that requests one in return.
  fileprivate func newKeys() -> [UInt8] {
    SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED)
    SSL_do_handshake(session)
    return output()
  }
}
