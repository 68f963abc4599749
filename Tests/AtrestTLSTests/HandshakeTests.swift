// SPDX-License-Identifier: Apache-2.0
// Handshake, data exchange and close, however the bytes are split.

import AtrestTestSupport
import CAtrestOpenSSL
import Testing

@testable import AtrestTLS

@Suite(.timeLimit(.minutes(20))) struct HandshakeTests {
  @Test("both versions shake hands, talk and say goodbye", arguments: [TLSVersion.tls12, .tls13])
  func whole(version: TLSVersion) throws {
    let pair = try Pair(version)
    #expect(pair.client.session.version == version && pair.server.session.version == version)
    #expect(pair.client.establishedCount == 1 && pair.server.establishedCount == 1)
    try pair.exchangeData()
    pair.client.session.close()
    converse(pair.client, pair.server)
    #expect(pair.server.endOfInputCount == 1 && pair.client.endOfInputCount == 0)
    // The other direction is still open.
    pair.client.take(try pair.server.encrypt([9])[...])
    #expect(pair.client.received == [9])
    pair.server.session.close()
    converse(pair.client, pair.server)
    #expect(pair.client.endOfInputCount == 1)
    try pair.client.session.endOfInput()
    try pair.server.session.endOfInput()
    #expect(pair.client.error == nil && pair.server.error == nil)
    #expect(try pair.client.encrypt([1]).isEmpty, "nothing follows a goodbye")
  }

  @Test("a handshake may be cut at any byte", arguments: [TLSVersion.tls12, .tls13])
  func everySplit(version: TLSVersion) throws {
    let identity = try ServerIdentity.generate()
    let server = try ServerTLS(identity)
    var longest = 2
    var place = 1
    while place < longest {
      // A new client each time: no tickets, so a full handshake.
      let pair = try Pair(ClientTLS(.pinned(identity.fingerprint), newest: version), server)
      converse(pair.client, pair.server) { bytes in
        longest = max(longest, bytes.count)
        return [bytes[..<min(place, bytes.count)], bytes[min(place, bytes.count)...]]
      }
      guard pair.client.session.isEstablished, pair.server.session.isEstablished else {
        Issue.record("cut after \(place) bytes: \(String(describing: pair.client.error))")
        return
      }
      if place % 50 == 1 { try pair.exchangeData() }
      place += 1
    }
    #expect(longest > 500)
  }

  @Test("bytes may come one by one", arguments: [TLSVersion.tls12, .tls13])
  func byteByByte(version: TLSVersion) throws {
    let identity = try ServerIdentity.generate()
    let pair = try Pair(
      ClientTLS(.pinned(identity.fingerprint), newest: version), ServerTLS(identity))
    converse(pair.client, pair.server) { bytes in bytes.indices.map { bytes[$0...$0] } }
    for byte in try pair.client.encrypt([1, 2, 3]) { pair.server.take([byte]) }
    #expect(pair.server.received == [1, 2, 3])
  }

  @Test("data that comes along with the end of the handshake is not lost")
  func dataWithHandshake() throws {
    let identity = try ServerIdentity.generate()
    let pair = try Pair(ClientTLS(.pinned(identity.fingerprint)), ServerTLS(identity))
    pair.server.take(pair.client.output()[...])
    pair.client.take(pair.server.output()[...])
    // The client's last flight and its first data arrive in one piece, as from a socket.
    pair.server.take(try pair.client.encrypt([7, 8])[...])
    #expect(pair.server.received == [7, 8])
  }

  @Test("megabytes pass both ways, in pieces of any size, through scratch of any size")
  func large() throws {
    try checkLaw(cases: 12) { random in
      let identity = try ServerIdentity.generate()
      let pair = try Pair(
        ClientTLS(.pinned(identity.fingerprint), newest: random.oneIn(2) ? .tls12 : .tls13),
        ServerTLS(identity), scratchBytes: Int.random(in: 16_384...70_000, using: &random))
      converse(pair.client, pair.server)
      for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
        let count = Int.random(in: 0...1_500_000, using: &random)
        let data = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var rest = try from.encrypt(data)[...]
        while !rest.isEmpty {
          let part = rest.prefix(Int.random(in: 1...65_536, using: &random))
          to.take(part)
          rest = rest.dropFirst(part.count)
        }
        guard to.received == data, to.error == nil else { return false }
      }
      return true
    }
  }

  @Test(
    "a client must offer h2",
    arguments: [
      (nil, false),
      ([], false),
      (["http/1.1"], false),
      (["h3", "h2c", "H2", "h"], false),
      (["h2"], true),
      (["http/1.1", "h2"], true),
    ] as [([String]?, Bool)])
  func alpnOfServer(offer: [String]?, isWelcome: Bool) throws {
    for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
      let list = offer?.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
      let server = SessionEnd(try TLSSession(server: ServerTLS(.generate())))
      let client = try ForeignEnd(protocols: list, newest: version)
      converse(client, server)
      #expect(server.session.isEstablished == isWelcome)
      if !isWelcome {
        #expect(server.error == .noHTTP2)
        #expect(client.reason == SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)
      }
    }
  }

  @Test("a server must choose h2")
  func alpnOfClient() throws {
    let identity = try ServerIdentity.generate()
    let server = try ServerTLS(identity)
    // A server without ALPN, such as an old web server.
    SSL_CTX_set_alpn_select_cb(server.context.pointer, nil, nil)
    let pair = try Pair(ClientTLS(.pinned(identity.fingerprint)), server)
    converse(pair.client, pair.server)
    #expect(pair.client.error == .noHTTP2)
    #expect(pair.client.establishedCount == 0)
  }

  @Test("versions before 1.2 and ciphers without forward secrecy are refused")
  func oldPeers() throws {
    let list: [UInt8] = [2] + Array("h2".utf8)
    for version in [TLS1_VERSION, TLS1_1_VERSION] {
      let server = SessionEnd(try TLSSession(server: ServerTLS(.generate())))
      let client = try ForeignEnd(protocols: list, newest: version)
      converse(client, server)
      #expect(server.error == .nothingInCommon)
    }
    for ciphers in ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384"] {
      let server = SessionEnd(try TLSSession(server: ServerTLS(.generate())))
      let client = try ForeignEnd(protocols: list, newest: TLS1_2_VERSION, ciphers: ciphers)
      converse(client, server)
      #expect(server.error == .nothingInCommon)
    }
  }

  @Test("renegotiation is refused")
  func renegotiation() throws {
    let server = SessionEnd(try TLSSession(server: ServerTLS(.generate())))
    let client = try ForeignEnd(protocols: [2] + Array("h2".utf8), newest: TLS1_2_VERSION)
    converse(client, server)
    #expect(server.session.isEstablished)
    _ = SSL_renegotiate(client.session)
    SSL_do_handshake(client.session)
    converse(client, server)
    #expect(client.reason == SSL_R_NO_RENEGOTIATION)
    #expect(server.establishedCount == 1)
    #expect(server.error == .refused(alert: 40), "it is the client that gives up")
  }
}
