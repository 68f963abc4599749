// SPDX-License-Identifier: Apache-2.0
// The kinds of events. Made by Scripts/generate-protos.

extension AccountEvent.Kind {
  /// The server's operator created the account.
  public static let accountMade = Self(rawValue: 1)
  /// The account was removed by the device `actor` or by the server's operator.
  public static let accountRemoved = Self(rawValue: 2)
  /// The device `actor` or the server's operator created a pairing code. `detail` is 1 if the new
  /// device needs approval.
  public static let codeMade = Self(rawValue: 3)
  /// A wrong, used or expired code was tried.
  public static let codeRefused = Self(rawValue: 4)
  /// The device `subject` joined with a code created by `actor` or by the server's operator.
  public static let devicePaired = Self(rawValue: 5)
  /// `actor` approved the device `subject`, which then joined.
  public static let deviceApproved = Self(rawValue: 6)
  /// `actor` rejected a pending device that had the right code.
  public static let deviceDenied = Self(rawValue: 7)
  /// `actor` renamed the device `subject`.
  public static let deviceRenamed = Self(rawValue: 8)
  /// The device `actor` or the server's operator revoked the access of the device `subject`.
  public static let deviceRevoked = Self(rawValue: 9)
  /// `actor` took `subject` as an additional identity (Devices.Renew).
  public static let deviceRenewed = Self(rawValue: 10)
  /// `actor` deleted most of the account's records with `allow_mass_deletion`. `detail` is the
  /// number of records.
  public static let massDeletion = Self(rawValue: 11)
  /// `actor` submitted a purchase, and the server stored it.
  public static let purchaseTaken = Self(rawValue: 12)
  /// `actor` submitted a purchase that was rejected. `detail` is the number of the failed check
  /// (see Rejection).
  public static let purchaseRefused = Self(rawValue: 13)
  /// A purchase moved between accounts. `detail` is 1 if `actor` moved it to this account and 2 if
  /// it left this account.
  public static let purchaseMoved = Self(rawValue: 14)
  /// The server's operator made a backup of the whole store.
  public static let backupMade = Self(rawValue: 15)
  /// `actor` had received commits that the server does not have.
  public static let restoreNoticed = Self(rawValue: 16)
}
