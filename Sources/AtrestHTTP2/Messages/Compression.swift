// SPDX-License-Identifier: Apache-2.0
// The supported message encodings.

/// A message encoding. Each message is compressed separately, with a fresh context.
public enum Compression: String, Sendable, CaseIterable {
  /// No compression.
  case identity
  /// gzip, RFC 1952.
  case gzip
  /// zlib, RFC 1950, which gRPC calls "deflate".
  case deflate
}
