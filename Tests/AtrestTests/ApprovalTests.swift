// SPDX-License-Identifier: Apache-2.0
// Approving a device with real programs: the question, and what each side then prints.

import Foundation
import Testing

@Suite("Letting a device in", .timeLimit(.minutes(20)))
struct ApprovalTests {
  private let household: Household
  private let phone: Binary
  private let tablet: Binary

  init() throws {
    household = try Household()
    phone = try household.companion()
    tablet = try Binary()
  }

  /// The digits that a waiting device shows.
  private static func digits(saidBy line: String?) -> String? {
    let waits =
      /Waiting for your other device to let this one in\. There it has to show ([0-9]{3} [0-9]{3})\./
    return line?.wholeMatch(of: waits).map { String($0.1) }
  }

  /// A tablet that waits with the phone's link.
  private func waiting() throws -> (tablet: Binary.Running, id: String) {
    let link = try phone("invite").out.trimmingCharacters(in: .newlines)
    let running = try tablet.start(["pair", link, "--name", "tablet"])
    let said = try tablet.line(of: running, err: "Waiting")
    let digits = try #require(Self.digits(saidBy: said))
    let rows = try phone("devices", "waiting", "--json").json() as? [[String: Any]]
    let row = try #require(rows?.first)
    #expect(row["name"] as? String == "tablet" && rows?.count == 1)
    #expect(row["digits"] as? String == digits.replacing(" ", with: ""))
    return (running, try #require(row["id"] as? String))
  }

  @Test("the one who invites is asked, and a yes lets it in", arguments: ["y", "Yes"])
  func yes(typed: String) throws {
    let asking = try phone.dialogue("invite", "--no-qr")
    try asking.read(until: "Waiting for the other device")
    let link = try #require(asking.shown.firstMatch(of: /atrest pair (atrest:\S+)/)?.1)
    let joining = try tablet.start(["pair", String(link), "--name", "tablet"])
    let said = try tablet.line(of: joining, err: "Waiting")
    let digits = try #require(Self.digits(saidBy: said))
    try asking.read(until: "Let it in? [y/N]")
    #expect(asking.shown.contains("“tablet” wants to join (today "))
    #expect(asking.shown.contains(") and shows \(digits). Let it in?"))
    try asking.type(typed)
    #expect(try asking.end() == 0)
    #expect(asking.shown.contains("“tablet” is a device of the account now."))
    let answer = joining.wait()
    #expect(
      answer.code == 0 && answer.out.hasPrefix("This device is now “tablet” of the account “kim”."))
    #expect(try tablet("sync").code == 0)
  }

  @Test("anything but a yes sends it away, and both sides say so", arguments: ["", "n", "maybe"])
  func no(typed: String) throws {
    let asking = try phone.dialogue("invite", "--no-qr")
    try asking.read(until: "Waiting for the other device")
    let link = try #require(asking.shown.firstMatch(of: /atrest pair (atrest:\S+)/)?.1)
    let joining = try tablet.start(["pair", String(link), "--name", "tablet"])
    // Ensures that the tablet waits before the answer comes.
    #expect(Self.digits(saidBy: try tablet.line(of: joining, err: "Waiting")) != nil)
    try asking.read(until: "Let it in? [y/N]")
    try asking.type(typed)
    #expect(try asking.end() == 0)
    #expect(asking.shown.contains("“tablet” was not let in, and its link is used up."))
    let answer = joining.wait()
    #expect(answer.code == 77 && answer.err.contains("This device was not let in"), "\(answer.err)")
    #expect(try tablet("sync").code == 65)
  }

  @Test("interrupted, the invitation stays, and another command decides")
  func interrupted() throws {
    let asking = try phone.dialogue("invite", "--no-qr")
    try asking.read(until: "Waiting for the other device")
    let link = try #require(asking.shown.firstMatch(of: /atrest pair (atrest:\S+)/)?.1)
    asking.process.interrupt()
    #expect(try asking.end() == 0)
    #expect(asking.shown.contains("The link stays valid until today "))
    let joining = try tablet.start(["pair", String(link), "--name", "tablet"])
    _ = try tablet.line(of: joining, err: "Waiting")
    let list = try phone("devices")
    #expect(list.out.hasPrefix("ID        WAITS TO JOIN"), "\(list.out)")
    let id = try #require(list.out.firstMatch(of: /\n([0-9a-f]{8}) +tablet/)?.1)
    #expect(list.out.contains("`atrest devices allow ID`") && list.out.contains("this device"))
    let allowed = try phone("devices", "allow", String(id))
    #expect(allowed.code == 0 && allowed.out == "“tablet” is a device of the account now.\n")
    #expect(joining.wait().code == 0)
    // A device is resolved only once.
    #expect(try phone("devices", "deny", String(id)).code == 65)
    #expect(try phone("devices", "waiting").out == "Nobody waits to join.\n")
  }

  @Test("deny sends it away; --json says what was decided")
  func denied() throws {
    let (running, id) = try waiting()
    let row = try phone("devices", "deny", id, "--json").json() as? [String: Any]
    #expect(row?["allowed"] as? Bool == false && row?["name"] as? String == "tablet")
    #expect(running.wait().code == 77)
  }

  @Test("whoever broke off goes on with the same link, and is one device")
  func again() throws {
    let (running, id) = try waiting()
    running.process.interrupt()
    let stopped = running.wait()
    #expect(
      stopped.code == 75 && stopped.err.contains("Run the same command again"), "\(stopped.err)")
    #expect(try phone("devices", "allow", id).code == 0)
    let rows = try phone("devices", "--json").json() as? [[String: Any]]
    #expect(rows?.map { $0["name"] as? String } == ["phone", "tablet"])
  }

  @Test("of two that wait as one device the later one has the place, and the other says so")
  func twice() throws {
    let link = try phone("invite").out.trimmingCharacters(in: .newlines)
    let first = try tablet.start(["pair", link, "--name", "tablet"])
    _ = try tablet.line(of: first, err: "Waiting")
    let second = try tablet.start(["pair", link, "--name", "tablet"])
    _ = try tablet.line(of: second, err: "Waiting")
    let told = first.wait()
    #expect(told.code == 75 && told.err.contains("goes on in this one's place"), "\(told.err)")
    let rows = try phone("devices", "waiting", "--json").json() as? [[String: Any]]
    let id = try #require(rows?.first?["id"] as? String)
    #expect(try phone("devices", "allow", id).code == 0)
    #expect(second.wait().code == 0)
  }

  @Test("the name is changed for all to see, and keeps apart from others")
  func rename() throws {
    let (running, id) = try waiting()
    #expect(try phone("devices", "allow", id).code == 0)
    #expect(running.wait().code == 0)
    let rows = try phone("devices", "--json").json() as? [[String: Any]]
    let device = try #require(rows?.last?["id"] as? String)
    #expect(
      try phone("devices", "rename", String(device.prefix(8)), " old  tablet ").out
        == "It is called “old tablet” now.\n")
    let row = try tablet("devices", "rename", device, "phone", "--json").json() as? [String: Any]
    #expect(row?["name"] as? String == "phone 2")
    let words = try tablet("devices", "rename", device, "phone").out
    #expect(words.contains("Another device is called “phone” already."))
    #expect(try phone("devices", "rename", device, "\u{7}").code == 64)
    #expect(try phone("devices", "rename", "0000000000000000", "x").code == 65)
  }

  @Test(
    "a device whose access was ended is told what to do by every command, and keeps what it wrote")
  func ended() throws {
    let (running, id) = try waiting()
    #expect(try phone("devices", "allow", id).code == 0)
    #expect(running.wait().code == 0)
    try tablet("water", "add", "250")
    let rows = try phone("devices", "--json").json() as? [[String: Any]]
    let device = try #require(rows?.last?["id"] as? String)
    let watching = try tablet.start(["sync", "--watch"])
    _ = try tablet.line(of: watching)
    #expect(try phone("devices", "revoke", device).code == 0)
    let told =
      "This device's access was ended. What you wrote is kept here. To join again, leave with `atrest unpair`"
    let watched = watching.wait()
    #expect(watched.code == 77 && watched.err.contains(told), "\(watched.err)")
    try tablet("water", "add", "300")
    for command in [
      ["sync"], ["sync", "--watch"], ["devices"], ["devices", "waiting"], ["invite"], ["account"],
      ["account", "log"], ["account", "export", "-"], ["doctor"],
    ] {
      let answer = try tablet.start(command).wait()
      #expect(answer.code == 77 && answer.err.contains(told), "\(command): \(answer.err)")
    }
    let status = try tablet("status", "--json").json() as? [String: Any]
    let sync = status?["sync"] as? [String: Any]
    #expect(sync?["waiting"] as? Int == 1 && sync?["access_ended"] as? Bool == true)
    #expect(status?["water_today_millilitres"] as? Int == 550)
    #expect(try tablet("status").out.contains(told))
    // Whoever leaves is no longer a device that was sent away.
    #expect(try tablet("unpair").code == 0)
    #expect(try !tablet("status").out.contains("access was ended"))
  }
}
