// SPDX-License-Identifier: Apache-2.0
// Decides which message encodings exist here, and how their names are read off the wire.

/// How messages are encoded. Each message is compressed on its own, with a fresh context.
public enum Compression: String, Sendable, CaseIterable {
  /// As it is.
  case identity
  /// RFC 1952.
  case gzip
  /// RFC 1950, which is what gRPC means by the word.
  case deflate
}
