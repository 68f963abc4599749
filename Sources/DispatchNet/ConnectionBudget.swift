// SPDX-License-Identifier: Apache-2.0
// Decides whether one more connection is welcome.

import Synchronization

/// Counts connections, in all and per peer, and holds both to a cap. One budget may serve several
/// listeners. Thread-safe.
public final class ConnectionBudget: Sendable {
  private struct State {
    var total = 0
    var perPeer: [[UInt8]: Int] = [:]
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let maxTotal: Int
  private let maxPerPeer: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - maxConnections: In all. Each costs a descriptor and some tens of KiB.
  ///   - maxPerPeer: From one IPv4 address or one IPv6 /64, so that one machine cannot take every
  ///     place. Unix sockets are counted in all only.
  public init(maxConnections: Int = 10_000, maxPerPeer: Int = 1_000) {
    maxTotal = maxConnections
    self.maxPerPeer = maxPerPeer
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

  /// Takes a place for a peer; false when there is none.
  func take(for peer: SocketAddress) -> Bool {
    state.withLock { state in
      guard state.total < maxTotal else { return false }
      if let key = peer.peerKey {
        let count = state.perPeer[key, default: 0]
        guard count < maxPerPeer else { return false }
        state.perPeer[key] = count + 1
      }
      state.total += 1
      return true
    }
  }

  /// Gives the place back.
  func release(for peer: SocketAddress) {
    let waiters = state.withLock { state in
      state.total -= 1
      if let key = peer.peerKey, let count = state.perPeer[key] {
        // An absent key and a zero mean the same; absent costs nothing.
        state.perPeer[key] = count > 1 ? count - 1 : nil
      }
      guard state.total == 0 else { return [] as [CheckedContinuation<Void, Never>] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
