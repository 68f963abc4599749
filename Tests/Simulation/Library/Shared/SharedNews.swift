// SPDX-License-Identifier: Apache-2.0
// LISTEN and NOTIFY between the servers of a shared database: late, lost, and trusted for how long.

import AtrestHTTP2
import AtrestServer

/// One server's listener and its notifications.
final class SharedNews {
  /// A listener that heard nothing for so long is not trusted: see `PostgresListener`.
  private static let pingLifetime: Int64 = 1_000_000

  private let database: SharedDatabase
  private let node: Int
  private let hear: ([StoreNews]) -> Void
  private let onListening: () -> Void
  private var waiting = WaitingNews()
  private var isTelling = false
  private var since: Int64?
  private var lostAt: Int64?
  private var epoch = 0
  private var lastArrival: Int64 = 0
  private var isStopped = false

  init(
    _ database: SharedDatabase, node: Int, hear: @escaping ([StoreNews]) -> Void,
    onListening: @escaping () -> Void
  ) {
    self.database = database
    self.node = node
    self.hear = hear
    self.onListening = onListening
  }

  private var sender: String { "@\(node)" }
  private var now: Int64 { database.scheduler.now }

  // MARK: Listening

  func connect() {
    let wait = Int64(database.chance.pick(1...100_000))
    database.scheduler.after(wait) { [weak self] in
      guard let self, !isStopped, since == nil || lostAt != nil else { return }
      guard database.isRunning else { return connect() }
      (since, lostAt) = (now, nil)
      epoch += 1
      onListening()
    }
  }

  func lose() {
    guard since != nil, lostAt == nil else { return }
    lostAt = now
    epoch += 1
    let wait = Int64(database.chance.pickSkewed(1...20_000_000))
    database.scheduler.after(wait) { [weak self] in self?.connect() }
  }

  func stop() {
    isStopped = true
    lose()
  }

  /// Since when everything was heard, in microseconds; nil if that is not certain. A connection
  /// that is lost is noticed when a ping is not answered.
  var listeningSince: Int64? {
    guard let since else { return nil }
    if let lostAt, now >= lostAt + Self.pingLifetime { return nil }
    return since
  }

  // MARK: Telling

  /// Tells news soon: one notification, after the commits that it tells of.
  func tell(_ news: [StoreNews]) {
    waiting.add(news)
    guard !isTelling else { return }
    isTelling = true
    let wait = Int64(database.chance.pick(0...database.weather.latency))
    database.scheduler.after(wait) { [weak self] in self?.tellAll() }
  }

  private func tellAll() {
    isTelling = false
    let payloads = WaitingNews.payloads(waiting.take(), from: sender)
    guard !isStopped, database.isRunning else { return }
    for payload in payloads {
      if let share = database.weather.lostNews, database.chance.oneIn(share) {
        database.world.count(.lostNews)
        continue
      }
      for listener in database.world.listeners { listener.receive(payload) }
    }
  }

  /// In the order in which they were told, but as late as it gets.
  private func receive(_ payload: String) {
    guard since != nil, lostAt == nil else { return database.world.count(.lostNews) }
    let delay = Int64(database.chance.pick(0...database.weather.newsDelay))
    lastArrival = max(lastArrival, now + delay)
    let epoch = epoch
    database.scheduler.after(lastArrival - now) { [weak self] in
      guard let self, epoch == self.epoch, !isStopped else { return }
      hear(WaitingNews.read(payload, unlessFrom: sender))
      if let share = database.weather.deafListeners, database.chance.oneIn(share) { lose() }
    }
  }
}
