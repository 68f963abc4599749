// SPDX-License-Identifier: Apache-2.0
// Reads database tables on simulated disks without changing the disks.

import Foundation
import GRDB

/// A snapshot of a database. Uses a copy, so the disk's user is not affected.
struct DiskTables {
  /// One value of a row.
  enum Cell: Equatable {
    case none
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
  }

  /// The rows of each query, in the order of the queries.
  let rows: [[[Cell]]]

  /// Runs the queries on the database in a file.
  init(_ file: String, on original: SimulatedDisk, _ queries: [String]) throws {
    let disk = original.copy(seed: 0)
    var configuration = Configuration()
    // The simulated disk has no shared memory.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    let queue = try DatabaseQueue(path: disk.uri(file), configuration: configuration)
    rows = try queue.read { database in
      try queries.map { query in
        try Row.fetchAll(database, sql: query).map { row in row.databaseValues.map(Cell.init) }
      }
    }
    try queue.close()
  }
}

extension DiskTables.Cell {
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null, .double: .none
      case .int64(let number): .integer(number)
      case .string(let text): .text(text)
      case .blob(let data): .bytes([UInt8](data))
      }
  }

  /// A number as its 64 bits. Nil for other types.
  var bits: UInt64? {
    if case .integer(let number) = self { UInt64(bitPattern: number) } else { nil }
  }

  /// The bytes of a blob. Empty for other types.
  var blob: [UInt8] {
    if case .bytes(let bytes) = self { bytes } else { [] }
  }
}

/// A cache of databases that were read before: most actions leave most disks unchanged.
final class DiskTablesCache {
  private static let limit = 20_000

  private var known: [UInt64: DiskTables] = [:]

  /// The tables in a file of a disk.
  func tables(
    _ file: String, on disk: SimulatedDisk, _ queries: [String]
  ) throws -> DiskTables {
    let fingerprint = disk.fingerprint
    if let tables = known[fingerprint] { return tables }
    let tables = try DiskTables(file, on: disk, queries)
    if known.count >= Self.limit { known = [:] }
    known[fingerprint] = tables
    return tables
  }
}
