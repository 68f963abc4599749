// SPDX-License-Identifier: Apache-2.0
// The messages of Admin.Backup.

import CAtrestProtos

/// Asks for a backup.
public struct BackupRequest: WireMessage {
  /// Absolute path of the file, which must not exist yet.
  public var path: String

  /// Bytes of a path at most: what the kernel takes, about.
  public static let pathLimitBytes = 4096

  /// A request.
  public init(path: String) {
    self.path = path
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__backup_request__unpack) {
      message throws(WireError) in
      BackupRequest(path: try text(message.path, limitBytes: BackupRequest.pathLimitBytes))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(
      atrest__admin__v1__backup_request__init, expectedBytes: path.utf8.count + 512
    ) { message, arena in
      message.path = arena.text(path)
    }
  }
}

/// What a backup holds.
public struct BackupResponse: WireMessage {
  /// Accounts.
  public var accounts: Int
  /// Devices, those without access included.
  public var devices: Int
  /// Records, deleted ones and the journal included.
  public var records: Int
  /// Bytes of the file.
  public var sizeBytes: Int

  /// An answer.
  public init(accounts: Int, devices: Int, records: Int, sizeBytes: Int) {
    self.accounts = accounts
    self.devices = devices
    self.records = records
    self.sizeBytes = sizeBytes
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__backup_response__unpack) { message in
      BackupResponse(
        accounts: Int(clamping: message.accounts), devices: Int(clamping: message.devices),
        records: Int(clamping: message.records), sizeBytes: Int(clamping: message.size_bytes))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__admin__v1__backup_response__init) { message, _ in
      message.accounts = UInt64(clamping: accounts)
      message.devices = UInt64(clamping: devices)
      message.records = UInt64(clamping: records)
      message.size_bytes = UInt64(clamping: sizeBytes)
    }
  }
}
