// SPDX-License-Identifier: Apache-2.0
// The contract of `RecordStore`.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension StoreContract {
  @Suite(.timeLimit(.minutes(20))) struct RecordStoreTests {
    let folder: Folder

    init() throws {
      folder = try Folder()
    }

    @Test(
      "records are loaded in the order asked for, of several accounts, nil where there are none",
      arguments: StoreEngine.all)
    func load(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      let count = 200
      let addresses = (0..<count).map {
        RecordAddress(account: $0 % 3 == 0 ? sam : kim, key: [UInt8($0 * 7 % count), 1])
      }
      let records = (0..<count).map {
        StoredRecord(
          sequence: UInt64($0 + 1), body: [UInt8](repeating: UInt8($0), count: $0 % 9),
          due: $0 % 2 == 0 ? nil : WallTime(milliseconds: Int64($0)),
          history: [UInt8](repeating: 1, count: $0 % 4))
      }
      try store.transaction { t throws(StoreError) in
        try t.records.write([])
        #expect(try t.records.load([], limitBytes: 1).isEmpty)
        let changes = (0..<count).filter { $0 % 5 > 0 }.map {
          RecordChange(address: addresses[$0], previous: nil, record: records[$0])
        }
        try t.records.write(changes)
        let expected = (0..<count).map { $0 % 5 > 0 ? records[$0] : nil }
        #expect(try t.records.load(addresses, limitBytes: .max) == expected)
        let (backwards, twice) = (Array(addresses.reversed()), [addresses[1], addresses[1]])
        #expect(try t.records.load(backwards, limitBytes: .max) == expected.reversed())
        #expect(try t.records.load(twice, limitBytes: .max) == [records[1], records[1]])
      }
    }

    @Test(
      "what is loaded is a prefix that ends where it gets too large, and has one at least",
      arguments: StoreEngine.all)
    func loadLimit(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      let keys = (0..<200).map { [UInt8($0)] }
      try store.transaction { t throws(StoreError) in
        for (index, key) in keys.enumerated() {
          let body = [UInt8](repeating: key[0], count: 1000)
          try t.insert(key, body: body, sequence: UInt64(index + 1), of: kim)
        }
        let addresses = keys.map { RecordAddress(account: kim, key: $0) }
        for limit in [0, 1, 999, 1000, 1001, 50_000, 199_999] {
          let found = try t.records.load(addresses, limitBytes: limit)
          #expect(found.count >= max(1, limit / 1000) && found.count < limit / 1000 + 100)
          #expect(found.map { $0?.body[0] } == keys.prefix(found.count).map(\.[0]))
        }
      }
    }

    @Test(
      "an insertion of what exists and an update of what moved fail, and undo the transaction",
      arguments: StoreEngine.all)
    func conflicts(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      let address = RecordAddress(account: kim, key: [1])
      let record = StoredRecord(sequence: 1, body: [10])
      try store.transaction { t throws(StoreError) in
        try t.records.write([RecordChange(address: address, previous: nil, record: record)])
      }
      for previous in [nil, 3] as [UInt64?] {
        let new = RecordChange(
          address: address, previous: previous, record: StoredRecord(sequence: 4, body: [11]))
        #expect(throws: StoreError.self) {
          try store.transaction { t throws(StoreError) in
            try t.insert([2], body: [20], sequence: 2, of: kim)
            try t.records.write([new])
          }
        }
      }
      #expect(try feed(store, kim, after: 0) == [1: [10]])
    }

    @Test(
      "one write inserts, moves and changes in place, in any mixture", arguments: StoreEngine.all)
    func write(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      func change(_ key: UInt8, _ previous: UInt64?, _ sequence: UInt64) -> RecordChange {
        RecordChange(
          address: RecordAddress(account: kim, key: [key]), previous: previous,
          record: StoredRecord(sequence: sequence, body: [key, UInt8(sequence)], history: [7]))
      }
      try store.transaction { t throws(StoreError) in
        try t.records.write((1...40).map { change($0, nil, UInt64($0)) })
        var changes = (1...20).map { change($0, UInt64($0), UInt64($0) + 40) }
        changes += (41...60).map { change($0, nil, UInt64($0) + 20) }
        changes.insert(change(30, 30, 30), at: 10)
        try t.records.write(changes)
        #expect(try t.record([1], of: kim) == change(1, nil, 41).record)
        #expect(try t.record([30], of: kim) == change(30, nil, 30).record)
        #expect(try t.record([60], of: kim) == change(60, nil, 80).record)
        let order = (21...40).map { [UInt8($0)] } + (1...20).map { [$0] } + (41...60).map { [$0] }
        #expect(try t.records.keys(of: kim, after: 0, limit: 99) == order)
        #expect(try t.records.keys(of: kim, after: 39, limit: 3) == [[40], [1], [2]])
        #expect(try t.records.keys(of: kim, after: 80, limit: 3).isEmpty)
      }
    }

    @Test(
      "the feed is in order of sequence, and a replaced record moves to its end",
      arguments: StoreEngine.all)
    func feedOrder(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let account = try store.makeAccount("kim")
      try store.transaction { t throws(StoreError) in
        for number in 1...5 {
          try t.insert(
            [UInt8(number)], body: [UInt8(number)], sequence: UInt64(number), of: account)
        }
        try t.overwrite([2], by: StoredRecord(sequence: 6, body: [22]), of: account)
      }
      #expect(try feed(store, account, after: 0) == [1: [1], 3: [3], 4: [4], 5: [5], 6: [22]])
      #expect(try feed(store, account, after: 4) == [5: [5], 6: [22]])
      #expect(try feed(store, account, after: 6).isEmpty)
      var visited: [UInt64] = []
      try store.transaction { t throws(StoreError) in
        visited = []
        try t.records.feed(of: account, after: 0) { sequence, _ in
          visited.append(sequence)
          return visited.count < 2
        }
        // An interrupted read does not disturb the next.
        try t.records.feed(of: account, after: 5) { sequence, _ in
          visited.append(sequence)
          return true
        }
      }
      #expect(visited == [1, 3, 6])
    }

    @Test(
      "accounts do not see each other's records, even under one key", arguments: StoreEngine.all)
    func isolation(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      try store.transaction { t throws(StoreError) in
        try t.insert([1], body: [10], sequence: 1, of: kim)
        try t.insert([1], body: [20], sequence: 1, of: sam)
        try t.overwrite([1], by: StoredRecord(sequence: 2, body: [21]), of: sam)
        try t.setHead(2, of: sam)
      }
      #expect(try feed(store, kim, after: 0) == [1: [10]])
      #expect(try feed(store, sam, after: 0) == [2: [21]])
      let heads = try store.transaction { t throws(StoreError) in
        [
          try t.accounts.feedState(of: kim).head, try t.accounts.feedState(of: sam).head,
          try t.accounts.feedState(of: AccountID(rawValue: 99)).head,
        ]
      }
      #expect(heads.map(\.sequence) == [0, 2, 0])
      #expect(heads[0] == .start && heads[2] == .start)
    }

    @Test(
      "a scan is in the order of keys, from one on and up to another", arguments: StoreEngine.all)
    func byKey(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      let keys: [[UInt8]] = [[9], [1, 2], [0xFF, 0xFF], [1], [5]]
      try store.transaction { t throws(StoreError) in
        for (index, key) in keys.enumerated() {
          try t.insert(key, body: key + [7], sequence: UInt64(index + 1), of: kim)
        }
        try t.insert([4], body: [4], sequence: 1, of: sam)
      }
      func found(_ begin: [UInt8], _ end: [UInt8], most: Int = 9) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        try store.transaction { t throws(StoreError) in
          found = []
          try t.records.scan(KeyInterval(from: begin, to: end), of: kim) { key, body in
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
      // Several intervals, each of which stops on its own.
      var visited: [Int: [[UInt8]]] = [:]
      let intervals = [
        KeyInterval(from: [5]), KeyInterval(from: [6], to: [7]), KeyInterval(to: [9]),
        KeyInterval(from: [9]),
      ]
      try store.transaction { t throws(StoreError) in
        visited = [:]
        try t.records.scan(intervals, of: kim) { interval, key, _ in
          visited[interval, default: []].append(key)
          return visited[interval]?.count != 2
        }
      }
      #expect(visited == [0: [[5], [9]], 2: [[1], [1, 2]], 3: [[9], [0xFF, 0xFF]]])
    }

    @Test("when a record is due is kept with it", arguments: StoreEngine.all)
    func due(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let kim = try store.makeAccount("kim")
      try store.transaction { t throws(StoreError) in
        try t.insert([1], body: [1], sequence: 1, due: WallTime(milliseconds: 7), of: kim)
        #expect(try t.record([1], of: kim)?.due == WallTime(milliseconds: 7))
        try t.overwrite([1], by: StoredRecord(sequence: 2, body: [1]), of: kim)
        #expect(try t.record([1], of: kim) == StoredRecord(sequence: 2, body: [1]))
      }
    }

    @Test(
      "what is due is found by its time", arguments: StoreEngine.all)
    func recordsDue(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      try store.transaction { t throws(StoreError) in
        let keys: [[UInt8]] = [
          [0, 0, 0, 2, 1], [0, 0, 0, 5, 1], [0, 0, 0, 6, 1], [0, 0, 0, 2, 2],
        ]
        for (index, key) in keys.enumerated() {
          let due: WallTime? = index == 3 ? nil : WallTime(milliseconds: 10 + Int64(index))
          try t.insert(key, body: [UInt8(index)], sequence: UInt64(index + 1), due: due, of: kim)
        }
        func found(at time: Int64, limit: Int = 9) throws(StoreError) -> [UInt8] {
          let due = try t.records.due(
            of: kim, at: WallTime(milliseconds: time), limit: limit)
          return due.map { $0.record.body[0] }.sorted()
        }
        #expect(try found(at: 9) == [])
        #expect(try found(at: 10) == [0])
        #expect(try found(at: 12) == [0, 1, 2])
        #expect(try found(at: 12, limit: 2).count == 2)
        try t.overwrite(keys[0], by: StoredRecord(sequence: 1, body: [0]), of: kim)
        #expect(try found(at: 12) == [1, 2])
        #expect(try t.record(keys[0], of: kim) == StoredRecord(sequence: 1, body: [0]))
        #expect(
          try t.records.due(of: sam, at: WallTime(milliseconds: 99), limit: 9).isEmpty)
      }
    }

    private func feed(
      _ store: any SyncStore, _ account: AccountID, after: UInt64
    ) throws -> [UInt64: [UInt8]] {
      var found: [UInt64: [UInt8]] = [:]
      var last: UInt64 = 0
      try store.transaction { t throws(StoreError) in
        (found, last) = ([:], 0)
        try t.records.feed(of: account, after: after) { sequence, body in
          #expect(sequence > last)
          last = sequence
          found[sequence] = body
          return true
        }
      }
      return found
    }
  }
}
