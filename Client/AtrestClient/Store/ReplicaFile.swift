// SPDX-License-Identifier: Apache-2.0
// Makes and opens the file of a replica, and refuses one it does not understand.

import AtrestReplication
import Foundation
import GRDB

#if canImport(Glibc)
  import Glibc
#endif

/// The file of a replica: `replica.sqlite`, with SQLite's `-wal` and `-shm` beside it.
struct ReplicaFile {
  /// Says that a SQLite file is a replica: "atrC".
  static let applicationID = 0x6174_7243
  /// The format this build reads and writes.
  static let version = Schema.version

  /// How long to wait before looking again whether another process is done.
  private static let busyPauseMilliseconds = 2
  /// Bytes that every SQLite file begins with.
  private static let headerBytes = 100

  let directory: URL

  var path: String { directory.appendingPathComponent("replica.sqlite").path }

  /// Opens the file, making it if there is none. A file that is there is never replaced.
  func open(busyTimeout: TimeInterval) throws(ReplicaError) -> DatabaseQueue {
    if !FileManager.default.fileExists(atPath: path) { try create() }
    try checkSize()
    let queue: DatabaseQueue
    do {
      queue = try DatabaseQueue(path: path, configuration: Self.configuration(busyTimeout))
    } catch {
      throw ReplicaError(error, path: path)
    }
    try Self.check(queue, path: path)
    do { try Self.makeDurable(queue) } catch { throw ReplicaError(error, path: path) }
    return queue
  }

  /// Opens a database that SQLite finds by itself, making it if there is none. One connection, so
  /// that no memory needs sharing.
  static func open(uri: String, checkpointPages: Int) throws(ReplicaError) -> DatabaseQueue {
    do {
      let queue = try DatabaseQueue(
        path: uri,
        configuration: configuration(0, checkpointPages: checkpointPages, isExclusive: true))
      try queue.writeWithoutTransaction { database in
        guard try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 else { return }
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try database.inTransaction(.immediate) {
          try Schema.migrate(database, from: 0)
          return .commit
        }
      }
      try check(queue, path: uri)
      try makeDurable(queue)
      return queue
    } catch {
      throw ReplicaError(error, path: uri)
    }
  }

  private static func configuration(
    _ busyTimeout: TimeInterval, checkpointPages: Int = 4096, isExclusive: Bool = false
  ) -> Configuration {
    var configuration = Configuration()
    // SQLite's own handler waits up to 100 ms between two looks; a neighbour that writes without
    // pause leaves gaps of microseconds, and this process would find none of them for seconds.
    let looks = Int(busyTimeout * 1000) / busyPauseMilliseconds
    configuration.busyMode = .callback { count in
      usleep(useconds_t(busyPauseMilliseconds) * 1000)
      return count < looks
    }
    configuration.foreignKeysEnabled = false
    configuration.label = "atrest.replica"
    configuration.prepareDatabase { database in
      // Before anything is read.
      if isExclusive { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      // A write is durable when its commit returns: in WAL mode that takes FULL. Ids are random, so
      // a first sync touches all of the record table again and again: 32 MiB keep that of 200,000
      // records in memory, and a WAL of 16 MiB spares copying the same pages back for every page of
      // the feed.
      try database.execute(
        sql: """
          PRAGMA synchronous = \(Mutation.writeNotSynced.isActive ? "NORMAL" : "FULL"); PRAGMA trusted_schema = OFF;
          PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = \(checkpointPages);
          PRAGMA temp_store = MEMORY;
          """)
    }
    return configuration
  }

  /// Builds the file under another name and links it into place, so that a file under its own name
  /// is always complete: an empty or half-made one is damage, not a beginning.
  private func create() throws(ReplicaError) {
    try checkNothingIsLeft()
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw .inaccessible(path: directory.path, reason: "the folder cannot be made")
    }
    let draft = path + ".new-\(UUID().uuidString)"
    let descriptor = Glibc.open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .inaccessible(path: directory.path, reason: String(cString: strerror(errno)))
    }
    close(descriptor)
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(draft + suffix) }
    }
    do {
      let queue = try DatabaseQueue(path: draft, configuration: Self.configuration(1))
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try database.inTransaction(.immediate) {
          try Schema.migrate(database, from: 0)
          return .commit
        }
      }
      try queue.close()  // The last connection moves everything from the WAL into the file.
    } catch {
      throw ReplicaError(error, path: path)
    }
    // Unlike a rename, a link never takes the place of a file that another process made meanwhile.
    guard link(draft, path) == 0 || errno == EEXIST else {
      throw .inaccessible(path: path, reason: String(cString: strerror(errno)))
    }
    syncDirectory()
  }

  private func syncDirectory() {
    let descriptor = Glibc.open(directory.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// SQLite takes an empty file for a new database and would start over; this looks first. It must
  /// not open the file: to close it again would drop the locks that this process's other replicas
  /// of the same folder have on it, as POSIX wants it.
  private func checkSize() throws(ReplicaError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw .inaccessible(path: path, reason: String(cString: strerror(errno)))
    }
    guard status.st_size >= Self.headerBytes else { throw .damaged(path: path) }
  }

  /// A log without its file is what is left of a replica that somebody moved: SQLite would play it
  /// into the next one.
  private func checkNothingIsLeft() throws(ReplicaError) {
    var status = stat()
    guard stat(path + "-wal", &status) == 0, status.st_size > 0 else { return }
    // Another process may have made the file since.
    guard FileManager.default.fileExists(atPath: path) else { throw .damaged(path: path) }
  }

  private static func check(_ queue: DatabaseQueue, path: String) throws(ReplicaError) {
    let found: (application: Int?, version: Int?)
    do {
      found = try queue.writeWithoutTransaction { database in
        (
          try Int.fetchOne(database, sql: "PRAGMA application_id"),
          try Int.fetchOne(database, sql: "PRAGMA user_version")
        )
      }
    } catch {
      throw ReplicaError(error, path: path)
    }
    guard found.application == ReplicaFile.applicationID, let version = found.version, version > 0
    else { throw .damaged(path: path) }
    guard version <= ReplicaFile.version else {
      throw .newer(path: path, version: version, supported: ReplicaFile.version)
    }
    if version < ReplicaFile.version { try migrate(queue, path: path) }
  }

  /// Syncs what the log holds. A process that was killed inside a commit leaves a log that SQLite
  /// takes for committed although it is only in the system's memory: numbers and tokens that it
  /// gave would be sent as they are, and a power failure would take them. Costs nothing where the
  /// log is in the file already.
  private static func makeDurable(_ queue: DatabaseQueue) throws {
    do {
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
      }
    } catch let error as DatabaseError {
      // The log is synced first; only moving it into the file takes room. And who may not write
      // sends nothing.
      guard [.SQLITE_FULL, .SQLITE_READONLY].contains(error.resultCode) else { throw error }
    }
  }

  /// All or nothing; another process may have done it meanwhile.
  private static func migrate(_ queue: DatabaseQueue, path: String) throws(ReplicaError) {
    do {
      try queue.writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
          try Schema.migrate(database, from: version)
          return .commit
        }
      }
    } catch {
      throw ReplicaError(error, path: path)
    }
  }
}

extension ReplicaError {
  /// What an error of the database means to a person. SQLite's messages name tables, never values.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as ReplicaError: self = error
    case is RowDecodingError: self = .damaged(path: path)
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path)
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
        self = .inaccessible(path: path, reason: error.message ?? "the file cannot be opened")
      case .SQLITE_READONLY:
        self = .inaccessible(path: path, reason: "it may not be written here")
      default: self = .storage(reason: error.message ?? "\(error.resultCode)")
      }
    default: self = .storage(reason: "an unexpected error")
    }
  }
}
