// SPDX-License-Identifier: Apache-2.0
// Reads a certificate, and says whether another one's key signed it.

/// An X.509 certificate. It is read here, in Swift, and only its key and its signature are handed
/// to the platform: OpenSSL's reader takes BER for DER, compares names loosely, and builds a key
/// from whatever curve a peer describes, before anybody can look at it.
///
/// What a certificate says is not judged here, except that the same must not be said twice.
/// Source: RFC 5280, section 4.1.
package struct X509Certificate: Sendable {
  /// The longest certificate that is read, in bytes. Those of authorities have some 1,000.
  package static let limitBytes = 16 * 1024
  /// The most extensions of one certificate. Those of authorities have about ten.
  package static let limitExtensions = 32

  /// The certificate's bytes.
  package let der: [UInt8]
  /// 1, 2 or 3.
  package let version: Int
  /// The first instant at which it is valid, in milliseconds since 1970, UTC.
  package let notBefore: Int64
  /// The last one.
  package let notAfter: Int64
  /// The key; nil if it is of another algorithm than ECDSA.
  package let key: ECDSAPublicKey?
  /// The extensions, each of a kind of its own.
  package let extensions: [Extension]

  private let issuer: [UInt8]
  private let subject: [UInt8]
  /// The hash that the issuer signed; nil if its algorithm is not ECDSA.
  private let hash: SignatureHash?
  private let signature: [UInt8]
  private let signedBytes: [UInt8]

  /// Reads a certificate. Verifies nothing.
  ///
  /// - Parameter der: The certificate, and nothing behind it.
  /// - Throws: `MalformedCertificate` also for one whose key is not a point of one of NIST's curves
  ///   by name, though it claims to be a key of ECDSA.
  package init(der: [UInt8]) throws(MalformedCertificate) {
    guard der.count <= Self.limitBytes else { throw MalformedCertificate() }
    var file = DERReader(der[...])
    var certificate = try file.enter(.sequence)
    try file.finish()
    let signed = try certificate.readAny()
    let algorithm = try certificate.readAny().encoded
    let signature = try certificate.readWholeBytes()
    try certificate.finish()

    var whole = DERReader(signed.encoded)
    var fields = try whole.enter(.sequence)
    version = try Self.version(&fields)
    _ = try fields.readInteger()  // The serial number.
    // Section 4.1.1.2. Otherwise the algorithm is not part of what is signed.
    guard try fields.readAny().encoded == algorithm else { throw MalformedCertificate() }
    issuer = try Self.name(&fields)
    var validity = try fields.enter(.sequence)
    notBefore = try validity.readTime()
    notAfter = try validity.readTime()
    try validity.finish()
    subject = try Self.name(&fields)
    key = try Self.key(&fields)
    // The unique identifiers of version 2 would come here. No authority writes them.
    extensions = try Self.extensions(&fields)
    try fields.finish()

    hash = try Self.hash(algorithm)
    if hash != nil { try Self.checkForm(of: signature) }
    self.signature = Array(signature)
    signedBytes = Array(signed.encoded)
    self.der = der
  }

  /// Whether `issuer`'s key signed this certificate, under the issuer's name, by ECDSA.
  ///
  /// Names are compared by their bytes, which authorities copy.
  /// - Complexity: One verification if the names fit; about 1.3 ms by a key on P-384.
  package func isSigned(by issuer: X509Certificate) -> Bool {
    guard issuer.subject == self.issuer, let hash, let key = issuer.key else { return false }
    return key.isValid(der: signature, of: signedBytes, hash: hash)
  }

  private static func version(_ fields: inout DERReader) throws(MalformedCertificate) -> Int {
    guard fields.isNext(.explicit0) else { return 1 }
    var field = try fields.enter(.explicit0)
    let number = try field.readSmallInteger()
    try field.finish()
    // Version 1 is the default, and so never written.
    guard number == 1 || number == 2 else { throw MalformedCertificate() }
    return number + 1
  }

  /// The bytes of a name: sets of attributes, each an identifier and a text of some type.
  private static func name(_ fields: inout DERReader) throws(MalformedCertificate) -> [UInt8] {
    let (encoded, _) = try fields.readAny()
    var whole = DERReader(encoded)
    var name = try whole.enter(.sequence)
    while !name.isAtEnd {
      var attributes = try name.enter(.set)
      while !attributes.isAtEnd {
        var attribute = try attributes.enter(.sequence)
        _ = try attribute.readObjectIdentifier()
        try attribute.skipPrimitive()
        try attribute.finish()
      }
    }
    return Array(encoded)
  }

  /// The identifier of an algorithm, and its parameters, whatever they are.
  private static func algorithm(
    _ fields: inout DERReader
  ) throws(MalformedCertificate) -> (identifier: OID, parameters: ArraySlice<UInt8>?) {
    var algorithm = try fields.enter(.sequence)
    let identifier = try algorithm.readObjectIdentifier()
    let parameters = algorithm.isAtEnd ? nil : try algorithm.readAny().encoded
    try algorithm.finish()
    return (identifier, parameters)
  }

  private static func key(
    _ fields: inout DERReader
  ) throws(MalformedCertificate) -> ECDSAPublicKey? {
    var field = try fields.enter(.sequence)
    let (identifier, parameters) = try algorithm(&field)
    let point = try field.readWholeBytes()
    try field.finish()
    // Source: RFC 5480, section 2.
    guard identifier == [1, 2, 840, 10_045, 2, 1] else { return nil }
    var curve = DERReader(parameters ?? [])
    guard let curve = curves[try curve.readObjectIdentifier()],
      let key = ECDSAPublicKey(curve, point: Array(point))
    else { throw MalformedCertificate() }
    return key
  }

  private static let curves: [OID: EllipticCurve] = [
    [1, 2, 840, 10_045, 3, 1, 7]: .p256, [1, 3, 132, 0, 34]: .p384, [1, 3, 132, 0, 35]: .p521,
  ]

  /// The hash of an algorithm of signatures; nil if it is not ECDSA's.
  private static func hash(
    _ encoded: ArraySlice<UInt8>
  ) throws(MalformedCertificate) -> SignatureHash? {
    var whole = DERReader(encoded)
    let (identifier, parameters) = try algorithm(&whole)
    guard let hash = hashes[identifier] else { return nil }
    // RFC 5758, section 3.2: without parameters.
    guard parameters == nil else { throw MalformedCertificate() }
    return hash
  }

  private static let hashes: [OID: SignatureHash] = [
    [1, 2, 840, 10_045, 4, 3, 2]: .sha256, [1, 2, 840, 10_045, 4, 3, 3]: .sha384,
    [1, 2, 840, 10_045, 4, 3, 4]: .sha512,
  ]

  /// A signature of ECDSA is two numbers.
  private static func checkForm(of signature: ArraySlice<UInt8>) throws(MalformedCertificate) {
    var whole = DERReader(signature)
    var numbers = try whole.enter(.sequence)
    try whole.finish()
    _ = try numbers.readInteger()
    _ = try numbers.readInteger()
    try numbers.finish()
  }
}
