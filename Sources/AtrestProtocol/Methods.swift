// SPDX-License-Identifier: Apache-2.0
// The full names of the methods, as they stand in `:path`.

/// Full method names.
public enum Method {
  /// Offers records and takes those not seen.
  public static let exchange = "/atrest.sync.v1.Sync/Exchange"
  /// Streams what is committed from now on.
  public static let watch = "/atrest.sync.v1.Sync/Watch"
  /// Finds and fetches what differs.
  public static let reconcile = "/atrest.sync.v1.Sync/Reconcile"
  /// Joins an account.
  public static let pair = "/atrest.sync.v1.Devices/Pair"
  /// Makes a pairing code.
  public static let invite = "/atrest.sync.v1.Devices/Invite"
  /// Takes a new identity.
  public static let renew = "/atrest.sync.v1.Devices/Renew"
  /// Lists the account's devices.
  public static let listDevices = "/atrest.sync.v1.Devices/List"
  /// Ends a device's access.
  public static let revokeDevice = "/atrest.sync.v1.Devices/Revoke"
  /// Lists who waits to be let in.
  public static let pendingDevices = "/atrest.sync.v1.Devices/ListPendingDevices"
  /// Lets a pending device in, or sends it away.
  public static let decide = "/atrest.sync.v1.Devices/ResolvePendingDevice"
  /// Gives a device another name.
  public static let renameDevice = "/atrest.sync.v1.Devices/Rename"
  /// Reads what the account holds, and what it may.
  public static let getAccount = "/atrest.sync.v1.Accounts/Get"
  /// Removes the account.
  public static let deleteAccount = "/atrest.sync.v1.Accounts/Delete"
  /// Reads what happened to the account.
  public static let events = "/atrest.sync.v1.Accounts/Events"
  /// Brings a purchase.
  public static let submitTransaction = "/atrest.sync.v1.Entitlements/Submit"
  /// Reads what an app needs to know before it sells something.
  public static let getEntitlements = "/atrest.sync.v1.Entitlements/Get"
  /// The health of the server.
  public static let healthCheck = "/grpc.health.v1.Health/Check"
  /// The health of the server, and its changes.
  public static let healthWatch = "/grpc.health.v1.Health/Watch"

  /// What the server's owner asks, on the Unix socket only.
  public enum Admin {
    /// Makes an account.
    public static let addAccount = "/atrest.admin.v1.Admin/AddAccount"
    /// Makes a pairing code for an account.
    public static let inviteDevice = "/atrest.admin.v1.Admin/InviteDevice"
    /// Removes an account and all that it holds.
    public static let removeAccount = "/atrest.admin.v1.Admin/RemoveAccount"
    /// Lists accounts.
    public static let listAccounts = "/atrest.admin.v1.Admin/ListAccounts"
    /// Lists devices.
    public static let listDevices = "/atrest.admin.v1.Admin/ListDevices"
    /// Ends a device's access.
    public static let revokeDevice = "/atrest.admin.v1.Admin/RevokeDevice"
    /// Writes a copy of the store.
    public static let backup = "/atrest.admin.v1.Admin/Backup"
    /// Reads what happened.
    public static let events = "/atrest.admin.v1.Admin/Events"
    /// Checks that the log of events is whole.
    public static let checkEvents = "/atrest.admin.v1.Admin/CheckEvents"
  }
}
