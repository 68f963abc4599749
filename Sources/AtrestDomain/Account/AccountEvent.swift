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

    /// The server's owner created the account.
    public static let accountMade = Kind(rawValue: 1)
    /// `actor`, or the server's owner, deleted the account.
    public static let accountRemoved = Kind(rawValue: 2)
    /// `actor`, or the server's owner, created a pairing code. `detail` is 1 if it requires
    /// approval.
    public static let codeMade = Kind(rawValue: 3)
    /// A wrong, used or expired code was tried.
    public static let codeRefused = Kind(rawValue: 4)
    /// `subject` joined, with a code of `actor` or of the server's owner.
    public static let devicePaired = Kind(rawValue: 5)
    /// `actor` approved `subject`.
    public static let deviceApproved = Kind(rawValue: 6)
    /// `actor` denied a pending device.
    public static let deviceDenied = Kind(rawValue: 7)
    /// `actor` renamed `subject`.
    public static let deviceRenamed = Kind(rawValue: 8)
    /// `actor`, or the server's owner, revoked `subject`.
    public static let deviceRevoked = Kind(rawValue: 9)
    /// `actor` took `subject` as an additional identity.
    public static let deviceRenewed = Kind(rawValue: 10)
    /// `actor` allowed a mass deletion; `detail` records were deleted.
    public static let massDeletion = Kind(rawValue: 11)
    /// `actor` submitted a purchase, which was stored.
    public static let purchaseTaken = Kind(rawValue: 12)
    /// `actor` submitted a purchase that failed check `detail`.
    public static let purchaseRefused = Kind(rawValue: 13)
    /// A purchase moved to the account (`detail` 1) or away from it (2).
    public static let purchaseMoved = Kind(rawValue: 14)
    /// The server's operator made a backup.
    public static let backupMade = Kind(rawValue: 15)
    /// `actor` had a later position than the server: the server was restored.
    public static let restoreNoticed = Kind(rawValue: 16)
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
