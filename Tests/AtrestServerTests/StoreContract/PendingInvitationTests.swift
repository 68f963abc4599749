// SPDX-License-Identifier: Apache-2.0
// The contract of `InvitationStore` for devices that wait for approval.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct PendingInvitationTests {
  let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func invitation(_ handle: String, _ account: AccountID) -> InvitationEntry {
    InvitationEntry(
      handle: handle, secretHash: [1], account: account, expires: WallTime(milliseconds: 10),
      triesLeft: 5, inviter: phone, needsApproval: true)
  }

  private let laptop = PendingDeviceEntry(
    handle: .max, name: "Büro", digits: "012345", tokenHash: [7, 8],
    since: WallTime(milliseconds: 3))

  @Test("an account's invitations are listed, used ones included", arguments: StoreEngine.all)
  func list(engine: StoreEngine) throws {
    let store = try engine.open(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    var (first, second) = (invitation("BBBB", kim), invitation("CCCC", kim))
    let other = invitation("DDDD", sam)
    try store.transaction { t throws(StoreError) in
      for invitation in [first, second, other] { #expect(try t.invitations.add(invitation)) }
      try t.invitations.markUsed("BBBB", by: [4])
      try t.invitations.setTriesLeft(2, of: "CCCC")
    }
    (first.usedBy, second.triesLeft) = ([4], 2)
    try store.transaction { t throws(StoreError) in
      #expect(try Set(t.invitations.list(of: kim)) == [first, second])
      #expect(try t.invitations.list(of: sam) == [other])
      #expect(try t.invitations.list(of: AccountID(rawValue: 99)).isEmpty)
      try t.invitations.remove("BBBB")
      #expect(try t.invitations.list(of: kim) == [second])
      #expect(try t.invitations.add(first))
      #expect(try Set(t.invitations.list(of: kim)) == [first, second])
    }
  }

  @Test(
    "who waits with an invitation is kept, also when it is used; it is open until then",
    arguments: StoreEngine.all)
  func pending(engine: StoreEngine) throws {
    var store = try engine.open(folder)
    let kim = try store.makeAccount("kim")
    var first = invitation("BBBB", kim)
    var second = invitation("CCCC", kim)
    second.pending = laptop
    try store.transaction { t throws(StoreError) in
      #expect(try t.invitations.add(first))
      #expect(try t.invitations.add(second))
      try t.invitations.setPending(laptop, of: "BBBB")
      try t.invitations.setPending(laptop, of: "GGGG")
      first.pending = laptop
      #expect(try t.invitations.find("BBBB") == first)
      #expect(try t.invitations.find("GGGG") == nil)
      #expect(try t.invitations.openCount(of: kim) == 2)
    }
    store.close()
    store = try engine.open(folder)
    defer { store.close() }
    try store.transaction { t throws(StoreError) in
      try t.invitations.markUsed("BBBB", by: laptop.tokenHash)
      first.usedBy = laptop.tokenHash
      #expect(try Set(t.invitations.list(of: kim)) == [first, second])
      #expect(try t.invitations.openCount(of: kim) == 1)
    }
  }
}
