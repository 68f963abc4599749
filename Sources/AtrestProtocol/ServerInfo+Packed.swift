// SPDX-License-Identifier: Apache-2.0
// Packs the answer of the Server service.

import AtrestDomain
import AtrestReplication
import AtrestWire
import CAtrestProtos

extension ServerInfoResponse: PackedMessage {
  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__server_info_response__unpack) {
      message throws(WireError) in
      let numbers = UnsafeBufferPointer(
        start: message.capabilities,
        count: message.capabilities == nil ? 0 : message.n_capabilities)
      return ServerInfoResponse(
        version: try text(message.version, limitBytes: Limit.versionBytes),
        serverTime: WallTime(milliseconds: message.server_time_ms),
        limits: AccountLimits(message.limits?.pointee),
        capabilities: try ServerInfo.checked(numbers.map { UInt32($0.rawValue) }))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__sync__v1__server_info_response__init) { message, arena in
      message.version = arena.text(version)
      message.server_time_ms = serverTime.milliseconds
      message.limits = arena.limits(limits)
      message.n_capabilities = capabilities.count
      message.capabilities = arena.array(capabilities) {
        Atrest__Sync__V1__Capability(rawValue: .init($0.rawValue))
      }
    }
  }
}

extension AccountLimits {
  /// - Parameter message: Nil for limits that were not sent.
  init(_ message: Atrest__Sync__V1__Limits?) {
    self.init()
    guard let message else { return }
    self.init(
      records: message.records, bytes: message.bytes, messageBytes: message.message_bytes,
      recordsPerRequest: message.records_per_request, valueBytes: message.value_bytes,
      recordBytes: message.record_bytes, watchStreams: message.watch_streams)
  }
}

extension Arena {
  func limits(_ limits: AccountLimits) -> UnsafeMutablePointer<Atrest__Sync__V1__Limits> {
    let message = make(atrest__sync__v1__limits__init)
    message.pointee.records = limits.records
    message.pointee.bytes = limits.bytes
    message.pointee.message_bytes = limits.messageBytes
    message.pointee.records_per_request = limits.recordsPerRequest
    message.pointee.value_bytes = limits.valueBytes
    message.pointee.record_bytes = limits.recordBytes
    message.pointee.watch_streams = limits.watchStreams
    return message
  }
}
