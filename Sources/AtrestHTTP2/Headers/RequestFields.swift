// SPDX-License-Identifier: Apache-2.0
// Parses request headers and detects those that make a request unacceptable.

/// The header fields of one request, collected as they arrive. Has one owner, the request.
///
/// A class, because a state that held it as a value would copy it with every question.
final class RequestFields {
  enum Timeout {
    case none
    case malformed
    case nanoseconds(UInt64)
  }

  enum Method {
    case get, head, post, other
  }

  var method = Method.other
  var path = ""
  var authority = ""
  var contentType = ContentType.missing
  var timeout = Timeout.none
  /// Nil for an unsupported encoding.
  var encoding: Compression? = .identity
  /// The best supported encoding that the client accepts.
  var accepted = Compression.identity
  // Unchecked: each header field asks these, and the exclusivity check costs more than the answer.
  // They are values that call nothing.
  @exclusivity(unchecked) var metadata = Metadata()
  @exclusivity(unchecked) var size = HeaderBudget()
  var hasBadBinary = false

  /// Adds one field if the header block stays within the limits. `recall` avoids allocating the
  /// same path and authority for every call.
  func take(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, limits: Limits,
    recall: inout RecalledText
  ) -> HeaderBudget.Verdict {
    let verdict = size.add(name, value, limits)
    if verdict == .fits { take(name, value, recall: &recall) }
    return verdict
  }

  private func take(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
    recall: inout RecalledText
  ) {
    switch name.first {
    case UInt8(ascii: ":"):
      if equals(name, ":path") {
        path = recall.path(value)
      } else if equals(name, ":method") {
        method = Self.method(value)
      } else if equals(name, ":authority") {
        authority = recall.authority(value)
      }
    case UInt8(ascii: "g") where hasPrefix(name, "grpc-"):
      takeProtocolField(name, value)
    case UInt8(ascii: "t") where equals(name, "te"):
      break
    case UInt8(ascii: "h") where equals(name, "host"):
      if authority.isEmpty { authority = recall.authority(value) }
    case UInt8(ascii: "c") where equals(name, "content-type"):
      contentType = ContentType(value)
    case UInt8(ascii: "c") where equals(name, "content-length"):
      break
    default:
      if !metadata.appendReceived(name, value) { hasBadBinary = true }
    }
  }

  private func takeProtocolField(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) {
    if equals(name, "grpc-timeout") {
      timeout = CallTimeout.decode(value).map(Timeout.nanoseconds) ?? .malformed
    } else if equals(name, "grpc-encoding") {
      encoding = Compression(received: value)
    } else if equals(name, "grpc-accept-encoding") {
      accepted = Compression.best(in: value)
    } else if equals(name, "grpc-previous-rpc-attempts") {
      metadata.append(name: name, value: value, isBinary: false)
    }
    // Other `grpc-` names are protocol fields, not metadata.
  }

  private static func method(_ value: UnsafeBufferPointer<UInt8>) -> Method {
    if equals(value, "POST") { return .post }
    if equals(value, "GET") { return .get }
    return equals(value, "HEAD") ? .head : .other
  }
}

/// Counts the size of a header block as it arrives: name + value + 32, per RFC 9113, section 6.5.2.
/// A `-bin` field counts as one entry for each of its comma-separated values.
struct HeaderBudget {
  private(set) var bytes = 0
  private(set) var count = 0

  enum Verdict {
    case fits
    /// Over the limit: the call is rejected and further fields are not stored.
    case over
    /// More than four times the limit: an attack, so the stream is reset.
    case absurd
  }

  func fits(_ limits: Limits) -> Bool {
    bytes <= limits.maxHeaderListBytes && count <= limits.maxHeaderCount
  }

  mutating func add(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ limits: Limits
  ) -> Verdict {
    let values = isBinaryName(name) ? 1 + value.count { $0 == UInt8(ascii: ",") } : 1
    bytes += values * (name.count + 32) + value.count
    count += values
    if fits(limits) { return .fits }
    return bytes / 4 > limits.maxHeaderListBytes ? .absurd : .over
  }
}

/// Caches the last path and authority of a connection: most calls repeat them.
struct RecalledText {
  private var lastPath = ""
  private var lastAuthority = ""

  mutating func path(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    recall(bytes, &lastPath)
  }

  mutating func authority(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    recall(bytes, &lastAuthority)
  }

  private func recall(_ bytes: UnsafeBufferPointer<UInt8>, _ last: inout String) -> String {
    let isSame = last.utf8.withContiguousStorageIfAvailable { known in
      known.count == bytes.count
        && (known.isEmpty || known.indices.allSatisfy { known[$0] == bytes[$0] })
    }
    if isSame == true { return last }
    last = String(decoding: bytes, as: UTF8.self)
    return last
  }
}

extension Metadata {
  /// Appends a received field. A `-bin` value may hold several values, joined by commas.
  /// - Returns: False if a base64 value is malformed. The values before it are kept.
  mutating func appendReceived(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    if storage.isEmpty {
      storage.reserveCapacity(256)
      entries.reserveCapacity(4)
    }
    guard isBinaryName(name) else {
      append(name: name, value: value, isBinary: false)
      return true
    }
    for piece in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let trimmed = piece.trimmingSpaces()
      guard let bytes = Base64.decode(trimmed) else { return false }
      append(name: name, value: bytes, isBinary: true)
    }
    return true
  }
}

extension Compression {
  /// The encoding with this name; nil if unsupported.
  init?(received bytes: UnsafeBufferPointer<UInt8>) {
    if equals(bytes, "identity") {
      self = .identity
    } else if equals(bytes, "gzip") {
      self = .gzip
    } else if equals(bytes, "deflate") {
      self = .deflate
    } else {
      return nil
    }
  }

  /// The best supported encoding in a comma-separated list with optional spaces. Every call lists
  /// them, so `split`, which allocates, is not used.
  static func best(in list: UnsafeBufferPointer<UInt8>) -> Compression {
    var best = Compression.identity
    var rest = list[...]
    while !rest.isEmpty {
      let name = rest.prefix { $0 != UInt8(ascii: ",") }
      rest = rest.dropFirst(name.count + 1)
      switch Compression(received: UnsafeBufferPointer(rebasing: name.trimmingSpaces())) {
      case .gzip: return .gzip
      case .deflate: best = .deflate
      case .identity, nil: break
      }
    }
    return best
  }
}

extension BidirectionalCollection<UInt8> {
  func trimmingSpaces() -> SubSequence {
    var rest = self[...]
    while rest.first == 0x20 || rest.first == 0x09 { rest = rest.dropFirst() }
    while rest.last == 0x20 || rest.last == 0x09 { rest = rest.dropLast() }
    return rest
  }
}
