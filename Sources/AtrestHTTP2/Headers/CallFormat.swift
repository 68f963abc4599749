// SPDX-License-Identifier: Apache-2.0
// Names the two ways in which a call's messages and status travel.

/// How a call's status follows its messages. The messages themselves have one form.
///
/// Source: grpc/grpc doc/PROTOCOL-WEB.md.
public enum CallFormat: Sendable {
  /// gRPC over HTTP/2: the status is in the trailers.
  case grpc
  /// gRPC-Web, for browsers, which cannot read trailers: the status is the last frame of the body.
  case web
  /// The same, if the request named the codec.
  case webProto

  /// Whether the status is part of the body.
  public var isWeb: Bool {
    switch self {
    case .grpc: false
    case .web, .webProto: true
    }
  }

  /// The response's content type: the request's.
  var contentType: StaticString {
    switch self {
    case .grpc: "application/grpc"
    case .web: "application/grpc-web"
    case .webProto: "application/grpc-web+proto"
    }
  }
}

/// What a `content-type` says about a request.
enum ContentType: Equatable {
  case missing
  case call(CallFormat)
  /// A call whose messages are not protobuf.
  case unknownCodec(CallFormat)
  /// gRPC-Web in base64, for browsers without `fetch`.
  case webText
  case other

  /// Matches a format's name followed by the end, `+` or `;`. Names of media types have no case
  /// (RFC 9110, 8.3.1).
  init(_ value: UnsafeBufferPointer<UInt8>) {
    guard !value.contains(where: { (0x41...0x5A).contains($0) }) else {
      let lowered = value.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      self = lowered.withUnsafeBufferPointer { ContentType($0) }
      return
    }
    let prefix: StaticString = "application/grpc"
    guard hasPrefix(value, prefix) else {
      self = .other
      return
    }
    let rest = value.suffix(after: prefix)
    guard hasPrefix(rest, "-web") else {
      self = Self.codec(rest, plain: .grpc, proto: .grpc)
      return
    }
    let web = rest.suffix(after: "-web")
    self = hasPrefix(web, "-text") ? .webText : Self.codec(web, plain: .web, proto: .webProto)
  }

  private static func codec(
    _ rest: UnsafeBufferPointer<UInt8>, plain: CallFormat, proto: CallFormat
  ) -> ContentType {
    switch rest.first {
    case nil, UInt8(ascii: ";"): return .call(plain)
    case UInt8(ascii: "+"):
      let isKnown = equals(rest, "+proto") || hasPrefix(rest, "+proto;")
      return isKnown ? .call(proto) : .unknownCodec(proto)
    default: return .other
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// What follows a prefix that is known to be there.
  fileprivate func suffix(after prefix: StaticString) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: dropFirst(prefix.utf8CodeUnitCount))
  }
}
