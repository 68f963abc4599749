// SPDX-License-Identifier: Apache-2.0
// The contract of `DeviceStore`.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension StoreContract {
  @Suite(.timeLimit(.minutes(20))) struct DeviceStoreTests {
    let folder: Folder

    init() throws {
      folder = try Folder()
    }

    @Test(
      "a replica identity is given once; the first revocation counts; seen never goes back",
      arguments: StoreEngine.all)
    func devices(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      let large = ReplicaID(rawValue: .max - 3)
      try store.makeDevice(tablet, kim)
      try store.makeDevice(phone, kim)
      try store.makeDevice(large, sam)
      try store.transaction { t throws(StoreError) in
        let copy = DeviceEntry(
          replica: phone, account: sam, name: "x", tokenHash: [1],
          paired: WallTime(milliseconds: 1), seen: nil, revoked: nil)
        #expect(try !t.devices.add(copy))
        #expect(try t.devices.list(of: kim).map(\.replica) == [phone, tablet])
        #expect(try t.devices.list(of: nil).map(\.replica) == [phone, tablet, large])
        try t.devices.revoke([kim[phone]], at: WallTime(milliseconds: 7))
        try t.devices.revoke(
          [kim[phone], kim[ReplicaID(rawValue: 99)]], at: WallTime(milliseconds: 9))
        try t.devices.note(seen: [kim[tablet]: WallTime(milliseconds: 50)], progress: [:])
        try t.devices.note(seen: [kim[tablet]: WallTime(milliseconds: 40)], progress: [:])
        let list = try t.devices.list(of: kim)
        #expect(list.map(\.revoked) == [WallTime(milliseconds: 7), nil])
        #expect(list.map(\.seen) == [nil, WallTime(milliseconds: 50)])
      }
    }

    @Test("the origin of a device is kept for good", arguments: StoreEngine.all)
    func origins(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      let large = ReplicaID(rawValue: .max - 3)
      let origins: [DeviceOrigin] = [
        .owner, .renewed(from: large), .invited(inviter: large, approver: nil),
        .invited(inviter: phone, approver: large), .invited(inviter: phone, approver: phone),
      ]
      try store.transaction { t throws(StoreError) in
        for (number, origin) in origins.enumerated() {
          let device = DeviceEntry(
            replica: ReplicaID(rawValue: 10 + UInt64(number)), account: kim, name: "x",
            tokenHash: [1], paired: WallTime(milliseconds: Int64(number)), origin: origin)
          #expect(try t.devices.add(device))
        }
        try t.devices.revoke([kim[ReplicaID(rawValue: 11)]], at: WallTime(milliseconds: 7))
        #expect(try t.devices.list(of: kim).map(\.origin) == origins)
      }
    }

    @Test("a device's name changes, and nothing else of it", arguments: StoreEngine.all)
    func rename(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      try store.makeDevice(phone, kim)
      try store.makeDevice(tablet, kim)
      try store.transaction { t throws(StoreError) in
        var devices = try t.devices.list(of: kim)
        try t.devices.rename(kim[tablet], to: "Büro")
        try t.devices.rename(kim[ReplicaID(rawValue: 99)], to: "nobody")
        devices[1].name = "Büro"
        #expect(try t.devices.list(of: kim) == devices)
      }
    }

    @Test("where a device is in the feed is what was noted last", arguments: StoreEngine.all)
    func progress(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      try store.makeDevice(phone, kim)
      try store.makeDevice(tablet, kim)
      try store.transaction { t throws(StoreError) in
        for (device, acknowledged) in [(phone, UInt64(7)), (tablet, 5), (tablet, 4)] {
          let progress = DeviceProgress(
            acknowledgedSequence: acknowledged, toldSequence: acknowledged + 2)
          try t.devices.note(seen: [:], progress: [kim[device]: progress])
        }
        #expect(try t.devices.list(of: kim).map(\.progress.acknowledgedSequence) == [7, 4])
        #expect(try t.devices.list(of: kim).map(\.progress.toldSequence) == [9, 6])
      }
    }

    @Test("a device's outbox is what was noted last", arguments: StoreEngine.all)
    func outboxes(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      try store.makeDevice(phone, kim)
      try store.makeDevice(tablet, kim)
      let reasons: [Refusal.Reason] = [.invalid, .quota, Refusal.Reason(rawValue: 70_000)]
      let nobody = kim[ReplicaID(rawValue: 99)]
      let full = DeviceOutbox(
        takenThrough: OutboxPosition(number: UInt64(Int64.max), token: .max),
        refusals: reasons.enumerated().map {
          .init(number: UInt64($0.offset) << 40 + 1, reason: $0.element)
        })
      try store.transaction { t throws(StoreError) in
        #expect(try t.devices.outbox(of: kim[phone]) == .empty)
        try t.devices.setOutbox(full, of: kim[phone])
        #expect(try t.devices.outbox(of: kim[phone]) == full)
        #expect(try t.devices.outbox(of: kim[tablet]) == .empty)
        try t.devices.setOutbox(full, of: nobody)
        #expect(try t.devices.outbox(of: nobody) == .empty)
        let settled = DeviceOutbox(
          takenThrough: OutboxPosition(number: 3, token: 5), refusals: [])
        try t.devices.setOutbox(settled, of: kim[phone])
        #expect(try t.devices.outbox(of: kim[phone]) == settled)
      }
    }
  }
}
