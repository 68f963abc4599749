// SPDX-License-Identifier: Apache-2.0
// Revoking a device with real programs: the list, the question, the revoked devices, and the
// remaining ones.

import Foundation
import Testing

@Suite("Ending a device's access", .timeLimit(.minutes(20)))
struct RevokeTests {
  private let household: Household
  private let phone: Binary
  private let tablet: Binary
  private let laptop: Binary

  /// The phone approved the tablet, and the tablet approved the laptop.
  init() throws {
    household = try Household()
    phone = try household.companion()
    (tablet, laptop) = (try Binary(), try Binary())
    try Self.join(tablet, "tablet", with: phone)
    try Self.join(laptop, "laptop", with: tablet)
  }

  private static func join(_ device: Binary, _ name: String, with inviter: Binary) throws {
    let link = try inviter("invite", "--yes").out.trimmingCharacters(in: .newlines)
    let answer = try device("pair", link, "--name", name)
    try #require(answer.code == 0, "\(answer.err)")
  }

  private func rows() throws -> [[String: Any]] {
    try #require(try phone("devices", "--json").json() as? [[String: Any]])
  }

  private func id(_ name: String) throws -> String {
    let row = try #require(try rows().first { $0["name"] as? String == name })
    return try #require(row["id"] as? String)
  }

  /// Whether the server still answers the device.
  private func hasAccess(_ device: Binary) throws -> Bool {
    let code = try device("sync").code
    #expect([0, 77].contains(code))
    return code == 0
  }

  @Test("on a terminal those that came in through it are shown, and a yes ends theirs, too")
  func yes() throws {
    let asking = try phone.dialogue("devices", "revoke", try id("tablet"))
    try asking.read(until: "End its access, too? [y/N]")
    #expect(asking.shown.contains("Through “tablet” this one came in:"))
    #expect(asking.shown.contains("let in by “tablet”"))
    #expect(try hasAccess(tablet), "nothing ends before the answer")
    try asking.type("y")
    #expect(try asking.end() == 0)
    #expect(asking.shown.contains("“tablet” can no longer sync, nor can “laptop”."))
    #expect(try !hasAccess(tablet) && !hasAccess(laptop) && hasAccess(phone))
  }

  @Test("anything but a yes ends the access of the device alone", arguments: ["", "n", "maybe"])
  func no(typed: String) throws {
    let asking = try phone.dialogue("devices", "revoke", try id("tablet"))
    try asking.read(until: "[y/N]")
    try asking.type(typed)
    #expect(try asking.end() == 0)
    #expect(asking.shown.contains("“laptop” came in through it and still has access."))
    #expect(try !hasAccess(tablet) && hasAccess(laptop))
  }

  @Test("where nobody can be asked only the device goes, and who is left is named with what to do")
  func unasked() throws {
    let tablet = try id("tablet")
    let answer = try phone("devices", "revoke", tablet)
    #expect(answer.code == 0)
    #expect(
      answer.out == """
        “tablet” can no longer sync. What it wrote stays in the account.
        “laptop” came in through it and still has access. \
        `atrest devices revoke \(tablet) --with-descendants` ends its access, too.

        """)
    #expect(try !hasAccess(self.tablet) && hasAccess(laptop))
    let then = try phone("devices", "revoke", tablet, "--with-descendants")
    #expect(then.code == 0 && then.out.contains("nor can “laptop”"))
    #expect(try !hasAccess(laptop) && hasAccess(phone))
    // There is no descendant left to ask about.
    let again = try phone.dialogue("devices", "revoke", tablet)
    #expect(try again.end() == 0 && !again.shown.contains("[y/N]"))
  }

  @Test("the flags answer beforehand, and programs are told by id")
  func flags() throws {
    let (tablet, laptop) = (try id("tablet"), try id("laptop"))
    let asking = try phone.dialogue("devices", "revoke", tablet, "--only")
    #expect(try asking.end() == 0 && !asking.shown.contains("[y/N]"))
    let only = try phone("devices", "revoke", tablet, "--only", "--json").json()
    #expect((only as? [String: Any])?["remaining"] as? [String] == [laptop])
    let all = try phone("devices", "revoke", tablet, "--with-descendants", "--json").json()
    let row = try #require(all as? [String: Any])
    #expect(row["id"] as? String == tablet && row["revoked"] != nil)
    #expect(row["also_revoked"] as? [String] == [laptop] && row["remaining"] as? [String] == [])
    #expect(row["spared"] as? [String] == [])
    let both = try phone("devices", "revoke", tablet, "--only", "--with-descendants")
    #expect(both.code == 64)
  }

  @Test("whoever asks is spared, and told so")
  func spared() throws {
    let asking = try laptop.dialogue("devices", "revoke", try id("phone"))
    try asking.read(until: "[y/N]")
    #expect(asking.shown.contains("Through “phone” this one came in:"))
    #expect(asking.shown.contains(" tablet ") && !asking.shown.contains(" laptop "))
    try asking.type("yes")
    #expect(try asking.end() == 0)
    #expect(asking.shown.contains("“phone” can no longer sync, nor can “tablet”."))
    #expect(asking.shown.contains("This device came in through it, too, and keeps its access."))
    #expect(try !hasAccess(phone) && !hasAccess(tablet) && hasAccess(laptop))
  }

  @Test("the list tells the origin of each, and a copy's new identity is one of its original's")
  func listed() throws {
    let copy = try Binary()
    try FileManager.default.createDirectory(
      at: copy.replica.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: tablet.replica, to: copy.replica)
    for device in [tablet, copy] {
      try device("water", "add", "250")
      #expect(try device("sync").code == 0)
    }
    let list = try phone("devices").out.split(separator: "\n").map(String.init)
    #expect(list.count == 5)
    #expect(list[1].hasSuffix("this device") && list[2].hasSuffix("  let in by “phone”"))
    #expect(list[3].hasSuffix("  let in by “tablet”"))
    #expect(list[4].contains("tablet 2") && list[4].hasSuffix("  renewed from “tablet”"))
    let (rows, tabletID) = (try rows(), try id("tablet"))
    #expect(rows.map { $0["inviter"] as? String } == [nil, try id("phone"), tabletID, nil])
    #expect(rows.map { $0["renewed_from"] as? String } == [nil, nil, nil, tabletID])
    let answer = try phone("devices", "revoke", tabletID, "--with-descendants")
    #expect(answer.out.contains("nor can “laptop” and “tablet 2”."))
    #expect(try !hasAccess(copy))
  }

  @Test("the server's owner is shown and asked the same")
  func owner() throws {
    let syncd = household.syncd
    let (tabletID, laptopID) = (try id("tablet"), try id("laptop"))
    let asking = try syncd.dialogue("device", "revoke", tabletID)
    try asking.read(until: "End its access, too? [y/N]")
    #expect(asking.shown.contains(laptopID) && asking.shown.contains("let in by “tablet”"))
    try asking.type("n")
    #expect(try asking.end() == 0)
    #expect(asking.shown.contains("“laptop” came in through it and still has access."))
    #expect(try !hasAccess(tablet) && hasAccess(laptop))
    let unasked = try syncd("device", "revoke", tabletID)
    #expect(unasked.code == 0)
    #expect(
      unasked.out.contains("atrest-syncd device revoke \(tabletID) --with-descendants --data "))
    #expect(try hasAccess(laptop))
    let all = try syncd("device", "revoke", tabletID, "--with-descendants")
    #expect(all.code == 0)
    #expect(
      all.out == """
        “tablet” can no longer sync, nor can “laptop”. What they wrote stays in the account.

        """)
    #expect(try !hasAccess(laptop) && hasAccess(phone))
    #expect(try syncd("device", "revoke", tabletID, "--only", "--with-descendants").code == 64)
  }

  @Test("the owner's list tells the origin of each")
  func ownersList() throws {
    let list = try household.syncd("device", "list").out.split(separator: "\n").map(String.init)
    #expect(list.count == 4 && list[2].hasSuffix("  let in by “phone”"))
    #expect(list[3].hasSuffix("  let in by “tablet”"))
    let json = try household.syncd("device", "list", "--json").json() as? [[String: Any]]
    #expect(json?.map { $0["inviter"] as? String } == [nil, try id("phone"), try id("tablet")])
  }
}
