// SPDX-License-Identifier: Apache-2.0
// The full names of the public methods. Made by Scripts/generate-protos.

/// Full gRPC method names, as in `:path`.
public enum Method {
  /// The methods of `atrest.sync.v1.Accounts`.
  public enum Accounts {
    /// Returns the account's usage and its limits.
    public static let get = "/atrest.sync.v1.Accounts/Get"
    /// Removes the account with everything that the server holds of it: records, journal, devices,
    /// pairing codes.
    public static let delete = "/atrest.sync.v1.Accounts/Delete"
    /// Returns a page of the account's audit log, newest event first.
    public static let events = "/atrest.sync.v1.Accounts/Events"
  }

  /// The methods of `atrest.sync.v1.Devices`.
  public enum Devices {
    /// Joins an account with a pairing code from Invite or from the server's operator.
    public static let pair = "/atrest.sync.v1.Devices/Pair"
    /// Creates a pairing code for the caller's account.
    public static let invite = "/atrest.sync.v1.Devices/Invite"
    /// Returns the devices that sent the right code and wait for approval by a device of the
    /// caller's account, in order of arrival.
    public static let listPendingDevices = "/atrest.sync.v1.Devices/ListPendingDevices"
    /// Approves or rejects a pending device.
    public static let resolvePendingDevice = "/atrest.sync.v1.Devices/ResolvePendingDevice"
    /// Issues an additional identity to the caller.
    public static let renew = "/atrest.sync.v1.Devices/Renew"
    /// Returns the devices of the caller's account, oldest first.
    public static let list = "/atrest.sync.v1.Devices/List"
    /// Renames a device of the account.
    public static let rename = "/atrest.sync.v1.Devices/Rename"
    /// Revokes a device: its token becomes invalid, its streams end, its pairing codes are void,
    /// and pending devices that used them are rejected.
    public static let revoke = "/atrest.sync.v1.Devices/Revoke"
  }

  /// The methods of `atrest.sync.v1.Entitlements`.
  public enum Entitlements {
    /// Verifies a signed statement for the caller's account and stores it.
    public static let submit = "/atrest.sync.v1.Entitlements/Submit"
    /// Returns what an app must know before it sells something to this account.
    public static let get = "/atrest.sync.v1.Entitlements/Get"
  }

  /// The methods of `atrest.sync.v1.Server`.
  public enum Server {
    /// Returns the server's version, limits and capabilities.
    public static let serverInfo = "/atrest.sync.v1.Server/ServerInfo"
  }

  /// The methods of `atrest.sync.v1.Sync`.
  public enum Sync {
    /// Sends the replica's offers and returns the records it has not seen.
    public static let exchange = "/atrest.sync.v1.Sync/Exchange"
    /// Streams every commit to the account from now on, whichever device made it.
    public static let watch = "/atrest.sync.v1.Sync/Watch"
    /// Finds and transfers the records in which a replica and the account differ, without a cursor.
    public static let reconcile = "/atrest.sync.v1.Sync/Reconcile"
  }

  /// The methods of `grpc.health.v1.Health`.
  public enum Health {
    /// Returns the current state.
    public static let check = "/grpc.health.v1.Health/Check"
    /// Returns the current states of all services.
    public static let list = "/grpc.health.v1.Health/List"
    /// Streams the current state and every change.
    public static let watch = "/grpc.health.v1.Health/Watch"
  }
}
