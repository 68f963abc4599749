// SPDX-License-Identifier: Apache-2.0
// The reasons of refusals. Made by Scripts/generate-protos.

extension RefusalReason {
  /// A stamp is more than 60 seconds ahead of the server's clock and does not follow any stamp that
  /// the account holds (see docs/protocol/merge.md).
  public static let clockSkew = Self(rawValue: 1)
  /// The record breaks a rule of records.proto.
  public static let invalid = Self(rawValue: 2)
  /// The record or one of its values exceeds a limit of records.proto.
  public static let tooLarge = Self(rawValue: 3)
  /// With this request, more than half of the account's records would be deleted within a day, of
  /// which there were 20 or more.
  public static let massDeletion = Self(rawValue: 5)
  /// The server's copy of this record is corrupt, so nothing can be merged into it.
  public static let damaged = Self(rawValue: 6)
  /// The account's quota is used up (see Accounts.Get) and the record is new or has grown.
  public static let quota = Self(rawValue: 7)
}
