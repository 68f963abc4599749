// SPDX-License-Identifier: Apache-2.0
// Spreads the storage jobs of a daemon over lanes by their accounts.

import AtrestReplication
import AtrestSockets
import Logging

/// The lanes of one daemon: a job of an account never waits for another lane, and two groups of a
/// daemon never hold rows of one account. Thread-safe.
package final class PostgresLanes<Session: DatabaseSession>: Sendable {
  /// Opens a session for a lane, which is the actor.
  typealias Open = @Sendable (isolated (any Actor)?) async throws(StoreError) -> Session

  private let writers: [PostgresLane<Session>]
  private let readers: [PostgresLane<Session>]

  /// - Parameters:
  ///   - readers: At least one, as of writers.
  ///   - shard: What the nth lane of each kind runs on.
  ///   - open: Opens a session for a lane, which is the actor.
  ///   - announce: Tells other daemons what was committed.
  package init<Executor: LaneExecutor>(
    writers: Int, readers: Int, registry: SessionRegistry, environment: Environment,
    logger: Logger, announce: @escaping @Sendable ([StoreNews]) -> Void,
    shard: (Int) -> Executor,
    open:
      @escaping @Sendable (Executor, isolated (any Actor)?) async throws(StoreError) -> Session
  ) {
    let unreadable = UnreadableLog(logger)
    func make(_ kind: PostgresLane<Session>.Kind, _ count: Int) -> [PostgresLane<Session>] {
      (0..<max(1, count)).map { index in
        let shard = shard(index)
        return PostgresLane(
          kind, on: shard, registry: registry, environment: environment, logger: logger,
          unreadable: unreadable, open: { lane async throws(StoreError) in try await open(shard, lane) },
          announce: announce)
      }
    }
    self.writers = make(.writes, writers)
    self.readers = make(.reads, readers)
  }

  /// See `StorageQueue.submit(_:)`.
  package func submit(_ job: any StorageJob) -> Bool {
    // A position between commits is nothing that daemons of one database could agree on.
    let lanes = job.use == .reads || job.use == .waits ? readers : writers
    return lanes[index(of: job.payer.party, among: lanes.count)].submit(job)
  }

  private func index(of party: Payer.Party, among count: Int) -> Int {
    switch party {
    case .account(let id): Int(truncatingIfNeeded: id.rawValue.magnitude % UInt64(count))
    case .server: 0
    case .unauthenticated: count - 1
    }
  }

  /// Finishes the queued jobs, then closes the sessions.
  package func close() async {
    for lane in readers + writers { await lane.close() }
  }

  /// Drops what is queued, unanswered: for the end of a process that is simulated.
  package func abandon() {
    for lane in readers + writers { lane.jobs.abandon() }
  }
}

/// What a lane runs on: a shard, or a simulation's only thread. Outlives its lanes.
package protocol LaneExecutor: SerialExecutor {
  /// Runs work later, in order.
  func async(_ work: @escaping @Sendable () -> Void)
}

extension Shard: LaneExecutor {}
