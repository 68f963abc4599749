// SPDX-License-Identifier: Apache-2.0
// What servers may be able to do. Made by Scripts/generate-protos.

extension ServerInfo.Capability {
  /// Compares replicas with accounts: Sync.Reconcile.
  public static let reconcile = Self(rawValue: 1)
  /// Pairing codes may require a person's approval: Devices.ListPendingDevices and
  /// ResolvePendingDevice.
  public static let approval = Self(rawValue: 2)
  /// Verifies purchases, and accepts them in Entitlements.Submit.
  public static let purchases = Self(rawValue: 3)
}
