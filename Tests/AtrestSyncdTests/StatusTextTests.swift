// SPDX-License-Identifier: Apache-2.0
// The words of `status`: what people look for, in units they know.

import AtrestProtocol
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
  }

  @Test("what a server of another version says cannot write a line of its own")
  func escaped() {
    var status = GetServerStatusResponse()
    status.version = "1\n2\u{1B}[2J"
    #expect(!StatusText.lines(status, now: Date()).contains("1\n2"))
  }
}
