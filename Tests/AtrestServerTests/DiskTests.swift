// SPDX-License-Identifier: Apache-2.0
// The store's directory, the disk reserve, and access permissions.

import AtrestReplication
import AtrestTestSupport
import Foundation
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct DiskGuardTests {
  private let folder: Folder
  private let free = Storage.Free()
  private let disk: DiskGuard
  private var ballastPath: String { folder.path("ballast") }

  init() throws {
    folder = try Folder()
    disk = DiskGuard(directory: folder.url.path) { [free] in free.bytes.withLock { $0 } }
  }

  private func allowsWrites(freeBytes: UInt64?) -> Bool {
    free.bytes.withLock { $0 = freeBytes }
    return disk.allowsWrites()
  }

  @Test("writes need the watermark; a disk that cannot be asked refuses nothing")
  func watermark() {
    #expect(allowsWrites(freeBytes: DiskGuard.lowWaterBytes))
    #expect(!allowsWrites(freeBytes: DiskGuard.lowWaterBytes - 1))
    #expect(allowsWrites(freeBytes: nil))
  }

  @Test(
    "the ballast is made when there is plenty of room, given up when there is none, and made again")
  func ballast() throws {
    free.bytes.withLock { $0 = DiskGuard.lowWaterBytes }
    disk.renewBallast()
    #expect(!FileManager.default.fileExists(atPath: ballastPath))
    free.bytes.withLock { $0 = 1 << 30 }
    disk.renewBallast()
    let size = try FileManager.default.attributesOfItem(atPath: ballastPath)[.size] as? Int
    #expect(size == DiskGuard.ballastBytes)
    #expect(disk.giveBallastUp())
    #expect(!disk.giveBallastUp(), "there is only one")
    #expect(disk.allowsWrites() && !FileManager.default.fileExists(atPath: ballastPath))
    disk.renewBallast()
    #expect(FileManager.default.fileExists(atPath: ballastPath))
  }

  @Test("the real disk can be asked")
  func realDisk() {
    #expect(DiskGuard(directory: folder.url.path).allowsWrites())
  }
}

@Suite(.timeLimit(.minutes(20))) struct DataDirectoryTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func make(_ names: [String], permissions: Int) throws {
    try FileManager.default.createDirectory(
      atPath: folder.data, withIntermediateDirectories: true,
      attributes: [.posixPermissions: permissions])
    for name in names { try Data().write(to: URL(fileURLWithPath: folder.data + "/" + name)) }
  }

  @Test(
    "an empty folder, a first start that was cut short and a fresh volume are taken, and closed to others",
    arguments: [[], ["lock"], ["lost+found"], ["lock", "ballast", "admin.sock"]])
  func taken(names: [String]) throws {
    try make(names, permissions: 0o755)
    try openStore(folder).close()
    let mode =
      try FileManager.default.attributesOfItem(atPath: folder.data)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test("folders on the way are made")
  func parents() throws {
    let store = try SQLiteStore(directory: folder.path("a/b/c")) { 1 }
    store.close()
    #expect(FileManager.default.fileExists(atPath: folder.path("a/b/c/atrest.db")))
  }

  @Test("a file in the folder's place is an error")
  func file() throws {
    try Data().write(to: URL(fileURLWithPath: folder.data))
    #expect(throws: StoreError.cannotOpen(path: folder.data, reason: "it is not a folder")) {
      _ = try openStore(folder)
    }
  }

  @Test("the number that a dead process left in the lock harms nobody")
  func staleLock() throws {
    try make([], permissions: 0o700)
    try Data("999999\n".utf8).write(to: URL(fileURLWithPath: folder.data + "/lock"))
    try openStore(folder).close()
  }
}
