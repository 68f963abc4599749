// SPDX-License-Identifier: Apache-2.0
// The reason why the server did not accept an offer.

import CAtrestProtos

/// The reason why one offer was not accepted. The replica keeps the record. Other offers are not
/// affected.
public struct Refusal: Hashable, Sendable {
  /// The reason as a number. Unknown numbers come from newer servers.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: Int

    /// Creates a reason from its number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// A stamp is too far ahead of the server's clock.
    public static let clockSkew = Reason(rawValue: 1)
    /// The record breaks a rule of records.proto.
    public static let invalid = Reason(rawValue: 2)
    /// The record or one of its values is too large.
    public static let tooLarge = Reason(rawValue: 3)
    /// The request would delete more than half of the account's records.
    public static let massDeletion = Reason(rawValue: 5)
    /// The server's copy of the record is corrupt.
    public static let damaged = Reason(rawValue: 6)
    /// The account's quota is used up, and the record is new or has grown.
    public static let quota = Reason(rawValue: 7)

    /// Reasons after which the same write may be accepted later. Later writes to the record wait
    /// for it.
    public static let transient: [Reason] = [.clockSkew, .quota]
  }

  /// The offer's index in its request.
  public let index: Int
  /// The reason, for programs.
  public let reason: Reason
  /// One sentence for people. Contains no value of the record.
  public let message: String

  /// Creates a refusal.
  public init(index: Int, reason: Reason, message: String) {
    self.index = index
    self.reason = reason
    self.message = message
  }

  init(_ message: Atrest__Sync__V1__Refusal) throws(WireError) {
    self.init(
      index: Int(message.index), reason: Reason(rawValue: Int(message.reason.rawValue)),
      message: try text(message.message, limitBytes: 1024))
  }
}

extension Arena {
  func refusal(_ refusal: Refusal) -> UnsafeMutablePointer<Atrest__Sync__V1__Refusal>? {
    let message = make(atrest__sync__v1__refusal__init)
    message.pointee.index = UInt32(clamping: refusal.index)
    message.pointee.reason = Atrest__Sync__V1__Refusal__Reason(
      rawValue: .init(truncatingIfNeeded: refusal.reason.rawValue))
    message.pointee.message = text(refusal.message)
    return message
  }
}
