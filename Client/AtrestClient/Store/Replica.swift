// SPDX-License-Identifier: Apache-2.0
// The local replica: a directory that belongs to one person's one device.

import AtrestProtocol
import Dispatch
import Foundation
import GRDB
import Synchronization

/// A local replica. Works offline from the first moment; pairing gives it an account to sync with.
///
/// Reads and writes block on the disk: a write is durable when its method returns. Any number of
/// `Replica`s and processes may share one directory. Thread-safe.
public final class Replica: Sendable {
  /// Where it lives.
  public let directory: URL

  let clock: any WallClock
  let random: @Sendable () -> UInt64
  /// Offers of a request, at most.
  let pageRecords: Int
  private let path: String
  private let queue: DatabaseQueue
  /// Set when the disk failed. What a commit that failed left behind is unknown, and this
  /// connection's view of it may be wrong, so it is not used again; opening the replica anew reads
  /// what is there.
  private let failure: Failure
  /// Whose the replica must be for a transaction to run; nil: anybody's.
  private let pairing: Pairing?
  /// Where asynchronous callers wait for the disk, so that they hold no thread of the task pool.
  private let waiting: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// How long a transaction waits for another process to end its own, in seconds.
  package static let busyTimeout: TimeInterval = 10

  /// Opens the replica, or makes it if there is none.
  ///
  /// - Throws: `ReplicaError`; then nothing on disk was changed.
  public convenience init(
    directory: URL, clock: any WallClock = SystemClock()
  ) throws(ReplicaError) {
    try self.init(
      directory: directory, clock: clock, busyTimeout: Replica.busyTimeout,
      random: { UInt64.random(in: 1 ... .max) })
  }

  /// The same with everything that a test or a simulation decides.
  ///
  /// - Parameters:
  ///   - busyTimeout: Seconds.
  ///   - random: Numbers that nobody can guess and none of which is zero: sync tokens are made of
  ///     them.
  package init(
    directory: URL, clock: any WallClock, busyTimeout: TimeInterval = Replica.busyTimeout,
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 1 ... .max) }
  ) throws(ReplicaError) {
    self.directory = directory
    self.clock = clock
    self.random = random
    let file = ReplicaFile(directory: directory)
    path = file.path
    pageRecords = Page.records
    queue = try file.open(busyTimeout: busyTimeout)
    failure = Failure()
    let waiting = DispatchQueue(label: "atrest.replica.waiting")
    self.waiting = { work in waiting.async(execute: work) }
    pairing = nil
  }

  /// A replica on a disk of the caller's own, for simulations.
  ///
  /// - Parameters:
  ///   - uri: A SQLite URI that names its file system; nothing else may have the file open. Made if
  ///     there is none.
  ///   - checkpointPages: Pages of the log at which it is moved into the file.
  ///   - pageRecords: Offers of a request, at most.
  ///   - random: Numbers that nobody can guess and none of which is zero.
  ///   - waiting: Runs what waits for the disk, now or later, once.
  package init(
    uri: String, clock: any WallClock, checkpointPages: Int, pageRecords: Int,
    random: @escaping @Sendable () -> UInt64,
    waiting: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) throws(ReplicaError) {
    directory = URL(fileURLWithPath: "/simulated")
    self.clock = clock
    self.random = random
    self.waiting = waiting
    path = uri
    queue = try ReplicaFile.open(uri: uri, checkpointPages: checkpointPages)
    self.pageRecords = pageRecords
    failure = Failure()
    pairing = nil
  }

  /// The same replica for as long as it belongs to an account: for talks with its server, which
  /// another process may end and begin anew with somebody else's.
  func bound(to pairing: Pairing) -> Replica { Replica(self, pairing: pairing) }

  private init(_ other: Replica, pairing: Pairing) {
    directory = other.directory
    clock = other.clock
    random = other.random
    path = other.path
    pageRecords = other.pageRecords
    queue = other.queue
    failure = other.failure
    waiting = other.waiting
    self.pairing = pairing
  }

  /// Whether there is a replica (of whatever condition) in a directory, or something that keeps
  /// this from being seen: opening it then says what. Makes nothing.
  public static func exists(at directory: URL) -> Bool {
    var status = stat()
    return stat(ReplicaFile(directory: directory).path, &status) == 0 || errno != ENOENT
  }

  /// Runs several reads and writes as one: others see all or nothing of it, and no other process
  /// writes meanwhile.
  ///
  /// Each write inside is one user action with a stamp of its own. Good for read-then-write, and
  /// for many writes at once: ten thousand cost little more than one. Do not call the replica
  /// itself from inside.
  /// - Throws: What `body` throws, after undoing everything; `ReplicaError` if the replica fails.
  public func transaction<Result>(
    _ body: (ReplicaTransaction) throws -> Result
  ) throws -> Result {
    try run(.immediate, body)
  }

  /// The same for this module's own bodies, which throw nothing but what the database throws.
  func write<Result>(
    _ body: (ReplicaTransaction) throws -> Result
  ) throws(ReplicaError) -> Result {
    do { return try run(.immediate, body) } catch { throw ReplicaError(error, path: path) }
  }

  /// A consistent view that lets other processes write meanwhile.
  func read<Result>(
    _ body: (ReplicaTransaction) throws -> Result
  ) throws(ReplicaError) -> Result {
    do { return try run(.deferred, body) } catch { throw ReplicaError(error, path: path) }
  }

  /// Waits for the disk without holding a thread of the task pool.
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
    do {
      return try queue.writeWithoutTransaction { database in
        var result: Result?
        try database.inTransaction(kind) {
          let transaction = try ReplicaTransaction(
            database, path: path, now: clock.now(), random: random)
          if let pairing, transaction.state.pairing != pairing { throw ReplicaError.pairingEnded }
          result = try body(transaction)
          try transaction.finish()
          return .commit
        }
        guard let result else { preconditionFailure("a committed transaction has a result") }
        return result
      }
    } catch let error as DatabaseError {
      let known = ReplicaError(error, path: path)
      if error.resultCode == .SQLITE_IOERR { failure.error.withLock { $0 = known } }
      throw known
    }
  }
}

/// Which account on which server a replica belongs to.
struct Pairing: Hashable {
  var server: String
  var account: String
}

/// The error that ended the use of a connection, shared by all views of a replica.
private final class Failure: Sendable {
  let error = Mutex<ReplicaError?>(nil)
}
