// SPDX-License-Identifier: Apache-2.0
// Limits the number of connections, and selects one to evict when the limit is reached.

import AtrestLedger
import Synchronization

/// Limits connections in total and per peer. One budget may serve several listeners. Thread-safe.
///
/// Authenticated connections are exempt from eviction. Unauthenticated ones may use only a part of
/// all slots. When that part is full, a new connection evicts the oldest of them, so idle
/// connections cannot lock out others.
public final class ConnectionBudget: Sendable {
  fileprivate struct Peer {
    var total = 0
    var handshaking = 0
    /// Charged with the memory of its connections that nobody else pays for.
    let payer = Holder()
  }

  fileprivate struct State {
    var total = 0
    var perPeer: [[UInt8]: Peer] = [:]
    var nextNumber: UInt64 = 0
    /// The numbers of slots whose handshake is incomplete.
    var handshaking: Set<UInt64> = []
    /// Unauthenticated slots by number, without those that are being evicted.
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
  ///   - maxPerPeer: Per IPv4 address or IPv6 /64, so that one machine cannot take every slot. Unix
  ///     sockets count only towards the total.
  ///   - maxUnauthenticated: Connections whose peers are not authenticated.
  ///   - maxHandshakesPerPeer: Connections per peer whose handshake is incomplete. A peer that
  ///     connects faster than handshakes complete is refused.
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

  /// Takes a slot for a peer. Nil if there is none.
  func take(for peer: SocketAddress) -> ConnectionSlot? {
    let key = peer.peerKey
    let (slot, victim) = state.withLock { state -> (ConnectionSlot?, ConnectionSlot?) in
      if let key, let peer = state.perPeer[key] {
        guard peer.total < maxPerPeer, peer.handshaking < maxHandshakesPerPeer else {
          return (nil, nil)
        }
      }
      // A slot under eviction counts until it is released. Otherwise there would be no bound.
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

  func release(_ slot: ConnectionSlot) {
    let waiters = state.withLock { state in
      state.handshakeEnded(slot)
      state.unauthenticated[slot.number] = nil
      state.total -= 1
      if let key = slot.peerKey, var peer = state.perPeer[key] {
        peer.total -= 1
        // A missing key means zero and uses no memory.
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

  /// Removes and returns the oldest unauthenticated slot. Amortised O(1): each number is visited
  /// once.
  fileprivate mutating func takeOldest() -> ConnectionSlot? {
    guard !unauthenticated.isEmpty else { return nil }
    while oldestUnauthenticated < nextNumber {
      defer { oldestUnauthenticated += 1 }
      if let slot = unauthenticated.removeValue(forKey: oldestUnauthenticated) { return slot }
    }
    return nil
  }
}
