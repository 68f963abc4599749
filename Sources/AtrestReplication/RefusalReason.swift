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

  /// Reasons for which the same write may be accepted later. The record's later writes wait for
  /// it.
  public static let transient: [RefusalReason] = [.clockSkew, .quota]
}
