// SPDX-License-Identifier: Apache-2.0
// The full names of the Admin service's methods. Made by Scripts/generate-protos.

import AtrestWire

extension Method {
  /// The methods of `atrest.admin.v1.Admin`.
  public enum Admin {
    /// Returns the numbers of the server's cells.
    public static let listCells = "/atrest.admin.v1.Admin/ListCells"
    /// Returns what the server is doing.
    public static let getServerStatus = "/atrest.admin.v1.Admin/GetServerStatus"
    /// Creates an account and a pairing code for its first device.
    public static let addAccount = "/atrest.admin.v1.Admin/AddAccount"
    /// Creates another pairing code for an account.
    public static let inviteDevice = "/atrest.admin.v1.Admin/InviteDevice"
    /// Removes an account with everything the server holds of it: records, journal, devices,
    /// pairing codes.
    public static let removeAccount = "/atrest.admin.v1.Admin/RemoveAccount"
    /// Moves an account to another cell, with its devices, which stay paired.
    public static let moveAccount = "/atrest.admin.v1.Admin/MoveAccount"
    /// Returns all accounts, sorted by name.
    public static let listAccounts = "/atrest.admin.v1.Admin/ListAccounts"
    /// Returns the devices of one account or of all accounts.
    public static let listDevices = "/atrest.admin.v1.Admin/ListDevices"
    /// Revokes a device and, on request, all its descendants.
    public static let revokeDevice = "/atrest.admin.v1.Admin/RevokeDevice"
    /// Writes a copy of the whole store to a new file and verifies it.
    public static let backup = "/atrest.admin.v1.Admin/Backup"
    /// Returns a page of the audit log of one account or of the whole server, newest event first.
    public static let events = "/atrest.admin.v1.Admin/Events"
    /// Verifies the hash chain of the audit log: no event was changed, inserted, or removed from
    /// the middle.
    public static let checkEvents = "/atrest.admin.v1.Admin/CheckEvents"
  }
}
