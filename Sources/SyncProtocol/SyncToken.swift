// SPDX-License-Identifier: Apache-2.0
// Tells a replica from a copy of it: what it shows the server whenever it offers something.

import CSyncProtos

/// Two replicas that go on from one copy cannot both hold the token that the server holds.
public struct SyncToken: Hashable, Sendable {
  /// What the server may hold: the token that it confirmed last, and those it was sent since without an answer.
  public var held: [UInt64]
  /// What it is to hold from now on. Random, not zero, durable in the replica before it is sent.
  public var next: UInt64

  /// Tokens held at most.
  public static let heldLimit = 64

  /// A token.
  public init(held: [UInt64], next: UInt64) {
    self.held = held
    self.next = next
  }

  /// Whether a replica that shows this is the one that the server's token was left with; zero for none yet.
  public func follows(_ token: UInt64) -> Bool {
    token == 0 || token == next || held.contains(token)
  }

  init(_ message: Atrest__Sync__V1__SyncToken) throws(WireError) {
    guard message.next != 0 else { throw .invalid("a sync token is zero") }
    guard message.n_held <= Self.heldLimit else { throw .invalid("more than 64 sync tokens") }
    self.init(
      held: Array(
        UnsafeBufferPointer(start: message.held, count: message.held == nil ? 0 : message.n_held)),
      next: message.next)
  }
}

extension Arena {
  func token(_ token: SyncToken) -> UnsafeMutablePointer<Atrest__Sync__V1__SyncToken> {
    let message = make(atrest__sync__v1__sync_token__init)
    message.pointee.n_held = token.held.count
    message.pointee.held = array(token.held) { $0 }
    message.pointee.next = token.next
    return message
  }
}
