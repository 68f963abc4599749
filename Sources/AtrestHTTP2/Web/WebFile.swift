// SPDX-License-Identifier: Apache-2.0
// Holds a file that a server gives to browsers.

/// One file of a ``WebSite``, in memory.
public struct WebFile: Sendable {
  /// Where it is asked for: `/`, `/app.js`.
  public var path: String
  /// Its `content-type`.
  public var contentType: String
  public var bytes: [UInt8]
  /// The same bytes as gzip, if that is worthwhile.
  public var compressed: [UInt8]?
  /// Names the contents: printable ASCII without quotes, such as a hash.
  public var tag: String
  /// Whether the path never stands for other contents: a browser then never asks again.
  public var isImmutable: Bool

  /// Creates a file.
  public init(
    path: String, contentType: String, bytes: [UInt8], compressed: [UInt8]? = nil, tag: String,
    isImmutable: Bool = false
  ) {
    self.path = path
    self.contentType = contentType
    self.bytes = bytes
    self.compressed = compressed
    self.tag = tag
    self.isImmutable = isImmutable
  }
}
