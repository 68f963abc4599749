// SPDX-License-Identifier: Apache-2.0
// Checks 3 to 5: whether three certificates form a path from a trusted root to a signer of App
// Store statements.

import AtrestCrypto
import AtrestReplication

/// A verified path of root, intermediate and leaf: the subject of a revocation query and the source
/// of the signing key.
///
/// The path has a fixed shape, so it is walked rather than built. OpenSSL's `X509_verify_cert`
/// searches for a path among whatever a peer sends, and checks what browsers ask of it.
public struct CertificatePath: Sendable {
  /// The signing certificate, DER.
  public let leaf: [UInt8]
  /// The leaf's issuer, DER.
  public let intermediate: [UInt8]
  /// The intermediate's issuer, DER; from the policy.
  public let root: [UInt8]
  /// The leaf's key.
  let key: ECDSAPublicKey

  /// The extension of Apple's intermediates for such leaves.
  static let intermediateMark: OID = [1, 2, 840, 113_635, 100, 6, 2, 1]
  /// The extension of leaves that sign App Store receipts and statements.
  static let leafMark: OID = [1, 2, 840, 113_635, 100, 6, 11, 1]

  /// Verifies the path.
  ///
  /// - Parameters:
  ///   - certificates: Three in DER, leaf first. The third counts only if a fingerprint in
  ///     `anchors` pins it.
  ///   - date: The time of signing, because receipts outlive the certificates that signed them.
  /// - Complexity: At most one signature verification per configured root, and one more.
  init(
    _ certificates: [[UInt8]], anchors: TrustAnchors, at date: WallTime
  ) throws(EntitlementRejection) {
    guard certificates.count == 3 else { throw .wrongCertificateCount }
    let leaf = try Self.parse(certificates[0])
    let intermediate = try Self.parse(certificates[1])
    var roots = anchors.certificates
    if anchors.pins.contains(SHA256.hash(certificates[2])) {
      roots.append(try Self.parse(certificates[2]))
    }
    // The root's key first: a peer-supplied key verifies nothing before a trusted one certified it.
    guard let root = roots.first(where: { intermediate.isSigned(by: $0) }),
      leaf.isSigned(by: intermediate)
    else { throw .untrustedRoot }

    guard Self.holds(leaf, at: date), Self.holds(intermediate, at: date),
      Self.holds(root, at: date), Self.mayIssue(root, below: 1),
      Self.mayIssue(intermediate, below: 0), Self.maySign(leaf)
    else { throw .certificateNotValid }

    guard intermediate.hasExtension(Self.intermediateMark),
      leaf.hasExtension(Self.leafMark), let key = leaf.key, key.curve == .p256
    else { throw .notAnAppStoreCertificate }

    self.leaf = certificates[0]
    self.intermediate = certificates[1]
    self.root = root.der
    self.key = key
  }

  /// Check 7: whether the leaf's key signed the statement.
  func didSign(_ statement: SignedStatement) -> Bool {
    key.isValid(raw: statement.signature, of: statement.signedBytes, hash: .sha256)
  }

  private static func parse(_ der: [UInt8]) throws(EntitlementRejection) -> X509Certificate {
    do { return try X509Certificate(der: der) } catch { throw .malformed }
  }

  /// RFC 5280, 4.1.2.1, 4.1.2.5 and 4.2: version 3, within its validity, and no critical extension
  /// that is not checked here.
  private static func holds(_ certificate: X509Certificate, at date: WallTime) -> Bool {
    certificate.version == 3
      && certificate.notBefore <= date.milliseconds && date.milliseconds <= certificate.notAfter
      && certificate.extensions.allSatisfy { !$0.isCritical || understood.contains($0.identifier) }
  }

  private static let understood: Set<OID> = [
    X509Certificate.BasicConstraints.identifier, X509Certificate.KeyUsage.identifier,
    intermediateMark, leafMark,
  ]

  /// RFC 5280, 4.2.1.3 and 4.2.1.9: a CA that may sign certificates, with a path length of at least
  /// `count`.
  private static func mayIssue(_ certificate: X509Certificate, below count: Int) -> Bool {
    guard case .authority(let limit) = try? certificate.basicConstraints, count <= limit ?? count
    else { return false }
    return (try? certificate.keyUsage)?.signsCertificates ?? false
  }

  /// An end entity, so that an intermediate cannot serve as a leaf.
  private static func maySign(_ leaf: X509Certificate) -> Bool {
    do throws(MalformedCertificate) {
      if case .authority = try leaf.basicConstraints { return false }
      return try leaf.keyUsage?.signsData ?? false
    } catch {
      return false
    }
  }
}
