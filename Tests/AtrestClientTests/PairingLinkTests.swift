// SPDX-License-Identifier: Apache-2.0
// Parsing of pairing links, and the errors for other text.

import Testing

@testable import AtrestClient

@Suite("A pairing link", .timeLimit(.minutes(20)))
struct PairingLinkTests {
  @Test(
    "is read however it was pasted",
    arguments: [
      "atrest://127.0.0.1:7443/BCDF-GHJKLMNP", "  atrest://127.0.0.1:7443/bcdf-ghjklmnp\n",
      "ATREST://127.0.0.1:7443/BCDF-GHJKLMNP",
    ])
  func good(text: String) throws {
    let link = try PairingLink(parsing: text)
    #expect(link.server.text == "127.0.0.1:7443")
    #expect(link.code == "BCDF-GHJKLMNP")
    #expect(try PairingLink(parsing: link.text) == link)
  }

  @Test("may name this machine in any way", arguments: ["localhost", "[::1]", "127.1.2.3"])
  func loopback(host: String) throws {
    #expect(
      try PairingLink(parsing: "atrest://\(host):1/BCDF-GHJKLMNP").server.endpoint == "\(host):1")
  }

  @Test("is read up to 512 bytes, and not beyond")
  func bound() throws {
    let link = "atrest://127.0.0.1:7443/BCDF-GHJKLMNP"
    let longest = link + String(repeating: " ", count: 512 - link.utf8.count)
    #expect(try PairingLink(parsing: longest).text == link)
    #expect(throws: PairingLink.Failure.notALink) { try PairingLink(parsing: longest + " ") }
  }

  @Test(
    "opens in a browser where an authority vouches for the server",
    arguments: [
      ("example.org:443/ca", "https://example.org"),
      ("example.org:7443/ca", "https://example.org:7443"),
      ("[2001:db8::1]:443/ca", "https://[2001:db8::1]"), ("127.0.0.1:443", nil),
      ("example.org:443/" + String(repeating: "0a", count: 32), nil),
    ] as [(String, String?)])
  func browser(server: String, site: String?) throws {
    let link = try PairingLink(parsing: "atrest://\(server)/BCDF-GHJKLMNP")
    #expect(link.webText == site.map { "\($0)/#pair=BCDF-GHJKLMNP" })
    for text in [link.webText, link.webText?.lowercased()].compactMap({ $0 }) {
      #expect(try PairingLink(parsing: " \(text)\n") == link)
    }
  }

  @Test("says by which certificate the server is known")
  func certificate() throws {
    let pin = String(repeating: "0a", count: 32)
    let link = try PairingLink(
      parsing: "atrest://example.org:7443/\(pin.uppercased())/BCDF-GHJKLMNP")
    #expect(link.server.endpoint == "example.org:7443")
    #expect(link.server.port == 7443)
    #expect(link.text == "atrest://example.org:7443/\(pin)/BCDF-GHJKLMNP")
    #expect(try PairingLink(parsing: link.text) == link)
    let vouched = try PairingLink(parsing: "atrest://[2001:db8::1]:7443/ca/BCDF-GHJKLMNP")
    #expect(vouched.server.proof == .authority)
    #expect(try ServerAddress(parsing: vouched.server.text) == vouched.server)
    for bad in [String(pin.dropLast()), pin + "0", "cab", String(pin.dropLast()) + "g", ""] {
      #expect(throws: PairingLink.Failure.badCertificate) {
        try PairingLink(parsing: "atrest://example.org:1/\(bad)/BCDF-GHJKLMNP")
      }
    }
  }

  @Test(
    "that is none is told what is wrong",
    arguments: [
      ("", .notALink), ("https://127.0.0.1:7443/BCDF-GHJKLMNP", .notALink), ("atrest:", .notALink),
      (String(repeating: "x", count: 10_000), .notALink), ("atrest://", .badServer),
      ("atrest:///BCDF-GHJKLMNP", .badServer), ("atrest://127.0.0.1/BCDF-GHJKLMNP", .badServer),
      ("atrest://127.0.0.1:0/BCDF-GHJKLMNP", .badServer),
      ("atrest://127.0.0.1:65536/BCDF-GHJKLMNP", .badServer),
      ("atrest://127.0.0.1:+1/BCDF-GHJKLMNP", .badServer),
      ("atrest://:1/BCDF-GHJKLMNP", .badServer), ("atrest://localhost:1", .badCode),
      ("atrest://localhost:1/", .badCode), ("atrest://localhost:1/BCDF-GHJKLMN", .badCode),
      ("atrest://localhost:1/BCDFGHJKLMNPQ", .badCode),
      ("atrest://localhost:1/BCD-BCDF-GHJKLMNP", .badCode),
      ("atrest://localhost:1/-BCDF-GHJKLMNP", .badCode),
      ("atrest://localhost:1/ACDF-GHJKLMNP", .badCode),
      ("atrest://localhost:1/BCDF-GHJKLMNP/x", .badCertificate),
      ("atrest://example.org:1/BCDF-GHJKLMNP", .notEncrypted),
      ("atrest://10.0.0.1:1/BCDF-GHJKLMNP", .notEncrypted),
      ("https://example.org/#pair", .notALink), ("https://example.org/#pair=", .badCode),
      ("https://example.org/x/#pair=BCDF-GHJKLMNP", .badServer),
      ("https://#pair=BCDF-GHJKLMNP", .badServer), ("https:///#pair=BCDF-GHJKLMNP", .badServer),
      ("http://example.org/#pair=BCDF-GHJKLMNP", .notALink),
      ("atrest://127.0.0.1.example.org:1/BCDF-GHJKLMNP", .notEncrypted),
      ("atrest://127.0.0.256:1/BCDF-GHJKLMNP", .notEncrypted),
    ] as [(String, PairingLink.Failure)])
  func bad(text: String, failure: PairingLink.Failure) {
    #expect(throws: failure) { try PairingLink(parsing: text) }
    #expect(failure.userMessage.hasSuffix("."))
  }
}
