// SPDX-License-Identifier: Apache-2.0
// A certificate in parts, each of which a test can spoil before it is signed.

/// The fields of a certificate, each in DER.
public struct CertificateForm {
  /// Version 3.
  public var version = DER.element(0xA0, DER.integer(2))
  public var serial = DER.element(0x02, (0..<16).map { _ in UInt8.random(in: 1...127) })
  /// The algorithm inside of what is signed.
  public var signedAlgorithm: [UInt8]
  /// The algorithm beside the signature.
  public var algorithm: [UInt8]
  public var issuer: [UInt8]
  public var notBefore = DER.time("200101000000Z")
  public var notAfter = DER.time("400101000000Z")
  public var subject: [UInt8]
  public var key: [UInt8]
  public var extensions: [[UInt8]]
  /// What comes between key and extensions: nothing, in version 3.
  public var uniqueIdentifiers: [UInt8] = []
  /// Changes the signature, DER.
  public var changeSignature: ([UInt8]) -> [UInt8] = { $0 }
  /// The number of bits of the hash that is signed.
  public var hash: Int

  /// Creates a certificate that is not signed yet.
  public init(
    issuer: String, subject: String, key: [UInt8], hash: Int = 384, extensions: [[UInt8]]
  ) {
    (self.issuer, self.subject) = (DER.name(issuer), DER.name(subject))
    (self.key, self.hash, self.extensions) = (key, hash, extensions)
    algorithm = Self.ecdsa(hash: hash)
    signedAlgorithm = algorithm
  }

  /// The certificate.
  public func signed(by issuer: SigningKey) throws -> [UInt8] {
    let signed = DER.sequence(
      version, serial, signedAlgorithm, self.issuer, DER.sequence(notBefore, notAfter), subject,
      key, uniqueIdentifiers,
      extensions.isEmpty
        ? [] : DER.element(0xA3, DER.element(0x30, extensions.flatMap(\.self))))
    let signature = changeSignature(try issuer.sign(signed, hash: hash))
    return DER.sequence(signed, algorithm, DER.bits(signature))
  }

  /// The identifier of ECDSA over a hash.
  public static func ecdsa(hash: Int) -> [UInt8] {
    DER.sequence(DER.identifier([1, 2, 840, 10_045, 4, 3, hash / 128]))
  }

  /// An extension.
  public static func entry(
    _ identifier: [Int], isCritical: Bool = false, _ value: [UInt8]
  ) -> [UInt8] {
    DER.sequence(
      DER.identifier(identifier), isCritical ? [0x01, 0x01, 0xFF] : [], DER.element(0x04, value))
  }

  /// The extension of an authority.
  public static func authority(pathLength: UInt8? = nil) -> [UInt8] {
    entry(
      [2, 5, 29, 19], isCritical: true,
      DER.sequence([0x01, 0x01, 0xFF], pathLength.map(DER.integer) ?? []))
  }

  /// The extension of an end entity.
  public static let endEntity = entry([2, 5, 29, 19], isCritical: true, DER.sequence())

  /// The extension that says what the key may do.
  ///
  /// - Parameter bits: The one byte of the BIT STRING, not zero.
  public static func usage(_ bits: UInt8) -> [UInt8] {
    entry(
      [2, 5, 29, 15], isCritical: true,
      DER.element(0x03, [UInt8(bits.trailingZeroBitCount), bits]))
  }
}
