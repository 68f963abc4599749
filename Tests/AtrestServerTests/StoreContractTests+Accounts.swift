// SPDX-License-Identifier: Apache-2.0
// The clauses of the contract that are about accounts and invitations.

import AtrestProtocol
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@testable import AtrestServer

extension StoreContractTests {
  @Test("invitations are found by handle, count down, and expire", arguments: StoreKind.allCases)
  func invitations(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    let first = InvitationEntry(
      handle: "BCDF", secretHash: [1], account: kim, expires: WallTime(milliseconds: 10),
      triesLeft: 5)
    var second = first
    second.handle = "GHJK"
    second.expires = WallTime(milliseconds: 20)
    try store.transaction { t throws(StoreError) in
      #expect(try t.addInvitation(first))
      #expect(try !t.addInvitation(first))
      #expect(try t.addInvitation(second))
      #expect(try t.invitationCount(of: kim) == 2)
      try t.setTriesLeft(4, invitation: "BCDF")
      #expect(try t.invitation(handle: "BCDF")?.triesLeft == 4)
      try t.removeInvitations(
        endingOutside: WallTime(milliseconds: 11)...WallTime(milliseconds: 20))
      #expect(try t.invitation(handle: "BCDF") == nil)
      #expect(try t.invitation(handle: "GHJK") == second)
      #expect(try t.addInvitation(first))
      try t.removeInvitations(
        endingOutside: WallTime(milliseconds: 10)...WallTime(milliseconds: 19))
      #expect(try t.invitation(handle: "BCDF") == first)
      #expect(try t.invitation(handle: "GHJK") == nil)
      try t.removeInvitation(handle: "BCDF")
      try t.removeInvitation(handle: "BCDF")
      #expect(try t.invitationCount(of: kim) == 0)
    }
  }

  @Test(
    "who made an invitation, what it needs and who used it are kept; used ones are not open",
    arguments: StoreKind.allCases)
  func usedInvitations(kind: StoreKind) throws {
    let store = try kind.open(folder)
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
      for invitation in made { #expect(try t.addInvitation(invitation)) }
      try t.useInvitation(handle: "CCCC", by: [4, 5])
      made[1].usedBy = [4, 5]
      for invitation in made {
        #expect(try t.invitation(handle: invitation.handle) == invitation)
      }
      #expect(try t.invitationCount(of: kim) == 2)
      try t.removeInvitations(madeBy: phone)
      #expect(try t.invitation(handle: "BBBB") == nil)
      #expect(try t.invitation(handle: "CCCC") == nil)
      #expect(try t.invitation(handle: "DDDD") == made[2])
    }
  }

  @Test("a device's name changes, and nothing else of it", arguments: StoreKind.allCases)
  func rename(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim)
    try store.transaction { t throws(StoreError) in
      var devices = try t.devices(of: kim)
      try t.renameDevice(tablet, to: "Büro")
      try t.renameDevice(ReplicaID(rawValue: 99), to: "nobody")
      devices[1].name = "Büro"
      #expect(try t.devices(of: kim) == devices)
    }
  }

  @Test(
    "events are numbered in a row, chained, found by account, and outlive it",
    arguments: StoreKind.allCases)
  func events(kind: StoreKind) throws {
    var store = try kind.open(folder)
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    let written = [
      NewEvent(.codeMade, of: kim, at: WallTime(milliseconds: 1), actor: phone, detail: -1),
      NewEvent(
        .deviceRevoked, of: sam, at: WallTime(milliseconds: 2), actor: tablet,
        subject: ReplicaID(rawValue: .max), detail: .min, count: .max),
      NewEvent(.backupMade, of: nil, at: WallTime(milliseconds: 3)),
      NewEvent(.accountRemoved, of: kim, at: WallTime(milliseconds: 4)),
    ]
    for event in written {
      try store.transaction { t throws(StoreError) in try t.addEvent(event) }
    }
    try store.transaction { t throws(StoreError) in try t.removeAccount(kim) }
    // What does not happen is not told.
    #expect(throws: StoreError.closed) {
      try store.transaction { t throws(StoreError) in
        try t.addEvent(written[0])
        throw .closed
      }
    }
    store.close()
    store = try kind.open(folder)
    defer { store.close() }
    try store.transaction { t throws(StoreError) in
      let all = try t.events(of: nil, before: nil, limit: 10)
      #expect(all.map(\.number) == [4, 3, 2, 1])
      #expect(all.reversed().map(\.event) == written)
      #expect(try t.events(of: kim, before: nil, limit: 10).map(\.number) == [4, 1])
      #expect(try t.events(of: kim, before: 4, limit: 10).map(\.number) == [1])
      #expect(try t.events(of: nil, before: 4, limit: 2).map(\.number) == [3, 2])
      var chain = EventChain()
      try t.events(after: 0) { chain.follows($0) }
      #expect(chain.number == 4)
      var visited: [UInt64] = []
      try t.events(after: 1) { event in
        visited.append(event.number)
        return visited.count < 2
      }
      #expect(visited == [2, 3])
    }
  }

  @Test(
    "a position has the name of the commit that gave its sequence, and each account has its own",
    arguments: StoreKind.allCases)
  func positions(kind: StoreKind) throws {
    var store = try kind.open(folder)
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    try commit(Cursor(commit: 71, sequence: 3), store, kim)
    try commit(Cursor(commit: .max, sequence: 4), store, kim)
    try commit(Cursor(commit: 73, sequence: 9), store, kim)
    try commit(Cursor(commit: 81, sequence: 4), store, sam)
    store.close()
    store = try kind.open(folder)
    defer { store.close() }
    #expect(
      try names(store, kim, 0...11) == [0, 71, 71, 71, .max, 73, 73, 73, 73, 73, nil, nil])
    #expect(try names(store, sam, 0...5) == [0, 81, 81, 81, 81, nil])
    #expect(try names(store, AccountID(rawValue: 99), 0...1) == [0, nil])
    #expect(try names(store, kim, UInt64(Int64.max)...(UInt64(Int64.max) + 1)) == [nil, nil])
  }

  @Test(
    "names go but for the newest and those that devices with access were told or showed",
    arguments: StoreKind.allCases)
  func pruneCommits(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim)
    try store.makeDevice(ReplicaID(rawValue: 3), kim)
    for sequence in 1...9 as ClosedRange<UInt64> {
      try commit(Cursor(commit: 70 + sequence, sequence: sequence), store, kim)
      try commit(Cursor(commit: 80 + sequence, sequence: sequence), store, sam)
    }
    try store.transaction { t throws(StoreError) in
      let told: [(ReplicaID, UInt64, UInt64)] = [(phone, 2, 6), (tablet, 4, 4)]
      for (device, acknowledged, told) in told {
        try t.setProgress(
          DeviceProgress(acknowledgedSequence: acknowledged, toldSequence: told), of: device)
      }
      // One whose access ended keeps nothing.
      try t.setProgress(
        DeviceProgress(acknowledgedSequence: 1, toldSequence: 3), of: ReplicaID(rawValue: 3))
      _ = try t.revokeDevice(ReplicaID(rawValue: 3), at: WallTime(milliseconds: noon))
      try t.pruneCommits(of: kim, keeping: 2)
    }
    // Where a name went, a position has that of the next one that is kept.
    #expect(try names(store, kim, 1...9) == [72, 72, 74, 74, 76, 76, 78, 78, 79])
    #expect(try names(store, sam, 1...9) == [81, 82, 83, 84, 85, 86, 87, 88, 89])
    try store.transaction { t throws(StoreError) in
      for device in [phone, tablet] {
        try t.setProgress(
          DeviceProgress(acknowledgedSequence: 9, toldSequence: 9), of: device)
      }
      for count in [1, 0, -1] { try t.pruneCommits(of: kim, keeping: count) }
    }
    #expect(try names(store, kim, 1...9) == Array(repeating: 79, count: 9))
  }

  private func commit(_ head: Cursor, _ store: any SyncStore, _ account: AccountID) throws {
    try store.transaction { t throws(StoreError) in
      try t.setHead(head, of: account)
      #expect(try t.head(of: account) == head)
    }
  }

  /// The names of positions; nil where there is none.
  private func names(
    _ store: any SyncStore, _ account: AccountID, _ sequences: ClosedRange<UInt64>
  ) throws -> [UInt64?] {
    try store.transaction { t throws(StoreError) in
      var names: [UInt64?] = []
      for sequence in sequences {
        let position = try t.position(of: sequence, account: account)
        #expect(position.map { $0.sequence == sequence } ?? true)
        names.append(position?.commit)
      }
      return names
    }
  }

  @Test(
    "an account is removed with every row of it, its number is not given again, and others stay",
    arguments: StoreKind.allCases)
  func removeAccount(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, sam)
    for account in [kim, sam] {
      _ = try store.exchange(account, request(nil, water(1)), by: tablet)
    }
    try store.transaction { t throws(StoreError) in
      _ = try t.addInvitation(
        InvitationEntry(
          handle: "BCDF", secretHash: [1], account: kim, expires: WallTime(milliseconds: noon),
          triesLeft: 5))
      try t.removeAccount(kim)
      #expect(try t.account(named: "kim") == nil)
      #expect(try t.head(of: kim) == .start)
      #expect(try t.position(of: 1, account: kim) == nil)
      #expect(try t.devices(of: nil).map(\.replica) == [tablet])
      #expect(try t.invitation(handle: "BCDF") == nil)
      #expect(try t.record(key: water(1).key.storageKey, account: kim) == nil)
      #expect(try t.record(key: water(1).key.storageKey, account: sam) != nil)
      // Nor is there anything to remove twice.
      try t.removeAccount(kim)
    }
    #expect(store.owesErasure)
    try store.erase()
    #expect(!store.owesErasure)
    let next = try store.makeAccount("kim")
    #expect(next != kim && next != sam)
  }
}
