// SPDX-License-Identifier: Apache-2.0
// Decides whether one more connection is welcome, and which has to go for it.

import AtrestLedger
import Synchronization

/// Counts connections, in all and per peer, and holds both to a cap. One budget may serve several
/// listeners. Thread-safe.
///
/// Whoever proved who it is keeps its place. Those who did not may take a part of all places only; when
/// that part is full, the oldest of them goes when a new one comes, so that a crowd of idle connections
/// shuts nobody out.
public final class ConnectionBudget: Sendable {
  fileprivate struct Peer {
    var total = 0
    var ungreeted = 0
    /// What its connections have us hold that is not charged to anybody else.
    let payer = Holder()
  }

  fileprivate struct State {
    var total = 0
    var perPeer: [[UInt8]: Peer] = [:]
    var nextNumber: UInt64 = 0
    /// Places without a greeting, by number.
    var ungreeted: Set<UInt64> = []
    /// Places of peers that have proved nothing, by number; those asked for are not in it any more.
    var untrusted: [UInt64: ConnectionPlace] = [:]
    /// No untrusted place has a lower number.
    var oldestUntrusted: UInt64 = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let maxTotal: Int
  private let maxPerPeer: Int
  private let maxUntrusted: Int
  private let maxUngreetedPerPeer: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - maxConnections: In all. Each costs a descriptor and some tens of KiB.
  ///   - maxPerPeer: From one IPv4 address or one IPv6 /64, so that one machine cannot take every
  ///     place. Unix sockets are counted in all only.
  ///   - maxUntrusted: Of peers that have not proved who they are.
  ///   - maxUngreetedPerPeer: From one peer that have not even completed a greeting: those that come
  ///     faster than they are looked at wait in no line.
  public init(
    maxConnections: Int = 10_000, maxPerPeer: Int = 1_000, maxUntrusted: Int = .max,
    maxUngreetedPerPeer: Int = .max
  ) {
    maxTotal = maxConnections
    self.maxPerPeer = maxPerPeer
    self.maxUntrusted = max(1, maxUntrusted)
    self.maxUngreetedPerPeer = maxUngreetedPerPeer
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

  /// Takes a place for a peer; nil when there is none.
  func take(for peer: SocketAddress) -> ConnectionPlace? {
    let key = peer.peerKey
    let (place, victim) = state.withLock { state -> (ConnectionPlace?, ConnectionPlace?) in
      if let key, let peer = state.perPeer[key] {
        guard peer.total < maxPerPeer, peer.ungreeted < maxUngreetedPerPeer else {
          return (nil, nil)
        }
      }
      // A place that was asked for counts until it is given back, or there would be no bound.
      let isFull = state.total >= maxTotal
      let victim = isFull || state.untrusted.count >= maxUntrusted ? state.takeOldest() : nil
      guard !isFull else { return (nil, victim) }
      var peer = key.flatMap { state.perPeer[$0] } ?? Peer()
      let place = ConnectionPlace(state.nextNumber, for: key, payer: peer.payer, in: self)
      state.nextNumber += 1
      state.total += 1
      state.ungreeted.insert(place.number)
      state.untrusted[place.number] = place
      if let key {
        peer.total += 1
        peer.ungreeted += 1
        state.perPeer[key] = peer
      }
      return (place, victim)
    }
    victim?.evict()
    return place
  }

  func greeted(_ place: ConnectionPlace) {
    state.withLock { $0.greet(place) }
  }

  func trusted(_ place: ConnectionPlace) {
    state.withLock { state in
      state.greet(place)
      state.untrusted[place.number] = nil
    }
  }

  /// Gives the place back.
  func release(_ place: ConnectionPlace) {
    let waiters = state.withLock { state in
      state.greet(place)
      state.untrusted[place.number] = nil
      state.total -= 1
      if let key = place.peerKey, var peer = state.perPeer[key] {
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
  fileprivate mutating func greet(_ place: ConnectionPlace) {
    guard ungreeted.remove(place.number) != nil, let key = place.peerKey else { return }
    perPeer[key]?.ungreeted -= 1
  }

  /// Takes the oldest place of those who proved nothing off the list. Each number is passed once.
  fileprivate mutating func takeOldest() -> ConnectionPlace? {
    guard !untrusted.isEmpty else { return nil }
    while oldestUntrusted < nextNumber {
      defer { oldestUntrusted += 1 }
      if let place = untrusted.removeValue(forKey: oldestUntrusted) { return place }
    }
    return nil
  }
}
