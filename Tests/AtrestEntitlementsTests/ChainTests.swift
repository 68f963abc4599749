// SPDX-License-Identifier: Apache-2.0
// Checks 3 to 7: the certificate chain. The tests use their own certificate authority, except the
// last one, which uses Apple's.

import AtrestAppStore
import AtrestCrypto
import AtrestReplication
import Foundation
import Testing

@testable import AtrestEntitlements

@Suite("A statement is the App Store's only if", .timeLimit(.minutes(20)))
struct ChainTests {
  @Test("3. its chain ends at a root of the policy, not at the one it brings along")
  func root() throws {
    let bench = try Bench()
    let stranger = try TestAuthority()
    #expect(bench.refusal(of: try stranger.sign(Payload().text)) == .untrustedRoot)
    // A foreign leaf with the trusted intermediate and root.
    let mixed = [stranger.leaf, bench.authority.intermediate, bench.authority.root]
    let header = TestAuthority.header(mixed)
    #expect(bench.refusal(of: try stranger.sign(Payload().text, header: header)) == .untrustedRoot)
    // The trusted root appended to a chain that it did not sign.
    let shown = [stranger.leaf, stranger.intermediate, bench.authority.root]
    #expect(
      bench.refusal(of: try stranger.sign(Payload().text, header: TestAuthority.header(shown)))
        == .untrustedRoot)
  }

  @Test("3. the root it brings along is not looked at where the policy has the certificate")
  func rootIgnored() throws {
    let bench = try Bench()
    let chain = [bench.authority.leaf, bench.authority.intermediate, [0xFF, 0x00]]
    let header = TestAuthority.header(chain)
    #expect(bench.refusal(of: try bench.authority.sign(Payload().text, header: header)) == nil)
  }

  @Test("3. a root may be pinned by its fingerprint alone, and be one of several")
  func pins() throws {
    var bench = try Bench()
    let pin = SHA256.hash(bench.authority.root)
    bench.policy.anchors = try TrustAnchors(pins: [pin])
    #expect(try bench.refusal(changing: [:]) == nil)
    let stranger = try TestAuthority()
    #expect(bench.refusal(of: try stranger.sign(Payload().text)) == .untrustedRoot)
    bench.policy.anchors = try TrustAnchors(certificatesDER: [stranger.root], pins: [pin])
    #expect(try bench.refusal(changing: [:]) == nil)
    #expect(bench.refusal(of: try stranger.sign(Payload().text)) == nil)
    bench.policy.anchors = .appleRootG3
    #expect(try bench.refusal(changing: [:]) == .untrustedRoot)
  }

  @Test("3. a policy without a root, or with one that is none, cannot be made")
  func anchors() {
    #expect(throws: PolicyProblem.noRoot) { try TrustAnchors() }
    #expect(throws: PolicyProblem.notACertificate) { try TrustAnchors(certificatesDER: [[1, 2]]) }
    #expect(throws: PolicyProblem.fingerprintLength) { try TrustAnchors(pins: [[1, 2]]) }
  }

  /// Violations of RFC 5280.
  static let invalid: [(String, @Sendable (inout TestAuthority.Flaws) -> Void)] = [
    ("the leaf had ended", { $0.leafTo = TestAuthority.date(2026) }),
    ("the leaf had not begun", { $0.leafFrom = TestAuthority.date(2027) }),
    ("the intermediate had ended", { $0.intermediateTo = TestAuthority.date(2026) }),
    ("the root had ended", { $0.rootTo = TestAuthority.date(2026) }),
    ("the intermediate is no authority", { $0.intermediateIsAuthority = false }),
    ("the intermediate may not sign", { $0.intermediateMaySignCertificates = false }),
    ("the leaf is an authority", { $0.leafIsAuthority = true }),
    ("the root allows nothing between", { $0.rootAllowsNoIntermediate = true }),
    ("something critical is unknown", { $0.leafHasUnknownCriticalExtension = true }),
  ]

  @Test("4. each certificate held when it was signed, and may do what it did", arguments: invalid)
  func validity(_ what: String, _ spoil: @Sendable (inout TestAuthority.Flaws) -> Void) throws {
    var flaws = TestAuthority.Flaws()
    spoil(&flaws)
    let bench = try Bench(flaws: flaws)
    #expect(try bench.refusal(changing: [:]) == .certificateNotValid, "\(what)")
  }

  /// What OpenSSL's own reader or path builder would let pass, or would call something else.
  static let spoilt:
    [(String, EntitlementRejection, @Sendable (inout CertificateForm) throws -> Void)] = [
      (
        "an extension stands there twice", .malformed,
        { $0.extensions.append($0.extensions[2]) }
      ),
      (
        "the key is on a curve that is none of NIST's", .malformed,
        { $0.key = try SigningKey(curve: "secp256k1").publicKeyInfo }
      ),
      (
        "the key brings the parameters of its curve", .malformed,
        { $0.key = try SigningKey(curve: "P-256").publicKeyInfoWithParameters() }
      ),
      (
        "two algorithms are named", .malformed,
        { $0.signedAlgorithm = CertificateForm.ecdsa(hash: 256) }
      ),
      ("the signature is no pair of numbers", .malformed, { $0.changeSignature = { $0 + [0] } }),
      (
        "the signature's first number is zero", .untrustedRoot,
        { $0.changeSignature = { _ in DER.sequence(DER.integer(0), DER.integer(1)) } }
      ),
      (
        "the signature is over another hash than is named", .untrustedRoot,
        {
          $0.algorithm = CertificateForm.ecdsa(hash: 512)
          $0.signedAlgorithm = $0.algorithm
        }
      ),
      (
        "the issuer's name differs in a capital letter", .untrustedRoot,
        { $0.issuer = $0.issuer.map { $0 == UInt8(ascii: "T") ? UInt8(ascii: "t") : $0 } }
      ),
      ("it is of version 1", .certificateNotValid, { $0.version = [] }),
      (
        "it is of version 2", .certificateNotValid,
        { $0.version = DER.element(0xA0, DER.integer(1)) }
      ),
      (
        "it ended before 1970", .certificateNotValid,
        { $0.notAfter = DER.time("691231235959Z") }
      ),
      (
        "it begins in the year 9999", .certificateNotValid,
        { $0.notBefore = DER.time("99991231235959Z", tag: 0x18) }
      ),
      (
        "it ends at a fraction of a second", .malformed,
        { $0.notAfter = DER.time("20400101000000.5Z", tag: 0x18) }
      ),
      (
        "its basic constraints are unreadable", .certificateNotValid,
        { $0.extensions[0] = CertificateForm.entry([2, 5, 29, 19], isCritical: true, [0x30]) }
      ),
      (
        "its key usage is unreadable", .certificateNotValid,
        { $0.extensions[1] = CertificateForm.entry([2, 5, 29, 15], isCritical: true, [3, 0]) }
      ),
      ("its key usage is missing", .certificateNotValid, { $0.extensions.remove(at: 1) }),
    ]

  @Test(
    "2. to 4. what is wrong with a certificate below the root has its refusal", arguments: spoilt)
  func spoiltCertificates(
    _ what: String, _ rejection: EntitlementRejection,
    _ spoil: @escaping @Sendable (inout CertificateForm) throws -> Void
  ) throws {
    var flaws = TestAuthority.Flaws()
    flaws.changeLeaf = spoil
    #expect(try Bench(flaws: flaws).refusal(changing: [:]) == rejection, "\(what): leaf")
    flaws = .init()
    flaws.changeIntermediate = spoil
    #expect(try Bench(flaws: flaws).refusal(changing: [:]) == rejection, "\(what): intermediate")
  }

  @Test("4. no path is longer than the root and the intermediate allow")
  func pathLength() throws {
    for (length, isAllowed) in [(0, true), (1, true), (0x7F, true), (0x80, false), (0xFF, false)] {
      var flaws = TestAuthority.Flaws()
      flaws.changeIntermediate = {
        $0.extensions[0] = CertificateForm.authority(pathLength: UInt8(length))
      }
      #expect(
        try Bench(flaws: flaws).refusal(changing: [:]) == (isAllowed ? nil : .certificateNotValid))
    }
  }

  @Test("3. a curve may sign over any of the three hashes")
  func hashes() throws {
    for hash in [256, 384, 512] {
      var flaws = TestAuthority.Flaws()
      flaws.changeLeaf = {
        $0.hash = hash
        $0.algorithm = CertificateForm.ecdsa(hash: hash)
        $0.signedAlgorithm = $0.algorithm
      }
      #expect(try Bench(flaws: flaws).refusal(changing: [:]) == nil)
    }
  }

  @Test("4. a receipt outlives the certificates that signed it")
  func laterNow() throws {
    var bench = try Bench()
    bench.now = WallTime(milliseconds: Payload.signed + 30 * Payload.year)
    #expect(try bench.refusal(changing: [:]) == nil)
  }

  @Test("5. Apple's marks are on the intermediate and on the leaf, whose key is for ES256")
  func marks() throws {
    var flaws = TestAuthority.Flaws()
    flaws.intermediateMark = nil
    #expect(try Bench(flaws: flaws).refusal(changing: [:]) == .notAnAppStoreCertificate)
    flaws = .init()
    flaws.leafMark = nil
    #expect(try Bench(flaws: flaws).refusal(changing: [:]) == .notAnAppStoreCertificate)
    // Another of Apple's marker extensions, which developer certificates have.
    flaws.leafMark = [1, 2, 840, 113_635, 100, 6, 1, 13]
    #expect(try Bench(flaws: flaws).refusal(changing: [:]) == .notAnAppStoreCertificate)
    flaws = .init()
    flaws.leafKeyIsP384 = true
    #expect(try Bench(flaws: flaws).refusal(changing: [:]) == .notAnAppStoreCertificate)
  }

  @Test("6. no certificate of it was withdrawn; not knowing is neither yes nor no")
  func revocation() throws {
    var bench = try Bench()
    #expect(try bench.refusal(changing: [:], revocation: .revoked) == .certificateRevoked)
    #expect(try bench.refusal(changing: [:], revocation: .unavailable) == nil)
    bench.policy.requiresRevocationAnswer = true
    #expect(try bench.refusal(changing: [:], revocation: .good) == nil)
    for answer in [RevocationAnswer.unavailable, .notAsked] {
      #expect(try bench.refusal(changing: [:], revocation: answer) == .revocationUnknown)
    }
    #expect(EntitlementRejection.revocationUnknown.isRetryable)
    #expect(!EntitlementRejection.certificateRevoked.isRetryable)
  }

  @Test("6. nobody is asked about a chain that leads to no trusted root")
  func askedLate() throws {
    let bench = try Bench()
    let jws = try TestAuthority().sign(Payload().text)
    #expect(throws: EntitlementRejection.untrustedRoot) {
      try TransactionVerifier(policy: bench.policy).verify(
        transaction: jws, for: bench.claim, now: bench.now,
        revocation: { _ in
          Issue.record("asked about a stranger's certificates")
          return .good
        })
    }
  }

  @Test("7. the signature fits header and payload, byte for byte")
  func signature() throws {
    let bench = try Bench()
    let parts = String(decoding: try bench.authority.sign(Payload().text), as: UTF8.self)
      .split(separator: ".")
    let lifetime = [
      "productId": "\"com.atrest.lifetime\"", "type": "\"Non-Consumable\"", "expiresDate": nil,
    ]
    let forged = TestAuthority.base64URL(Array(Payload(lifetime).text.utf8))
    #expect(bench.refusal(of: Array("\(parts[0]).\(forged).\(parts[2])".utf8)) == .badSignature)
    let header = TestAuthority.header(bench.authority.chain).dropLast() + ",\"kid\":\"1\"}"
    let other = TestAuthority.base64URL(Array(header.utf8))
    #expect(bench.refusal(of: Array("\(other).\(parts[1]).\(parts[2])".utf8)) == .badSignature)
    let zeros = TestAuthority.base64URL([UInt8](repeating: 0, count: 64))
    #expect(bench.refusal(of: Array("\(parts[0]).\(parts[1]).\(zeros)".utf8)) == .badSignature)
    let ones = TestAuthority.base64URL([UInt8](repeating: 0xFF, count: 64))
    #expect(bench.refusal(of: Array("\(parts[0]).\(parts[1]).\(ones)".utf8)) == .badSignature)
  }

  @Test("Apple's own chain passes checks 3 to 5 from the fingerprint that is built in")
  func apple() throws {
    let chain = try AppleChain.certificates
    let signed = WallTime(milliseconds: 1_761_962_975_000)
    let path = try CertificatePath(chain, anchors: .appleRootG3, at: signed)
    #expect(path.root == chain[2])
    let later = WallTime(milliseconds: 1_861_962_975_000)
    #expect(throws: EntitlementRejection.certificateNotValid) {
      try CertificatePath(chain, anchors: .appleRootG3, at: later)
    }
    var changed = chain
    changed[0][changed[0].count - 1] ^= 1
    #expect(throws: EntitlementRejection.untrustedRoot) {
      try CertificatePath(changed, anchors: .appleRootG3, at: signed)
    }
  }
}
