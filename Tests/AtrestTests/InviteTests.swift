// SPDX-License-Identifier: Apache-2.0
// Pairing links for scripts and people: what goes to standard output and what to standard error.

import AtrestCommandLine
import Foundation
import Testing

@testable import atrest

@Suite("Pairing links", .timeLimit(.minutes(20)))
struct InviteTests {
  private let household: Household
  private let phone: Binary

  init() throws {
    household = try Household()
    phone = try household.companion()
  }

  /// The four commands that print a link.
  private func ask(_ more: String...) throws -> [Binary.Answer] {
    [
      try phone.start(["invite"] + more).wait(),
      try phone.start(["invite", "--yes"] + more).wait(),
      try household.syncd.start(["account", "invite", "kim"] + more).wait(),
      try household.syncd.start(["account", "add", "sam \(UUID())"] + more).wait(),
    ]
  }

  private func isLink(_ text: String) -> Bool {
    text.wholeMatch(of: /atrest:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{64}\/[A-Z]{4}-[A-Z]{8}/) != nil
  }

  @Test("in a pipe the link is alone on standard output, and the sentence on standard error")
  func piped() throws {
    for answer in try ask() {
      #expect(answer.code == 0)
      #expect(answer.out.hasSuffix("\n") && isLink(String(answer.out.dropLast())), "\(answer.out)")
      #expect(answer.err.contains("works once") && answer.err.contains("atrest pair"))
      #expect(!answer.err.contains("atrest://"))
    }
  }

  @Test("with --json there is an object and nothing else, but for what is to be done later")
  func json() throws {
    let answers = try ask("--json")
    for answer in answers {
      #expect(answer.code == 0)
      let row = try #require(try answer.json() as? [String: Any])
      #expect(isLink(try #require(row["link"] as? String)))
      #expect(row["expires"] != nil || row["expires_ms"] is Int)
    }
    #expect(answers.dropFirst().allSatisfy { $0.err.isEmpty })
    #expect(answers[0].err.contains("`atrest devices allow`"))
    let needs = try answers.prefix(2).map {
      (try $0.json() as? [String: Any])?["needs_approval"] as? Bool
    }
    #expect(needs == [true, false])
  }

  @Test(
    "a link that needs approval says so beside it; one that does not, and the owner's, say nothing of it"
  )
  func approval() throws {
    let answers = try ask()
    #expect(answers[0].err.contains("It then waits until `atrest devices allow` lets it in"))
    #expect(answers.dropFirst().allSatisfy { !$0.err.contains("allow") })
  }

  @Test(
    "on a terminal where nobody can type the sentence stands with the link, and the command ends")
  func terminal() throws {
    for (program, arguments) in [
      (phone, ["invite"]), (household.syncd, ["account", "invite", "kim"]),
    ] {
      let text = try program.onTerminal(arguments)
      #expect(text.contains("atrest://127.0.0.1:") && text.contains("works once"))
    }
  }

  @Test("the server's owner is shown the first device's QR code, too, unless it is left out")
  func ownersCode() throws {
    for (arguments, isThere) in [
      (["account", "invite", "kim"], true), (["account", "add", "lee"], true),
      (["account", "invite", "kim", "--no-qr"], false),
    ] {
      let text = try household.syncd.onTerminal(arguments).replacingOccurrences(of: "\r", with: "")
      let link = try #require(text.firstMatch(of: /atrest:\S+/)?.0)
      let picture = try #require(QRCode.ofLink(String(link))).picture(isColoured: false)
      #expect(text.hasSuffix(picture + "\n") == isThere, "\(text)")
    }
  }

  @Test("on a terminal the link's QR code stands below the words, unless it is left out")
  func code() throws {
    for (arguments, isThere) in [
      (["invite"], true), (["invite", "--yes"], true), (["invite", "--no-qr"], false),
    ] {
      let text = try phone.onTerminal(arguments).replacingOccurrences(of: "\r", with: "")
      let link = try #require(text.firstMatch(of: /atrest pair (atrest:\S+)/)?.1)
      let picture = try #require(QRCode.ofLink(String(link))).picture(isColoured: false)
      #expect(text.contains("Show it to nobody else.\n\n\(picture)") == isThere)
      #expect(text.contains("█") == isThere)
    }
  }

  @Test("what a script reads with --yes pairs a device as it is")
  func scripted() throws {
    let link = try phone("invite", "--yes").out.trimmingCharacters(in: .newlines)
    let tablet = try Binary()
    #expect(try tablet("pair", link, "--name", "tablet").code == 0)
  }

  /// Every user of the machine can see the command line.
  @Test("a link is read from standard input where none is given", arguments: [[], ["-"]])
  func typed(arguments: [String]) throws {
    let link = try phone("invite", "--yes").out.trimmingCharacters(in: .newlines)
    let tablet = try Binary()
    let nothing = try tablet.start(["pair"] + arguments).wait()
    #expect(nothing.code == 64 && nothing.err.contains("There is no pairing link."))
    let answer = try tablet.start(
      ["pair"] + arguments + ["--name", "tablet"], typing: " \(link)"
    ).wait()
    #expect(answer.code == 0 && answer.out.contains("This device is now “tablet”"), "\(answer.err)")
  }

  @Test("a second device of one name is told what it is called")
  func namesake() throws {
    let second = try Binary()
    let link = try phone("invite", "--yes").out.trimmingCharacters(in: .newlines)
    let answer = try second("pair", link, "--name", "phone")
    #expect(
      answer.out == """
        This device is now “phone 2” of the account “kim”. Another device is called “phone” already. \
        `atrest sync` exchanges what is new.

        """)
    let third = try Binary()
    let next = try phone("invite", "--yes").out.trimmingCharacters(in: .newlines)
    let row = try third("pair", next, "--name", "phone", "--json").json() as? [String: Any]
    #expect(row?["name"] as? String == "phone 3")
  }
}
