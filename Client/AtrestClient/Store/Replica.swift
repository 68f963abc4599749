// SPDX-License-Identifier: Apache-2.0
// The local replica: a directory that belongs to one device of one person.

import AtrestSync
import AtrestWire
import Dispatch
import Foundation
import GRDB
import Synchronization

/// A local replica. Works offline from the start; pairing gives it an account to sync with.
///
/// Reads and writes block on the disk. A write is durable when its method returns. Any number of
/// `Replica`s and processes may share one directory. Thread-safe.
public final class Replica: Sendable {
  /// The replica's directory. One in memory has none, and this names no place.
  public let directory: URL

  let clock: any WallClock
  let random: @Sendable () -> UInt64
  /// The most offers per request.
  let pageRecords: Int
  private let path: String
  private let queue: DatabaseQueue
  /// Why nothing can be written; nil if it can.
  private let unwritable: ReplicaError?
  /// Set after a disk failure. The result of a failed commit is unknown and this connection's view
  /// may be wrong, so the connection is not used again. Reopening the replica reads the true state.
  private let failure: Failure
  /// Who follows this replica. Shared by all views of it.
  let observation: Observation
  /// The connection to the server. Shared by all views of the replica.
  let connection: ReplicaConnection
  /// The account that the replica must belong to for a transaction to run; nil for any.
  private let pairing: Pairing?
  /// Runs blocking disk work off the task pool's threads.
  private let waiting: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// How long a transaction waits for another process's transaction, in seconds.
  package static let busyTimeout: TimeInterval = 10

  /// Opens the replica, or creates it if there is none.
  ///
  /// - Parameter connector: Connects to the server.
  /// - Throws: `ReplicaError`; then nothing on disk was changed.
  public convenience init(
    directory: URL, clock: any WallClock = SystemClock(), connector: Connector = .platform
  ) throws(ReplicaError) {
    try self.init(
      directory: directory, clock: clock, busyTimeout: Replica.busyTimeout,
      random: { UInt64.random(in: 1 ... .max) }, connector: connector)
  }

  /// Opens or creates a replica with parameters for tests and simulations.
  ///
  /// - Parameters:
  ///   - busyTimeout: Seconds.
  ///   - looking: Whether a replica that cannot be written is opened all the same. It is for one
  ///     command: see `isWritable`.
  ///   - random: Unpredictable nonzero numbers; sync tokens are made of them.
  package init(
    directory: URL, clock: any WallClock, busyTimeout: TimeInterval = Replica.busyTimeout,
    looking: Bool = false,
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 1 ... .max) },
    connector: Connector = .platform
  ) throws(ReplicaError) {
    self.directory = directory
    self.clock = clock
    self.random = random
    let file = ReplicaFile(directory: directory)
    path = file.path
    pageRecords = Page.records
    (queue, unwritable) = try file.open(busyTimeout: busyTimeout, looking: looking)
    failure = Failure()
    observation = Observation()
    connection = ReplicaConnection(connector)
    let waiting = DispatchQueue(label: "atrest.replica.waiting")
    self.waiting = { work in waiting.async(execute: work) }
    pairing = nil
  }

  /// A replica on a file system that the caller provides, for simulations.
  ///
  /// - Parameters:
  ///   - uri: A SQLite URI that names its file system. No other connection may have the file open.
  ///     It is created if it does not exist.
  ///   - checkpointPages: The WAL size, in pages, that triggers a checkpoint.
  ///   - pageRecords: The most offers per request.
  ///   - random: Unpredictable nonzero numbers.
  ///   - waiting: Runs a blocking disk operation once, now or later.
  package init(
    uri: String, clock: any WallClock, checkpointPages: Int, pageRecords: Int,
    random: @escaping @Sendable () -> UInt64,
    waiting: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    connector: Connector = .platform
  ) throws(ReplicaError) {
    directory = URL(fileURLWithPath: "/simulated")
    self.clock = clock
    self.random = random
    self.waiting = waiting
    path = uri
    queue = try ReplicaFile.open(uri: uri, checkpointPages: checkpointPages)
    unwritable = nil
    self.pageRecords = pageRecords
    failure = Failure()
    observation = Observation()
    connection = ReplicaConnection(connector)
    pairing = nil
  }

  /// Opens the replica, or creates it if there is none, without blocking the caller.
  ///
  /// - Parameter connector: Connects to the server.
  /// - Throws: `ReplicaError`; then nothing on disk was changed.
  public static func open(
    directory: URL, clock: any WallClock = SystemClock(), connector: Connector = .platform
  ) async throws(ReplicaError) -> Replica {
    let result: Result<Replica, ReplicaError> = await withCheckedContinuation { continuation in
      DispatchQueue(label: "atrest.replica.opening").async {
        continuation.resume(
          returning: Result { () throws(ReplicaError) in
            try Replica(directory: directory, clock: clock, connector: connector)
          })
      }
    }
    return try result.get()
  }

  /// A replica in memory, for previews and tests: it does what one on disk does, pairing and
  /// syncing included, and is gone with its last reference.
  public static func inMemory(
    clock: any WallClock = SystemClock(), connector: Connector = .platform
  ) throws(ReplicaError) -> Replica {
    let waiting = DispatchQueue(label: "atrest.replica.waiting")
    return try Replica(
      uri: ":memory:", clock: clock, checkpointPages: 4096, pageRecords: Page.records,
      random: { UInt64.random(in: 1 ... .max) }, waiting: { work in waiting.async(execute: work) },
      connector: connector)
  }

  /// A view of this replica that works only while it belongs to an account. Used for exchanges with
  /// that account's server, during which another process may unpair the replica and pair it anew.
  func bound(to pairing: Pairing) -> Replica { Replica(self, pairing: pairing) }

  private init(_ other: Replica, pairing: Pairing) {
    directory = other.directory
    clock = other.clock
    random = other.random
    path = other.path
    pageRecords = other.pageRecords
    queue = other.queue
    unwritable = other.unwritable
    failure = other.failure
    observation = other.observation
    connection = other.connection
    waiting = other.waiting
    self.pairing = pairing
  }

  /// Whether a directory contains a replica, intact or not, or cannot be inspected. In the latter
  /// case opening it reports why. Creates nothing.
  public static func exists(at directory: URL) -> Bool {
    var status = stat()
    return stat(ReplicaFile(directory: directory).path, &status) == 0 || errno != ENOENT
  }

  /// Whether the replica can be written. One that cannot shows what it held when it was opened.
  public var isWritable: Bool { unwritable == nil }

  /// Runs several reads and writes as one transaction: atomic for readers, and exclusive among
  /// writers of all processes.
  ///
  /// Each write inside is one user action with its own stamp. Use it to read then write, and for
  /// batches: ten thousand writes cost little more than one. Do not call the replica itself from
  /// inside, or use the transaction after it: both are programming errors and trap.
  /// - Throws: What `body` throws, after a rollback; `ReplicaError` if the replica fails.
  public func transaction<Result>(
    _ body: (ReplicaTransaction) throws -> Result
  ) throws -> Result {
    try run(.immediate, body)
  }

  /// A write transaction for this module's bodies, which throw only database errors.
  func write<Result>(
    _ body: (ReplicaTransaction) throws -> Result
  ) throws(ReplicaError) -> Result {
    do { return try run(.immediate, body) } catch { throw ReplicaError(error, path: path) }
  }

  /// A read transaction: a consistent snapshot that does not block writers.
  func read<Result>(
    _ body: (ReplicaTransaction) throws -> Result
  ) throws(ReplicaError) -> Result {
    do { return try run(.deferred, body) } catch { throw ReplicaError(error, path: path) }
  }

  /// Runs blocking disk work without occupying a thread of the task pool.
  func offload<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ReplicaError) -> Value
  ) async throws(ReplicaError) -> Value {
    let result: Result<Value, ReplicaError> = await withCheckedContinuation { continuation in
      waiting {
        continuation.resume(returning: Result { () throws(ReplicaError) in try body() })
      }
    }
    return try result.get()
  }

  func run<Result>(
    _ kind: Database.TransactionKind, _ body: (ReplicaTransaction) throws -> Result
  ) throws -> Result {
    if let error = failure.error.withLock({ $0 }) { throw error }
    if kind == .immediate, let unwritable { throw unwritable }
    do {
      var changed = ChangedRecords()
      let value = try queue.writeWithoutTransaction { database in
        var result: Result?
        try database.inTransaction(kind) {
          let transaction = try ReplicaTransaction(
            database, path: path, now: clock.now(), random: random)
          if kind == .deferred { transaction.work.tables.isReadOnly = true }
          if let pairing, transaction.state.pairing != pairing { throw ReplicaError.pairingEnded }
          result = try body(transaction)
          try transaction.finish()
          changed = transaction.changed
          return .commit
        }
        guard let result else { preconditionFailure("a committed transaction has a result") }
        return result
      }
      // After the commit, and outside the queue: whoever is told may read at once.
      if !changed.isEmpty {
        var bounded = ChangedRecords()
        bounded.add(changed)
        observation.changes.send(bounded)
      }
      return value
    } catch let error as DatabaseError {
      let known = ReplicaError(error, path: path)
      if error.resultCode == .SQLITE_IOERR { failure.error.withLock { $0 = known } }
      throw known
    }
  }
}

/// The server and account that a replica belongs to.
struct Pairing: Hashable {
  var server: String
  var account: String
}

/// The error after which a connection is not used again, shared by all views of a replica.
private final class Failure: Sendable {
  let error = Mutex<ReplicaError?>(nil)
}
