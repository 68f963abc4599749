// SPDX-License-Identifier: Apache-2.0
// Verifies ECDSA signatures.

/// NIST's curves over prime fields: those that certificate authorities use.
package enum EllipticCurve: Sendable, CaseIterable {
  case p256
  case p384
  case p521

  /// The length of a coordinate, and of either number of a signature, in bytes.
  package var byteCount: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }
}

/// The hash of a message that a signature is made of.
package enum SignatureHash: Sendable, CaseIterable {
  case sha256
  case sha384
  case sha512
}

/// A point on a named curve. Points in other forms and curves with parameters of their own are
/// refused: a peer would choose them, and OpenSSL once looped over some (CVE-2022-0778).
package struct ECDSAPublicKey: Sendable {
  /// The point's curve.
  package let curve: EllipticCurve
  private let key: PlatformKey

  /// Creates a key; nil unless the point is on the curve.
  ///
  /// - Parameter point: The uncompressed form: SEC 1, section 2.3.3.
  package init?(_ curve: EllipticCurve, point: [UInt8]) {
    guard point.count == 1 + 2 * curve.byteCount, point.first == 0x04,
      let key = PlatformKey(curve, point: point)
    else { return nil }
    self.curve = curve
    self.key = key
  }

  /// Whether this key signed `message`, by a signature in the form that certificates have.
  ///
  /// - Parameter signature: A DER SEQUENCE of two INTEGERs.
  /// - Returns: False for any other signature, however it is wrong.
  package func isValid(
    der signature: [UInt8], of message: [UInt8], hash: SignatureHash
  ) -> Bool {
    key.isValid(signature, of: message, hash: hash)
  }

  /// Whether this key signed `message`, by a signature in the form that a JWS has.
  ///
  /// - Parameter signature: Two numbers, big-endian, each as long as a coordinate: RFC 7518,
  ///   section 3.4.
  /// - Returns: False for any other signature, however it is wrong.
  package func isValid(
    raw signature: [UInt8], of message: [UInt8], hash: SignatureHash
  ) -> Bool {
    guard signature.count == 2 * curve.byteCount else { return false }
    let numbers =
      Self.integer(signature.prefix(curve.byteCount))
      + Self.integer(signature.suffix(curve.byteCount))
    // At most 138 bytes, of P-521.
    let header = numbers.count < 0x80 ? [0x30] : [0x30, 0x81] as [UInt8]
    return isValid(der: header + [UInt8(numbers.count)] + numbers, of: message, hash: hash)
  }

  /// The DER INTEGER of a number without a sign.
  private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(number.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [0x02, UInt8(digits.count)] + digits
  }
}
