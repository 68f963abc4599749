// SPDX-License-Identifier: Apache-2.0
// The message of the Admin service about what the server is doing.

import AtrestWire
import CAtrestProtos

/// What a server is doing. Its parts are not of the same instant.
public struct GetServerStatusResponse: PackedMessage, Equatable {
  /// Maximum length of its texts in bytes.
  private static let textBytes = 256
  private static let warningBytes = 1024

  public var version = ""
  /// Since its start, in milliseconds.
  public var uptimeMilliseconds = 0
  /// Where it listens for devices.
  public var address = ""
  /// What holds its records, without an address.
  public var store = ""
  /// Whether the store takes writes and the server is not stopping.
  public var isServing = false
  /// Whether its clock cannot be relied on.
  public var isClockDoubtful = false
  /// Accounts and devices in memory.
  public var accounts = 0
  public var devices = 0
  /// Connections that have not completed a handshake, others that have not authenticated, and all.
  public var handshakingConnections = 0
  public var unauthenticatedConnections = 0
  public var connections = 0
  /// Calls under way, and streams of changes among them.
  public var activeCalls = 0
  public var watchers = 0
  /// Calls since the start, and those that ended with OK.
  public var endedCalls = 0
  public var successfulCalls = 0
  /// Bytes that peers make connections buffer.
  public var heldBytes = 0
  /// Bytes of the jobs that wait for the store.
  public var queueBytes = 0
  /// Free bytes of the data folder's disk. Nil: unknown.
  public var diskFreeBytes: Int?
  /// The end of the certificate's validity in milliseconds since 1970. Nil: nothing is encrypted.
  public var certificateEndMilliseconds: Int?
  /// Whether writes are refused because the store's disk is nearly full.
  public var isDiskFull = false
  /// What the owner should change about how the server is run, a sentence each.
  public var warnings: [String] = []

  /// An empty response.
  public init() {}

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__get_server_status_response__unpack) {
      message throws(WireError) in
      var response = GetServerStatusResponse()
      response.version = try text(message.version, limitBytes: Self.textBytes)
      response.uptimeMilliseconds = Int(clamping: message.uptime_ms)
      response.address = try text(message.address, limitBytes: Self.textBytes)
      response.store = try text(message.store, limitBytes: Self.textBytes)
      response.isServing = message.serving != 0
      response.isClockDoubtful = message.clock_doubtful != 0
      response.accounts = Int(clamping: message.accounts)
      response.devices = Int(clamping: message.devices)
      response.handshakingConnections = Int(clamping: message.handshaking_connections)
      response.unauthenticatedConnections = Int(clamping: message.unauthenticated_connections)
      response.connections = Int(clamping: message.connections)
      response.activeCalls = Int(clamping: message.active_calls)
      response.watchers = Int(clamping: message.watchers)
      response.endedCalls = Int(clamping: message.ended_calls)
      response.successfulCalls = Int(clamping: message.successful_calls)
      response.heldBytes = Int(clamping: message.held_bytes)
      response.queueBytes = Int(clamping: message.queue_bytes)
      let free = Int(clamping: message.disk_free_bytes)
      response.diskFreeBytes = free == 0 ? nil : free
      let end = Int(clamping: message.certificate_end_ms)
      response.certificateEndMilliseconds = end == 0 ? nil : end
      response.isDiskFull = message.disk_full != 0
      for warning in elements(message.warnings, message.n_warnings) {
        response.warnings.append(try text(warning.text, limitBytes: Self.warningBytes))
      }
      return response
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__get_server_status_response__init) { message, arena in
      message.version = arena.text(version)
      message.uptime_ms = UInt64(clamping: uptimeMilliseconds)
      message.address = arena.text(address)
      message.store = arena.text(store)
      message.serving = isServing ? 1 : 0
      message.clock_doubtful = isClockDoubtful ? 1 : 0
      message.accounts = UInt64(clamping: accounts)
      message.devices = UInt64(clamping: devices)
      message.handshaking_connections = UInt64(clamping: handshakingConnections)
      message.unauthenticated_connections = UInt64(clamping: unauthenticatedConnections)
      message.connections = UInt64(clamping: connections)
      message.active_calls = UInt64(clamping: activeCalls)
      message.watchers = UInt64(clamping: watchers)
      message.ended_calls = UInt64(clamping: endedCalls)
      message.successful_calls = UInt64(clamping: successfulCalls)
      message.held_bytes = UInt64(clamping: heldBytes)
      message.queue_bytes = UInt64(clamping: queueBytes)
      message.disk_free_bytes = UInt64(clamping: diskFreeBytes ?? 0)
      message.certificate_end_ms = Int64(clamping: certificateEndMilliseconds ?? 0)
      message.disk_full = isDiskFull ? 1 : 0
      message.n_warnings = warnings.count
      message.warnings = arena.array(warnings) { text in
        let warning = arena.make(atrest__admin__v1__server_warning__init)
        warning.pointee.text = arena.text(text)
        return warning
      }
    }
  }
}
