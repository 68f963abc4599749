// SPDX-License-Identifier: Apache-2.0
// What a certificate says its key may be used for.

extension X509Certificate {
  /// One extension, not decoded.
  package struct Extension: Sendable {
    /// Its kind.
    package let identifier: OID
    /// Whether who does not understand it must refuse the certificate.
    package let isCritical: Bool
    /// Its contents, DER.
    let value: ArraySlice<UInt8>
  }

  /// Whether the key signs certificates, and how long a path may be under it.
  package enum BasicConstraints: Hashable, Sendable {
    /// No authority.
    case endEntity
    /// An authority, with at most so many authorities below it; nil is any number.
    case authority(pathLength: Int?)

    /// Source: RFC 5280, section 4.2.1.9.
    package static let identifier: OID = [2, 5, 29, 19]
  }

  /// What the key may be used for.
  package struct KeyUsage: Hashable, Sendable {
    /// Whether it may sign what is not a certificate.
    package let signsData: Bool
    /// Whether it may sign certificates.
    package let signsCertificates: Bool

    /// Source: RFC 5280, section 4.2.1.3.
    package static let identifier: OID = [2, 5, 29, 15]
  }

  /// Whether there is an extension of a kind.
  package func hasExtension(_ identifier: OID) -> Bool {
    extensions.contains { $0.identifier == identifier }
  }

  private func value(of identifier: OID) -> ArraySlice<UInt8>? {
    extensions.first { $0.identifier == identifier }?.value
  }

  /// Nil if nothing is said.
  ///
  /// - Throws: `MalformedCertificate` if the extension cannot be read, or has an end entity's path
  ///   length.
  package var basicConstraints: BasicConstraints? {
    get throws(MalformedCertificate) {
      guard let value = value(of: BasicConstraints.identifier) else { return nil }
      var whole = DERReader(value)
      var fields = try whole.enter(.sequence)
      try whole.finish()
      let isAuthority = try fields.readFlag()
      // More than 127 is no path.
      let pathLength = fields.isAtEnd ? nil : try fields.readSmallInteger()
      try fields.finish()
      if isAuthority { return .authority(pathLength: pathLength) }
      guard pathLength == nil else { throw MalformedCertificate() }
      return .endEntity
    }
  }

  /// Nil if nothing is said.
  ///
  /// - Throws: `MalformedCertificate` if the extension cannot be read.
  package var keyUsage: KeyUsage? {
    get throws(MalformedCertificate) {
      guard let value = value(of: KeyUsage.identifier) else { return nil }
      var whole = DERReader(value)
      let (bytes, unused) = try whole.readBits()
      try whole.finish()
      // Nine named bits, of which the last that is written is set: X.690, section 11.2.2.
      guard bytes.count * 8 - unused <= 9,
        bytes.last.map({ $0 >> UInt8(unused) & 1 == 1 }) ?? true
      else { throw MalformedCertificate() }
      let first = bytes.first ?? 0
      return KeyUsage(signsData: first & 0x80 != 0, signsCertificates: first & 0x04 != 0)
    }
  }

  /// Reads the extensions of a certificate.
  static func extensions(_ fields: inout DERReader) throws(MalformedCertificate) -> [Extension] {
    guard fields.isNext(.explicit3) else { return [] }
    var field = try fields.enter(.explicit3)
    var list = try field.enter(.sequence)
    try field.finish()
    var extensions: [Extension] = []
    while !list.isAtEnd {
      var entry = try list.enter(.sequence)
      let identifier = try entry.readObjectIdentifier()
      let isCritical = try entry.readFlag()
      let value = try entry.read(.octetString)
      try entry.finish()
      // Of two, one reader could take the first and another one the second.
      guard extensions.count < limitExtensions,
        !extensions.contains(where: { $0.identifier == identifier })
      else { throw MalformedCertificate() }
      extensions.append(Extension(identifier: identifier, isCritical: isCritical, value: value))
    }
    return extensions
  }
}
