// SPDX-License-Identifier: Apache-2.0
// The contract of `SyncStore`: the guarantees of every engine's transactions.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension StoreContract {
  @Suite(.timeLimit(.minutes(20))) struct TransactionTests {
    let folder: Folder

    init() throws {
      folder = try Folder()
    }

    @Test(
      "what a transaction wrote is there after the store was opened again",
      arguments: StoreEngine.all)
    func durable(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      let account = try store.makeAccount("kim")
      try store.makeDevice(phone, account)
      try store.transaction { t throws(StoreError) in
        try t.insert([1], body: [2], sequence: 1, of: account)
        try t.setHead(Cursor(commit: .max, sequence: 1), of: account)
      }
      store.close()
      let again = try engine.open(folder)
      defer { again.close() }
      let (record, head, devices) = try again.transaction { t throws(StoreError) in
        (
          try t.record([1], of: account), try t.accounts.feedState(of: account).head,
          try t.devices.list(of: account)
        )
      }
      #expect(record == StoredRecord(sequence: 1, body: [2]))
      #expect(head == Cursor(commit: .max, sequence: 1))
      #expect(devices.map(\.replica) == [phone])
    }

    @Test("a transaction that throws leaves nothing behind", arguments: StoreEngine.all)
    func atomic(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let account = try store.makeAccount("kim")
      #expect(throws: StoreError.failed(reason: "on purpose")) {
        try store.transaction { t throws(StoreError) in
          try t.insert([1], body: [2], sequence: 1, of: account)
          try t.setHead(1, of: account)
          _ = try t.accounts.add(name: "sam", created: WallTime(milliseconds: 1))
          throw .failed(reason: "on purpose")
        }
      }
      let (record, head, accounts) = try store.transaction { t throws(StoreError) in
        (
          try t.record([1], of: account), try t.accounts.feedState(of: account).head,
          try t.accounts.list()
        )
      }
      #expect(record == nil && head == .start && accounts.map(\.name) == ["kim"])
    }

    @Test("a closed store says so", arguments: StoreEngine.all)
    func closed(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      store.close()
      store.close()
      #expect(throws: StoreError.closed) { try store.makeAccount("kim") }
    }
  }
}
