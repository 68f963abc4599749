// SPDX-License-Identifier: Apache-2.0
// Decides whether one more connection is welcome, and which has to go for it.

import AtrestLedger
import Synchronization

/// Counts connections, in all and per peer, and holds both to a cap. One budget may serve several
/// listeners. Thread-safe.
///
/// Whoever proved who it is keeps its slot. Those who did not may take a part of all slots only;
/// when that part is full, the oldest of them goes when a new one comes, so that a crowd of idle
/// connections shuts nobody out.
public final class ConnectionBudget: Sendable {
  fileprivate struct Peer {
    var total = 0
    var handshaking = 0
    /// What its connections have us hold that is not charged to anybody else.
    let payer = Holder()
  }

  fileprivate struct State {
    var total = 0
    var perPeer: [[UInt8]: Peer] = [:]
    var nextNumber: UInt64 = 0
    /// Slots without a handshake, by number.
    var handshaking: Set<UInt64> = []
    /// Slots of peers that have proved nothing, by number; those asked for are not in it any more.
    var unauthenticated: [UInt64: ConnectionSlot] = [:]
    /// No unauthenticated slot has a lower number.
    var oldestUnauthenticated: UInt64 = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let maxTotal: Int
  private let maxPerPeer: Int
  private let maxUnauthenticated: Int
  private let maxHandshakesPerPeer: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - maxConnections: In all. Each costs a descriptor and some tens of KiB.
  ///   - maxPerPeer: From one IPv4 address or one IPv6 /64, so that one machine cannot take every
  ///     slot. Unix sockets are counted in all only.
  ///   - maxUnauthenticated: Of peers that have not proved who they are.
  ///   - maxHandshakesPerPeer: From one peer that have not even completed a handshake: those that
  ///     come faster than they are looked at wait in no line.
  public init(
    maxConnections: Int = 10_000, maxPerPeer: Int = 1_000, maxUnauthenticated: Int = .max,
    maxHandshakesPerPeer: Int = .max
  ) {
    maxTotal = maxConnections
    self.maxPerPeer = maxPerPeer
    self.maxUnauthenticated = max(1, maxUnauthenticated)
    self.maxHandshakesPerPeer = maxHandshakesPerPeer
  }

  /// How many connections are open.
  public var count: Int { state.withLock { $0.total } }

  /// Returns when no connection is open: every descriptor has been closed.
  public func waitUntilEmpty() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let isEmpty = state.withLock { state in
        if state.total > 0 { state.waiters.append(done) }
        return state.total == 0
      }
      if isEmpty { done.resume() }
    }
  }

  /// Takes a slot for a peer; nil when there is none.
  func take(for peer: SocketAddress) -> ConnectionSlot? {
    let key = peer.peerKey
    let (slot, victim) = state.withLock { state -> (ConnectionSlot?, ConnectionSlot?) in
      if let key, let peer = state.perPeer[key] {
        guard peer.total < maxPerPeer, peer.handshaking < maxHandshakesPerPeer else {
          return (nil, nil)
        }
      }
      // A slot that was asked for counts until it is given back, or there would be no bound.
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

  /// Gives the slot back.
  func release(_ slot: ConnectionSlot) {
    let waiters = state.withLock { state in
      state.handshakeEnded(slot)
      state.unauthenticated[slot.number] = nil
      state.total -= 1
      if let key = slot.peerKey, var peer = state.perPeer[key] {
        peer.total -= 1
        // An absent key and a zero mean the same; absent costs nothing.
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

  /// Takes the oldest slot of those who proved nothing off the list. Each number is passed once.
  fileprivate mutating func takeOldest() -> ConnectionSlot? {
    guard !unauthenticated.isEmpty else { return nil }
    while oldestUnauthenticated < nextNumber {
      defer { oldestUnauthenticated += 1 }
      if let slot = unauthenticated.removeValue(forKey: oldestUnauthenticated) { return slot }
    }
    return nil
  }
}
