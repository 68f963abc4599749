// SPDX-License-Identifier: Apache-2.0
// Pairing links: what is one, and what each other text is told.

import Testing

@testable import AtrestClient

@Suite("A pairing link")
struct PairingLinkTests {
  @Test(
    "is read however it was pasted",
    arguments: [
      "atrest://127.0.0.1:7443/BCDF-GHJKLMNP", "  atrest://127.0.0.1:7443/bcdf-ghjklmnp\n",
      "ATREST://127.0.0.1:7443/BCDF-GHJKLMNP",
    ])
  func good(text: String) throws {
    let link = try PairingLink(parsing: text)
    #expect(link.server == "127.0.0.1:7443")
    #expect(link.code == "BCDF-GHJKLMNP")
    #expect(try PairingLink(parsing: link.text) == link)
  }

  @Test("may name this machine in any way", arguments: ["localhost", "[::1]", "127.1.2.3"])
  func loopback(host: String) throws {
    #expect(try PairingLink(parsing: "atrest://\(host):1/BCDF-GHJKLMNP").server == "\(host):1")
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
      ("atrest://localhost:1/ACDF-GHJKLMNP", .badCode),
      ("atrest://localhost:1/BCDF-GHJKLMNP/x", .badCode),
      ("atrest://example.org:1/BCDF-GHJKLMNP", .notLoopback),
      ("atrest://10.0.0.1:1/BCDF-GHJKLMNP", .notLoopback),
      ("atrest://127.0.0.1.example.org:1/BCDF-GHJKLMNP", .notLoopback),
      ("atrest://127.0.0.256:1/BCDF-GHJKLMNP", .notLoopback),
    ] as [(String, PairingLink.Failure)])
  func bad(text: String, failure: PairingLink.Failure) {
    #expect(throws: failure) { try PairingLink(parsing: text) }
    #expect(failure.userMessage.hasSuffix("."))
  }
}
