// SPDX-License-Identifier: Apache-2.0
// The contract of `InvitationStore`.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension StoreContract {
  @Suite(.timeLimit(.minutes(20))) struct InvitationStoreTests {
    let folder: Folder

    init() throws {
      folder = try Folder()
    }

    @Test("invitations are found by handle, count down, and expire", arguments: StoreEngine.all)
    func invitations(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      let first = InvitationEntry(
        handle: "BCDF", secretHash: [1], account: kim, expires: WallTime(milliseconds: 10),
        triesLeft: 5)
      var second = first
      second.handle = "GHJK"
      second.expires = WallTime(milliseconds: 20)
      try store.transaction { t throws(StoreError) in
        #expect(try t.invitations.add(first))
        #expect(try !t.invitations.add(first))
        #expect(try t.invitations.add(second))
        #expect(try t.invitations.openCount(of: kim) == 2)
        try t.invitations.setTriesLeft(4, of: "BCDF")
        #expect(try t.invitations.find("BCDF")?.triesLeft == 4)
        try t.invitations.remove(
          of: kim, expiringOutside: WallTime(milliseconds: 11)...WallTime(milliseconds: 20))
        #expect(try t.invitations.find("BCDF") == nil)
        #expect(try t.invitations.find("GHJK") == second)
        #expect(try t.invitations.add(first))
        try t.invitations.remove(
          of: kim, expiringOutside: WallTime(milliseconds: 10)...WallTime(milliseconds: 19))
        #expect(try t.invitations.find("BCDF") == first)
        #expect(try t.invitations.find("GHJK") == nil)
        try t.invitations.remove("BCDF")
        try t.invitations.remove("BCDF")
        #expect(try t.invitations.openCount(of: kim) == 0)
      }
    }

    @Test(
      "who made an invitation, what it needs and who used it are kept; used ones are not open",
      arguments: StoreEngine.all)
    func usedInvitations(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      var made: [InvitationEntry] = []
      for (handle, inviter) in [("BBBB", phone), ("CCCC", phone), ("DDDD", tablet)] {
        made.append(
          InvitationEntry(
            handle: handle, secretHash: [1], account: kim, expires: WallTime(milliseconds: 10),
            triesLeft: 5, inviter: inviter, needsApproval: inviter == phone))
      }
      try store.transaction { t throws(StoreError) in
        for invitation in made { #expect(try t.invitations.add(invitation)) }
        try t.invitations.markUsed("CCCC", by: [4, 5])
        made[1].usedBy = [4, 5]
        for invitation in made {
          #expect(try t.invitations.find(invitation.handle) == invitation)
        }
        #expect(try t.invitations.openCount(of: kim) == 2)
        try t.invitations.remove(of: kim, madeBy: [phone])
        #expect(try t.invitations.find("BBBB") == nil)
        #expect(try t.invitations.find("CCCC") == nil)
        #expect(try t.invitations.find("DDDD") == made[2])
      }
    }
  }
}
