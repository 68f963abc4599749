// SPDX-License-Identifier: Apache-2.0
// An account's usage, and its server's limits.

import AtrestReplication

/// An account's usage and limits.
public struct Account: Hashable, Sendable {
  /// The account's name.
  public var name: String
  /// When it was created.
  public var created: WallTime
  /// The number of devices with access.
  public var devices: UInt32
  /// The number of records, including deleted ones and the journal.
  public var records: UInt64
  /// The encoded size of those records, in bytes.
  public var bytes: UInt64
  /// The server's limits.
  public var limits: AccountLimits

  /// Creates an account from its fields.
  public init(
    name: String, created: WallTime, devices: UInt32, records: UInt64, bytes: UInt64,
    limits: AccountLimits
  ) {
    self.name = name
    self.created = created
    self.devices = devices
    self.records = records
    self.bytes = bytes
    self.limits = limits
  }
}

/// The server's limits for one account; zero where the server does not say.
public struct AccountLimits: Hashable, Sendable {
  /// Maximum records per account.
  public var records: UInt64
  /// Maximum bytes of one account's records.
  public var bytes: UInt64
  /// Maximum bytes per message.
  public var messageBytes: UInt32
  /// Maximum offers per request and records per response.
  public var recordsPerRequest: UInt32
  /// Maximum bytes of one register's value.
  public var valueBytes: UInt32
  /// Maximum bytes of one encoded record.
  public var recordBytes: UInt32
  /// Maximum concurrent Watch streams per device.
  public var watchStreams: UInt32

  /// Creates limits. Zero means unknown.
  public init(
    records: UInt64 = 0, bytes: UInt64 = 0, messageBytes: UInt32 = 0,
    recordsPerRequest: UInt32 = 0, valueBytes: UInt32 = 0, recordBytes: UInt32 = 0,
    watchStreams: UInt32 = 0
  ) {
    self.records = records
    self.bytes = bytes
    self.messageBytes = messageBytes
    self.recordsPerRequest = recordsPerRequest
    self.valueBytes = valueBytes
    self.recordBytes = recordBytes
    self.watchStreams = watchStreams
  }
}
