// SPDX-License-Identifier: Apache-2.0
// Runs the storage jobs of some accounts on one session with the database.

import AtrestHTTP2
import AtrestReplication
import Logging

/// A lane: a queue of jobs and one session, on an executor that others may share. Accounts are
/// spread over lanes, so that groups of different accounts commit at the same time.
///
///     waiting ── take ──▶ BEGIN, lock, load ──▶ run ──▶ write, COMMIT ──▶ answered
///        ▲                                                   │
///        └──── jobs that arrived meanwhile share the next ───┘
///
/// Answers a job after its commit returned, never before. A lost database ends no process: jobs are
/// answered `StoreError.unavailable`, and the next one tries again.
actor PostgresLane<Sessions: DatabaseSessions> {
  /// What a lane's transactions may do.
  enum Kind {
    /// Locks accounts, writes and commits.
    case writes
    /// Reads a snapshot.
    case reads
  }

  nonisolated let jobs: JobQueue
  private nonisolated let executor: any LaneExecutor
  private let kind: Kind
  private let sessions: Sessions
  private let registry: SessionRegistry
  private let environment: Environment
  private let logger: Logger
  private let unreadable: UnreadableLog
  private let writes: WriteWatch
  private let announce: @Sendable ([StoreNews]) -> Void
  private let sums = SumsCache()
  private var session: Sessions.Session?
  private var work: Task<Void, Never>?

  /// Bounds of one transaction. A group that took longer would make its last job wait for its
  /// first one, and rows of many megabytes are held until the commit.
  private let limits: JobQueue.Limits
  /// Bytes of stored records that a transaction loads by key or writes, at which it takes no
  /// further job: a few offers may name many large records.
  private static var recordBytes: Int { 16 << 20 }

  /// - Parameters:
  ///   - open: Opens a session.
  ///   - announce: Tells other daemons what was committed.
  init(
    _ kind: Kind, on executor: any LaneExecutor, sessions: Sessions, registry: SessionRegistry,
    environment: Environment, logger: Logger, unreadable: UnreadableLog, writes: WriteWatch,
    announce: @escaping @Sendable ([StoreNews]) -> Void
  ) {
    self.kind = kind
    self.executor = executor
    self.sessions = sessions
    self.registry = registry
    self.environment = environment
    self.logger = logger
    self.unreadable = unreadable
    self.writes = writes
    self.announce = announce
    var limits = JobQueue.Limits()
    limits.batchJobs = 256
    limits.batchBytes = 2 << 20
    self.limits = limits
    jobs = JobQueue(
      limits: limits, schedule: { work in executor.async(work) }, meter: environment.nanoseconds)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// See `StorageQueue.submit(_:)`.
  nonisolated func submit(_ job: any StorageJob) -> Bool {
    jobs.submit(job) { self.assumeIsolated { $0.serve() } }
  }

  /// Finishes the queued jobs, then closes the session.
  func close() async {
    jobs.refuseArrivals()
    while true {
      await work?.value
      jobs.takeArrivals()
      jobs.letAllGoOn()
      guard jobs.hasWork else { break }
      await process(jobs.take())
    }
    await dropSession()
  }

  // MARK: Groups

  private func serve() {
    jobs.takeArrivals()
    work = Task {
      if jobs.hasWork { await process(jobs.take()) }
      if jobs.goesOn() { jobs.schedule { self.assumeIsolated { $0.serve() } } }
    }
  }

  /// What became of a group that was committed.
  private struct Run {
    var done: [(job: QueuedJob, nanoseconds: UInt64)] = []
    /// Jobs for which there was no room.
    var rest: [QueuedJob] = []
    /// Jobs of accounts that are being moved to another cell.
    var refused: [QueuedJob] = []
    var feeds: [AccountFeed] = []
  }

  private func process(_ list: [QueuedJob], isRepeated: Bool = false) async {
    guard !list.isEmpty else { return }
    let start = environment.nanoseconds()
    do throws(StoreError) {
      let run = try await transact(list)
      jobs.putBack(run.rest)
      jobs.finish(run.refused, .moving)
      let elapsed = environment.nanoseconds() &- start
      if kind == .writes {
        environment.metrics?.committed(run.done.map(\.job), nanoseconds: elapsed)
      }
      let batch = jobs.settle(run.done, within: elapsed)
      jobs.finish(batch) { self.assumeIsolated { $0.serve() } }
      publish(run.feeds)
    } catch {
      jobs.charge(list, environment.nanoseconds() &- start)
      await recover(list, from: error, isRepeated: isRepeated)
    }
  }

  private func recover(_ list: [QueuedJob], from error: StoreError, isRepeated: Bool) async {
    environment.metrics?.failed(error)
    switch error {
    case .unavailable:
      await dropSession()
      // Nothing was done: a session that the server ended is no reason to fail.
      if isRepeated { jobs.finish(list, error) } else { await process(list, isRepeated: true) }
    case .busy:
      // Somebody holds one account's row, or what it holds cannot be. The others go on without it.
      let parts = Self.byParty(list)
      guard parts.count > 1 else { return jobs.finish(list, error) }
      for part in parts { await process(part) }
    case .outcomeUnknown:
      await dropSession()
      logger.warning("a commit's outcome is unknown", metadata: ["error": "\(error.userMessage)"])
      jobs.finish(list, error)
    case .full where list.contains { $0.use == .writes }:
      logger.warning("the database's disk is full: writes are refused")
      jobs.finish(list.filter { $0.use == .writes }, .full)
      await process(list.filter { $0.use != .writes })
    default:
      guard list.count > 1 else {
        if error != .moving {
          logger.error("a job failed", metadata: ["error": "\(error.userMessage)"])
        }
        return jobs.finish(list, error)
      }
      // One job is at fault: the others succeed by themselves.
      for job in list { await process([job]) }
    }
  }

  /// The jobs of each party, in the order of the first ones.
  private static func byParty(_ list: [QueuedJob]) -> [[QueuedJob]] {
    var parts: [[QueuedJob]] = []
    var indices: [Payer.Party: Int] = [:]
    for job in list {
      let party = job.payer.party
      if let index = indices[party] {
        parts[index].append(job)
      } else {
        indices[party] = parts.count
        parts.append([job])
      }
    }
    return parts
  }

  private func transact(_ list: [QueuedJob]) async throws(StoreError) -> Run {
    var queries = StoreQueries()
    for job in list { job.job.prefetch(&queries) }
    let accounts = Set(list.compactMap(\.payer.account))
    let start = environment.instant()
    if kind == .writes { writes.begins(at: start) }
    var isAcknowledged = false
    defer {
      if kind == .writes { writes.ended(isAcknowledged: isAcknowledged, at: environment.instant()) }
    }
    let session = try await connected()
    let opened = environment.instant()
    switch kind {
    case .reads:
      // They say whether an account may be read.
      queries.feedStates.formUnion(accounts)
      let run = try await PostgresUnitOfWork.read(queries: queries, on: session) {
        staged throws(StoreError) in try execute(list, staged, SessionRegistry.Notes())
      }
      learn(run.feeds, at: opened)
      return run
    case .writes:
      let notes = registry.takeNotes(of: accounts)
      do throws(StoreError) {
        let run = try await PostgresUnitOfWork.write(
          accounts: accounts, queries: queries, on: session, onCommit: { isAcknowledged = true },
          body: { staged throws(StoreError) in try execute(list, staged, notes) })
        learn(run.feeds, at: opened)
        return run
      } catch {
        registry.putBack(notes)
        throw error
      }
    }
  }

  /// Runs jobs on what was loaded. Those that lack something do not keep the others from noting
  /// what they lack, too.
  private func execute(
    _ list: [QueuedJob], _ staged: StagedTransaction, _ notes: SessionRegistry.Notes
  ) throws(StoreError) -> Run {
    var run = Run()
    var answerBytes = 0
    let batch = Batch(
      staged, environment: environment, isShared: true, sums: kind == .reads ? sums : nil)
    // Known before any of their jobs has run: the others share this transaction all the same.
    let moving = staged.moving(among: Set(list.compactMap(\.payer.account)))
    // What devices of a moving account have noted is noted again by their next calls.
    try notes.without(moving).write(to: staged.devices)
    var isFirst = true
    for job in list {
      if let account = job.payer.account, moving.contains(account) {
        run.refused.append(job)
        continue
      }
      let hasRoom =
        answerBytes < limits.batchAnswerBytes
        && staged.staging.recordBytes < Self.recordBytes
        // What later jobs lack is not loaded besides.
        && (staged.staging.isComplete || staged.staging.reads.recordBytes < Self.recordBytes)
      defer { isFirst = false }
      guard isFirst || hasRoom else {
        run.rest.append(job)
        continue
      }
      let start = environment.nanoseconds()
      do throws(StoreError) {
        try job.job.run(in: batch)
      } catch {
        // What an earlier job lacks may be why this one fails.
        if staged.staging.isComplete { throw error }
        continue
      }
      run.done.append((job, environment.nanoseconds() &- start))
      answerBytes += job.job.answerBytes
    }
    guard staged.staging.isComplete else { throw .notLoaded }
    run.feeds = try batch.finish()
    batch.sums?.keep()
    return run
  }

  // MARK: What was committed

  /// Before the answers: a device may call again as soon as it has one.
  private func learn(_ feeds: [AccountFeed], at instant: Instant) {
    for feed in feeds {
      unreadable.report(feed.unreadable)
      guard let account = registry.account(feed.account) else { continue }
      // Of another daemon's commit, which was there when this transaction began.
      if account.learn(feed.start, at: instant) {
        account.announceHead(serverTime: environment.now())
      }
      // This daemon's own, which `publish` tells. The account was locked since `start`.
      _ = account.learn(feed.head, at: instant)
    }
  }

  private func publish(_ feeds: [AccountFeed]) {
    guard kind == .writes, !feeds.isEmpty else { return }
    let now = environment.now()
    for feed in feeds where feed.head != feed.start {
      registry.account(feed.account)?.publish(feed, serverTime: now)
    }
    // Of those that did not advance, too: what they acknowledge may be a commit whose answer was
    // lost, and that nobody told of.
    announce(feeds.map { .head($0.account, $0.head) })
  }

  // MARK: The session

  private func connected() async throws(StoreError) -> Sessions.Session {
    if let session, await sessions.uses(session, isolation: self) { return session }
    await dropSession()
    let new = try await sessions.open(isolation: self)
    session = new
    return new
  }

  private func dropSession() async {
    await session?.end(isolation: self)
    session = nil
  }
}

extension Payer {
  /// The account whose rows a job of this payer writes; nil: found out while it runs.
  fileprivate var account: AccountID? {
    switch party {
    case .account(let id): id
    // An owner's command that finds nothing to do is acknowledged, too: by a write to this row.
    case .server: .server
    case .unauthenticated: nil
    }
  }
}
