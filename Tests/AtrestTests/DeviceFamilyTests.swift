// SPDX-License-Identifier: Apache-2.0
// The texts about the origin of devices.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Testing

@testable import AtrestCompanion
@testable import atrest

@Suite("Where devices come from, in words", .timeLimit(.minutes(20)))
struct DeviceFamilyTests {
  private func device(
    _ number: UInt64, _ name: String, _ origin: DeviceOrigin = .owner, revoked: Bool = false,
    isCurrent: Bool = false
  ) -> Device {
    Device(
      replica: ReplicaID(rawValue: number), name: name,
      paired: WallTime(milliseconds: Int64(number)),
      revoked: revoked ? WallTime(milliseconds: 99) : nil, isCurrent: isCurrent, origin: origin)
  }

  private func invited(_ inviter: UInt64, _ approver: UInt64? = nil) -> DeviceOrigin {
    .invited(
      inviter: ReplicaID(rawValue: inviter),
      approver: approver.map { ReplicaID(rawValue: $0) })
  }

  @Test("an origin names whoever let the device in, and whose link it had if that was another's")
  func origins() {
    let family = DeviceFamily([device(1, "phone"), device(2, "a \u{1B}”b")])
    func words(_ origin: DeviceOrigin) -> String? {
      family.origin(of: device(9, "x", origin))
    }
    #expect(words(.owner) == nil)
    #expect(words(invited(1)) == "let in by “phone”")
    #expect(words(invited(1, 1)) == "let in by “phone”")
    #expect(words(invited(1, 2)) == "let in by “a \u{FFFD}'b”, with a link of “phone”")
    #expect(words(.renewed(from: ReplicaID(rawValue: 1))) == "renewed from “phone”")
    // A device that is not listed any more.
    #expect(words(invited(255)) == "let in by 00000000000000ff")
  }

  @Test("those that would go have access, and are neither the device nor this one and its own")
  func companions() {
    let phone = device(1, "phone")
    let family = DeviceFamily([
      phone, device(2, "gone", invited(1), revoked: true), device(3, "left", invited(2)),
      device(4, "this", invited(1), isCurrent: true), device(5, "its own", invited(4)),
      device(6, "both", invited(4, 3)), device(7, "other"),
    ])
    #expect(family.companions(of: phone.replica).map(\.name) == ["left", "both"])
    #expect(family.companions(of: ReplicaID(rawValue: 7)).isEmpty)
  }

  @Test("a list says who gave a device its name last")
  func renamings() {
    func event(
      _ number: UInt64, by actor: UInt64, of subject: UInt64,
      _ kind: AccountEvent.Kind = .deviceRenamed
    ) -> AccountEvent {
      AccountEvent(
        number: number, at: WallTime(milliseconds: Int64(number)), kind: kind,
        actor: ReplicaID(rawValue: actor), subject: ReplicaID(rawValue: subject))
    }
    let family = DeviceFamily(
      [device(1, "phone"), device(2, "tablet"), device(3, "laptop"), device(4, "watch")],
      events: [
        event(9, by: 2, of: 3, .deviceApproved), event(8, by: 2, of: 1), event(7, by: 1, of: 1),
        event(6, by: 2, of: 2), event(5, by: 0, of: 3),
      ])
    func words(_ device: UInt64) -> String? {
      family.renaming(of: ReplicaID(rawValue: device)) { "at \($0.milliseconds)" }
    }
    #expect(words(1) == "renamed at 8 by “tablet”")
    #expect(words(2) == "renamed itself at 6")
    #expect(words(3) == "renamed at 5 by the server's owner")
    #expect(words(4) == nil)
  }

  @Test("of many the first are named")
  func many() {
    func names(_ count: UInt64) -> String {
      let devices = (0..<count).map { device($0 + 1, "d\($0)") }
      return DeviceFamily(devices).names(devices.map(\.replica))
    }
    #expect(names(1) == "“d0”")
    #expect(names(2) == "“d0” and “d1”")
    #expect(names(3) == "“d0”, “d1” and “d2”")
    #expect(names(10).hasSuffix("“d8” and “d9”"))
    #expect(names(12).hasSuffix("“d7”, “d8” and 3 more"))
  }

  @Test("what was done is said in plain words, whatever the server answers")
  func done() {
    let (phone, laptop) = (device(1, "phone"), device(3, "laptop"))
    let tablet = device(2, "tablet", invited(1), isCurrent: true)
    let plan = RevocationPlan(revoking: phone, in: DeviceFamily([phone, tablet, laptop]))
    func outcome(_ ended: Revocation, isForAll: Bool) -> String {
      plan.outcome(
        of: ended, isForAll: isForAll, commands: plan.commands(of: Atrest.programName)
      ).joined(separator: "\n")
    }
    let both = [tablet.replica, laptop.replica]
    let ended = Revocation(revoked: [phone.replica], remaining: both)
    let left = outcome(ended, isForAll: false)
    #expect(left.contains("“tablet” and “laptop” came in through it and still have access."))
    let spared = outcome(
      Revocation(revoked: [phone.replica], spared: both), isForAll: true)
    #expect(
      spared.contains(
        "This device came in through it, too, and keeps its access, as does “laptop”, which came in through this one."
      ))
    // An older server does not report it.
    let old = outcome(Revocation(), isForAll: true)
    #expect(old.contains("The server is of an older version"))
    #expect(!outcome(Revocation(), isForAll: false).contains("older"))
    for text in [left, spared, old] { #expect(bannedWords(in: text).isEmpty) }
  }
}
