// SPDX-License-Identifier: Apache-2.0
// What a SQLite store refuses to open, and what it leaves unchanged.

import AtrestReplication
import AtrestTestSupport
import Foundation
import GRDB
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct SQLiteStoreTests {
  private let folder: Folder
  private var file: String { folder.data + "/atrest.db" }

  init() throws {
    folder = try Folder()
  }

  @Test("nobody else can read the folder or a file in it")
  func permissions() throws {
    let store = try openStore(folder)
    defer { store.close() }
    _ = try store.makeAccount("kim")
    let manager = FileManager.default
    func mode(_ path: String) throws -> Int {
      try #require(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
    #expect(try mode(folder.data) == 0o700)
    for name in try manager.contentsOfDirectory(atPath: folder.data) {
      #expect(try mode(folder.data + "/" + name) & 0o077 == 0, "\(name)")
    }
  }

  @Test("a second process is told who has the store")
  func locked() throws {
    let store = try openStore(folder)
    #expect(throws: StoreError.inUse(directory: folder.data, process: getpid())) {
      _ = try openStore(folder)
    }
    store.close()
    try openStore(folder).close()
  }

  @Test("no other program can read the file while a store has it")
  func exclusive() throws {
    let store = try openStore(folder)
    _ = try store.makeAccount("kim")
    let descriptor = open(file, O_RDONLY)
    // Closed last: a process loses all its locks on a file when it closes any descriptor of it.
    defer { close(descriptor) }
    #expect(isLocked(descriptor))
    store.close()
    #expect(!isLocked(descriptor))
  }

  /// Whether SQLite's shared read lock is held, as seen from another open file description.
  private func isLocked(_ descriptor: Int32) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    (lock.l_start, lock.l_len) = (0x4000_0002, 510)
    // F_OFD_GETLK: the importer does not import this macro.
    return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  @Test("a newer format is refused and not touched")
  func newer() throws {
    try openStore(folder).close()
    try edit("PRAGMA user_version = 10")
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(
      throws: StoreError.newerVersion(path: file, found: 10, supported: SQLiteSchema.version)
    ) { _ = try openStore(folder) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
  }

  @Test("a newer format that is still in the log is refused too")
  func newerInTheLog() throws {
    try openStore(folder).close()
    // A copy of an open database, like the remains of a killed process.
    let queue = try DatabaseQueue(path: file)
    try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA user_version = 10") }
    let copy = folder.path("copy")
    try FileManager.default.copyItem(atPath: folder.data, toPath: copy)
    try queue.close()
    #expect(
      throws: StoreError.newerVersion(
        path: copy + "/atrest.db", found: 10, supported: SQLiteSchema.version)
    ) { _ = try openStore(copy) }
  }

  @Test("another program's database is refused and not touched")
  func foreign() throws {
    try openStore(folder).close()
    try edit("PRAGMA application_id = 5")
    #expect(throws: StoreError.notAStore(path: file)) { _ = try openStore(folder) }
  }

  @Test("a folder with other things in it is left alone")
  func foreignFolder() throws {
    try FileManager.default.createDirectory(
      atPath: folder.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755]
    )
    try Data([1]).write(to: URL(fileURLWithPath: folder.data + "/letter"))
    #expect(throws: StoreError.notAStore(path: folder.data)) { _ = try openStore(folder) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.data) == ["letter"])
  }

  @Test("a table whose text rotted is damage, not a trap")
  func rottenSchema() throws {
    try openStore(folder).close()
    try edit(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'told_sequence', 'told_sequenze');
      PRAGMA writable_schema = OFF;
      """)
    let reason = "its tables are not as they were made"
    #expect(throws: StoreError.damaged(path: file, reason: reason)) { _ = try openStore(folder) }
  }

  @Test(
    "a file of Atrest's with other tables is damage, whatever format it says it has",
    arguments: [1, 5, SQLiteSchema.version])
  func wrongTables(format: Int) throws {
    try FileManager.default.createDirectory(
      atPath: folder.data, withIntermediateDirectories: true)
    try edit(
      """
      PRAGMA application_id = \(SQLiteSchema.applicationID); PRAGMA user_version = \(format);
      CREATE TABLE letter (text TEXT);
      """)
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    let reason = "its tables are not as they were made"
    #expect(throws: StoreError.damaged(path: file, reason: reason)) { _ = try openStore(folder) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
  }

  @Test("a damaged page is an error, never an empty store", arguments: 1...12)
  func damaged(page: Int) throws {
    let offset = (page - 1) * 4096
    let store = try openStore(folder)
    let account = try store.makeAccount("kim")
    for number in 0..<200 { _ = try store.exchange(account, request(nil, water(number))) }
    store.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try #require(bytes.count > offset + 200)
    for index in offset..<offset + 200 { bytes[index] ^= 0xFF }
    try bytes.write(to: URL(fileURLWithPath: file))
    do {
      _ = try openStore(folder)
      Issue.record("a damaged store was opened")
    } catch {
      switch error {
      case .damaged, .notAStore: break
      default: Issue.record("\(error)")
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
  }

  @Test("a file that is cut to nothing useful is an error")
  func truncated() throws {
    try openStore(folder).close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try bytes.prefix(5000).write(to: URL(fileURLWithPath: file))
    #expect(throws: StoreError.self) { _ = try openStore(folder) }
  }

  @Test("what was committed survives a process that never closed its store")
  func unclosed() throws {
    let store = try openStore(folder)
    let account = try store.makeAccount("kim")
    _ = try store.exchange(account, request(nil, water(1)))
    let copy = folder.path("copy")
    try FileManager.default.copyItem(atPath: folder.data, toPath: copy)
    store.close()
    let recovered = try openStore(copy)
    defer { recovered.close() }
    #expect(try recovered.exchange(account, request()).records == [water(1).encoded])
  }

  private func edit(_ sql: String) throws {
    let queue = try DatabaseQueue(path: file)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: sql)
      _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try queue.close()
  }
}
