// SPDX-License-Identifier: Apache-2.0
// What a connection has shown of itself, and with it how safe its slot is.

import AtrestLedger
import Synchronization

/// The slot of one accepted connection. It is given up once, when the descriptor is closed, and may
/// be asked for earlier while its peer has proved nothing. Thread-safe.
public final class ConnectionSlot: Sendable {
  /// The address it came from pays for what nobody else does. All connections of an address have
  /// one.
  public let payer: Holder
  let peerKey: [UInt8]?
  /// Slots are numbered in the order in which they were taken.
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

  /// The peer has completed its handshake: it speaks the protocol. Once.
  public func handshaken() { budget.handshaken(self) }

  /// The peer has proved who it is: nobody is let in at its expense from now on.
  public func authenticated() { budget.authenticated(self) }

  /// Whether the slot was asked for.
  var isEvicted: Bool {
    eviction.withLock { if case .asked = $0 { true } else { false } }
  }

  /// What to do when the slot is asked for; at once if it was.
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

  /// Gives the slot back. Once.
  func release() {
    let action = eviction.withLock { state -> Eviction in
      defer { state = .asked }
      return state
    }
    withExtendedLifetime(action) { budget.release(self) }
  }
}
