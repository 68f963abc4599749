// SPDX-License-Identifier: Apache-2.0
// The full method names, as used in `:path`.

/// Full method names. See the comments in Protos/ for each call's contract.
public enum Method {
  /// Sends offers and returns unseen records.
  public static let exchange = "/atrest.sync.v1.Sync/Exchange"
  /// Streams every commit from now on.
  public static let watch = "/atrest.sync.v1.Sync/Watch"
  /// Finds and transfers differing records.
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
  /// Lists the devices that wait for approval.
  public static let pendingDevices = "/atrest.sync.v1.Devices/ListPendingDevices"
  /// Approves or rejects a pending device.
  public static let decide = "/atrest.sync.v1.Devices/ResolvePendingDevice"
  /// Renames a device.
  public static let renameDevice = "/atrest.sync.v1.Devices/Rename"
  /// Returns the account's usage and limits.
  public static let getAccount = "/atrest.sync.v1.Accounts/Get"
  /// Removes the account.
  public static let deleteAccount = "/atrest.sync.v1.Accounts/Delete"
  /// Returns a page of the account's audit log.
  public static let events = "/atrest.sync.v1.Accounts/Events"
  /// Submits a purchase.
  public static let submitTransaction = "/atrest.sync.v1.Entitlements/Submit"
  /// Returns what an app must know before a sale.
  public static let getEntitlements = "/atrest.sync.v1.Entitlements/Get"
  /// Returns the server's health.
  public static let healthCheck = "/grpc.health.v1.Health/Check"
  /// Streams the server's health and its changes.
  public static let healthWatch = "/grpc.health.v1.Health/Watch"

  /// The operator's methods, served on the Unix socket only.
  public enum Admin {
    /// Creates an account.
    public static let addAccount = "/atrest.admin.v1.Admin/AddAccount"
    /// Creates a pairing code for an account.
    public static let inviteDevice = "/atrest.admin.v1.Admin/InviteDevice"
    /// Removes an account with everything that it holds.
    public static let removeAccount = "/atrest.admin.v1.Admin/RemoveAccount"
    /// Lists all accounts.
    public static let listAccounts = "/atrest.admin.v1.Admin/ListAccounts"
    /// Lists the devices of one account or of all accounts.
    public static let listDevices = "/atrest.admin.v1.Admin/ListDevices"
    /// Revokes a device.
    public static let revokeDevice = "/atrest.admin.v1.Admin/RevokeDevice"
    /// Writes a backup of the store.
    public static let backup = "/atrest.admin.v1.Admin/Backup"
    /// Returns a page of the audit log.
    public static let events = "/atrest.admin.v1.Admin/Events"
    /// Verifies the hash chain of the audit log.
    public static let checkEvents = "/atrest.admin.v1.Admin/CheckEvents"
  }
}
