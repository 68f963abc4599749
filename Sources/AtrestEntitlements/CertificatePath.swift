// SPDX-License-Identifier: Apache-2.0
// Checks 3 to 5: whether three certificates form a path from a trusted root to a signer of App
// Store statements.

import AtrestReplication
import Crypto
import Foundation
import SwiftASN1
import X509

/// A verified path of root, intermediate and leaf: the subject of a revocation query and the source
/// of the signing key.
///
/// The path has a fixed shape, so it is walked rather than built. swift-certificates' `Verifier`
/// searches for a path, is asynchronous, and reads the clock unless an unstable API is used; a
/// server verifies within a turn that must not suspend.
public struct CertificatePath: Sendable {
  /// The signing certificate, DER.
  public let leaf: [UInt8]
  /// The leaf's issuer, DER.
  public let intermediate: [UInt8]
  /// The intermediate's issuer, DER; from the policy.
  public let root: [UInt8]
  /// The leaf's key.
  let key: P256.Signing.PublicKey

  /// The extension of Apple's intermediates for such leaves.
  static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
  /// The extension of leaves that sign App Store receipts and statements.
  static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]

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
    if anchors.pins.contains(Array(SHA256.hash(data: certificates[2]))) {
      roots.append(try Self.parse(certificates[2]))
    }
    // The root's key first: no peer-supplied key is used before a trusted one has certified it.
    guard let root = roots.first(where: { Self.did($0, issue: intermediate) }),
      Self.did(intermediate, issue: leaf)
    else { throw .untrustedRoot }

    let date = Date(timeIntervalSince1970: Double(date.milliseconds) / 1000)
    guard Self.holds(leaf, at: date), Self.holds(intermediate, at: date),
      Self.holds(root, at: date), Self.mayIssue(root, below: 1),
      Self.mayIssue(intermediate, below: 0), Self.maySign(leaf)
    else { throw .certificateNotValid }

    guard intermediate.extensions[oid: Self.intermediateMark] != nil,
      leaf.extensions[oid: Self.leafMark] != nil,
      let key = P256.Signing.PublicKey(leaf.publicKey)
    else { throw .notAnAppStoreCertificate }

    self.leaf = certificates[0]
    self.intermediate = certificates[1]
    self.root = try Self.bytes(of: root)
    self.key = key
  }

  /// Check 7: whether the leaf's key signed the statement.
  func didSign(_ statement: SignedStatement) -> Bool {
    guard
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: statement.signature)
    else { return false }
    return key.isValidSignature(signature, for: statement.signedBytes)
  }

  private static func parse(_ der: [UInt8]) throws(EntitlementRejection) -> Certificate {
    do { return try Certificate(derEncoded: der) } catch { throw .malformed }
  }

  private static func bytes(of certificate: Certificate) throws(EntitlementRejection) -> [UInt8] {
    var serializer = DER.Serializer()
    do { try serializer.serialize(certificate) } catch { throw .malformed }
    return serializer.serializedBytes
  }

  private static func did(_ issuer: Certificate, issue certificate: Certificate) -> Bool {
    issuer.subject == certificate.issuer && ecdsa.contains(certificate.signatureAlgorithm)
      && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
  }

  private static let ecdsa: [Certificate.SignatureAlgorithm] = [
    .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512,
  ]

  /// RFC 5280, 4.1.2.1, 4.1.2.5 and 4.2: version 3, within its validity, and no critical extension
  /// that is not checked here.
  private static func holds(_ certificate: Certificate, at date: Date) -> Bool {
    certificate.version == .v3
      && certificate.notValidBefore <= date && date <= certificate.notValidAfter
      && certificate.extensions.allSatisfy { !$0.critical || understood.contains($0.oid) }
  }

  private static let understood: [ASN1ObjectIdentifier] = [
    .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, intermediateMark, leafMark,
  ]

  /// RFC 5280, 4.2.1.3 and 4.2.1.9: a CA that may sign certificates, with a path length of at least
  /// `count`.
  private static func mayIssue(_ certificate: Certificate, below count: Int) -> Bool {
    guard let constraints = try? certificate.extensions.basicConstraints,
      case .isCertificateAuthority(let limit) = constraints, count <= limit ?? count,
      let usage = try? certificate.extensions.keyUsage
    else { return false }
    return usage.keyCertSign
  }

  /// An end entity, so that an intermediate cannot serve as a leaf.
  private static func maySign(_ leaf: Certificate) -> Bool {
    guard let usage = try? leaf.extensions.keyUsage, usage.digitalSignature else { return false }
    if case .isCertificateAuthority = try? leaf.extensions.basicConstraints { return false }
    return true
  }
}
