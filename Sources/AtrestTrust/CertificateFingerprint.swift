// SPDX-License-Identifier: Apache-2.0
// Identifies a certificate in 32 bytes, which fit into a pairing link.

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
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }.map(Self.digit)
    guard digits.count == Self.byteCount * 2 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  /// 64 lowercase hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
