// SPDX-License-Identifier: Apache-2.0
// The authentication state of a connection, which decides whether it can be evicted.

import AtrestLedger
import Synchronization

/// The slot of one accepted connection. Released once, when the descriptor is closed. It can be
/// evicted earlier while the peer is unauthenticated. Thread-safe.
public final class ConnectionSlot: Sendable {
  /// The holder of the peer's address, charged with memory that nobody else pays for. All
  /// connections of an address share it.
  public let payer: Holder
  let peerKey: [UInt8]?
  /// Slots are numbered in order of arrival.
  let number: UInt64
  private let budget: ConnectionBudget
  private let eviction = Mutex<Eviction>(.none(nil))

  private enum Eviction {
    case none((@Sendable () -> Void)?)
    case asked
  }

  init(
    _ number: UInt64, for peerKey: [UInt8]?, payer: Holder, in budget: ConnectionBudget
  ) {
    self.number = number
    self.peerKey = peerKey
    self.payer = payer
    self.budget = budget
  }

  /// The peer has completed its handshake. Call once.
  public func handshaken() { budget.handshaken(self) }

  /// The peer is authenticated. The slot can no longer be evicted.
  public func authenticated() { budget.authenticated(self) }

  /// Whether the slot is being evicted.
  var isEvicted: Bool {
    eviction.withLock { if case .asked = $0 { true } else { false } }
  }

  /// Registers what to do on eviction. Called at once if it has already happened.
  func whenEvicted(_ action: @escaping @Sendable () -> Void) {
    let isLate = eviction.withLock { state in
      if case .asked = state { return true }
      state = .none(action)
      return false
    }
    if isLate { action() }
  }

  func evict() {
    let action = eviction.withLock { state -> (@Sendable () -> Void)? in
      guard case .none(let action) = state else { return nil }
      state = .asked
      return action
    }
    action?()
  }

  /// Releases the slot. Call once.
  func release() {
    let action = eviction.withLock { state -> Eviction in
      defer { state = .asked }
      return state
    }
    withExtendedLifetime(action) { budget.release(self) }
  }
}
