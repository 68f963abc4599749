// SPDX-License-Identifier: Apache-2.0
// The messages of the Admin service.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

/// Names an account to add, remove, invite a device to, or list the devices of (empty: of all
/// accounts). The four requests share one wire format.
public struct AccountRequest: PackedMessage {
  /// The account's name.
  public var name: String

  /// Creates a request from its fields.
  public init(name: String) {
    self.name = name
  }

  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__add_account_request__unpack) {
      message throws(WireError) in
      AccountRequest(name: try text(message.name, limitBytes: Limit.nameBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__add_account_request__init) { message, arena in
      message.name = arena.text(name)
    }
  }
}

/// A pairing code and the server's address: the answer of `AddAccount` and of `InviteDevice`, whose
/// messages have the same fields.
public struct Invitation: PackedMessage {
  /// Secret until used.
  public var code: String
  /// When it expires.
  public var expires: WallTime
  /// Host and port at which devices reach the server.
  public var address: String
  /// Whether a browser opens the web app at that address.
  public var servesApp: Bool

  /// Creates a response from its fields.
  public init(code: String, expires: WallTime, address: String, servesApp: Bool = false) {
    self.code = code
    self.expires = expires
    self.address = address
    self.servesApp = servesApp
  }

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__invite_device_response__unpack) {
      message throws(WireError) in
      Invitation(
        code: try text(message.code, limitBytes: Limit.codeBytes),
        expires: WallTime(milliseconds: message.expires_ms),
        address: try text(message.address, limitBytes: 300),
        servesApp: message.serves_app != 0)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__invite_device_response__init) { message, arena in
      message.code = arena.text(code)
      message.expires_ms = expires.milliseconds
      message.address = arena.text(address)
      message.serves_app = servesApp ? 1 : 0
    }
  }
}

/// The accounts of a server.
public struct ListAccountsResponse: PackedMessage {
  /// One account with its usage.
  public struct Account: Hashable, Sendable {
    /// Its name, unique on the server.
    public var name: String
    /// When it was created.
    public var created: WallTime
    /// The number of devices with access.
    public var devices: Int
    /// The number of records, including deleted ones and the journal.
    public var records: Int
    /// The encoded size of those records, in bytes.
    public var bytes: Int

    /// Creates an account from its fields.
    public init(name: String, created: WallTime, devices: Int, records: Int, bytes: Int = 0) {
      self.name = name
      self.created = created
      self.devices = devices
      self.records = records
      self.bytes = bytes
    }
  }

  /// Sorted by name.
  public var accounts: [Account]

  /// Creates a response from its fields.
  public init(accounts: [Account]) {
    self.accounts = accounts
  }

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__list_accounts_response__unpack) {
      message throws(WireError) in
      var accounts: [Account] = []
      for account in elements(message.accounts, message.n_accounts) {
        accounts.append(
          Account(
            name: try text(account.name, limitBytes: Limit.nameBytes),
            created: WallTime(milliseconds: account.created_ms), devices: Int(account.devices),
            records: Int(clamping: account.records), bytes: Int(clamping: account.bytes)))
      }
      return ListAccountsResponse(accounts: accounts)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__admin__v1__list_accounts_response__init, expectedBytes: accounts.count * 256 + 512
    ) { message, arena in
      message.n_accounts = accounts.count
      message.accounts = arena.array(accounts) { account in
        let entry = arena.make(atrest__admin__v1__account__init)
        entry.pointee.name = arena.text(account.name)
        entry.pointee.created_ms = account.created.milliseconds
        entry.pointee.devices = UInt32(clamping: account.devices)
        entry.pointee.records = UInt64(clamping: account.records)
        entry.pointee.bytes = UInt64(clamping: account.bytes)
        return entry
      }
    }
  }
}

/// Devices with their accounts' names.
public struct ListDevicesResponse: PackedMessage {
  /// A device and its account.
  public struct Entry: Hashable, Sendable {
    /// The account's name.
    public var account: String
    /// The device. `isCurrent` is always false.
    public var device: Device

    /// Creates an entry from its fields.
    public init(account: String, device: Device) {
      self.account = account
      self.device = device
    }
  }

  /// Sorted by account, then oldest device first.
  public var entries: [Entry]

  /// Creates a response from its fields.
  public init(entries: [Entry]) {
    self.entries = entries
  }

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__list_devices_response__unpack) {
      message throws(WireError) in
      var entries: [Entry] = []
      for device in elements(message.devices, message.n_devices) {
        entries.append(
          Entry(
            account: try text(device.account, limitBytes: Limit.nameBytes),
            device: Device(
              replica: ReplicaID(rawValue: device.replica),
              name: try text(device.name, limitBytes: Limit.nameBytes),
              paired: WallTime(milliseconds: device.paired_ms),
              seen: WallTime(nonZero: device.seen_ms),
              revoked: WallTime(nonZero: device.revoked_ms),
              origin: DeviceOrigin(
                parent: device.parent, renewed: device.renewed, approver: device.approver))))
      }
      return ListDevicesResponse(entries: entries)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__admin__v1__list_devices_response__init,
      expectedBytes: entries.count * 320 + 512
    ) { message, arena in
      message.n_devices = entries.count
      message.devices = arena.array(entries) { item in
        let entry = arena.make(atrest__admin__v1__account_device__init)
        entry.pointee.account = arena.text(item.account)
        entry.pointee.replica = item.device.replica.rawValue
        entry.pointee.name = arena.text(item.device.name)
        entry.pointee.paired_ms = item.device.paired.milliseconds
        entry.pointee.seen_ms = item.device.seen?.milliseconds ?? 0
        entry.pointee.revoked_ms = item.device.revoked?.milliseconds ?? 0
        entry.pointee.parent = (item.device.origin.parent ?? .none).rawValue
        entry.pointee.renewed = item.device.origin.isRenewed ? 1 : 0
        entry.pointee.approver = (item.device.origin.approver ?? .none).rawValue
        return entry
      }
    }
  }
}
