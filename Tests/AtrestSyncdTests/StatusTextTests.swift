// SPDX-License-Identifier: Apache-2.0
// The words of `status`: what people look for, in units they know.

import AtrestCommandLine
import AtrestProtocol
import AtrestServer
import AtrestTLS
import Foundation
import Testing

@testable import atrest_syncd

@Suite("The server's status in words", .timeLimit(.minutes(20)))
struct StatusTextTests {
  @Test(
    "a time has its two largest units",
    arguments: [
      (0, "0 seconds"), (1_500, "1 second"), (61_000, "1 minute 1 second"), (3_600_000, "1 hour"),
      (90_061_000, "1 day 1 hour"), (172_800_000, "2 days"), (-5, "0 seconds"),
    ])
  func uptime(milliseconds: Int, words: String) {
    #expect(StatusText.uptime(milliseconds) == words)
  }

  @Test("a server that cannot use its store, a doubtful clock and an old certificate are said")
  func states() {
    var status = GetServerStatusResponse()
    let text = { StatusText.lines(status, now: Date(timeIntervalSince1970: 1_000_000)) }
    #expect(text().contains("cannot use its store"))
    #expect(text().contains("none: nothing is encrypted"))
    status.isServing = true
    status.isClockDoubtful = true
    status.certificateEndMilliseconds = 1_000
    #expect(text().contains("serving; its clock cannot be relied on"))
    #expect(text().contains("ended on 1970-01-01"))
    status.isDiskFull = true
    #expect(text().contains("takes nothing new: its disk is nearly full"))
  }

  @Test(
    "a link opens the web app where there is one, and an authority for the server's name",
    arguments: [
      ("sync.example.org:443/ca", true, "https://sync.example.org/#pair=BCDF-GHJKLMNP"),
      ("sync.example.org:7443/ca", true, "https://sync.example.org:7443/#pair=BCDF-GHJKLMNP"),
      ("[2001:db8::1]:443/ca", true, "https://[2001:db8::1]/#pair=BCDF-GHJKLMNP"),
      ("sync.example.org:443/ca", false, nil), ("127.0.0.1:7443", true, nil),
      ("sync.example.org:443/0123", true, nil),
    ] as [(String, Bool, String?)])
  func webLink(address: String, servesApp: Bool, link: String?) throws {
    let invitation = Invitation(
      code: "BCDF-GHJKLMNP", expires: .epoch, address: address, servesApp: servesApp)
    #expect(Text.webLink(invitation) == link)
    #expect(Text.usage(of: invitation).contains(link ?? "Open this link") == true)
    #expect(try Text.json(invitation).contains("web_link") == (link != nil))
  }

  @Test("each warning has a line")
  func warnings() throws {
    var status = GetServerStatusResponse()
    status.warnings = ["first", "second"]
    let lines = StatusText.lines(status, now: Date()).split(separator: "\n")
    #expect(lines.suffix(2).allSatisfy { $0.hasPrefix("Warning ") })
    #expect(lines.last?.hasSuffix("second") == true)
    #expect(try Text.json(StatusText.Listing(status)).contains("\"warnings\""))
    #expect(try GetServerStatusResponse(unpacking: status.packed) == status)
  }

  @Test("what a server of another version says cannot write a line of its own")
  func escaped() {
    var status = GetServerStatusResponse()
    status.version = "1\n2\u{1B}[2J"
    #expect(!StatusText.lines(status, now: Date()).contains("1\n2"))
  }

  @Test("what time or a renewal heals ends the daemon with a status that has it started again")
  func healed() {
    let file = "/etc/tls/fullchain.pem"
    for error in [
      TLSFileError.expired(path: file), .notYetValid(path: file), .noCertificate(path: file),
      .unreadable(path: file, reason: "no such file"), .keyMismatch(key: file, certificate: file),
    ] {
      #expect(ExitStatus(ServerError.certificate(error)) == .unavailable)
    }
    for error in [TLSFileError.exposed(path: file), .lockedKey(path: file)] {
      #expect(ExitStatus(ServerError.certificate(error)) == .usage)
    }
  }
}
