// SPDX-License-Identifier: Apache-2.0
// The servers of a shared database: how they start and end, and what faults do to them.

import AtrestClient
import AtrestReplication
import AtrestServer
import AtrestWire

extension World {
  // MARK: Servers

  /// A server that takes calls, as a balancer chooses one. Nil: there is none.
  func anyNode(_ number: UInt64) -> ServerProcess? {
    let alive = nodes.compactMap(\.self).filter(\.isAlive)
    return alive.isEmpty ? nil : alive[Int(number % UInt64(alive.count))]
  }

  func isAlive(node: Int) -> Bool { nodes.indices.contains(node) && nodes[node]?.isAlive == true }

  var listeners: [SharedNews] { nodes.compactMap { $0?.news } }

  func loseListeners() {
    for listener in listeners { listener.lose() }
  }

  func startNodes() {
    for node in nodes.indices { startNode(node) }
  }

  private func startNode(_ node: Int) {
    guard let database, nodes[node] == nil, violation == nil else { return }
    var chance = Chance(database.chance.next())
    let pages = pageRecords(&chance)
    nodes[node] = ServerProcess(
      self, sharing: database, node: node, chance: chance, pageRecords: pages)
  }

  /// Ends one server. It starts again within twenty seconds.
  private func endNode(_ node: Int) {
    guard let process = nodes[node], let database else { return }
    count(.serverEnds)
    process.end(.killed)
    nodes[node] = nil
    scheduler.after(Int64(database.chance.pick(1...20_000_000))) { [weak self] in
      self?.startNode(node)
    }
  }

  func endNodes() {
    for node in nodes.indices { endNode(node) }
  }

  func foreignerIsBusy(for time: Int64) {
    foreignerWaitsUntil = database == nil ? 0 : scheduler.now + time
  }

  // MARK: Faults

  /// Performs an action that has another meaning where servers share a database.
  ///
  /// - Returns: False if it has not.
  func perform(
    _ action: Step.Action, on database: SharedDatabase, _ chance: inout Chance
  ) -> Bool {
    switch action {
    case .endServer(.killed):
      if chance.oneIn(3) { endNodes() } else { endNode(chance.pick(0...nodes.count - 1)) }
    case .endServer(.powerLost): fail(database, chance.oneIn(2))
    case .endServerInWrite(let calls, .killed):
      database.after(trips: calls) { [weak self] node in self?.endNode(node) }
    case .endServerInWrite(let calls, .powerLost):
      let isFailover = chance.oneIn(2)
      database.after(trips: calls) { [weak self] _ in self?.fail(database, isFailover) }
    case .serverFull(let after): database.roomLeft = after
    case .serverDiskSyncFails(let calls):
      // Whoever waits for the standby is cut off, and what they wrote may be lost with the primary.
      let time = Int64(chance.pickSkewed(10_000...60_000_000))
      let isLost = chance.oneIn(2)
      let then = Int64(chance.pick(0...Int(time)))
      let isCut = chance.oneIn(2)
      database.after(trips: calls) { [weak self] _ in
        database.loseStandby(for: time)
        if isCut { self?.scheduler.after(then / 2) { database.cutWaits() } }
        if isLost { self?.scheduler.after(then) { self?.fail(database, true) } }
      }
    case .backUpServer: database.backup = database.tables
    case .putBackServer:
      guard let backup = database.backup else { return true }
      count(.putBacks)
      serverMayHaveForgotten = true
      forgetting { database.putBack(backup) }
    default: return false
    }
    return true
  }

  private func fail(_ database: SharedDatabase, _ isFailover: Bool) {
    guard !isHealing, violation == nil, database.isRunning else { return }
    if isFailover { database.failOver() } else { database.crash() }
  }

  /// A failover: nothing that was acknowledged may be missing.
  ///
  /// - Parameter isSeen: Whether somebody may have seen what is lost.
  func failOver(losing isSeen: Bool, _ change: () -> Void) {
    if isSeen { forgetting(change) } else { change() }
    guard violation == nil else { return }
    // What a device holds is not yet promised: only what was acknowledged.
    look()
  }

  // MARK: What is acknowledged

  /// The account with an id.
  func account(_ id: AccountID) -> Account { accounts[Int(id.rawValue) - 1] }

  /// Remembers which offers an answer refuses. Once one process has settled their numbers, the
  /// server does not repeat that to another.
  func noteRefusals(
    _ answer: ExchangeResponse, to request: ExchangeRequest, of account: Account
  ) {
    guard let segment = request.segment else { return }
    for refusal in answer.refusals {
      account.refused.insert(
        RefusedOffer(
          number: segment.numbers[refusal.index], bytes: request.offers[refusal.index]))
    }
  }

  /// Checks that the standby has what an answer acknowledges.
  func checkTaken(
    _ answer: ExchangeResponse, to request: ExchangeRequest, of account: Account
  ) {
    guard let database, violation == nil, let segment = request.segment,
      let position = answer.takenThrough, segment.follows(position)
    else { return }
    for (index, bytes) in request.offers.enumerated() {
      let number = segment.numbers[index]
      guard number <= position.number,
        !account.refused.contains(RefusedOffer(number: number, bytes: bytes)),
        let offer = try? Offer(decoding: bytes)
      else { continue }
      let key = offer.record.key
      var taken = Acknowledged()
      taken.note(offer.record)
      let body = database.standby.records[account.sharedID]?[key.storageKey]?.body
      let record = body.flatMap { try? Record(decoding: $0) }
      if let (_, owed) = taken.firstBeaten(record.map { [key: $0] } ?? [:]) {
        return broke(
          "a write is acknowledged that the standby does not have: field \(owed.field) of kind "
            + "\(key.kind.rawValue), \(owed.text)", about: key)
      }
    }
  }

  /// Checks that the events of each account are one chain.
  func checkEvents() {
    guard let database else { return }
    var chains: [AccountID: EventChain] = [:]
    for entry in database.tables.events {
      let account = entry.event.account ?? SharedTables.server
      var chain = chains[account] ?? EventChain()
      guard chain.follows(entry, isDense: false) else {
        return broke("the events of an account are no chain")
      }
      chains[account] = chain
    }
  }
}
