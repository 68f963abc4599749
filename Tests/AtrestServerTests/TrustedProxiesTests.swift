// SPDX-License-Identifier: Apache-2.0
// Whose statements about a caller's address the server trusts.

import AtrestHTTP2
import AtrestSockets
import Testing

@testable import AtrestRPC
@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct TrustedProxiesTests {
  private let warnings = StandingWarnings(logger: quiet)
  private let proxies: TrustedProxies

  init() {
    proxies = TrustedProxies(
      ["192.0.2.1", "2001:db8::1"].compactMap { .init(host: $0) }, warnings: warnings)
  }

  private func caller(from peer: String, saying said: String...) throws -> SocketAddress {
    proxies.caller(of: try head(from: peer, said.map { ("x-forwarded-for", $0) }))
  }

  private func head(from peer: String, _ fields: [(String, String)]) throws -> CallHead {
    var metadata = Metadata()
    for (name, value) in fields { _ = metadata.add(name, value) }
    return CallHead(
      request: RequestHead(path: "/", metadata: metadata),
      peer: try SocketAddress(parsing: peer), isEncrypted: false)
  }

  @Test("a proxy that is trusted says who its caller is; the last it says is what it saw itself")
  func trusted() throws {
    let caller = SocketAddress(host: "203.0.113.7")
    #expect(try self.caller(from: "192.0.2.1:1", saying: "203.0.113.7") == caller)
    #expect(
      try self.caller(from: "192.0.2.1:1", saying: "203.0.113.7:55")
        == SocketAddress(parsing: "203.0.113.7:55"))
    #expect(try self.caller(from: "192.0.2.1:1", saying: "198.51.100.9, 203.0.113.7") == caller)
    #expect(try self.caller(from: "192.0.2.1:1", saying: "198.51.100.9", "203.0.113.7") == caller)
    #expect(try self.caller(from: "[2001:db8::1]:1", saying: "203.0.113.7") == caller)
    #expect(try self.caller(from: "[::ffff:192.0.2.1]:1", saying: "203.0.113.7") == caller)
  }

  @Test("nobody else is believed")
  func untrusted() throws {
    for peer in ["192.0.2.2:1", "[2001:db8::2]:1", "127.0.0.1:1"] {
      #expect(
        try caller(from: peer, saying: "203.0.113.7") == (try SocketAddress(parsing: peer)))
    }
  }

  @Test("a proxy that says nothing, or nonsense, is the caller", arguments: ["", "somebody", "1,"])
  func nonsense(said: String) throws {
    let peer = try SocketAddress(parsing: "192.0.2.1:1")
    #expect(try caller(from: "192.0.2.1:1") == peer)
    #expect(try caller(from: "192.0.2.1:1", saying: said) == peer)
    #expect(warnings.all.count == 1)
  }

  @Test(
    "a peer of a private network that forwards calls is reported, as it can be named",
    arguments: [
      ("127.0.0.1", "127.0.0.1:5"), ("10.1.2.3", "10.1.2.3:5"), ("172.17.0.1", "172.17.0.1:5"),
      ("192.168.1.9", "[::ffff:192.168.1.9]:5"), ("100.64.0.1", "100.64.0.1:5"),
      ("::1", "[::1]:5"), ("fd12::3", "[fd12::3]:5"),
    ])
  func unnamed(host: String, peer: String) throws {
    proxies.notice(try head(from: peer, [("x-forwarded-for", "203.0.113.7")]))
    #expect(warnings.all.count == 1)
    #expect(warnings.all.first?.contains("--trusted-proxy \(host)") == true)
    #expect(SocketAddress(host: host) != nil)
    // Once: each call behind it would say the same.
    proxies.notice(try head(from: "10.9.9.9:5", [("forwarded", "for=203.0.113.7")]))
    #expect(warnings.all.count == 1)
  }

  @Test(
    "no report of a caller from elsewhere, of a trusted proxy, or of a direct call")
  func unreported() throws {
    let forwarded = [("x-forwarded-for", "203.0.113.7")]
    for peer in [
      "203.0.113.8:5", "172.32.0.1:5", "100.128.0.1:5", "[2001:db8::9]:5", "192.0.2.1:5",
    ] {
      proxies.notice(try head(from: peer, forwarded))
    }
    proxies.notice(try head(from: "127.0.0.1:5", [("user-agent", "curl")]))
    _ = try caller(from: "192.0.2.1:1", saying: "203.0.113.7")
    #expect(warnings.all.isEmpty)
  }

  @Test("a trusted proxy that does not say where a pairing comes from is reported")
  func silent() throws {
    _ = try caller(from: "[2001:db8::1]:1")
    #expect(warnings.all.count == 1)
    #expect(warnings.all.first?.contains("2001:db8::1 does not say") == true)
  }
}
