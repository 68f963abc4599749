// SPDX-License-Identifier: Apache-2.0
// The messages of Admin.Backup.

import AtrestWire
import CAtrestProtos

/// Requests a backup.
public struct BackupRequest: PackedMessage {
  /// Absolute path of the file. The file must not exist yet.
  public var path: String

  /// Maximum length of a path in bytes: about the kernel's limit.
  public static let pathLimitBytes = 4096

  /// Creates a request from its fields.
  public init(path: String) {
    self.path = path
  }

  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__backup_request__unpack) {
      message throws(WireError) in
      BackupRequest(path: try text(message.path, limitBytes: BackupRequest.pathLimitBytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(
      atrest__admin__v1__backup_request__init, expectedBytes: path.utf8.count + 512
    ) { message, arena in
      message.path = arena.text(path)
    }
  }
}

/// A summary of the written backup.
public struct BackupResponse: PackedMessage {
  /// The number of accounts.
  public var accounts: Int
  /// The number of devices, including revoked ones.
  public var devices: Int
  /// The number of records, including deleted ones and the journal.
  public var records: Int
  /// Size of the file in bytes.
  public var sizeBytes: Int

  /// Creates a response from its fields.
  public init(accounts: Int, devices: Int, records: Int, sizeBytes: Int) {
    self.accounts = accounts
    self.devices = devices
    self.records = records
    self.sizeBytes = sizeBytes
  }

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__backup_response__unpack) { message in
      BackupResponse(
        accounts: Int(clamping: message.accounts), devices: Int(clamping: message.devices),
        records: Int(clamping: message.records), sizeBytes: Int(clamping: message.size_bytes))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__backup_response__init) { message, _ in
      message.accounts = UInt64(clamping: accounts)
      message.devices = UInt64(clamping: devices)
      message.records = UInt64(clamping: records)
      message.size_bytes = UInt64(clamping: sizeBytes)
    }
  }
}
