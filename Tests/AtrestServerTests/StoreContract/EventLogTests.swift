// SPDX-License-Identifier: Apache-2.0
// The contract of `EventLog`.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct EventLogTests {
  let folder: Folder

  init() throws {
    folder = try Folder()
  }

  @Test(
    "events are numbered in a row, chained, found by account, and outlive it",
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
      #expect(all.map(\.number) == [4, 3, 2, 1])
      #expect(all.reversed().map(\.event) == written)
      #expect(try t.events.page(of: kim, before: nil, limit: 10).map(\.number) == [4, 1])
      #expect(try t.events.page(of: kim, before: 4, limit: 10).map(\.number) == [1])
      #expect(try t.events.page(of: nil, before: 4, limit: 2).map(\.number) == [3, 2])
      var chain = EventChain()
      try t.events.scan(after: 0) { chain.follows($0) }
      #expect(chain.number == 4)
      var visited: [UInt64] = []
      try t.events.scan(after: 1) { event in
        visited.append(event.number)
        return visited.count < 2
      }
      #expect(visited == [2, 3])
    }
  }
}
