// SPDX-License-Identifier: Apache-2.0
// An event of an account.

import AtrestReplication

/// An event of an account. Identifies devices by number only.
public struct AccountEvent: Hashable, Sendable {
  /// The kind of an event. Unknown numbers come from newer servers.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: Int

    /// Creates a kind from its wire number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }
  }

  /// Its position in the server's log, from 1.
  public var number: UInt64
  /// The server's clock at the event.
  public var at: WallTime
  /// The kind of event.
  public var kind: Kind
  /// The device that acted; `.none` for the server's owner or an unauthenticated caller.
  public var actor: ReplicaID
  /// The device acted upon; `.none` if there is none.
  public var subject: ReplicaID
  /// Depends on `kind`.
  public var detail: Int64
  /// The number of like events this one stands for, including itself.
  public var count: UInt32

  /// Creates an event from its fields.
  public init(
    number: UInt64, at: WallTime, kind: Kind, actor: ReplicaID = .none,
    subject: ReplicaID = .none, detail: Int64 = 0, count: UInt32 = 1
  ) {
    self.number = number
    self.at = at
    self.kind = kind
    self.actor = actor
    self.subject = subject
    self.detail = detail
    self.count = count
  }
}
