// SPDX-License-Identifier: Apache-2.0
// The warning about lost commits.

import AtrestTestSupport
import Foundation
import Logging
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct ProgressTests {
  private let folder: Folder
  private var file: URL { URL(fileURLWithPath: folder.data + "/progress") }
  private var database: URL { URL(fileURLWithPath: folder.data + "/atrest.db") }

  init() throws {
    folder = try Folder()
  }

  private func lostCommits() throws -> UInt64 {
    let store = try openStore(folder)
    defer { store.close() }
    return store.lostCommits
  }

  private func write(_ count: Int) throws {
    let store = try openStore(folder)
    defer { store.close() }
    let kim =
      try store.transaction { t throws(StoreError) in try t.accounts.id(named: "kim") }
      ?? store.makeAccount("kim")
    for number in 0..<count { _ = try store.exchange(kim, request(nil, water(number))) }
  }

  @Test("nothing is told of a store that holds what it held, or that is new")
  func nothingLost() throws {
    #expect(try lostCommits() == 0)
    try write(3)
    #expect(try lostCommits() == 0)
    #expect(try lostCommits() == 0)
  }

  @Test("an older copy of the database in its place is told, once")
  func olderCopy() throws {
    try write(1)
    let copy = try Data(contentsOf: database)
    // Four of five records are written, because the first exists. Starting the server writes
    // nothing.
    try write(5)
    try copy.write(to: database)
    #expect(try lostCommits() == 4)
    #expect(try lostCommits() == 0)
  }

  @Test("a log that lost its tail is told")
  func lostTail() throws {
    let store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    _ = try store.exchange(kim, request(nil, water(1)))
    let size = try Data(contentsOf: wal(in: folder.data)).count
    for number in 2..<6 { _ = try store.exchange(kim, request(nil, water(number))) }
    let copy = folder.path("copy")
    try FileManager.default.copyItem(atPath: folder.data, toPath: copy)
    store.close()
    try Data(contentsOf: wal(in: copy)).prefix(size).write(to: wal(in: copy))
    let damaged = try openStore(copy)
    defer { damaged.close() }
    #expect(damaged.lostCommits == 4)
    #expect(try damaged.exchange(kim, request()).records == [water(1).encoded])
  }

  private func wal(in directory: String) -> URL {
    URL(fileURLWithPath: directory + "/atrest.db-wal")
  }

  @Test("a file of another store, a damaged one and none say nothing")
  func unreadable() throws {
    try write(5)
    let mine = try Data(contentsOf: file)
    let other = try Folder()
    try SQLiteStore(directory: other.data) { 1001 }.close()
    func lost(_ content: Data?) throws -> UInt64 {
      let url = URL(fileURLWithPath: other.data + "/progress")
      if let content {
        try content.write(to: url)
      } else {
        try FileManager.default.removeItem(at: url)
      }
      let store = try SQLiteStore(directory: other.data) { 1002 }
      defer { store.close() }
      return store.lostCommits
    }
    let own = try Data(contentsOf: URL(fileURLWithPath: other.data + "/progress"))
    var later = own
    later[23] = 200
    #expect(try lost(mine) == 0)
    #expect(try lost(later) == 0)
    #expect(try lost(own.prefix(31)) == 0)
    #expect(try lost(own + [0]) == 0)
    #expect(try lost(Data()) == 0)
    #expect(try lost(nil) == 0)
  }

  @Test("a transaction that did not happen does not count")
  func rolledBack() throws {
    let store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    let before = try Data(contentsOf: file)
    try? store.transaction { t throws(StoreError) in
      try t.setHead(5, of: kim)
      throw .failed(reason: "on purpose")
    }
    _ = try store.exchange(kim, request())
    #expect(try Data(contentsOf: file) == before)
    _ = try store.exchange(kim, request(nil, water(1)))
    #expect(try Data(contentsOf: file) != before)
    store.close()
    #expect(try lostCommits() == 0)
  }

  @Test("the server warns its owner when it starts")
  func warning() async throws {
    try write(1)
    let copy = try Data(contentsOf: database)
    try write(2)
    try copy.write(to: database)
    let lines = Recorder<String>()
    let logger = Logger(label: "test") { _ in LineRecorder(lines: lines) }
    let server = try await Server.start(
      Server.Configuration(
        dataDirectory: folder.data, listenAddress: .ipv4(octets: [127, 0, 0, 1], port: 0),
        logger: logger, onFatal: { _ in }))
    await server.stop()
    #expect(lines.all.contains { $0.hasPrefix("warning") && $0.contains("gone") })
  }
}

private struct LineRecorder: LogHandler {
  let lines: Recorder<String>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.note("\(event.level) \(event.message)")
  }
}
