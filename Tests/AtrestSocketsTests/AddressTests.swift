// SPDX-License-Identifier: Apache-2.0
// Parsing and formatting of addresses.

import Glibc
import Testing

@testable import AtrestSockets

@Suite(.timeLimit(.minutes(20))) struct AddressTests {
  @Test(
    "an address reads back as it was written",
    arguments: [
      "127.0.0.1:7443", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:7443", "[fe80::1]:1",
      "/run/atrest.sock",
    ])
  func roundTrip(text: String) throws {
    let address = try SocketAddress(parsing: text)
    #expect(address.description == text)
    let read = try #require(
      address.withSockaddr { pointer, length in
        pointer.withMemoryRebound(to: sockaddr_storage.self, capacity: 1) {
          SocketAddress($0.pointee, length: Int(length))
        }
      })
    #expect(read == address)
  }

  @Test(
    "what is no address is refused with a sentence",
    arguments: [
      "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
      "127.0.0.1:7x", "::1:7443", "[::1]", "[::1:7443", "[1.2.3.4]:5", "[::1%]:4", "a b:1", "unix:",
      "/\(String(repeating: "x", count: 107))", "/a\0b", "\(String(repeating: "x", count: 254)):1",
      "ä:1",
    ])
  func refused(text: String) {
    #expect {
      try Endpoint(parsing: text)
    } throws: { error in
      guard let error = error as? SocketError else { return false }
      return error.operation == .parseAddress && error.userMessage.hasSuffix("/run/atrest.sock.")
    }
  }

  @Test("a name is an endpoint, not an address; its authority is what was asked for")
  func names() throws {
    #expect(try Endpoint(parsing: "sync.example.org:443") == .host("sync.example.org", port: 443))
    #expect(try Endpoint(parsing: "sync.example.org:443").authority == "sync.example.org:443")
    #expect(try Endpoint(parsing: "[::1]:9").authority == "[::1]:9")
    #expect(try Endpoint(parsing: "unix:/tmp/s").authority == "localhost")
    #expect(throws: SocketError.self) { try SocketAddress(parsing: "sync.example.org:443") }
  }

  @Test("localhost resolves to loopback with the port asked for")
  func resolves() async throws {
    let found = try await Endpoint(parsing: "localhost:81").resolve()
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.isLoopback && $0.port == 81 })
  }

  @Test(
    "loopback is what only this machine can reach",
    arguments: [
      ("127.0.0.1:1", true), ("127.9.8.7:1", true), ("[::1]:1", true), ("/s", true),
      ("[::ffff:127.0.0.1]:1", true), ("0.0.0.0:1", false), ("[::]:1", false),
      ("128.0.0.1:1", false), ("[::ffff:8.8.8.8]:1", false), ("[fe80::1]:1", false),
    ])
  func loopback(text: String, expected: Bool) throws {
    #expect(try SocketAddress(parsing: text).isLoopback == expected)
  }

  @Test("peers are counted by IPv4 address, mapped or not, and by IPv6 /64")
  func peerKeys() throws {
    func key(_ text: String) throws -> [UInt8]? { try SocketAddress(parsing: text).peerKey }
    #expect(try key("10.0.0.1:1") == key("10.0.0.1:2"))
    #expect(try key("10.0.0.1:1") == key("[::ffff:10.0.0.1]:2"))
    #expect(try key("10.0.0.1:1") != key("10.0.0.2:1"))
    #expect(try key("[2001:db8::1]:1") == key("[2001:db8::ffff]:1"))
    #expect(try key("[2001:db8::1]:1") != key("[2001:db8:0:1::1]:1"))
    #expect(try key("/s") == nil)
  }
}
