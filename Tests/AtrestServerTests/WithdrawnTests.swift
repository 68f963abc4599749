// SPDX-License-Identifier: Apache-2.0
// A restored backup does not bring back what was removed since.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct WithdrawnTests {
  private let folder: Folder
  private var file: String { folder.data + "/atrest.db" }
  private var kept: String { folder.url.path + "/backup.db" }
  private let now = WallTime(milliseconds: noon)

  init() throws {
    folder = try Folder()
  }

  /// A store of two accounts with a device each, and its copy.
  private func copied() throws -> (kim: AccountID, sam: AccountID) {
    let store = try openStore(folder)
    let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
    try store.makeDevice(phone, sam)
    store.close()
    try FileManager.default.copyItem(atPath: file, toPath: kept)
    return (kim, sam)
  }

  /// Puts the copy in the store's place.
  private func restore() throws {
    for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
    try FileManager.default.copyItem(atPath: kept, toPath: file)
  }

  private func names(_ store: SQLiteStore) throws -> [String] {
    try store.transaction { t throws(StoreError) in try t.accounts.list().map(\.name) }
  }

  @Test("an account that was removed and a device whose access had ended are not back")
  func again() throws {
    let (kim, sam) = try copied()
    let store = try openStore(folder)
    try store.transaction { t throws(StoreError) in
      try t.accounts.remove(kim)
      try t.devices.revoke([sam[phone]], at: now)
    }
    store.close()
    try restore()
    let restored = try openStore(folder)
    #expect(try names(restored) == ["kim", "sam"], "as the backup has it")
    let again = try restored.withdrawAgain(at: now)
    #expect(again.accounts == 1 && again.devices == 1)
    #expect(try names(restored) == ["sam"])
    let device = try restored.transaction { t throws(StoreError) in try t.devices.find(phone) }
    #expect(device?.revoked == now)
    #expect(restored.owesErasure, "what was removed again is still in the file")
    var events: [AccountEvent.Kind] = []
    try restored.transaction { t throws(StoreError) in
      try t.events.scan(after: 0) { entry in
        events.append(entry.event.kind)
        return true
      }
    }
    #expect(events.contains(.accountRemoved) && events.contains(.deviceRevoked))
    let third = try restored.withdrawAgain(at: now)
    #expect(third.accounts == 0 && third.devices == 0)
    restored.close()
  }

  @Test("a transaction that was taken back removed nothing, and the list says nothing of it")
  func rolledBack() throws {
    let (kim, _) = try copied()
    let store = try openStore(folder)
    #expect(throws: StoreError.full) {
      try store.transaction { t throws(StoreError) in
        try t.accounts.remove(kim)
        try t.devices.revoke([kim[phone]], at: now)
        throw StoreError.full
      }
    }
    _ = try store.makeAccount("mia")
    #expect(store.withdrawn?.entries.isEmpty == true)
    store.close()
  }

  @Test("a new account with a removed one's number is another one")
  func reused() throws {
    _ = try copied()
    let store = try openStore(folder)
    let mia = try store.makeAccount("mia")
    try store.transaction { t throws(StoreError) in try t.accounts.remove(mia) }
    store.close()
    try restore()
    // The backup gives the number again.
    let restored = try openStore(folder)
    let ola = try restored.transaction { t throws(StoreError) in
      try t.accounts.add(name: "ola", created: WallTime(milliseconds: noon + 1))
    }
    #expect(ola == mia)
    #expect(try restored.withdrawAgain(at: now).accounts == 0)
    #expect(try names(restored) == ["kim", "ola", "sam"])
    restored.close()
  }

  @Test("lines that cannot be read, and those of other stores, are passed over")
  func lines() throws {
    let path = folder.url.path + "/list"
    let text = "zz account 1 2\n5 account 1\n6 account 1 2\n5 device 7\n5 account 1 2\n5 acc"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let list = try WithdrawnList(path: path, ofStore: 5)
    let read: Set<WithdrawnList.Entry> = [
      .device(ReplicaID(rawValue: 7)),
      .account(AccountID(rawValue: 1), created: WallTime(milliseconds: 2)),
    ]
    #expect(list.entries == read)
    // A line that was cut off does not take the next one along.
    let more = WithdrawnList.Entry.device(ReplicaID(rawValue: 9))
    list.add([more, .device(ReplicaID(rawValue: 7))])
    #expect(try WithdrawnList(path: path, ofStore: 5).entries == read.union([more]))
  }

  @Test("a list that is there and cannot be read keeps the store closed")
  func unreadable() throws {
    _ = try copied()
    let path = folder.data + "/withdrawn"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: StoreError.cannotOpen(path: path, reason: "it is not a file")) {
      _ = try openStore(folder)
    }
    #expect(rmdir(path) == 0)
    try openStore(folder).close()
  }

  @Test("what cannot be noted is owed, and noted later")
  func owed() throws {
    let (kim, _) = try copied()
    let path = folder.data + "/withdrawn"
    let store = try openStore(folder)
    // In the file's way.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try store.transaction { t throws(StoreError) in try t.accounts.remove(kim) }
    #expect(!store.noteWithdrawn())
    #expect(rmdir(path) == 0)
    #expect(store.noteWithdrawn())
    store.close()
    let list = try WithdrawnList(path: path, ofStore: store.randomName)
    #expect(list.entries == [.account(kim, created: now)])
  }

  @Test("an emptied log holds nothing of a value that was deleted before")
  func log() throws {
    let store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    let secret = "a value that only one person knows"
    try store.makeDevice(phone, kim)
    try store.transaction { t throws(StoreError) in try t.devices.rename(kim[phone], to: secret) }
    func found() throws -> Bool {
      try ["", "-wal"].contains { suffix in
        try Data(contentsOf: URL(fileURLWithPath: file + suffix)).range(of: Data(secret.utf8))
          != nil
      }
    }
    #expect(try found())
    try store.transaction { t throws(StoreError) in try t.devices.rename(kim[phone], to: "x") }
    #expect(try found(), "it is in the log")
    #expect(try store.emptyLog())
    #expect(try !found())
    store.close()
  }

  @Test("a log is emptied when nothing was written for two minutes, and within a day at the latest")
  func age() {
    var age = LogAge()
    func due() -> Bool { age.isDue() }
    #expect(!due(), "nothing was written")
    age.wrote()
    #expect(!due())
    #expect(due())
    #expect(due(), "a reader was in the way")
    age.emptied()
    #expect(!due())
    for minute in 1...LogAge.longestMinutes {
      age.wrote()
      #expect(due() == (minute == LogAge.longestMinutes), "\(minute)")
    }
  }
}
