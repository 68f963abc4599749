// SPDX-License-Identifier: Apache-2.0
// Verifies a copy of a store, read-only, and counts what it holds.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import AtrestWire
import GRDBSQLite
import Glibc

/// The contents of a copy of a store, in numbers.
package struct StoreCopy: Hashable, Sendable {
  package var accounts = 0
  /// Revoked ones included.
  package var devices = 0
  /// Deleted ones and journal entries included.
  package var records = 0
  package var sizeBytes = 0
  /// Whether a checksum beside the file was compared. Without one, a changed value goes unnoticed.
  package var hasChecksum = false

  /// Verifies a file: pages and indexes agree, its tables are those that a server would open, every
  /// record can be decoded, the chain of events is intact, and the checksum beside it, if there is
  /// one, matches.
  ///
  /// Opens the file as immutable: without even a lock.
  ///
  /// - Complexity: Reads all of it three times: about a second for each 100 MB.
  package static func check(_ path: String) throws(BackupError) -> StoreCopy {
    var copy = StoreCopy()
    // First: whatever else is found may be the wrong file's.
    try BackupChecksum.expectOwn(path)
    copy.sizeBytes = try checkHeader(path)
    var status = stat()
    guard stat(path + "-wal", &status) != 0 || status.st_size == 0 else {
      throw .unfinished(path: path)
    }
    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    guard sqlite3_open_v2(uri(path), &connection, flags, nil) == SQLITE_OK, let connection else {
      throw .cannotRead(path: path, reason: "SQLite cannot open it")
    }
    do throws(StoreError) { try copy.count(connection) } catch {
      throw .damaged(path: path, reason: reason(error))
    }
    // Last: an error inside says more.
    copy.hasChecksum = try BackupChecksum.check(path)
    return copy
  }

  private static func checkHeader(_ path: String) throws(BackupError) -> Int {
    let (descriptor, size) = try FileCopy.openToRead(path)
    defer { _ = close(descriptor) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw .cannotRead(path: path, reason: systemReason(errno)) }
    do throws(StoreError) {
      try SQLiteStore.checkHeader(header.prefix(count), path: path)
    } catch {
      switch error {
      case .newerVersion(let path, let found, let supported):
        throw .newerVersion(path: path, found: found, supported: supported)
      case .notAStore: throw .notABackup(path: path)
      default: throw .damaged(path: path, reason: reason(error))
      }
    }
    // SQLite takes what is missing at the end for zeros.
    let pageBytes = Int(header[16]) << 8 | Int(header[17])
    let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
    guard pageBytes >= 512, size % pageBytes == 0, size / pageBytes >= pages else {
      throw .damaged(path: path, reason: "its end is missing")
    }
    return size
  }

  private static func uri(_ path: String) -> String {
    var text = "file:"
    for byte in path.utf8 {
      let isPlain =
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      text += isPlain ? String(Unicode.Scalar(byte)) : "%" + Hexadecimal.encoded([byte])
    }
    return text + "?immutable=1"
  }

  private mutating func count(_ connection: OpaquePointer) throws(StoreError) {
    let check = try RawStatement("PRAGMA integrity_check(1)", on: connection)
    let finding = try check.step() ? check.text(0) : "no answer"
    // The finding names pages and indexes, never contents.
    guard finding == "ok" else { throw .failed(reason: String(finding.prefix(120))) }
    check.reset()
    try Self.checkTables(connection)
    guard try Self.number("SELECT count(*) FROM meta", connection) == 1 else {
      throw .failed(reason: "it has no name")
    }
    accounts = try Self.number("SELECT count(*) FROM account", connection)
    devices = try Self.number("SELECT count(*) FROM device", connection)
    let rows = try RawStatement("SELECT key, body FROM record", on: connection)
    while try rows.step() {
      guard let record = try? Record(unpacking: rows.bytes(1)),
        record.key.storageKey == rows.bytes(0)
      else { throw .failed(reason: "a stored record cannot be read") }
      records += 1
    }
    try Self.checkEvents(connection)
  }

  /// The check that `SQLiteStore` makes when it opens a file.
  private static func checkTables(_ connection: OpaquePointer) throws(StoreError) {
    let format = try number("PRAGMA user_version", connection)
    let rows = try RawStatement(SQLiteSchema.textsQuery, on: connection)
    var texts: [String] = []
    while try rows.step() { texts.append(rows.text(0)) }
    guard (try? SQLiteSchema.areIntact(texts, format: format)) ?? false else {
      throw .failed(reason: SQLiteSchema.alteredReason)
    }
  }

  /// Verifies the chain of events; copies of older formats have none.
  private static func checkEvents(_ connection: OpaquePointer) throws(StoreError) {
    let table = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'event'"
    guard try number(table, connection) == 1 else { return }
    var chain = EventChain()
    let rows = try RawStatement("SELECT * FROM event ORDER BY number", on: connection)
    while try rows.step() {
      guard chain.follows(EventEntry(rows)) else {
        throw .failed(reason: "its log of events was changed")
      }
    }
  }

  private static func number(
    _ sql: String, _ connection: OpaquePointer
  ) throws(StoreError) -> Int {
    let statement = try RawStatement(sql, on: connection)
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  private static func reason(_ error: StoreError) -> String {
    switch error {
    case .damaged(_, let reason), .failed(let reason), .inputOutput(let reason),
      .cannotOpen(_, let reason):
      reason
    default: "it cannot be read"
    }
  }
}

extension EventEntry {
  /// From a row with all columns.
  fileprivate init(_ row: RawStatement) {
    func replica(_ column: Int32) -> ReplicaID {
      ReplicaID(rawValue: UInt64(bitPattern: row.integer(column)))
    }
    let account = row.integer(1)
    self.init(
      number: UInt64(bitPattern: row.integer(0)),
      event: NewEvent(
        AccountEvent.Kind(rawValue: Int(row.integer(3))),
        of: account == 0 ? nil : AccountID(rawValue: account),
        at: WallTime(milliseconds: row.integer(2)), actor: replica(4), subject: replica(5),
        detail: row.integer(6), count: UInt32(clamping: row.integer(7))),
      hash: row.bytes(8))
  }
}
