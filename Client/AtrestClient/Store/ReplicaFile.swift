// SPDX-License-Identifier: Apache-2.0
// Creates and opens a replica's file, and rejects one with an unknown format.

import AtrestFiles
import AtrestReplication
import AtrestSync
import Foundation
import GRDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's `open`, which methods of that name hide.
private func openFile(_ path: String, _ flags: CInt, _ mode: mode_t = 0) -> CInt {
  open(path, flags, mode)
}

/// The file of a replica: `replica.sqlite`, with SQLite's `-wal` and `-shm` beside it.
struct ReplicaFile {
  /// SQLite's `application_id` of a replica: "atrC".
  static let applicationID = 0x6174_7243
  /// The file format version that this build reads and writes.
  static let version = Schema.version

  /// The interval at which a busy database is retried.
  private static let busyPauseMilliseconds = 2
  /// The size of SQLite's file header in bytes.
  private static let headerBytes = 100

  let directory: URL

  var path: String { directory.appendingPathComponent("replica.sqlite").path }

  /// Opens the file, creating it if there is none. Never replaces an existing file.
  func open(busyTimeout: TimeInterval) throws(ReplicaError) -> DatabaseQueue {
    try checkTrust()
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

  /// Opens the file, for looking only if it is there and cannot be written.
  ///
  /// - Parameter looking: Whether looking suffices.
  /// - Returns: Why it cannot be written; nil if it can.
  func open(
    busyTimeout: TimeInterval, looking: Bool
  ) throws(ReplicaError) -> (DatabaseQueue, unwritable: ReplicaError?) {
    do {
      return (try open(busyTimeout: busyTimeout), nil)
    } catch {
      guard let unwritable = error.unwritable(path: path),
        let queue = try? openForLooking(busyTimeout: busyTimeout)
      else { throw error }
      guard looking else { throw unwritable }
      return (queue, unwritable)
    }
  }

  /// Opens the file for looking only: on a disk that is full or may not be written, where SQLite
  /// cannot make what it keeps beside the file. Creates and migrates nothing.
  ///
  /// A file without a log is read as one that nobody changes: who could write here would have
  /// opened it in the usual way. So keep it for one command, not for long.
  func openForLooking(busyTimeout: TimeInterval) throws(ReplicaError) -> DatabaseQueue {
    try checkTrust()
    try checkSize()
    var status = stat()
    let hasLog = stat(path + "-wal", &status) == 0 && status.st_size > 0
    var configuration = Self.configuration(busyTimeout)
    configuration.readonly = true
    do {
      let uri = URL(fileURLWithPath: path).absoluteString + (hasLog ? "" : "?immutable=1")
      let queue = try DatabaseQueue(path: uri, configuration: configuration)
      try Self.check(queue, path: path)
      return queue
    } catch {
      throw ReplicaError(error, path: path)
    }
  }

  /// Opens a database by SQLite URI, creating it if there is none. Uses one exclusive connection,
  /// so no shared memory is needed.
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
    // SQLite's own busy handler waits up to 100 ms between attempts. A process that writes
    // continuously leaves gaps of microseconds, which would be missed for seconds.
    let looks = Int(busyTimeout * 1000) / busyPauseMilliseconds
    configuration.busyMode = .callback { count in
      usleep(useconds_t(busyPauseMilliseconds) * 1000)
      return count < looks
    }
    configuration.foreignKeysEnabled = false
    configuration.label = "atrest.replica"
    configuration.prepareDatabase { database in
      // Must precede the first read.
      if isExclusive { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      // In WAL mode a commit is durable on return only with `synchronous = FULL`; on Apple
      // platforms a sync reaches the disk itself only with `fullfsync`. Ids are random, so a first
      // sync touches all of the record table repeatedly: a 32 MiB cache fits 200,000 records, and a
      // 16 MiB WAL avoids checkpointing the same pages for every page of the feed.
      try database.execute(
        sql: """
          PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
          PRAGMA trusted_schema = OFF;
          PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = \(checkpointPages);
          PRAGMA temp_store = MEMORY;
          """)
    }
    return configuration
  }

  /// Builds the file under a temporary name and links it into place, so that a file under its final
  /// name is always complete. An empty or partial one is damage.
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
    let descriptor = openFile(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
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
      try queue.close()  // The last connection checkpoints the WAL into the file.
    } catch {
      throw ReplicaError(error, path: path)
    }
    // Unlike rename, link never replaces a file that another process created in the meantime.
    guard link(draft, path) == 0 || errno == EEXIST else {
      throw .inaccessible(path: path, reason: String(cString: strerror(errno)))
    }
    syncDirectory()
  }

  private func syncDirectory() {
    let descriptor = openFile(directory.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// A user who can write to the folder can put other data in the replica's place.
  private func checkTrust() throws(ReplicaError) {
    guard let reason = FileTrust.objection(to: directory.path) else { return }
    throw .inaccessible(path: directory.path, reason: reason)
  }

  /// SQLite takes an empty file for a new database and would start over, so check the size first.
  /// This must not open the file: under POSIX, closing it would drop the locks that this process's
  /// other replicas of the same directory hold on it.
  private func checkSize() throws(ReplicaError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw .inaccessible(path: path, reason: String(cString: strerror(errno)))
    }
    guard status.st_size >= Self.headerBytes else { throw .damaged(path: path) }
  }

  /// Rejects a WAL without its database file, left over when somebody moved the replica. SQLite
  /// would replay it into the next one.
  private func checkNothingIsLeft() throws(ReplicaError) {
    var status = stat()
    guard stat(path + "-wal", &status) == 0, status.st_size > 0 else { return }
    // Another process may have created the file since.
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

  /// Syncs the WAL. A process killed during a commit leaves a WAL that SQLite considers committed
  /// although only the page cache has it. Its numbers and tokens would be sent, and then lost in a
  /// power failure. Costs nothing if the WAL is already checkpointed.
  private static func makeDurable(_ queue: DatabaseQueue) throws {
    do {
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
      }
    } catch let error as DatabaseError {
      // A checkpoint syncs the WAL before it copies, so a full disk does no harm. A read-only
      // opener sends nothing.
      guard [.SQLITE_FULL, .SQLITE_READONLY].contains(error.resultCode) else { throw error }
    }
  }

  /// Migrates atomically; another process may have migrated in the meantime.
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
  /// What this error of opening a replica means for writing, if the replica turns out to be
  /// readable. nil if it could not be.
  fileprivate func unwritable(path: String) -> ReplicaError? {
    switch reason {
    case .inaccessible: .inaccessible(path: path, reason: "it may not be written here")
    case .storage: self
    case .damaged, .newer, .busy, .invalid, .alreadyPaired, .pairingEnded: nil
    }
  }

  /// Maps a database error to one for a person. SQLite's messages name tables, never values.
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
