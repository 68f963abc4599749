// SPDX-License-Identifier: Apache-2.0
// `atrest account` with a real server: what it shows, exports and removes.

import Foundation
import Testing

@Suite("atrest account", .timeLimit(.minutes(20)))
struct AccountCommandTests {
  private let household: Household
  private let phone: Binary

  init() throws {
    household = try Household()
    phone = try household.companion()
  }

  private func object(_ answer: Binary.Answer) throws -> [String: Any] {
    try #require(try answer.json() as? [String: Any], "\(answer.err)")
  }

  @Test("shows what the account holds, and what it may")
  func show() throws {
    for _ in 0..<3 { try phone("water", "add", "250") }
    try phone("sync")
    let row = try object(phone("account", "--json"))
    #expect(row["name"] as? String == "kim" && row["devices"] as? Int == 1)
    #expect(row["records"] as? Int == 3)
    #expect(try #require(row["bytes"] as? Int) > 0)
    let limits = try #require(row["limits"] as? [String: Any])
    #expect(limits["records"] as? Int == 1_000_000)
    let words = try phone("account").out
    #expect(words.hasPrefix("The account “kim”, made "))
    #expect(
      words.contains("  records  3 of 1,000,000\n") && words.contains(" of 1 GiB"), "\(words)")
  }

  @Test("leaving it names it, for programs too")
  func leaves() throws {
    #expect(try object(phone("unpair", "--json"))["account"] as? String == "kim")
  }

  @Test("tells what happened, newest first, in words and for programs")
  func log() throws {
    let link = try phone("invite", "--yes").out.trimmingCharacters(in: .newlines)
    let tablet = try Binary()
    try tablet("pair", link, "--name", "tablet")
    let rows = try #require(try phone("account", "log", "--json").json() as? [[String: Any]])
    let names = rows.compactMap { $0["event"] as? String }
    #expect(names.first == "device_paired" && names.last == "account_made", "\(names)")
    #expect(rows.first?["subject_name"] as? String == "tablet")
    #expect(rows.first?["actor_name"] as? String == "phone")
    let words = try phone("account", "log").out
    #expect(words.contains("“tablet” joined, with a link of “phone” (this device)"), "\(words)")
    #expect(words.contains("The server's owner made the account"))
    let one = try phone("account", "log", "--limit", "1")
    #expect(one.out.contains("There are older ones"))
    #expect(try phone("account", "log", "--limit", "0").code == 64)
  }

  @Test("an export is whole, for its owner only, and holds what was written anywhere")
  func export() throws {
    let link = try phone("invite", "--yes").out.trimmingCharacters(in: .newlines)
    let tablet = try Binary()
    try tablet("pair", link, "--name", "tablet")
    try tablet("water", "add", "300")
    try tablet("sync")
    try phone("fast", "start", "--at", "10h ago")
    try phone("fast", "complete", "--at", "1h ago")
    // This write is pending. The tablet's drink was never on this device.
    let file = phone.home.appendingPathComponent("everything.json")
    let answer = try phone("account", "export", file.path)
    #expect(answer.code == 0 && answer.out.contains("2 records"), "\(answer.err)")
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let data = try Data(contentsOf: file)
    let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(document["format"] as? String == "atrest-account" && document["version"] as? Int == 1)
    #expect((document["account"] as? [String: Any])?["name"] as? String == "kim")
    #expect((document["devices"] as? [Any])?.count == 2)
    #expect(try #require(document["events"] as? [Any]).count >= 4)
    let records = try #require(document["records"] as? [[String: Any]])
    #expect(records.compactMap { $0["kind"] as? String }.sorted() == ["session", "water"])
    let water = try #require(records.first { $0["kind"] as? String == "water" })
    let fields = try #require(water["fields"] as? [[String: Any]])
    let intake = try #require(fields.first { $0["name"] as? String == "intake" })
    #expect((intake["value"] as? [String: Any])?["millilitres"] as? Int == 300)
    #expect(Data(base64Encoded: try #require(intake["bytes"] as? String)) != nil)
    #expect((intake["stamp"] as? [String: Any])?["replica"] is String)
    // An existing file is not overwritten.
    #expect(try phone("account", "export", file.path).code == 65)
    #expect(try Data(contentsOf: file) == data)
    let piped = try phone("account", "export", "-")
    #expect(piped.code == 0 && piped.err.isEmpty)
    #expect(try object(piped)["format"] as? String == "atrest-account")
    #expect(try phone("account", "export", "/nowhere/at/all").code == 74)
    let left = try FileManager.default.contentsOfDirectory(atPath: phone.home.path)
    #expect(!left.contains { $0.contains(".part-") })
  }

  @Test("the name has to be typed; then the account is gone, and what is here stays")
  func delete() throws {
    try phone("water", "add", "250")
    try phone("sync")
    try phone("water", "add", "300")
    for typed in ["", "y\n", "Kim\n"] {
      let answer = try phone.start(["account", "delete"], typing: typed).wait()
      #expect(answer.code == 65 && answer.out.isEmpty)
      #expect(answer.err.contains("1 record and the access of 1 device"), "\(answer.err)")
      #expect(answer.err.contains("nothing was removed"))
    }
    #expect(try phone("account", "delete", "--yes").code == 64)
    #expect(try phone("account", "delete", "--yes", "--name", "sam").code == 65)
    let answer = try phone.start(["account", "delete"], typing: "kim\n").wait()
    #expect(answer.code == 0 && answer.out.contains("is removed from its server"), "\(answer.err)")
    #expect(try household.syncd("account", "list", "--json").json() as? [String] == [])
    // The device is unpaired, and its data is still here.
    #expect(try phone("sync").code == 65)
    #expect(try phone("status").out.contains("550 ml"))
    // Another account accepts all of it.
    #expect(try phone("pair", try household.link("sam", isFirst: true)).code == 0)
    let row = try object(phone("sync", "--json"))
    #expect(row["sent"] as? Int == 2)
  }

  @Test("a script names the account")
  func sure() throws {
    let row = try object(phone("account", "delete", "--yes", "--name", "kim", "--json"))
    #expect(row["account"] as? String == "kim" && row["deleted"] as? Bool == true)
  }
}
