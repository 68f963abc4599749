// SPDX-License-Identifier: Apache-2.0
// The answer of the Server service.

import AtrestDomain
import AtrestReplication

/// A server's version, limits and capabilities.
public typealias ServerInfoResponse = ServerInfo

extension ServerInfo: WireMessage, FieldWriting {
  /// Decodes a protobuf-encoded response.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var response = ServerInfoResponse(
        version: "", serverTime: WallTime(milliseconds: 0), limits: AccountLimits(),
        capabilities: [])
      var (version, capabilities) = (nil as Slice?, [UInt32]())
      while let field = try fields.next() {
        switch Fields.ServerInfoResponse(rawValue: field.number) {
        case .version: version = try field.content()
        case .serverTimeMs: response.serverTime = WallTime(milliseconds: try field.int64())
        case .limits: response.limits = try AccountLimits(field.content())
        case .capabilities: try field.append(to: &capabilities)
        case nil: break
        }
      }
      response.version = try String(version, limitBytes: Limit.versionBytes)
      response.capabilities = try ServerInfo.checked(capabilities)
      return response
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.text(Fields.ServerInfoResponse.version, version)
    sink.number(Fields.ServerInfoResponse.serverTimeMs, serverTime.milliseconds)
    sink.message(Fields.ServerInfoResponse.limits, limits)
    sink.packed(
      enumerations: Fields.ServerInfoResponse.capabilities, capabilities.map { $0.rawValue })
  }

  /// The capabilities that were sent, if they are not too many.
  package static func checked(_ numbers: [UInt32]) throws(WireError) -> [Capability] {
    guard numbers.count <= Limit.capabilities else { throw .invalid("too many capabilities") }
    return numbers.map { Capability(rawValue: $0) }
  }
}
