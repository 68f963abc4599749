// SPDX-License-Identifier: Apache-2.0
// Admits connections within limits and evicts unauthenticated ones for new ones.

import AtrestLedger
import Synchronization

/// Limits connections, in total and per peer. Several listeners may share one budget. Thread-safe.
///
/// Authenticated connections are exempt from eviction. Unauthenticated ones may use only some of
/// the slots. When those are full, a new connection evicts the oldest unauthenticated one, so idle
/// connections cannot lock anybody out.
public final class ConnectionBudget: Sendable {
  fileprivate struct Peer {
    var total = 0
    var handshaking = 0
    /// Pays for its connections' memory that has no other payer.
    let payer = Balance()
  }

  fileprivate struct State {
    var total = 0
    var perPeer: [[UInt8]: Peer] = [:]
    var nextNumber: UInt64 = 0
    /// Slots without a completed handshake, by number.
    var handshaking: Set<UInt64> = []
    /// Slots of unauthenticated peers, by number, without those being evicted.
    var unauthenticated: [UInt64: ConnectionSlot] = [:]
    /// A lower bound of the numbers in `unauthenticated`.
    var oldestUnauthenticated: UInt64 = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let maxTotal: Int
  private let maxPerPeer: Int
  private let maxUnauthenticated: Int
  private let maxHandshakesPerPeer: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - maxConnections: In total. Each costs a descriptor and some tens of KiB.
  ///   - maxPerPeer: Per IPv4 address or IPv6 /64, so one machine cannot take every slot. Unix
  ///     sockets count only in the total.
  ///   - maxUnauthenticated: Connections of unauthenticated peers.
  ///   - maxHandshakesPerPeer: Connections of one peer that have not completed a handshake. Further
  ///     ones are closed, not queued.
  public init(
    maxConnections: Int = 10_000, maxPerPeer: Int = 1_000, maxUnauthenticated: Int = .max,
    maxHandshakesPerPeer: Int = .max
  ) {
    maxTotal = maxConnections
    self.maxPerPeer = maxPerPeer
    self.maxUnauthenticated = max(1, maxUnauthenticated)
    self.maxHandshakesPerPeer = maxHandshakesPerPeer
  }

  /// The number of open connections.
  public var count: Int { state.withLock { $0.total } }

  /// The numbers of connections that are handshaking, and of those without authentication.
  public var unproven: (handshaking: Int, unauthenticated: Int) {
    state.withLock { ($0.handshaking.count, $0.unauthenticated.count) }
  }

  /// Returns when no connection is open and every descriptor is closed.
  public func waitUntilEmpty() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let isEmpty = state.withLock { state in
        if state.total > 0 { state.waiters.append(done) }
        return state.total == 0
      }
      if isEmpty { done.resume() }
    }
  }

  /// Takes a slot for a peer; nil if none is free.
  func take(for peer: SocketAddress) -> ConnectionSlot? {
    let key = peer.peerKey
    let (slot, victim) = state.withLock { state -> (ConnectionSlot?, ConnectionSlot?) in
      if let key, let peer = state.perPeer[key] {
        guard peer.total < maxPerPeer, peer.handshaking < maxHandshakesPerPeer else {
          return (nil, nil)
        }
      }
      // A slot being evicted counts until its release, or the total would have no bound.
      let isFull = state.total >= maxTotal
      let victim =
        isFull || state.unauthenticated.count >= maxUnauthenticated ? state.takeOldest() : nil
      guard !isFull else { return (nil, victim) }
      var peer = key.flatMap { state.perPeer[$0] } ?? Peer()
      let slot = ConnectionSlot(state.nextNumber, for: key, payer: peer.payer, in: self)
      state.nextNumber += 1
      state.total += 1
      state.handshaking.insert(slot.number)
      state.unauthenticated[slot.number] = slot
      if let key {
        peer.total += 1
        peer.handshaking += 1
        state.perPeer[key] = peer
      }
      return (slot, victim)
    }
    victim?.evict()
    return slot
  }

  func handshaken(_ slot: ConnectionSlot) {
    state.withLock { $0.handshakeEnded(slot) }
  }

  func authenticated(_ slot: ConnectionSlot) {
    state.withLock { state in
      state.handshakeEnded(slot)
      state.unauthenticated[slot.number] = nil
    }
  }

  /// Returns the slot.
  func release(_ slot: ConnectionSlot) {
    let waiters = state.withLock { state in
      state.handshakeEnded(slot)
      state.unauthenticated[slot.number] = nil
      state.total -= 1
      if let key = slot.peerKey, var peer = state.perPeer[key] {
        peer.total -= 1
        // An absent key means zero and costs no memory.
        state.perPeer[key] = peer.total > 0 ? peer : nil
      }
      guard state.total == 0 else { return [] as [CheckedContinuation<Void, Never>] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

extension ConnectionBudget.State {
  fileprivate mutating func handshakeEnded(_ slot: ConnectionSlot) {
    guard handshaking.remove(slot.number) != nil, let key = slot.peerKey else { return }
    perPeer[key]?.handshaking -= 1
  }

  /// Removes the oldest unauthenticated slot. Visits each number once over all calls.
  fileprivate mutating func takeOldest() -> ConnectionSlot? {
    guard !unauthenticated.isEmpty else { return nil }
    while oldestUnauthenticated < nextNumber {
      defer { oldestUnauthenticated += 1 }
      if let slot = unauthenticated.removeValue(forKey: oldestUnauthenticated) { return slot }
    }
    return nil
  }
}
