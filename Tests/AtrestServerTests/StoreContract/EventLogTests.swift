// SPDX-License-Identifier: Apache-2.0
// The contract of `EventLog`.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension StoreContract {
  @Suite(.timeLimit(.minutes(20))) struct EventLogTests {
    let folder: Folder

    init() throws {
      folder = try Folder()
    }

    @Test(
      "events have ascending numbers, are chained, found by account, and outlive it",
      arguments: StoreEngine.all)
    func events(engine: StoreEngine) throws {
      var store = try engine.open(folder)
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      let written = [
        NewEvent(.codeMade, of: kim, at: WallTime(milliseconds: 1), actor: phone, detail: -1),
        NewEvent(
          .deviceRevoked, of: sam, at: WallTime(milliseconds: 2), actor: tablet,
          subject: ReplicaID(rawValue: .max), detail: .min, count: .max),
        NewEvent(.backupMade, of: nil, at: WallTime(milliseconds: 3)),
        NewEvent(.accountRemoved, of: kim, at: WallTime(milliseconds: 4)),
      ]
      for events in [written[..<1], written[1..<3], written[3...]] {
        try store.transaction { t throws(StoreError) in try t.events.append(Array(events)) }
      }
      try store.transaction { t throws(StoreError) in try t.accounts.remove(kim) }
      // A failed transaction leaves no event.
      #expect(throws: StoreError.closed) {
        try store.transaction { t throws(StoreError) in
          try t.events.append([written[0]])
          throw .closed
        }
      }
      store.close()
      store = try engine.open(folder)
      defer { store.close() }
      try store.transaction { t throws(StoreError) in
        let all = try t.events.page(of: nil, before: nil, limit: 10)
        #expect(all.reversed().map(\.event) == written)
        let numbers = all.reversed().map(\.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == 4)
        // One chain has no gaps. Several writers draw numbers that they do not use.
        if case .store = t.events.scope { #expect(numbers == [1, 2, 3, 4]) }
        func page(_ account: AccountID?, before: UInt64?, _ limit: Int) throws(StoreError) -> [Int]
        {
          try t.events.page(of: account, before: before, limit: limit)
            .map { (numbers.firstIndex(of: $0.number) ?? -2) + 1 }
        }
        #expect(try page(kim, before: nil, 10) == [4, 1])
        #expect(try page(kim, before: numbers[3], 10) == [1])
        #expect(try page(nil, before: numbers[3], 2) == [3, 2])
        var chains = EventChains(t.events.scope)
        try t.events.scan(after: 0) { chains.follows($0) }
        #expect(chains.number == numbers[3] && chains.count == 4)
        var visited: [UInt64] = []
        try t.events.scan(after: numbers[0]) { event in
          visited.append(event.number)
          return visited.count < 2
        }
        #expect(visited == Array(numbers[1...2]))
      }
    }
  }
}
