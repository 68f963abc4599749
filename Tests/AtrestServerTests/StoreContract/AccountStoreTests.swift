// SPDX-License-Identifier: Apache-2.0
// The contract of `AccountStore`.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension StoreContract {
  @Suite(.timeLimit(.minutes(20))) struct AccountStoreTests {
    let folder: Folder

    init() throws {
      folder = try Folder()
    }

    @Test(
      "account names are unique, and lists count devices with access",
      arguments: StoreEngine.all)
    func accounts(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let sam = try store.makeAccount("sam")
      let kim = try store.makeAccount("kim")
      try store.makeDevice(phone, kim)
      try store.makeDevice(tablet, kim)
      try store.transaction { t throws(StoreError) in
        #expect(try t.accounts.add(name: "kim", created: WallTime(milliseconds: 1)) == nil)
        #expect(try t.accounts.id(named: "kim") == kim)
        #expect(try t.accounts.id(named: "Kim") == nil)
        try t.devices.revoke([kim[tablet]], at: WallTime(milliseconds: 5))
        let list = try t.accounts.list()
        #expect(list.map(\.name) == ["kim", "sam"])
        #expect(list.map(\.id) == [kim, sam])
        #expect(list.map(\.devices) == [1, 0])
      }
    }

    @Test("what is held is counted as it is told, by account", arguments: StoreEngine.all)
    func live(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      try store.transaction { t throws(StoreError) in
        for holdings in [
          Holdings(live: 5, records: 7, bytes: 900), Holdings(live: -2, records: 1, bytes: -300),
        ] {
          try t.accounts.advance([FeedChange(account: kim, holdings: holdings)])
        }
        let counts = [
          try t.accounts.feedState(of: kim).holdings, try t.accounts.feedState(of: sam).holdings,
          try t.accounts.feedState(of: AccountID(rawValue: 99)).holdings,
        ]
        #expect(
          counts == [Holdings(live: 3, records: 8, bytes: 600), Holdings(), Holdings()])
        let entry = try t.accounts.find(kim)
        #expect(entry?.name == "kim" && entry?.records == 8 && entry?.bytes == 600)
        #expect(try t.accounts.list().map(\.bytes) == [600, 0])
        #expect(try t.accounts.find(AccountID(rawValue: 99)) == nil)
      }
    }

    @Test("the day's deletions stay as they were told last", arguments: StoreEngine.all)
    func deletions(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      let kept = RecentDeletions(since: WallTime(milliseconds: noon), count: 7)
      try store.transaction { t throws(StoreError) in
        #expect(try t.accounts.feedState(of: kim).deletions == RecentDeletions())
        try t.accounts.advance([FeedChange(account: kim, deletions: kept)])
        try t.accounts.advance([FeedChange(account: kim, holdings: Holdings(live: 1))])
        #expect(try t.accounts.feedState(of: kim).deletions == kept)
      }
      try store.transaction { t throws(StoreError) in
        #expect(try t.accounts.feedState(of: kim).deletions == kept)
        try t.accounts.advance([FeedChange(account: kim, holdings: Holdings(live: 1))])
      }
      try store.transaction { t throws(StoreError) in
        #expect(try t.accounts.feedState(of: kim).deletions == kept)
      }
    }

    @Test(
      "the latest time is only raised, and the head stays without a commit",
      arguments: StoreEngine.all)
    func latestTime(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      let head = Cursor(commit: 5, sequence: 2)
      try store.transaction { t throws(StoreError) in
        try t.accounts.advance([
          FeedChange(account: kim, head: head, latestTime: HybridTime(rawValue: 70)),
          FeedChange(account: sam, latestTime: HybridTime(rawValue: 30)),
        ])
        try t.accounts.advance([
          FeedChange(account: sam, latestTime: .latest),
          FeedChange(account: kim, latestTime: HybridTime(rawValue: 60)),
        ])
        var states = try t.accounts.feedStates(of: [sam, AccountID(rawValue: 99), kim])
        for index in states.indices { states[index].clock = nil }
        #expect(
          states == [
            FeedState(latestTime: .latest), .empty,
            FeedState(head: head, latestTime: HybridTime(rawValue: 70)),
          ])
      }
    }

    @Test(
      "a position has the name of the commit that gave its sequence, and each account has its own",
      arguments: StoreEngine.all)
    func positions(engine: StoreEngine) throws {
      var store = try engine.open(folder)
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      try commit(Cursor(commit: 71, sequence: 3), store, kim)
      try commit(Cursor(commit: .max, sequence: 4), store, kim)
      try commit(Cursor(commit: 73, sequence: 9), store, kim)
      try commit(Cursor(commit: 81, sequence: 4), store, sam)
      store.close()
      store = try engine.open(folder)
      defer { store.close() }
      #expect(
        try names(store, kim, 0...11) == [0, 71, 71, 71, .max, 73, 73, 73, 73, 73, nil, nil])
      #expect(try names(store, sam, 0...5) == [0, 81, 81, 81, 81, nil])
      #expect(try names(store, AccountID(rawValue: 99), 0...1) == [0, nil])
      #expect(try names(store, kim, UInt64(Int64.max)...(UInt64(Int64.max) + 1)) == [nil, nil])
    }

    @Test(
      "names go but for the newest and those that devices with access were told or showed",
      arguments: StoreEngine.all)
    func pruneCommits(engine: StoreEngine) throws {
      let store = try engine.open(folder)
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
          try t.devices.note(
            seen: [:],
            progress: [
              kim[device]: DeviceProgress(acknowledgedSequence: acknowledged, toldSequence: told)
            ])
        }
        // A revoked device keeps no position alive.
        let third = kim[ReplicaID(rawValue: 3)]
        try t.devices.note(
          seen: [:], progress: [third: DeviceProgress(acknowledgedSequence: 1, toldSequence: 3)])
        try t.devices.revoke([third], at: WallTime(milliseconds: noon))
        try t.accounts.pruneCommits(of: kim, keeping: 2)
      }
      // Where a name was pruned, a position has the next one that is kept.
      #expect(try names(store, kim, 1...9) == [72, 72, 74, 74, 76, 76, 78, 78, 79])
      #expect(try names(store, sam, 1...9) == [81, 82, 83, 84, 85, 86, 87, 88, 89])
      try store.transaction { t throws(StoreError) in
        for device in [phone, tablet] {
          try t.devices.note(
            seen: [:],
            progress: [kim[device]: DeviceProgress(acknowledgedSequence: 9, toldSequence: 9)])
        }
        for count in [1, 0, -1] { try t.accounts.pruneCommits(of: kim, keeping: count) }
      }
      #expect(try names(store, kim, 1...9) == Array(repeating: 79, count: 9))
    }

    @Test(
      "an account is removed with every row of it, its number is not given again, and others stay",
      arguments: StoreEngine.all)
    func removeAccount(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      try store.makeDevice(phone, kim)
      try store.makeDevice(tablet, sam)
      for account in [kim, sam] {
        _ = try store.exchange(account, request(nil, water(1)), by: tablet)
      }
      try store.transaction { t throws(StoreError) in
        _ = try t.invitations.add(
          InvitationEntry(
            handle: "BCDF", secretHash: [1], account: kim, expires: WallTime(milliseconds: noon),
            triesLeft: 5))
        try t.accounts.remove(kim)
        #expect(try t.accounts.id(named: "kim") == nil)
        #expect(try t.accounts.feedState(of: kim).head == .start)
        #expect(try t.accounts.position(of: 1, account: kim) == nil)
        #expect(try t.devices.list(of: nil).map(\.replica) == [tablet])
        #expect(try t.invitations.find("BCDF") == nil)
        #expect(try t.record(water(1).key.storageKey, of: kim) == nil)
        #expect(try t.record(water(1).key.storageKey, of: sam) != nil)
        // Removing it again is harmless.
        try t.accounts.remove(kim)
      }
      #expect(store.owesErasure == engine.owesErasure)
      try store.erase()
      #expect(!store.owesErasure)
      let next = try store.makeAccount("kim")
      #expect(next != kim && next != sam)
    }

    private func commit(_ head: Cursor, _ store: any SyncStore, _ account: AccountID) throws {
      try store.transaction { t throws(StoreError) in
        try t.setHead(head, of: account)
        #expect(try t.accounts.feedState(of: account).head == head)
      }
    }

    /// The commit names of positions. Nil where there is none.
    private func names(
      _ store: any SyncStore, _ account: AccountID, _ sequences: ClosedRange<UInt64>
    ) throws -> [UInt64?] {
      try store.transaction { t throws(StoreError) in
        var names: [UInt64?] = []
        for sequence in sequences {
          let position = try t.accounts.position(of: sequence, account: account)
          #expect(position.map { $0.sequence == sequence } ?? true)
          names.append(position?.commit)
        }
        return names
      }
    }

  }
}
