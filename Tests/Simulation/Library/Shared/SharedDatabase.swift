// SPDX-License-Identifier: Apache-2.0
// A primary and its synchronous standby: what may interleave, what is lost when, and who is told.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestReplication
import AtrestServer
import Foundation

/// A model of PostgreSQL at READ COMMITTED, with locks on the rows of accounts.
///
///     ── BEGIN, lock ─ read ─ … ─ read ──▶ COMMIT: check, log ──▶ standby has it ──▶ visible,
///            waits     each sees what is committed by then                 answered, locks freed
///
/// The seed decides how long each way and each wait takes, and so what others do in between. A
/// session may be lost at any point: the client's end at once, the database's end soon or late. A
/// commit whose wait for the standby is cut short is visible, not on the standby, and told to
/// nobody.
///
/// Source: PostgreSQL 15, `RecordTransactionCommit`, `SyncRepWaitForLSN`, and chapter 13 of its
/// manual.
final class SharedDatabase {
  /// What a commit wrote: a record of the log.
  final class Commit {
    let changes: StagedChanges
    let accounts: Set<AccountID>
    var isVisible = false
    var isOnStandby = false
    /// Goes on once the standby has it.
    var acknowledge: (() -> Void)?

    init(_ changes: StagedChanges, _ accounts: Set<AccountID>) {
      self.changes = changes
      self.accounts = accounts
    }
  }

  unowned let world: World
  var chance: Chance
  var weather: SharedWeather
  /// What is visible on the primary.
  private(set) var tables = SharedTables()
  /// What the standby has.
  private(set) var standby = SharedTables()
  /// A dump.
  var backup: SharedTables?
  /// Counts histories: another one begins with what is put back, or with a failover that lost what
  /// somebody has seen.
  private(set) var histories = 0
  /// The primary's log beyond what the standby has.
  private var log: [Commit] = []
  private var lastArrival: Int64 = 0
  private var isStandbyAway = false
  private(set) var isRunning = true
  /// Whether something other than conflicts went wrong, ever: then calls may fail.
  private(set) var hadTrouble = false
  /// Commits that find room. Nil: any number.
  var roomLeft: Int?
  /// What happens after so many more trips.
  private var trap: (trips: Int, action: (Int) -> Void)?
  private var numbers = SharedNumbers()
  private var locks = SharedLocks()
  private var sessions: [SharedSession] = []
  /// When each account's head became what, lately.
  private var heads: [AccountID: [(since: Int64, head: UInt64)]] = [:]

  /// How long an idle session in a transaction is kept whose client vanished silently.
  private static let idleTimeout: Int64 = 10_000_000
  /// How long a client waits for the answer of a trip.
  private static let deadline: Int64 = 20_000_000

  init(_ world: World) {
    self.world = world
    chance = Chance(world.history.seed ^ 0x5348_4152_4544)
    weather = SharedWeather(&chance)
  }

  var scheduler: Scheduler { world.scheduler }

  /// Makes the accounts, and a device of the first one.
  func prepare(_ names: [String], _ device: (AccountID) -> DeviceEntry?) {
    let now = world.serverClock.now()
    let ids = names.map { name in
      let id = numbers.nextAccount()
      tables.accounts[id] = SharedTables.Account(name: name, created: now)
      return id
    }
    if let device = device(ids[0]) {
      tables.devices[device.replica] = SharedTables.Device(entry: device)
    }
    standby = tables
  }

  // MARK: Sessions

  func open(for node: Int, _ done: @escaping (SharedSession?) -> Void) {
    after(way()) { [self] in
      guard isRunning, world.isAlive(node: node) else { return done(nil) }
      let session = SharedSession(self, node: node)
      sessions.append(session)
      done(session)
    }
  }

  /// The client's end is closed: now, or because a connection broke.
  func lose(_ session: SharedSession) {
    guard session.isOpen else { return }
    session.isOpen = false
    session.lose?()
    // A process that ends is noticed soon, a machine that vanishes when the timeout is over.
    let wait = chance.oneIn(8) ? Self.idleTimeout : Int64(chance.pick(0...50_000))
    after(wait) { [self] in terminate(session) }
  }

  /// The sessions of a server that ended.
  func loseAll(of node: Int) {
    for session in sessions where session.node == node { lose(session) }
  }

  /// The database's end is gone: nobody's lock outlives its holder. A wait for the standby ends,
  /// and what waited is visible.
  private func terminate(_ session: SharedSession) {
    if case .ended = session.backend { return }
    if case .waitsForStandby(let commit) = session.backend {
      commit.acknowledge = nil
      world.count(.cutWaits)
      show(commit)
    }
    session.backend = .ended
    session.snapshot = nil
    sessions.removeAll { $0 === session }
    release(session)
    if session.isOpen { lose(session) }
  }

  private func release(_ session: SharedSession) {
    session.locked = []
    for go in locks.release(session) { after(0) { go() } }
  }

  // MARK: Trips

  private typealias Reply<Value> = (Result<Value, PostgresError>) -> Void

  private func way() -> Int64 { Int64(chance.pick(1...max(1, weather.latency))) }

  private func after(_ delay: Int64, _ action: @escaping () -> Void) {
    scheduler.after(delay, action)
  }

  /// A request travels, is served, and its answer travels.
  ///
  /// - Parameter isCommit: Whether a session that is lost on the way leaves its outcome unknown.
  private func trip<Value>(
    _ session: SharedSession, isCommit: Bool, _ done: @escaping Reply<Value>,
    _ serve: @escaping (@escaping Reply<Value>) -> Void
  ) {
    var isOver = false
    let finish: Reply<Value> = { result in
      guard !isOver else { return }
      isOver = true
      session.lose = nil
      done(result)
    }
    let lost = PostgresError.lost("the connection was lost")
    let loss = isCommit ? PostgresError.unknown(after: lost) : lost
    guard session.isOpen, world.isAlive(node: session.node) else { return finish(.failure(lost)) }
    session.lose = { [self] in
      if isCommit { world.count(.unknownCommits) }
      after(0) { finish(.failure(loss)) }
    }
    spring(session.node)
    if let share = weather.breaks, chance.oneIn(share) {
      hadTrouble = true
      let most = isCommit ? weather.latency * 4 + weather.standbyLag * 2 : weather.latency * 3
      after(Int64(chance.pick(0...most))) { [self] in lose(session) }
    }
    after(Self.deadline) { [self] in
      guard !isOver else { return }
      hadTrouble = true
      lose(session)
    }
    after(way()) { [self] in
      if case .ended = session.backend { return lose(session) }
      if session.mustRollBack { end(session) }
      serve { result in self.after(self.way()) { finish(result) } }
    }
  }

  /// Whether another transaction is in the way, by the seed.
  private func drawsConflict(_ session: SharedSession) -> Bool {
    guard let share = weather.conflicts, chance.oneIn(share), session.conflicts < 3 else {
      session.conflicts = 0
      return false
    }
    session.conflicts += 1
    world.count(.conflictingTrips)
    return true
  }

  // MARK: Transactions

  func begin(
    _ session: SharedSession, _ accounts: Set<AccountID>?, _ queries: StoreQueries,
    _ reads: StagedReads, _ done: @escaping (Result<StagedReads, PostgresError>) -> Void
  ) {
    trip(session, isCommit: false, done) { [self] reply in
      session.backend = .inTransaction
      guard let accounts else {
        session.snapshot = tables
        return answer(session, queries, SharedTables.ReadGroup.allCases[...], reads, reply)
      }
      let sorted = accounts.sorted { $0.rawValue < $1.rawValue }.map { SharedLock.account($0) }
      take(sorted[...], session, reply) { [self] in
        // Rows that are not there are passed over.
        session.locked = accounts.filter { tables.accounts[$0] != nil }
        if drawsConflict(session) { return fail(session, .deadlock, reply) }
        var reads = reads
        for account in accounts { reads.presences[account] = tables.presence(of: account) }
        answer(session, queries, SharedTables.ReadGroup.allCases[...], reads, reply)
      }
    }
  }

  /// The clock of its machine, which is right.
  private var now: WallTime {
    WallTime(milliseconds: SimulatedClock.start + scheduler.now / 1000)
  }

  func load(
    _ session: SharedSession, _ queries: StoreQueries, _ reads: StagedReads,
    _ done: @escaping (Result<StagedReads, PostgresError>) -> Void
  ) {
    trip(session, isCommit: false, done) { [self] reply in
      if drawsConflict(session) { return fail(session, .conflict, reply) }
      answer(session, queries, SharedTables.ReadGroup.allCases[...], reads, reply)
    }
  }

  /// One statement after the other.
  private func answer(
    _ session: SharedSession, _ queries: StoreQueries,
    _ groups: ArraySlice<SharedTables.ReadGroup>, _ reads: StagedReads,
    _ reply: @escaping Reply<StagedReads>
  ) {
    if case .ended = session.backend { return }
    guard let group = groups.first else { return reply(.success(reads)) }
    var reads = reads
    (session.snapshot ?? tables).answer(
      queries, group, upTo: weather.chunkRows, at: now, &numbers, into: &reads)
    let rest = groups.dropFirst()
    guard !rest.isEmpty, chance.oneIn(2) else {
      return answer(session, queries, rest, reads, reply)
    }
    after(Int64(chance.pick(1...max(1, weather.latency)))) { [self] in
      answer(session, queries, rest, reads, reply)
    }
  }

  private func take<Value>(
    _ list: ArraySlice<SharedLock>, _ session: SharedSession, _ reply: @escaping Reply<Value>,
    _ go: @escaping () -> Void
  ) {
    if case .ended = session.backend { return }
    guard let lock = list.first else { return go() }
    let rest = list.dropFirst()
    switch locks.take(lock, for: session, { self.take(rest, session, reply, go) }) {
    case .granted: take(rest, session, reply, go)
    case .waits: world.count(.lockWaits)
    case .deadlock: fail(session, .deadlock, reply)
    }
  }

  private func fail<Value>(
    _ session: SharedSession, _ error: PostgresError, _ reply: Reply<Value>
  ) {
    end(session)
    reply(.failure(error))
  }

  private func end(_ session: SharedSession) {
    session.mustRollBack = false
    if case .ended = session.backend { return }
    session.backend = .idle
    session.snapshot = nil
    release(session)
  }

  /// Nobody waits for the answer, and the request itself may be lost with its session.
  func rollBack(_ session: SharedSession) {
    guard session.isOpen else { return }
    session.mustRollBack = true
    after(way()) { [self] in
      if session.mustRollBack { end(session) }
    }
  }

  func commit(
    _ session: SharedSession, _ changes: StagedChanges, touching accounts: Set<AccountID>,
    _ done: @escaping (Result<Void, PostgresError>) -> Void
  ) {
    trip(session, isCommit: true, done) { [self] reply in
      let strangers = changes.ownedAccounts.subtracting(session.locked)
        .filter { tables.accounts[$0] != nil }
      if !strangers.isEmpty {
        world.broke("a transaction writes what belongs to an account without its lock")
      }
      take(changes.contested[...], session, reply) { [self] in
        if drawsConflict(session) { return fail(session, .conflict, reply) }
        if let left = roomLeft, !changes.isEmpty {
          guard left > 0 else {
            hadTrouble = true
            return fail(session, .diskFull, reply)
          }
          roomLeft = left - 1
        }
        append(SharedDatabase.Commit(changes, accounts), of: session, reply)
      }
    }
  }

  private func append(
    _ commit: Commit, of session: SharedSession, _ reply: @escaping Reply<Void>
  ) {
    var next = tables
    do throws(PostgresError) {
      try next.write(commit.changes, touching: commit.accounts)
    } catch {
      world.count(.conflictingCommits)
      return fail(session, error, reply)
    }
    world.count(.sharedCommits)
    guard !commit.changes.isEmpty || !commit.accounts.isEmpty else {
      // Nothing is in the log, and so there is nothing to wait for.
      end(session)
      return reply(.success(()))
    }
    session.backend = .waitsForStandby(commit)
    commit.acknowledge = { [self] in
      show(commit)
      end(session)
      reply(.success(()))
    }
    log.append(commit)
    send()
  }

  /// The log's next record is on its way to the standby.
  private func send() {
    let lag = Int64(chance.pick(0...max(0, weather.standbyLag)))
    lastArrival = max(lastArrival, scheduler.now + lag)
    after(lastArrival - scheduler.now) { [self] in receive() }
  }

  /// The standby has all of the log that arrived by now.
  private func receive() {
    guard !isStandbyAway, isRunning, !log.isEmpty else { return }
    let commit = log.removeFirst()
    do throws(PostgresError) {
      try standby.write(commit.changes, touching: commit.accounts)
    } catch {
      world.broke("the standby cannot apply a commit: \(error)")
    }
    commit.isOnStandby = true
    commit.acknowledge?()
    commit.acknowledge = nil
  }

  /// Everybody sees the commit from now on.
  private func show(_ commit: Commit) {
    guard !commit.isVisible else { return }
    commit.isVisible = true
    do throws(PostgresError) {
      try tables.write(commit.changes, touching: commit.accounts)
    } catch {
      world.broke("what a commit relied on was changed while it held its locks: \(error)")
    }
    for (account, change) in commit.changes.feeds {
      guard let head = change.head else { continue }
      var list = (heads[account] ?? []).filter { $0.since > scheduler.now - 60_000_000 }
      if list.isEmpty, let last = heads[account]?.last { list = [last] }
      heads[account] = list + [(scheduler.now, head.sequence)]
    }
    if !commit.changes.feeds.isEmpty { world.look() }
  }

  /// What an account's head was at a time.
  func head(of account: AccountID, at time: Int64) -> UInt64 {
    heads[account]?.last { $0.since <= time }?.head ?? 0
  }

  // MARK: Faults

  /// Lets something happen during the nth trip from now, with the server that makes it.
  func after(trips: Int, _ action: @escaping (Int) -> Void) { trap = (trips, action) }

  private func spring(_ node: Int) {
    guard let (trips, action) = trap else { return }
    trap = trips > 1 ? (trips - 1, action) : nil
    if trips <= 1 { after(Int64(chance.pick(0...weather.latency * 3))) { action(node) } }
  }

  /// The standby is away: nothing is acknowledged until it is back.
  func loseStandby(for time: Int64) {
    hadTrouble = true
    isStandbyAway = true
    after(time) { [self] in returnStandby() }
  }

  /// Ends the waits for the standby, as an administrator does: what waited is visible, and told to
  /// nobody.
  func cutWaits() {
    hadTrouble = true
    for session in sessions {
      if case .waitsForStandby = session.backend { terminate(session) }
    }
  }

  private func returnStandby() {
    guard isStandbyAway else { return }
    isStandbyAway = false
    for _ in log { send() }
  }

  /// The primary crashes and recovers: what is in its log stays, acknowledged or not.
  func crash() {
    world.count(.crashes)
    stop()
    for commit in log { show(commit) }
  }

  /// The primary is gone, and the standby takes over: exactly what no acknowledged commit waited
  /// for is lost.
  func failOver() {
    world.count(.failovers)
    // Nobody was told of these, but somebody may have seen them.
    let lostSeen = log.contains { $0.isVisible && !$0.changes.isEmpty }
    if lostSeen { world.count(.lossyFailovers) }
    world.failOver(losing: lostSeen) { [self] in
      stop()
      log = []
      tables = standby
      if lostSeen { begin() }
    }
  }

  /// An older copy is put in place.
  func putBack(_ copy: SharedTables) {
    stop()
    log = []
    tables = copy
    standby = copy
    begin()
  }

  private func begin() {
    histories += 1
    heads = [:]
    for account in tables.accounts.keys {
      heads[account] = [(scheduler.now, tables.head(of: account).sequence)]
    }
  }

  /// All sessions are lost, and new ones are refused for a while.
  private func stop() {
    hadTrouble = true
    isRunning = false
    for session in sessions {
      // The process is gone, and with it the wait: its commit is not shown by this.
      session.backend = .ended
      session.snapshot = nil
      (session.held, session.waitsFor) = ([], nil)
      lose(session)
    }
    for commit in log { commit.acknowledge = nil }
    sessions = []
    locks = SharedLocks()
    world.loseListeners()
    after(Int64(chance.pick(100_000...5_000_000))) { [self] in
      isRunning = true
      for _ in log { send() }
    }
  }

  /// Everything is well from now on.
  func heal() {
    weather.calm()
    trap = nil
    roomLeft = nil
    returnStandby()
  }

  /// Ends all that waits: the world is over.
  func close() {
    weather.calm()
    trap = nil
    for session in sessions { lose(session) }
    isRunning = false
  }
}
