// SPDX-License-Identifier: Apache-2.0
// The protocol's kinds of records. Made by Scripts/generate-protos.

extension RecordKind {
  /// A fast.
  public static let session = Self(rawValue: 1)
  /// A drink.
  public static let water = Self(rawValue: 2)
  /// A setting.
  public static let preference = Self(rawValue: 3)
  /// A signed App Store transaction; the id is the transaction id in ASCII.
  public static let entitlement = Self(rawValue: 4)
  /// An entry of the conflict journal.
  public static let conflict = Self(rawValue: 5)
}
