// SPDX-License-Identifier: Apache-2.0
// Tracks a connection's handshake, authentication and eviction.

import AtrestLedger
import Synchronization

/// The slot of one accepted connection. Released once, when its descriptor is closed. May be
/// evicted before that while its peer is unauthenticated. Thread-safe.
public final class ConnectionSlot: Sendable {
  /// Pays for this connection's memory that has no other payer. Shared by all connections of the
  /// peer's address.
  public let payer: Balance
  let peerKey: [UInt8]?
  /// Slots are numbered in the order of acceptance.
  let number: UInt64
  private let budget: ConnectionBudget
  private let eviction = Mutex<Eviction>(.none(nil))

  private enum Eviction {
    case none((@Sendable () -> Void)?)
    case asked
  }

  init(
    _ number: UInt64, for peerKey: [UInt8]?, payer: Balance, in budget: ConnectionBudget
  ) {
    self.number = number
    self.peerKey = peerKey
    self.payer = payer
    self.budget = budget
  }

  /// The peer completed its handshake. Call once.
  public func handshaken() { budget.handshaken(self) }

  /// The peer authenticated: its slot is exempt from eviction from now on.
  public func authenticated() { budget.authenticated(self) }

  /// Whether the slot is being evicted.
  var isEvicted: Bool {
    eviction.withLock { if case .asked = $0 { true } else { false } }
  }

  /// Sets the action to run on eviction; runs it at once if evicted already.
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

  /// Returns the slot to the budget. Call once.
  func release() {
    let action = eviction.withLock { state -> Eviction in
      defer { state = .asked }
      return state
    }
    withExtendedLifetime(action) { budget.release(self) }
  }
}
