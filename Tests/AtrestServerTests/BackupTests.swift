// SPDX-License-Identifier: Apache-2.0
// Backups: made while the server writes, verified read-only, and restored.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import GRDB
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct BackupTests {
  private let storage: Storage
  private let admin: AdminService
  private var file: String { storage.folder.path("backup") }

  init() throws {
    storage = try Storage()
    admin = AdminService(
      queue: storage.queue, backups: storage.queue, registry: storage.registry,
      devices: storage.devices,
      environment: storage.world.environment, address: { "" })
  }

  private func backUp(_ path: String? = nil) async throws -> BackupResponse {
    let bytes = BackupRequest(path: path ?? file).packed
    let outcome = await outcome { later throws(Status) in try admin.backup(bytes, answer: later) }
    return try BackupResponse(unpacking: try outcome.reply)
  }

  private func fill(_ numbers: Range<Int>) async throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 500) {
      let page = (start..<min(start + 500, numbers.upperBound)).map { offer(water($0)) }
      _ = try await storage.exchange(phone, ExchangeRequest(cursor: nil, offers: page))
    }
  }

  @Test("a backup holds what was acknowledged before it, and is checked; nobody else can read it")
  func complete() async throws {
    try await fill(0..<700)
    let answer = try await backUp()
    #expect(answer.accounts == 2 && answer.devices == 3 && answer.records == 700)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.size] as? Int == answer.sizeBytes)
    #expect(
      try StoreCopy.check(file)
        == StoreCopy(
          accounts: 2, devices: 3, records: 700, sizeBytes: answer.sizeBytes, hasChecksum: true))
    let left = try FileManager.default.contentsOfDirectory(atPath: storage.folder.url.path)
    #expect(left.sorted() == ["backup", "backup.sha256", "data"])
    await storage.queue.close()
  }

  @Test(
    "a backup and its checksum are on the disk before they have their names, and then those are")
  func synced() async throws {
    try await fill(0..<20)
    _ = try await backUp()
    let made = SyncedPaths.under(storage.folder.url).filter { !$0.hasPrefix("data") }
    #expect(made == ["backup.sha256.partial", ".", "backup.partial", "."])
    _ = try Restore.run(from: file, into: storage.folder.path("restored"))
    let restored = SyncedPaths.under(storage.folder.url).filter { $0.hasPrefix("restored") }
    #expect(restored.suffix(2) == ["restored/atrest.db.partial", "restored"])
    await storage.queue.close()
  }

  @Test("other programs agree with the checksum beside a backup, whatever the backup is called")
  func foreignChecksum() async throws {
    try await fill(0..<20)
    for name in ["plain", "with blank", "back\\slash", "line\nfeed", "c\rr"] {
      _ = try await backUp(storage.folder.path(name))
      let checked = try EndedProgram(
        "sha256sum", ["--quiet", "--strict", "-c", name + ".sha256"], in: storage.folder.url)
      #expect(checked.code == 0, "\(name.debugDescription): \(checked.err)")
      let beside = try #require(try BackupChecksum.beside(storage.folder.path(name)))
      #expect(beside.name == name)
    }
    await storage.queue.close()
  }

  @Test("a name longer than any file's is none, so that each checksum read can be written")
  func longName() throws {
    let digits = String(repeating: "0a", count: 32)
    func read(_ name: String, escaped: Bool = false) -> BackupChecksum? {
      BackupChecksum(line: Array("\(escaped ? "\\" : "")\(digits)  \(name)\n".utf8))
    }
    let longest = try #require(read(String(repeating: "\\r", count: 255), escaped: true))
    #expect(BackupChecksum(line: longest.line) == longest)
    #expect(read(String(repeating: "x", count: 255)) != nil)
    #expect(read(String(repeating: "x", count: 256)) == nil)
    #expect(read(String(repeating: "\\r", count: 256), escaped: true) == nil)
  }

  @Test("a checksum whose backup is gone is replaced; anything else of that name is not touched")
  func besides() async throws {
    _ = try await backUp()
    try FileManager.default.removeItem(atPath: file)
    try await fill(0..<20)
    _ = try await backUp()
    #expect(try StoreCopy.check(file).hasChecksum)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: storage.folder.path("other.sha256")))
    #expect(await code(of: storage.folder.path("other")) == .alreadyExists)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: storage.folder.url.path).sorted()
        == ["backup", "backup.sha256", "data", "other.sha256"])
    await storage.queue.close()
  }

  @Test(
    "a changed byte inside a value is seen with the checksum, which is told from a wrong checksum")
  func changedValue() async throws {
    try await fill(0..<20)
    _ = try await backUp()
    await storage.queue.close()
    let sum = file + ".sha256"
    let intact = try Data(contentsOf: URL(fileURLWithPath: file))
    let right = try Data(contentsOf: URL(fileURLWithPath: sum))
    // The last byte of a record belongs to its last value, the amount.
    let body = try #require(intact.range(of: Data(water(7).encoded)))
    var changed = intact
    changed[body.upperBound - 1] ^= 1
    try changed.write(to: URL(fileURLWithPath: file))
    let target = storage.folder.path("restored")
    #expect(throws: BackupError.changed(path: file)) { try StoreCopy.check(file) }
    #expect(throws: BackupError.changed(path: file)) { try Restore.run(from: file, into: target) }
    #expect(!FileManager.default.fileExists(atPath: target))
    try FileManager.default.removeItem(atPath: sum)
    #expect(try !StoreCopy.check(file).hasChecksum)

    try intact.write(to: URL(fileURLWithPath: file))
    for wrong in ["", "nonsense", String(repeating: "g", count: 64) + "  backup\n"] {
      try Data(wrong.utf8).write(to: URL(fileURLWithPath: sum))
      #expect(throws: BackupError.notAChecksum(path: sum)) { try StoreCopy.check(file) }
    }
    try Data(repeating: 97, count: 100_000).write(to: URL(fileURLWithPath: sum))
    #expect(throws: BackupError.notAChecksum(path: sum)) { try StoreCopy.check(file) }
    try Data((String(repeating: "a", count: 64) + " *other\n").utf8)
      .write(to: URL(fileURLWithPath: sum))
    let other = BackupError.checksumOfAnother(path: sum, name: "other")
    #expect(throws: other) { try StoreCopy.check(file) }
    // Whatever else is wrong: it may be that the wrong file was named.
    try intact.dropLast(8192).write(to: URL(fileURLWithPath: file))
    #expect(throws: other) { try StoreCopy.check(file) }
    // Both files have other names. Only the sum counts.
    let moved = storage.folder.path("moved")
    try intact.write(to: URL(fileURLWithPath: moved))
    try right.write(to: URL(fileURLWithPath: moved + ".sha256"))
    #expect(try Restore.run(from: moved, into: target).hasChecksum)
  }

  @Test("a key that rotted is found, in the table and in its index alike")
  func rottenKey() async throws {
    try await fill(0..<20)
    _ = try await backUp()
    await storage.queue.close()
    let intact = try Data(contentsOf: URL(fileURLWithPath: file))
    let key = Data(water(7).key.storageKey)
    var places: [Int] = []
    var rest = intact.startIndex..<intact.endIndex
    while let found = intact.range(of: key, in: rest) {
      places.append(found.upperBound - 1)
      rest = found.upperBound..<intact.endIndex
    }
    #expect(places.count == 2)
    for place in places {
      var bytes = intact
      bytes[place] ^= 1
      try bytes.write(to: URL(fileURLWithPath: file))
      #expect(throws: BackupError.self) { try StoreCopy.check(file) }
    }
  }

  @Test("writes go on meanwhile, and the copy is one state of the store")
  func whileWriting() async throws {
    try await fill(0..<4000)
    async let response = backUp()
    var next = 4000
    while !FileManager.default.fileExists(atPath: file), next < 6000 {
      try await fill(next..<next + 20)
      next += 20
    }
    let answer = try await response
    #expect(answer.records >= 4000 && answer.records <= next)
    await storage.queue.close()
    let target = storage.folder.path("restored")
    _ = try Restore.run(from: file, into: target)
    let restored = try openStore(target)
    defer { restored.close() }
    let kim = try storage.session(phone).account.id
    let bodies = try restored.transaction { t throws(StoreError) in
      var bodies: [[UInt8]] = []
      try t.records.feed(of: kim, after: 0) { _, body in
        bodies.append(body)
        return true
      }
      return bodies
    }
    #expect(bodies == (0..<answer.records).map { water($0).encoded })
  }

  @Test("whoever saw more than a restored store holds is told so, and everybody else goes on")
  func positions() async throws {
    let early = try await storage.exchange(phone, request(nil, water(1))).cursor
    _ = try await backUp()
    let late = try await storage.exchange(phone, request(early, water(2))).cursor
    await storage.queue.close()
    let target = storage.folder.path("restored")
    _ = try Restore.run(from: file, into: target)
    let restored = try openStore(target)
    defer { restored.close() }
    let kim = try storage.session(phone).account.id
    #expect(try restored.exchange(kim, request(late)).restarted)
    #expect(try !restored.exchange(kim, request(early)).restarted)
    for number in 10..<15 { _ = try restored.exchange(kim, request(nil, water(number))) }
    #expect(try restored.exchange(kim, request(late)).restarted)
    #expect(restored.lostCommits == 0)
  }

  @Test("a file that is there is not touched; nor is one written where it cannot be")
  func refused() async throws {
    try Data([7]).write(to: URL(fileURLWithPath: file))
    await #expect(throws: Status.self) { try await backUp() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data([7]))
    let codes = [
      await code(of: file), await code(of: storage.folder.path("none/backup")),
      await code(of: "backup"), await code(of: storage.folder.url.path + "/"),
      await code(of: "/\u{0}x"),
    ]
    #expect(
      codes == [
        .alreadyExists, .failedPrecondition, .invalidArgument, .invalidArgument, .invalidArgument,
      ])
    // A failed backup does not block the next one.
    _ = try await backUp(storage.folder.path("other"))
    await storage.queue.close()
  }

  private func code(of path: String) async -> StatusCode? {
    let bytes = BackupRequest(path: path).packed
    return await outcome { later throws(Status) in try admin.backup(bytes, answer: later) }
      .failure?.code
  }

  @Test("a backup that fails leaves nothing behind, and the next one succeeds")
  func failed() async throws {
    try await fill(0..<20)
    // The copy is complete by then, and its checksum cannot be written.
    let obstacle = file + ".sha256.partial"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
    #expect(await code(of: file) != nil)
    try FileManager.default.removeItem(atPath: obstacle)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: storage.folder.url.path) == ["data"])
    #expect(try await backUp().records == 20)
    await storage.queue.close()
  }

  @Test("what an interrupted backup left is replaced by the next")
  func leftover() async throws {
    try Data(repeating: 1, count: 9000).write(to: URL(fileURLWithPath: file + ".partial"))
    #expect(try await backUp().records == 0)
    await storage.queue.close()
  }

  @Test("one at a time; a server that stops gives it up and leaves nothing")
  func stopping() async throws {
    try await fill(0..<20)
    let failed = Recorder<Status?>()
    let bytes = BackupRequest(path: file).packed
    try await storage.whileCommitting {
      _ = try admin.backup(bytes) { Answer { outcome, _ in failed.note(outcome.failure) } }
      #expect(throws: Status.self) { _ = try admin.backup(bytes) { Answer { _, _ in } } }
      // Close the queue before the first step runs.
      Task { await storage.queue.close() }
      try await waitUntil {
        !storage.queue.submit(
          Operation(by: .server, use: .reads) { _ throws(StoreError) in
          } completion: { _, _ in
          })
      }
    }
    #expect(try await failed.next()?.code == .unavailable)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: storage.folder.url.path) == ["data"])
  }

  @Test("closing a store gives up the copy that is under way")
  func closing() throws {
    let folder = try Folder()
    let store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    for start in stride(from: 0, to: 9000, by: 1000) {
      let page = (start..<start + 1000).map { offer(water($0)) }
      _ = try store.exchange(kim, ExchangeRequest(cursor: nil, offers: page))
    }
    let path = folder.path("copy")
    try Data().write(to: URL(fileURLWithPath: path))
    let backup = try store.beginBackup(to: path)
    #expect(try !backup.step())
    store.close()
    #expect(throws: StoreError.closed) { try backup.step() }
    try openStore(folder).close()
  }
}

@Suite(.timeLimit(.minutes(20))) struct StoreCopyTests {
  private let folder: Folder
  private var file: URL { URL(fileURLWithPath: folder.path("backup")) }
  private var path: String { file.path }

  init() throws {
    folder = try Folder()
    let store = try openStore(folder)
    let kim = try store.makeAccount("kim")
    for number in 0..<200 { _ = try store.exchange(kim, request(nil, water(number))) }
    try Data().write(to: file)
    let backup = try store.beginBackup(to: path)
    while try !backup.step() {}
    store.close()
  }

  @Test("reading a backup changes nothing, not even where nothing may be written")
  func readOnly() throws {
    let before = try Data(contentsOf: file)
    let odd = folder.path("it's a 100%?#.db")
    try FileManager.default.moveItem(atPath: path, toPath: odd)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: odd)
    #expect(try StoreCopy.check(odd).records == 200)
    #expect(try Data(contentsOf: URL(fileURLWithPath: odd)) == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == ["data", "it's a 100%?#.db"])
  }

  @Test("a damaged page is found wherever it is", arguments: 0..<14)
  func damaged(page: Int) throws {
    var bytes = try Data(contentsOf: file)
    let offset = page * 4096
    try #require(bytes.count > offset + 200)
    for index in offset..<offset + 200 { bytes[index] ^= 0xFF }
    try bytes.write(to: file)
    #expect(throws: BackupError.self) { try StoreCopy.check(path) }
    #expect(throws: BackupError.self) { try Restore.run(from: path, into: folder.path("new")) }
    #expect(!FileManager.default.fileExists(atPath: folder.path("new")))
  }

  @Test("a backup with tables that no server would open is found, and not restored")
  func changedTables() throws {
    for statement in ["ALTER TABLE device ADD COLUMN extra INTEGER", "DROP INDEX record_by_key"] {
      let copy = folder.path("altered")
      try? FileManager.default.removeItem(atPath: copy)
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      try DatabaseQueue(path: copy).write { try $0.execute(sql: statement) }
      let damaged = BackupError.damaged(
        path: copy, reason: "its tables are not as they were made")
      #expect(throws: damaged) { try StoreCopy.check(copy) }
      #expect(throws: damaged) { try Restore.run(from: copy, into: folder.path("new")) }
    }
  }

  @Test("a record that is not what it was is found, though SQLite sees nothing wrong")
  func changedRecord() throws {
    var bytes = try Data(contentsOf: file)
    let body = Data(water(150).encoded)
    let place = try #require(bytes.range(of: body))
    bytes[place.lowerBound] ^= 0xFF
    try bytes.write(to: file)
    #expect(
      throws: BackupError.damaged(path: path, reason: "a stored record cannot be read")
    ) { try StoreCopy.check(path) }
  }

  @Test("a backup that was cut short, an empty file, none, and a folder are errors")
  func cut() throws {
    let bytes = try Data(contentsOf: file)
    for count in [0, 50, 99, 100, 4096, bytes.count - 4096, bytes.count - 1] {
      try bytes.prefix(count).write(to: file)
      #expect(throws: BackupError.self, "\(count)") { try StoreCopy.check(path) }
    }
    #expect(throws: BackupError.self) { try StoreCopy.check(folder.path("none")) }
    #expect(throws: BackupError.self) { try StoreCopy.check(folder.url.path) }
  }

  @Test("a pipe is no backup, and nobody waits for what might come out of it")
  func pipe() throws {
    let pipe = folder.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let none = BackupError.cannotRead(path: pipe, reason: "it is not a file")
    #expect(throws: none) { try StoreCopy.check(pipe) }
    #expect(throws: none) { try Restore.run(from: pipe, into: folder.path("new")) }
    #expect(throws: none) { try FileCopy.copy(pipe, to: folder.path("copy")) }
    let data = folder.path("odd")
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try #require(mkfifo(data + "/atrest.db", 0o600) == 0)
    #expect(throws: StoreError.self) { try openStore(data) }
  }

  @Test("other programs' files, newer formats and databases in use are told apart")
  func others() throws {
    var bytes = try Data(contentsOf: file)
    bytes[71] ^= 1
    try bytes.write(to: file)
    #expect(throws: BackupError.notABackup(path: path)) { try StoreCopy.check(path) }
    bytes[71] ^= 1
    bytes[63] = 99
    try bytes.write(to: file)
    #expect(
      throws: BackupError.newerVersion(path: path, found: 99, supported: SQLiteSchema.version)
    ) { try StoreCopy.check(path) }
    let store = try openStore(folder)
    defer { store.close() }
    let database = folder.data + "/atrest.db"
    _ = try store.makeAccount("sam")
    #expect(throws: BackupError.unfinished(path: database)) { try StoreCopy.check(database) }
  }

  @Test("a backup is restored into a new or empty folder, and into no other")
  func restore() throws {
    let new = folder.path("a/b")
    #expect(try Restore.run(from: path, into: new).records == 200)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: new).sorted() == ["atrest.db", "lock"])
    let store = try openStore(new)
    #expect(throws: BackupError.store(.inUse(directory: new, process: getpid()))) {
      try Restore.run(from: path, into: new)
    }
    store.close()
    #expect(throws: BackupError.holdsStore(directory: new)) {
      try Restore.run(from: path, into: new)
    }
    let letters = folder.path("letters")
    try FileManager.default.createDirectory(atPath: letters, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: letters + "/letter"))
    #expect(throws: BackupError.store(.notAStore(path: letters))) {
      try Restore.run(from: path, into: letters)
    }
    // Leftovers of an interrupted restore do not prevent another one.
    let again = folder.path("again")
    try FileManager.default.createDirectory(atPath: again, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: again + "/atrest.db.partial"))
    #expect(try Restore.run(from: path, into: again).records == 200)
  }
}
