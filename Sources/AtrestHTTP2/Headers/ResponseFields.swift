// SPDX-License-Identifier: Apache-2.0
// Parses response headers and derives the gRPC status.

/// The fields of one response header block: initial headers or trailers. Has one owner, the
/// response; a class for the reason of ``RequestFields``.
final class ResponseFields {
  var httpStatus = 0
  var isGRPC = false
  /// Nil for an unsupported encoding.
  var encoding: Compression? = .identity
  /// Nil if absent. A number outside the table becomes UNKNOWN.
  var code: StatusCode?
  var message = ""
  var details: [UInt8] = []
  var metadata = Metadata()
  var size = HeaderBudget()

  func take(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) {
    if equals(name, ":status") {
      httpStatus = Self.number(value) ?? 0
    } else if equals(name, "content-type") {
      isGRPC = ContentType(value) == .call(.grpc)
    } else if equals(name, "grpc-status") {
      code = Self.number(value).flatMap(StatusCode.init) ?? .unknown
    } else if equals(name, "grpc-message") {
      message = PercentCoding.decode(value)
    } else if equals(name, "grpc-status-details-bin") {
      details = Base64.decode(value.trimmingSpaces()) ?? []
    } else if equals(name, "grpc-encoding") {
      encoding = Compression(received: value)
    } else if equals(name, "grpc-retry-pushback-ms") || !isProtocolName(name) {
      // A malformed value is dropped: it must not hide the status beside it.
      _ = metadata.appendReceived(name, value)
    }
  }

  private func isProtocolName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    name.first == UInt8(ascii: ":") || hasPrefix(name, "grpc-")
      || equals(name, "content-length")
  }

  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard (1...3).contains(text.count) else { return nil }
    var value = 0
    for digit in text {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }

  /// The status in these trailers, or the status for its absence.
  var status: Status {
    guard let code else {
      if httpStatus != 0, httpStatus != 200 { return Status(http: httpStatus) }
      return .substitute(.unknown, "trailers without grpc-status")
    }
    return Status(code, message, details: details, metadata: metadata)
  }
}

extension Status {
  /// Only for responses without a gRPC status. Source: grpc/grpc doc/http-grpc-status-mapping.md.
  init(http code: Int) {
    let mapped: StatusCode =
      switch code {
      case 400: .internal
      case 401: .unauthenticated
      case 403: .permissionDenied
      case 404: .unimplemented
      case 429, 502, 503, 504: .unavailable
      default: .unknown
      }
    self = .substitute(mapped, "HTTP status \(code)")
  }

  /// The status of a stream that closed before its trailers. Source: grpc/grpc
  /// doc/PROTOCOL-HTTP2.md, "HTTP2 Transport Mapping, Errors".
  init(http2Error code: UInt32) {
    switch code {
    case 0: self.init(.internal, "The response ended without a status.")
    // Not gRPC's mapping, which is INTERNAL. A proxy says so of a stream whose server died, and a
    // connection that is lost without a proxy is UNAVAILABLE, too.
    case 2: self.init(.unavailable, "The stream broke on its way: HTTP/2 error 2.")
    case 7: self.init(.unavailable, "The server refused the call before working on it.")
    case 8: self.init(.cancelled, "The server cancelled the call.")
    case 11: self.init(.resourceExhausted, "The server asks for calm.")
    case 12: self.init(.permissionDenied, "The connection is not secure enough.")
    default: self.init(.internal, "The stream broke with HTTP/2 error \(code).")
    }
  }
}
