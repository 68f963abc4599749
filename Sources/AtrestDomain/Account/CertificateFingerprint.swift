// SPDX-License-Identifier: Apache-2.0
// Identifies a certificate in 32 bytes, which fit into a pairing link.

import AtrestReplication

/// The SHA-256 of a certificate's DER encoding. Not secret.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
  /// The length in bytes.
  public static let byteCount = 32

  /// The SHA-256 digest.
  public let bytes: [UInt8]

  /// Creates a fingerprint from 32 bytes; nil for any other number.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Parses 64 hexadecimal digits, with or without colons between bytes; nil for anything else.
  public init?(parsing text: String) {
    guard text.utf8.count <= Self.byteCount * 3 else { return nil }
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
    guard let bytes = Hexadecimal.decoded(digits[...]) else { return nil }
    self.init(bytes)
  }

  /// 64 lowercase hexadecimal digits.
  public var description: String { Hexadecimal.encoded(bytes) }
}
