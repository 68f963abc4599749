// SPDX-License-Identifier: Apache-2.0
// Checks 3 to 5: whether three certificates lead from a trusted root to one that signs App Store
// statements.

import AtrestReplication
import Crypto
import Foundation
import SwiftASN1
import X509

/// Root, intermediate and leaf that fit each other: what an issuer is asked about withdrawals, and
/// whose key signed.
///
/// The path has one shape, so it is walked rather than built: swift-certificates' `Verifier`
/// searches for a path, is asynchronous, and reads the clock unless an unstable interface is used.
/// A server verifies in the middle of a turn that must not suspend.
public struct CertificatePath: Sendable {
  /// In DER. Signs statements.
  public let leaf: [UInt8]
  /// In DER. Signed the leaf.
  public let intermediate: [UInt8]
  /// In DER. Signed the intermediate; from the policy.
  public let root: [UInt8]
  /// The leaf's key.
  let key: P256.Signing.PublicKey

  /// Marks Apple's intermediates that sign such leaves.
  static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
  /// Marks the leaves that sign App Store receipts and statements.
  static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]

  /// Walks the path.
  ///
  /// - Parameters:
  ///   - certificates: Three in DER, leaf first. The third counts only if a fingerprint of
  ///     `anchors` pins it.
  ///   - date: When the statement was signed: receipts outlive the certificates that signed them.
  /// - Complexity: At most one signature per configured root, and one more.
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
    // The root's key first: no key that the peer chose is used before a trusted one has signed it.
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

  /// Check 7: whether the leaf's key signed these bytes.
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

  /// RFC 5280, 4.1.2.1, 4.1.2.5 and 4.2: third version, in its time, and nothing critical that is
  /// not looked at here.
  private static func holds(_ certificate: Certificate, at date: Date) -> Bool {
    certificate.version == .v3
      && certificate.notValidBefore <= date && date <= certificate.notValidAfter
      && certificate.extensions.allSatisfy { !$0.critical || understood.contains($0.oid) }
  }

  private static let understood: [ASN1ObjectIdentifier] = [
    .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, intermediateMark, leafMark,
  ]

  /// RFC 5280, 4.2.1.3 and 4.2.1.9: an authority, whose key may sign certificates, with so many
  /// others under it.
  private static func mayIssue(_ certificate: Certificate, below count: Int) -> Bool {
    guard let constraints = try? certificate.extensions.basicConstraints,
      case .isCertificateAuthority(let limit) = constraints, count <= limit ?? count,
      let usage = try? certificate.extensions.keyUsage
    else { return false }
    return usage.keyCertSign
  }

  /// An end, not an authority: a leaf may not be an intermediate that wandered.
  private static func maySign(_ leaf: Certificate) -> Bool {
    guard let usage = try? leaf.extensions.keyUsage, usage.digitalSignature else { return false }
    if case .isCertificateAuthority = try? leaf.extensions.basicConstraints { return false }
    return true
  }
}
