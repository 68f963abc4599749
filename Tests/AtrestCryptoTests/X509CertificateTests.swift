// SPDX-License-Identifier: Apache-2.0
// What a certificate is, and whose key signed it. Where OpenSSL's reader takes more than DER, the
// bytes that it would take are here.

import AtrestAppStore
import AtrestCrypto
import AtrestTestSupport
import CAtrestOpenSSL
import Testing

@Suite("A certificate", .timeLimit(.minutes(20)))
struct X509CertificateTests {
  let signer: SigningKey
  let form: CertificateForm

  init() throws {
    signer = try SigningKey(curve: "P-384")
    form = CertificateForm(
      issuer: "Root", subject: "Leaf", key: try SigningKey(curve: "P-256").publicKeyInfo,
      extensions: [
        CertificateForm.authority(pathLength: 3), CertificateForm.usage(0x84),
        CertificateForm.entry([1, 2, 840, 113_635, 100, 6, 2, 1], [5, 0]),
      ])
  }

  private func reads(_ change: (inout CertificateForm) throws -> Void) throws -> X509Certificate {
    var form = form
    try change(&form)
    return try X509Certificate(der: form.signed(by: signer))
  }

  /// Whether the changed certificate is refused.
  private func refuses(_ change: (inout CertificateForm) throws -> Void) throws -> Bool {
    do {
      _ = try reads(change)
      return false
    } catch is MalformedCertificate {
      return true
    }
  }

  @Test("says what was written into it")
  func fields() throws {
    let certificate = try reads { _ in }
    #expect(certificate.version == 3)
    #expect(certificate.notBefore == 1_577_836_800_000)
    #expect(certificate.notAfter == 2_208_988_800_000)
    #expect(certificate.key?.curve == .p256)
    #expect(certificate.extensions.map(\.isCritical) == [true, true, false])
    #expect(certificate.hasExtension([1, 2, 840, 113_635, 100, 6, 2, 1]))
    #expect(!certificate.hasExtension([1, 2, 840, 113_635, 100, 6, 2, 2]))
    #expect(try certificate.basicConstraints == .authority(pathLength: 3))
    #expect(try certificate.keyUsage?.signsData == true)
    #expect(try certificate.keyUsage?.signsCertificates == true)
  }

  @Test("is read from its own bytes: none behind them, none missing, no length but the shortest")
  func bytes() throws {
    let der = try form.signed(by: signer)
    #expect(try X509Certificate(der: der).der == der)
    for wrong in [
      der + [0], der + der, [0x30, 0x80] + der.dropFirst(4) + [0, 0],
      [0x30, 0x83, 0] + der.dropFirst(2), [0x31] + der.dropFirst(), [0x3F] + der.dropFirst(),
      der + [UInt8](repeating: 0, count: X509Certificate.limitBytes),
    ] {
      #expect(throws: MalformedCertificate.self) { try X509Certificate(der: wrong) }
    }
    for count in der.indices {
      #expect(throws: MalformedCertificate.self) {
        try X509Certificate(der: Array(der.prefix(count)))
      }
    }
    // OpenSSL takes a length that is known at the end only.
    let contents = Array(der.dropFirst(4))
    #expect(OpenSSLCertificate([0x30, 0x80] + contents + [0, 0]) != nil)
  }

  @Test("has a version of 1 to 3, and does not write the default")
  func version() throws {
    #expect(try reads { $0.version = [] }.version == 1)
    #expect(try reads { $0.version = DER.element(0xA0, DER.integer(1)) }.version == 2)
    for number in [0, 3, 0x7F, 0x80, 0xFF] as [UInt8] {
      #expect(try refuses { $0.version = DER.element(0xA0, DER.integer(number)) })
    }
    #expect(try refuses { $0.version = DER.element(0xA0, [2, 2, 0, 2]) })
    #expect(try refuses { $0.version = DER.element(0xA0, DER.integer(2), DER.integer(2)) })
    #expect(try refuses { $0.version = DER.element(0xA0) })
  }

  @Test("has a serial number that is not negative, and as short as can be")
  func serial() throws {
    for wrong in [[], [0x80], [0, 1], [0, 0x7F, 1], [0xFF, 0xFF]] as [[UInt8]] {
      #expect(try refuses { $0.serial = DER.element(0x02, wrong) })
    }
    for right in [[0], [1], [0, 0x80]] as [[UInt8]] {
      #expect(try !refuses { $0.serial = DER.element(0x02, right) })
    }
  }

  @Test("has names that are sets of attributes, each an identifier and a text")
  func names() throws {
    let identifier = DER.identifier([2, 5, 4, 3])
    let text = DER.element(0x13, Array("Root".utf8))
    func name(_ attributes: [UInt8]...) -> [UInt8] {
      DER.sequence(DER.element(0x31, attributes.flatMap(\.self)))
    }
    let attribute = DER.sequence(identifier, text)
    for right in [DER.sequence(), name(attribute), name(attribute, attribute)] {
      #expect(try !refuses { $0.issuer = right })
      #expect(try !refuses { $0.subject = right })
    }
    for wrong in [
      [], text, DER.element(0x31), DER.sequence(attribute), DER.sequence([0x31, 0x80, 0, 0]),
      name(DER.sequence(identifier)), name(DER.sequence(text)), name(text),
      name(DER.sequence(identifier, text, text)),
      name(DER.sequence(identifier, DER.element(0x61, [9, 9, 9]))),
      name(DER.sequence(identifier, DER.element(0x33, text))),
    ] {
      #expect(try refuses { $0.issuer = wrong })
      #expect(try refuses { $0.subject = wrong })
    }
  }

  @Test("is signed by the algorithm that it says it is signed by")
  func algorithms() throws {
    #expect(try refuses { $0.signedAlgorithm = CertificateForm.ecdsa(hash: 256) })
    #expect(try refuses { $0.algorithm = CertificateForm.ecdsa(hash: 512) })
    // Parameters, which ECDSA does not have.
    let null = DER.sequence(DER.identifier([1, 2, 840, 10_045, 4, 3, 3]), [5, 0])
    #expect(try refuses { ($0.signedAlgorithm, $0.algorithm) = (null, null) })
  }

  @Test("may be signed by another algorithm than ECDSA, which counts for nothing")
  func otherAlgorithms() throws {
    let issuer = try reads {
      $0.subject = DER.name("Root")
      $0.key = signer.publicKeyInfo
    }
    #expect(try reads { _ in }.isSigned(by: issuer))
    // RSA, and ECDSA over SHA-1 and SHA-224.
    for identifier in [
      [1, 2, 840, 113_549, 1, 1, 11], [1, 2, 840, 10_045, 4, 1], [1, 2, 840, 10_045, 4, 3, 1],
    ] {
      let algorithm = DER.sequence(DER.identifier(identifier))
      #expect(
        try !reads { ($0.signedAlgorithm, $0.algorithm) = (algorithm, algorithm) }
          .isSigned(by: issuer))
    }
  }

  /// Times, and the milliseconds since 1970 of those that are times.
  static let times: [(String, UInt8, Int64?)] = [
    ("700101000000Z", 0x17, 0), ("700101000001Z", 0x17, 1000), ("691231235959Z", 0x17, -1000),
    ("500101000000Z", 0x17, -631_152_000_000), ("491231235959Z", 0x17, 2_524_607_999_000),
    ("000229120000Z", 0x17, 951_825_600_000), ("240229000000Z", 0x17, 1_709_164_800_000),
    ("230229000000Z", 0x17, nil), ("20240229000000Z", 0x18, 1_709_164_800_000),
    ("21000228000000Z", 0x18, 4_107_456_000_000), ("21000229000000Z", 0x18, nil),
    ("20000229000000Z", 0x18, 951_782_400_000), ("99991231235959Z", 0x18, 253_402_300_799_000),
    ("00010101000000Z", 0x18, -62_135_596_800_000), ("00000101000000Z", 0x18, nil),
    ("240431000000Z", 0x17, nil), ("240001000000Z", 0x17, nil), ("241301000000Z", 0x17, nil),
    ("240100000000Z", 0x17, nil), ("240132000000Z", 0x17, nil), ("240101240000Z", 0x17, nil),
    ("240101006000Z", 0x17, nil), ("240101000060Z", 0x17, nil), ("2401010000Z", 0x17, nil),
    ("240101000000", 0x17, nil), ("240101000000+0000", 0x17, nil), ("240101000000z", 0x17, nil),
    ("-40101000000Z", 0x17, nil), ("+40101000000Z", 0x17, nil), (" 40101000000Z", 0x17, nil),
    ("20240101000000.5Z", 0x18, nil), ("20240101000000", 0x18, nil), ("", 0x17, nil),
    ("Z", 0x18, nil), ("20240101000000Z", 0x17, nil), ("240101000000Z", 0x18, nil),
    ("99999991231235959Z", 0x18, nil), ("-0240101000000Z", 0x18, nil),
    ("240101000000Z", 0x16, nil), ("２40101000000Z", 0x17, nil),
  ]

  @Test("is valid from one second to another, in UTC", arguments: times)
  func validity(text: String, tag: UInt8, milliseconds: Int64?) throws {
    let time = DER.time(text, tag: tag)
    guard let milliseconds else {
      #expect(try refuses { $0.notBefore = time })
      #expect(try refuses { $0.notAfter = time })
      return
    }
    #expect(try reads { $0.notBefore = time }.notBefore == milliseconds)
    #expect(try reads { $0.notAfter = time }.notAfter == milliseconds)
  }

  @Test("has a key that is a point of a curve by name, or one of another algorithm")
  func keys() throws {
    for (name, curve) in [("P-256", EllipticCurve.p256), ("P-384", .p384), ("P-521", .p521)] {
      #expect(try reads { $0.key = try SigningKey(curve: name).publicKeyInfo }.key?.curve == curve)
    }
    for name in ["secp256k1", "P-224", "brainpoolP256r1", "sect283k1"] {
      #expect(try refuses { $0.key = try SigningKey(curve: name).publicKeyInfo })
    }
    // All parameters of P-256 in place of its name: OpenSSL takes that for P-256.
    let explicit = try SigningKey(curve: "P-256").publicKeyInfoWithParameters()
    #expect(try refuses { $0.key = explicit })
    var spoilt = form
    spoilt.key = explicit
    #expect(OpenSSLCertificate(try spoilt.signed(by: signer))?.hasKey == true)

    let algorithm = DER.sequence(
      DER.identifier([1, 2, 840, 10_045, 2, 1]), DER.identifier([1, 2, 840, 10_045, 3, 1, 7]))
    for wrong in [
      DER.bits([4] + [UInt8](repeating: 1, count: 64)), DER.bits([0]), DER.bits([]),
      DER.element(0x03), DER.element(0x04, [0]),
    ] {
      #expect(try refuses { $0.key = DER.sequence(algorithm, wrong) })
    }
    let rsa = DER.sequence(
      DER.sequence(DER.identifier([1, 2, 840, 113_549, 1, 1, 1]), [5, 0]), DER.bits([1]))
    #expect(try reads { $0.key = rsa }.key == nil)
    // Parameters in pieces, which BER allows.
    let pieces = DER.sequence(
      DER.sequence(DER.identifier([1, 2, 3]), [0x26, 4, 6, 2, 42, 3]), DER.bits([1]))
    #expect(try refuses { $0.key = pieces })
  }

  @Test("has each extension once, in a form that is the only one, and not too many")
  func extensions() throws {
    let entry = CertificateForm.entry([1, 2, 3], [5, 0])
    #expect(try !refuses { $0.extensions.append(entry) })
    #expect(try refuses { $0.extensions += [entry, entry] })
    #expect(
      try refuses { $0.extensions += [entry, CertificateForm.entry([1, 2, 3], [5, 0, 0])] })
    // OpenSSL does not look for them twice.
    var twice = form
    twice.extensions += [entry, entry]
    #expect(OpenSSLCertificate(try twice.signed(by: signer))?.isCritical.count == 5)

    for critical in [[1, 1, 0], [1, 1, 1], [1, 0], [1, 2, 0xFF, 0xFF]] as [[UInt8]] {
      #expect(
        try refuses {
          $0.extensions.append(
            DER.sequence(DER.identifier([1, 2, 3]), critical, DER.element(4, [5, 0])))
        })
    }
    for identifier in [[], [0x80, 1], [0x2A, 0x80], [0x2A, 0x80, 1]] as [[UInt8]] {
      #expect(
        try refuses {
          $0.extensions.append(DER.sequence(DER.element(6, identifier), DER.element(4, [5, 0])))
        })
    }
    let limit = X509Certificate.limitExtensions
    let many = (0..<limit).map { CertificateForm.entry([1, 2, $0], [5, 0]) }
    #expect(try reads { $0.extensions = many }.extensions.count == limit)
    #expect(try refuses { $0.extensions = many + [entry] })
    #expect(try reads { $0.extensions = [] }.extensions.isEmpty)
    #expect(try refuses { $0.uniqueIdentifiers = DER.element(0x81, [0, 1]) })
  }

  @Test("says whether it is an authority, or says it wrongly")
  func constraints() throws {
    func read(_ value: [UInt8]) throws -> X509Certificate.BasicConstraints? {
      try reads { $0.extensions = [CertificateForm.entry([2, 5, 29, 19], value)] }.basicConstraints
    }
    #expect(try reads { $0.extensions = [] }.basicConstraints == nil)
    #expect(try read(DER.sequence()) == .endEntity)
    #expect(try read(DER.sequence([1, 1, 0xFF])) == .authority(pathLength: nil))
    #expect(try read(DER.sequence([1, 1, 0xFF], [2, 1, 0])) == .authority(pathLength: 0))
    for wrong in [
      [], [0x30, 0x80, 0, 0], DER.sequence() + [0], DER.sequence([1, 1, 0]),
      DER.sequence([1, 1, 1]), DER.sequence([2, 1, 0]), DER.sequence([1, 1, 0xFF], [2, 1, 0xFF]),
      DER.sequence([1, 1, 0xFF], [2, 2, 0, 1]), DER.sequence([1, 1, 0xFF], [2, 2, 1, 0]),
      DER.sequence([1, 1, 0xFF], [2, 9, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      DER.sequence([1, 1, 0xFF], [2, 1, 0], [2, 1, 0]), [1, 1, 0xFF],
    ] {
      #expect(throws: MalformedCertificate.self, "\(wrong)") { try read(wrong) }
    }
  }

  @Test("says what its key may do, or says it wrongly")
  func usage() throws {
    func read(_ value: [UInt8]) throws -> X509Certificate.KeyUsage? {
      try reads { $0.extensions = [CertificateForm.entry([2, 5, 29, 15], value)] }.keyUsage
    }
    #expect(try reads { $0.extensions = [] }.keyUsage == nil)
    let data = try read([3, 2, 7, 0x80])
    #expect(data?.signsData == true && data?.signsCertificates == false)
    let certificates = try read([3, 2, 2, 0x04])
    #expect(certificates?.signsData == false && certificates?.signsCertificates == true)
    let none = try read([3, 1, 0])
    #expect(none?.signsData == false && none?.signsCertificates == false)
    let nine = try read([3, 3, 7, 0x84, 0x80])
    #expect(nine?.signsData == true && nine?.signsCertificates == true)
    for wrong in [
      [], [3, 0], [3, 2, 8, 0x80], [3, 2, 7, 0x84], [3, 2, 0, 0x80], [3, 1, 7], [3, 2, 7, 0x80, 0],
      [3, 3, 0, 0x80, 1], [3, 3, 6, 0x80, 0x40], [3, 4, 7, 0x80, 0x80, 0x80], [4, 2, 7, 0x80],
    ] as [[UInt8]] {
      #expect(throws: MalformedCertificate.self, "\(wrong)") { try read(wrong) }
    }
  }

  @Test("is signed by the key of the one whose subject is its issuer, byte for byte")
  func signature() throws {
    let issuer = try reads {
      $0.subject = DER.name("Root")
      $0.key = signer.publicKeyInfo
    }
    for hash in [256, 384, 512] {
      #expect(
        try reads {
          $0.hash = hash
          $0.algorithm = CertificateForm.ecdsa(hash: hash)
          $0.signedAlgorithm = $0.algorithm
        }.isSigned(by: issuer))
    }
    // It says SHA-256 and is signed over SHA-384.
    #expect(
      try !reads {
        $0.algorithm = CertificateForm.ecdsa(hash: 256)
        $0.signedAlgorithm = $0.algorithm
      }.isSigned(by: issuer))
    // Names that OpenSSL takes for equal.
    #expect(try !reads { $0.issuer = DER.name("root") }.isSigned(by: issuer))
    #expect(try !reads { $0.issuer = DER.name("Root ") }.isSigned(by: issuer))
    #expect(try !reads { $0.issuer = DER.name("Other") }.isSigned(by: issuer))
    let stranger = try reads {
      $0.subject = DER.name("Root")
      $0.key = try SigningKey(curve: "P-384").publicKeyInfo
    }
    #expect(try !reads { _ in }.isSigned(by: stranger))
    let sameName = try reads { $0.subject = DER.name("Root") }
    #expect(try !reads { _ in }.isSigned(by: sameName), "a key on another curve")
  }

  @Test("has a signature of two numbers that are not negative, or is none")
  func signatureForm() throws {
    let (one, zero) = (DER.integer(1), DER.integer(0))
    for wrong in [
      [], DER.sequence(), DER.sequence(one), DER.sequence(one, one, one),
      DER.sequence(one, one) + [0], DER.sequence(one, [2, 1, 0xFF]), DER.sequence(one, [2, 0]),
      DER.sequence(one, [2, 2, 0, 1]), [0x30, 0x80] + one + one + [0, 0],
      DER.element(0x31, one, one),
    ] {
      #expect(try refuses { $0.changeSignature = { _ in wrong } }, "\(wrong)")
    }
    let issuer = try reads {
      $0.subject = DER.name("Root")
      $0.key = signer.publicKeyInfo
    }
    let large = DER.element(2, [UInt8](repeating: 0x7F, count: 4096))
    for none in [
      DER.sequence(one, one), DER.sequence(zero, one), DER.sequence(one, zero),
      DER.sequence(zero, zero), DER.sequence(large, large),
    ] {
      #expect(try !reads { $0.changeSignature = { _ in none } }.isSigned(by: issuer))
    }
    #expect(ERR_peek_error() == 0)
  }

  /// Certificates with a few bytes changed. Most of them are none any more.
  @Test("that can be read says to OpenSSL what it says here")
  func agreement() throws {
    let root = try reads {
      $0.subject = DER.name("Root")
      $0.key = signer.publicKeyInfo
    }
    let sameRoot = try #require(OpenSSLCertificate(root.der))
    let der = try form.signed(by: signer)
    // Not in what names hold: OpenSSL reads it, and here only its bytes count.
    let places = der.indices.filter { place in
      !["Root", "Leaf"].contains { name in
        let value = DER.element(0x0C, Array(name.utf8))
        return value.indices.contains { $0 <= place && der[(place - $0)...].starts(with: value) }
      }
    }
    #expect(try X509Certificate(der: der).isSigned(by: root))
    checkLaw(cases: 2_000) { random in
      var bytes = der
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        guard let place = places.randomElement(using: &random) else { return false }
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
      guard let ours = try? X509Certificate(der: bytes) else { return true }
      let difference = Self.difference(ours, OpenSSLCertificate(bytes), root, sameRoot)
      // The keys are new each time, so the seed alone does not replay it.
      #expect(difference == nil, "\(hexadecimal(bytes))")
      return difference == nil
    }
    #expect(ERR_peek_error() == 0)
  }

  /// What is not read alike; nil if everything is.
  private static func difference(
    _ ours: X509Certificate, _ theirs: OpenSSLCertificate?, _ root: X509Certificate,
    _ sameRoot: OpenSSLCertificate
  ) -> String? {
    guard let theirs else { return "read" }
    if ours.version != theirs.version { return "version" }
    if ours.notBefore != theirs.notBefore || ours.notAfter != theirs.notAfter { return "validity" }
    if ours.key != nil, !theirs.hasKey { return "key" }
    if ours.extensions.map(\.isCritical) != theirs.isCritical { return "extensions" }
    if !agree(ours, theirs) { return "extensions" }
    return ours.isSigned(by: root) == theirs.isSigned(by: sameRoot) ? nil : "signature"
  }

  /// Whether both read the extensions alike, as far as they can be read here.
  private static func agree(_ ours: X509Certificate, _ theirs: OpenSSLCertificate) -> Bool {
    if case .some(let constraints) = try? ours.basicConstraints {
      guard let same = theirs.basicConstraints else { return false }
      switch constraints {
      case .endEntity: guard !same.isAuthority else { return false }
      case .authority(let length):
        guard same.isAuthority, same.pathLength == length else { return false }
      }
    }
    guard case .some(let usage) = try? ours.keyUsage else { return true }
    return theirs.keyUsage?.signsData == usage.signsData
      && theirs.keyUsage?.signsCertificates == usage.signsCertificates
  }
}
