// SPDX-License-Identifier: Apache-2.0
// The full method names, as in `:path`.

/// Full gRPC method names.
public enum Method {
  /// Exchanges changes: uploads offers, downloads unseen records.
  public static let exchange = "/atrest.sync.v1.Sync/Exchange"
  /// Streams new commits.
  public static let watch = "/atrest.sync.v1.Sync/Watch"
  /// Finds and fetches differences.
  public static let reconcile = "/atrest.sync.v1.Sync/Reconcile"
  /// Joins an account with a pairing code.
  public static let pair = "/atrest.sync.v1.Devices/Pair"
  /// Creates a pairing code.
  public static let invite = "/atrest.sync.v1.Devices/Invite"
  /// Issues an additional identity.
  public static let renew = "/atrest.sync.v1.Devices/Renew"
  /// Lists the account's devices.
  public static let listDevices = "/atrest.sync.v1.Devices/List"
  /// Revokes a device.
  public static let revokeDevice = "/atrest.sync.v1.Devices/Revoke"
  /// Lists the pending devices.
  public static let pendingDevices = "/atrest.sync.v1.Devices/ListPendingDevices"
  /// Approves or denies a pending device.
  public static let decide = "/atrest.sync.v1.Devices/ResolvePendingDevice"
  /// Renames a device.
  public static let renameDevice = "/atrest.sync.v1.Devices/Rename"
  /// Reads the account's usage and limits.
  public static let getAccount = "/atrest.sync.v1.Accounts/Get"
  /// Deletes the account.
  public static let deleteAccount = "/atrest.sync.v1.Accounts/Delete"
  /// Reads the account's event log.
  public static let events = "/atrest.sync.v1.Accounts/Events"
  /// Submits a purchase.
  public static let submitTransaction = "/atrest.sync.v1.Entitlements/Submit"
  /// Reads what an app needs before it offers a purchase.
  public static let getEntitlements = "/atrest.sync.v1.Entitlements/Get"
  /// Reads the server's health.
  public static let healthCheck = "/grpc.health.v1.Health/Check"
  /// Streams the server's health.
  public static let healthWatch = "/grpc.health.v1.Health/Watch"

  /// Methods for the server's owner, on the Unix socket only.
  public enum Admin {
    /// Creates an account.
    public static let addAccount = "/atrest.admin.v1.Admin/AddAccount"
    /// Creates a pairing code for an account.
    public static let inviteDevice = "/atrest.admin.v1.Admin/InviteDevice"
    /// Deletes an account with all its records.
    public static let removeAccount = "/atrest.admin.v1.Admin/RemoveAccount"
    /// Lists all accounts.
    public static let listAccounts = "/atrest.admin.v1.Admin/ListAccounts"
    /// Lists the devices of one account or of all accounts.
    public static let listDevices = "/atrest.admin.v1.Admin/ListDevices"
    /// Revokes a device.
    public static let revokeDevice = "/atrest.admin.v1.Admin/RevokeDevice"
    /// Writes a backup of the store.
    public static let backup = "/atrest.admin.v1.Admin/Backup"
    /// Reads the event log.
    public static let events = "/atrest.admin.v1.Admin/Events"
    /// Verifies the event log.
    public static let checkEvents = "/atrest.admin.v1.Admin/CheckEvents"
  }
}
