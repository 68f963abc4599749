// SPDX-License-Identifier: Apache-2.0
// The contract of `SyncStore`, clause by clause. Every store is held to it.

import AtrestProtocol
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@testable import AtrestServer

/// A store under test. Further stores are further cases.
enum StoreKind: CaseIterable, Sendable {
  case sqlite

  func open(_ folder: Folder) throws -> any SyncStore {
    switch self {
    case .sqlite: try openStore(folder)
    }
  }
}

@Suite struct StoreContractTests {
  let folder: Folder

  init() throws {
    folder = try Folder()
  }

  @Test(
    "what a transaction wrote is there after the store was opened again",
    arguments: StoreKind.allCases)
  func durable(kind: StoreKind) throws {
    let store = try kind.open(folder)
    let account = try store.makeAccount("kim")
    try store.makeDevice(phone, account)
    try store.transaction { t throws(StoreError) in
      _ = try t.append(key: [1], body: [2], sequence: 1, account: account)
      try t.setHead(Cursor(commit: .max, sequence: 1), of: account)
    }
    store.close()
    let again = try kind.open(folder)
    defer { again.close() }
    let (record, head, devices) = try again.transaction { t throws(StoreError) in
      (
        try t.record(key: [1], account: account), try t.head(of: account),
        try t.devices(of: account)
      )
    }
    #expect(record == StoredRecord(sequence: 1, body: [2]))
    #expect(head == Cursor(commit: .max, sequence: 1))
    #expect(devices.map(\.replica) == [phone])
  }

  @Test("a transaction that throws leaves nothing behind", arguments: StoreKind.allCases)
  func atomic(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let account = try store.makeAccount("kim")
    #expect(throws: StoreError.failed(reason: "on purpose")) {
      try store.transaction { t throws(StoreError) in
        _ = try t.append(key: [1], body: [2], sequence: 1, account: account)
        try t.setHead(1, of: account)
        _ = try t.addAccount(name: "sam", created: WallTime(milliseconds: 1))
        throw .failed(reason: "on purpose")
      }
    }
    let (record, head, accounts) = try store.transaction { t throws(StoreError) in
      (try t.record(key: [1], account: account), try t.head(of: account), try t.accounts())
    }
    #expect(record == nil && head == .start && accounts.map(\.name) == ["kim"])
  }

  @Test("a key is appended once", arguments: StoreKind.allCases)
  func appendsOnce(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let account = try store.makeAccount("kim")
    try store.transaction { t throws(StoreError) in
      #expect(try t.append(key: [1], body: [10], sequence: 1, account: account))
      #expect(try !t.append(key: [1], body: [11], sequence: 2, account: account))
      #expect(try t.append(key: [2], body: [20], sequence: 2, account: account))
      #expect(
        try t.record(key: [1], account: account) == StoredRecord(sequence: 1, body: [10]))
    }
  }

  @Test(
    "the feed is in order of sequence, and a replaced record moves to its end",
    arguments: StoreKind.allCases)
  func feedOrder(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let account = try store.makeAccount("kim")
    try store.transaction { t throws(StoreError) in
      for number in 1...5 {
        _ = try t.append(
          key: [UInt8(number)], body: [UInt8(number)], sequence: UInt64(number), account: account)
      }
      try t.replace(key: [2], by: StoredRecord(sequence: 6, body: [22]), account: account)
    }
    #expect(try feed(store, account, after: 0) == [1: [1], 3: [3], 4: [4], 5: [5], 6: [22]])
    #expect(try feed(store, account, after: 4) == [5: [5], 6: [22]])
    #expect(try feed(store, account, after: 6).isEmpty)
    var visited: [UInt64] = []
    try store.transaction { t throws(StoreError) in
      try t.feed(of: account, after: 0) { sequence, _ in
        visited.append(sequence)
        return visited.count < 2
      }
      // A read that was broken off does not disturb the next.
      try t.feed(of: account, after: 5) { sequence, _ in
        visited.append(sequence)
        return true
      }
    }
    #expect(visited == [1, 3, 6])
  }

  @Test(
    "accounts do not see each other's records, even under one key", arguments: StoreKind.allCases)
  func isolation(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    try store.transaction { t throws(StoreError) in
      #expect(try t.append(key: [1], body: [10], sequence: 1, account: kim))
      #expect(try t.append(key: [1], body: [20], sequence: 1, account: sam))
      try t.replace(key: [1], by: StoredRecord(sequence: 2, body: [21]), account: sam)
      try t.setHead(2, of: sam)
    }
    #expect(try feed(store, kim, after: 0) == [1: [10]])
    #expect(try feed(store, sam, after: 0) == [2: [21]])
    let heads = try store.transaction { t throws(StoreError) in
      [try t.head(of: kim), try t.head(of: sam), try t.head(of: AccountID(rawValue: 99))]
    }
    #expect(heads.map(\.sequence) == [0, 2, 0])
    #expect(heads[0] == .start && heads[2] == .start)
  }

  @Test(
    "account names are unique, and lists count devices with access",
    arguments: StoreKind.allCases)
  func accounts(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let sam = try store.makeAccount("sam")
    let kim = try store.makeAccount("kim")
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim)
    try store.transaction { t throws(StoreError) in
      #expect(try t.addAccount(name: "kim", created: WallTime(milliseconds: 1)) == nil)
      #expect(try t.account(named: "kim") == kim)
      #expect(try t.account(named: "Kim") == nil)
      #expect(try t.revokeDevice(tablet, at: WallTime(milliseconds: 5)))
      let list = try t.accounts()
      #expect(list.map(\.name) == ["kim", "sam"])
      #expect(list.map(\.id) == [kim, sam])
      #expect(list.map(\.devices) == [1, 0])
    }
  }

  @Test(
    "a replica identity is given once; the first revocation counts; seen never goes back",
    arguments: StoreKind.allCases)
  func devices(kind: StoreKind) throws {
    let store = try kind.open(folder)
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
      #expect(try !t.addDevice(copy))
      #expect(try t.devices(of: kim).map(\.replica) == [phone, tablet])
      #expect(try t.devices(of: nil).map(\.replica) == [phone, tablet, large])
      #expect(try t.revokeDevice(phone, at: WallTime(milliseconds: 7)))
      #expect(try t.revokeDevice(phone, at: WallTime(milliseconds: 9)))
      #expect(try !t.revokeDevice(ReplicaID(rawValue: 99), at: WallTime(milliseconds: 9)))
      try t.setSeen(WallTime(milliseconds: 50), device: tablet)
      try t.setSeen(WallTime(milliseconds: 40), device: tablet)
      let list = try t.devices(of: kim)
      #expect(list.map(\.revoked) == [WallTime(milliseconds: 7), nil])
      #expect(list.map(\.seen) == [nil, WallTime(milliseconds: 50)])
    }
  }

  @Test("the origin of a device is kept for good", arguments: StoreKind.allCases)
  func origins(kind: StoreKind) throws {
    let store = try kind.open(folder)
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
        #expect(try t.addDevice(device))
      }
      _ = try t.revokeDevice(ReplicaID(rawValue: 11), at: WallTime(milliseconds: 7))
      #expect(try t.devices(of: kim).map(\.origin) == origins)
    }
  }

  @Test(
    "records are handed out by key, from one on and up to another", arguments: StoreKind.allCases)
  func byKey(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    let keys: [[UInt8]] = [[9], [1, 2], [0xFF, 0xFF], [1], [5]]
    try store.transaction { t throws(StoreError) in
      for (index, key) in keys.enumerated() {
        _ = try t.append(key: key, body: key + [7], sequence: UInt64(index + 1), account: kim)
      }
      _ = try t.append(key: [4], body: [4], sequence: 1, account: sam)
    }
    func found(_ begin: [UInt8], _ end: [UInt8], most: Int = 9) throws -> [[UInt8]] {
      var found: [[UInt8]] = []
      try store.transaction { t throws(StoreError) in
        try t.records(of: kim, from: begin, to: end) { key, body in
          #expect(body == key + [7])
          found.append(key)
          return found.count < most
        }
      }
      return found
    }
    #expect(try found([], []) == [[1], [1, 2], [5], [9], [0xFF, 0xFF]])
    #expect(try found([1, 2], [9]) == [[1, 2], [5]])
    #expect(try found([1, 0], [5, 0]) == [[1, 2], [5]])
    #expect(try found([6], [7]) == [])
    #expect(try found([], [], most: 2) == [[1], [1, 2]])
    #expect(try found([9], []) == [[9], [0xFF, 0xFF]])
  }

  @Test("what is held is counted as it is told, by account", arguments: StoreKind.allCases)
  func live(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    try store.transaction { t throws(StoreError) in
      try t.add(Holdings(live: 5, records: 7, bytes: 900), to: kim)
      try t.add(Holdings(live: -2, records: 1, bytes: -300), to: kim)
      let counts = [
        try t.holdings(of: kim), try t.holdings(of: sam),
        try t.holdings(of: AccountID(rawValue: 99)),
      ]
      #expect(
        counts == [Holdings(live: 3, records: 8, bytes: 600), Holdings(), Holdings()])
      let entry = try t.account(kim)
      #expect(entry?.name == "kim" && entry?.records == 8 && entry?.bytes == 600)
      #expect(try t.accounts().map(\.bytes) == [600, 0])
      #expect(try t.account(AccountID(rawValue: 99)) == nil)
    }
  }

  @Test("when a record is due is kept with it", arguments: StoreKind.allCases)
  func due(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    try store.transaction { t throws(StoreError) in
      _ = try t.append(
        key: [1], body: [1], sequence: 1, due: WallTime(milliseconds: 7), account: kim)
      #expect(try t.record(key: [1], account: kim)?.due == WallTime(milliseconds: 7))
      try t.replace(key: [1], by: StoredRecord(sequence: 2, body: [1]), account: kim)
      #expect(try t.record(key: [1], account: kim) == StoredRecord(sequence: 2, body: [1]))
    }
  }

  @Test(
    "what an account acknowledged is what all its devices did that have access and called lately",
    arguments: StoreKind.allCases)
  func progress(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim)
    let horizon = WallTime(milliseconds: noon)
    try store.transaction { t throws(StoreError) in
      for device in [phone, tablet] {
        try t.setSeen(WallTime(milliseconds: noon + 1), device: device)
      }
      #expect(try t.acknowledgedSequence(of: kim, seenAfter: horizon) == 0)
      try t.setProgress(
        DeviceProgress(acknowledgedSequence: 7, toldSequence: 7 + 2), of: phone)
      #expect(try t.acknowledgedSequence(of: kim, seenAfter: horizon) == 0)
      try t.setProgress(
        DeviceProgress(acknowledgedSequence: 5, toldSequence: 5 + 2), of: tablet)
      #expect(try t.acknowledgedSequence(of: kim, seenAfter: horizon) == 5)
      try t.setProgress(
        DeviceProgress(acknowledgedSequence: 4, toldSequence: 4 + 2), of: tablet)
      #expect(try t.acknowledgedSequence(of: kim, seenAfter: horizon) == 4)
      #expect(try t.devices(of: kim).map(\.progress.acknowledgedSequence) == [7, 4])
      #expect(try t.devices(of: kim).map(\.progress.toldSequence) == [9, 6])
      _ = try t.addDevice(
        DeviceEntry(
          replica: ReplicaID(rawValue: 8), account: kim, name: "new", tokenHash: [],
          paired: horizon))
      #expect(try t.acknowledgedSequence(of: kim, seenAfter: horizon) == 4)
      #expect(try t.acknowledgedSequence(of: kim, seenAfter: WallTime(milliseconds: noon + 1)) == 0)
      try t.setSeen(WallTime(milliseconds: noon + 2), device: phone)
      #expect(try t.acknowledgedSequence(of: kim, seenAfter: WallTime(milliseconds: noon + 1)) == 7)
      _ = try t.revokeDevice(tablet, at: WallTime(milliseconds: 9))
      #expect(try t.acknowledgedSequence(of: kim, seenAfter: horizon) == 7)
      #expect(try t.acknowledgedSequence(of: sam, seenAfter: horizon) == 0)
    }
  }

  @Test(
    "what is due is found by its time or by who knows it; the journal by its time only",
    arguments: StoreKind.allCases)
  func recordsDue(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    try store.transaction { t throws(StoreError) in
      let keys: [[UInt8]] = [
        [0, 0, 0, 2, 1], [0, 0, 0, 5, 1], [0, 0, 0, 6, 1], [0, 0, 0, 2, 2],
      ]
      for (index, key) in keys.enumerated() {
        let due: WallTime? = index == 3 ? nil : WallTime(milliseconds: 10 + Int64(index))
        _ = try t.append(
          key: key, body: [UInt8(index)], sequence: UInt64(index + 1), due: due, account: kim)
      }
      func found(
        at time: Int64, _ acknowledged: UInt64, limit: Int = 9
      ) throws(StoreError) -> [UInt8] {
        let due = try t.recordsDue(
          of: kim, at: WallTime(milliseconds: time), orKnownAt: acknowledged, limit: limit)
        return due.map { $0.record.body[0] }.sorted()
      }
      #expect(try found(at: 9, 0) == [])
      #expect(try found(at: 10, 0) == [0])
      #expect(try found(at: 12, 0) == [0, 1, 2])
      #expect(try found(at: 12, 0, limit: 2).count == 2)
      #expect(try found(at: 0, 2) == [0])
      #expect(try found(at: 0, .max) == [0, 2])
      try t.setNotDue(key: keys[0], account: kim)
      #expect(try found(at: 12, .max) == [1, 2])
      #expect(try t.record(key: keys[0], account: kim) == StoredRecord(sequence: 1, body: [0]))
      #expect(
        try t.recordsDue(of: sam, at: WallTime(milliseconds: 99), orKnownAt: 99, limit: 9).isEmpty)
    }
  }

  @Test("a device's outbox is what was noted last", arguments: StoreKind.allCases)
  func outboxes(kind: StoreKind) throws {
    let store = try kind.open(folder)
    defer { store.close() }
    let kim = try store.makeAccount("kim")
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim)
    let reasons: [Refusal.Reason] = [.invalid, .quota, Refusal.Reason(rawValue: 70_000)]
    let full = DeviceOutbox(
      takenThrough: OutboxPosition(number: UInt64(Int64.max), token: .max),
      refusals: reasons.enumerated().map {
        .init(number: UInt64($0.offset) << 40 + 1, reason: $0.element)
      })
    try store.transaction { t throws(StoreError) in
      #expect(try t.outbox(of: phone) == .empty)
      try t.setOutbox(full, of: phone)
      #expect(try t.outbox(of: phone) == full)
      #expect(try t.outbox(of: tablet) == .empty)
      try t.setOutbox(full, of: ReplicaID(rawValue: 99))
      #expect(try t.outbox(of: ReplicaID(rawValue: 99)) == .empty)
      let settled = DeviceOutbox(
        takenThrough: OutboxPosition(number: 3, token: 5), refusals: [])
      try t.setOutbox(settled, of: phone)
      #expect(try t.outbox(of: phone) == settled)
    }
  }

  @Test("a closed store says so", arguments: StoreKind.allCases)
  func closed(kind: StoreKind) throws {
    let store = try kind.open(folder)
    store.close()
    store.close()
    #expect(throws: StoreError.closed) { try store.makeAccount("kim") }
  }

  private func feed(
    _ store: any SyncStore, _ account: AccountID, after: UInt64
  ) throws -> [UInt64: [UInt8]] {
    var found: [UInt64: [UInt8]] = [:]
    var last: UInt64 = 0
    try store.transaction { t throws(StoreError) in
      try t.feed(of: account, after: after) { sequence, body in
        #expect(sequence > last)
        last = sequence
        found[sequence] = body
        return true
      }
    }
    return found
  }
}
