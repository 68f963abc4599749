// SPDX-License-Identifier: Apache-2.0
// Holds a file that a server gives to browsers, in each of its codings.

/// One file of a ``WebSite``, in memory.
public struct WebFile: Sendable {
  /// A content coding, by its name in `accept-encoding`: the preferred one first.
  public enum Coding: String, CaseIterable, Sendable {
    case brotli = "br"
    case gzip
    case identity
  }

  /// Where it is asked for: `/`, `/app.js`.
  public let path: String
  /// Its `content-type`.
  public let contentType: String
  /// Its contents.
  public let bytes: [UInt8]
  /// The same compressed, made beforehand: a server's start compresses nothing.
  let compressed: [Coding: [UInt8]]
  /// Names the contents: printable ASCII without quotes, such as a hash.
  public let tag: String
  /// Whether the path never stands for other contents: a browser then never asks again.
  public let isImmutable: Bool

  /// The codings that there are, the preferred one first.
  public var codings: [Coding] {
    Coding.allCases.filter { $0 == .identity || compressed[$0] != nil }
  }

  /// Creates a file that is served as it is.
  public init(
    path: String, contentType: String, bytes: [UInt8], tag: String, isImmutable: Bool = false
  ) {
    self.init(path, contentType, bytes, [:], tag, isImmutable)
  }

  /// Creates a file from its codings.
  /// - Parameters:
  ///   - forms: The contents by coding. Without identity they are read from gzip. Brotli is taken
  ///     as it is.
  ///   - limitBytes: The maximum size of the contents.
  /// - Returns: Nil if the forms hold neither identity, nor a gzip of at most `limitBytes`.
  /// - Complexity: O(n): inflating a megabyte takes some 10 ms.
  public init?(
    path: String, contentType: String, forms: [Coding: [UInt8]], limitBytes: Int, tag: String,
    isImmutable: Bool = false
  ) {
    var compressed = forms
    let identity = compressed.removeValue(forKey: .identity)
    guard
      let bytes = identity ?? compressed[.gzip].flatMap({ Self.inflated($0, limitBytes) }),
      bytes.count <= limitBytes
    else { return nil }
    self.init(path, contentType, bytes, compressed, tag, isImmutable)
  }

  private init(
    _ path: String, _ contentType: String, _ bytes: [UInt8], _ compressed: [Coding: [UInt8]],
    _ tag: String, _ isImmutable: Bool
  ) {
    self.path = path
    self.contentType = contentType
    self.bytes = bytes
    self.compressed = compressed
    self.tag = tag
    self.isImmutable = isImmutable
  }

  /// What a gzip holds. Its last four bytes say how long that is (RFC 1952, section 2.3.1).
  private static func inflated(_ gzip: [UInt8], _ limitBytes: Int) -> [UInt8]? {
    let length = gzip.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length <= limitBytes else { return nil }
    var limits = Limits.default
    limits.maxMessageBytes = length
    limits.inflateRatioFloorBytes = length
    return try? Inflater(.gzip)?.inflate(gzip, limits: limits)
  }
}
