// SPDX-License-Identifier: Apache-2.0
// Whose statements about a caller's address the server trusts.

import AtrestHTTP2
import AtrestSockets
import Testing

@testable import AtrestRPC
@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct TrustedProxiesTests {
  private let proxies = TrustedProxies(["192.0.2.1", "2001:db8::1"].compactMap { .init(host: $0) })

  private func caller(from peer: String, saying said: String...) throws -> SocketAddress {
    var metadata = Metadata()
    for text in said { _ = metadata.add("x-forwarded-for", text) }
    return proxies.caller(
      of: CallHead(
        request: RequestHead(path: "/", metadata: metadata),
        peer: try SocketAddress(parsing: peer), isEncrypted: false))
  }

  @Test("a proxy that is trusted says who its caller is; the last it says is what it saw itself")
  func trusted() throws {
    let caller = SocketAddress(host: "203.0.113.7")
    #expect(try self.caller(from: "192.0.2.1:1", saying: "203.0.113.7") == caller)
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
  }
}
