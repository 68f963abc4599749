// SPDX-License-Identifier: Apache-2.0
// Why a server did not take a write.

/// Why a server did not take a write. Unknown numbers come from newer servers.
public struct RefusalReason: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: Int

  /// Creates a reason from its wire number.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// A stamp is too far ahead of the server's clock.
  public static let clockSkew = RefusalReason(rawValue: 1)
  /// The record violates a rule of records.proto.
  public static let invalid = RefusalReason(rawValue: 2)
  /// The record or one of its values is too large.
  public static let tooLarge = RefusalReason(rawValue: 3)
  /// The request would delete most of the account's records.
  public static let massDeletion = RefusalReason(rawValue: 5)
  /// The server's copy of the record is damaged.
  public static let damaged = RefusalReason(rawValue: 6)
  /// The account's quota is reached, and the record is new or has grown.
  public static let quota = RefusalReason(rawValue: 7)

  /// Reasons for which the same write may be accepted later. The record's later writes wait for
  /// it.
  public static let transient: [RefusalReason] = [.clockSkew, .quota]
}
