// SPDX-License-Identifier: Apache-2.0
// Spreads the storage jobs of a daemon over lanes by their accounts.

import AtrestReplication
import AtrestSockets
import Logging

/// The lanes of one daemon: a job of an account never waits for another lane, and two groups of a
/// daemon never hold rows of one account. Thread-safe.
package final class PostgresLanes<Sessions: DatabaseSessions>: Sendable {
  private let writers: [PostgresLane<Sessions>]
  private let readers: [PostgresLane<Sessions>]

  /// - Parameters:
  ///   - readers: At least one, as of writers.
  ///   - writes: Notes what is acknowledged.
  ///   - place: What the nth lane of each kind runs on, and how it opens its session.
  ///   - announce: Tells other daemons what was committed.
  package init(
    writers: Int, readers: Int, registry: SessionRegistry, environment: Environment,
    logger: Logger, writes: WriteWatch = WriteWatch(), place: (Int) -> (any LaneExecutor, Sessions),
    announce: @escaping @Sendable ([StoreNews]) -> Void
  ) {
    let unreadable = UnreadableLog(logger)
    func make(_ kind: PostgresLane<Sessions>.Kind, _ count: Int) -> [PostgresLane<Sessions>] {
      (0..<max(1, count)).map { index in
        let (executor, sessions) = place(index)
        return PostgresLane(
          kind, on: executor, sessions: sessions, registry: registry, environment: environment,
          logger: logger, unreadable: unreadable, writes: writes, announce: announce)
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
    // Together: a database that does not answer takes the time of one.
    await withTaskGroup { group in
      for lane in readers + writers { group.addTask { await lane.close() } }
    }
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
