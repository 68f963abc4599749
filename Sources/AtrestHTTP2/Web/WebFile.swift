// SPDX-License-Identifier: Apache-2.0
// Holds a file that a server gives to browsers.

/// One file of a ``WebSite``, in memory.
public struct WebFile: Sendable {
  /// Where it is asked for: `/`, `/app.js`.
  public let path: String
  /// Its `content-type`.
  public let contentType: String
  /// Its contents.
  public let bytes: [UInt8]
  /// The same as gzip; nil if that is not shorter.
  let compressed: [UInt8]?
  /// Names the contents: printable ASCII without quotes, such as a hash.
  public let tag: String
  /// Whether the path never stands for other contents: a browser then never asks again.
  public let isImmutable: Bool

  /// Creates a file and compresses it, which takes some 50 ms for a megabyte.
  public init(
    path: String, contentType: String, bytes: [UInt8], tag: String, isImmutable: Bool = false
  ) {
    self.path = path
    self.contentType = contentType
    self.bytes = bytes
    compressed = Deflater(.gzip, level: 9)?.deflate(bytes)
    self.tag = tag
    self.isImmutable = isImmutable
  }
}
