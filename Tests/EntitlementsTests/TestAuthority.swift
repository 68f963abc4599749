// SPDX-License-Identifier: Apache-2.0
// A certificate authority of the tests' own, shaped like Apple's, and what it signs.

import Crypto
import Entitlements
import Foundation
import Replication
import SwiftASN1
import X509

/// Root, intermediate and leaf with Apple's marks, each of which a test may spoil.
struct TestAuthority {
  /// What can be wrong with a chain.
  struct Flaws {
    var intermediateMark: ASN1ObjectIdentifier? = [1, 2, 840, 113_635, 100, 6, 2, 1]
    var leafMark: ASN1ObjectIdentifier? = [1, 2, 840, 113_635, 100, 6, 11, 1]
    var leafFrom = TestAuthority.date(2025)
    var leafTo = TestAuthority.date(2027)
    var intermediateTo = TestAuthority.date(2035)
    var rootTo = TestAuthority.date(2039)
    var intermediateIsAuthority = true
    var intermediateMaySignCertificates = true
    var leafIsAuthority = false
    var leafHasUnknownCriticalExtension = false
    var leafKeyIsP384 = false
    /// Lets the root say that no authority may stand under it.
    var rootAllowsNoIntermediate = false
  }

  let rootKey = P384.Signing.PrivateKey()
  let intermediateKey = P384.Signing.PrivateKey()
  let leafKey = P256.Signing.PrivateKey()
  let root: [UInt8]
  let intermediate: [UInt8]
  let leaf: [UInt8]

  init(name: String = "Test", flaws: Flaws = Flaws()) throws {
    let rootName = try Self.name("\(name) Root")
    let intermediateName = try Self.name("\(name) Intermediate")
    root = try Self.certificate(
      key: .init(rootKey.publicKey), to: flaws.rootTo, issuer: rootName, subject: rootName,
      signedBy: .init(rootKey),
      extensions: Self.authority(pathLength: flaws.rootAllowsNoIntermediate ? 0 : nil))
    intermediate = try Self.certificate(
      key: .init(intermediateKey.publicKey), to: flaws.intermediateTo, issuer: rootName,
      subject: intermediateName, signedBy: .init(rootKey),
      extensions: flaws.intermediateIsAuthority
        ? Self.authority(
          pathLength: 0, signs: flaws.intermediateMaySignCertificates,
          mark: flaws.intermediateMark)
        : Self.end(mark: flaws.intermediateMark))
    let other = P384.Signing.PrivateKey()
    leaf = try Self.certificate(
      key: flaws.leafKeyIsP384 ? .init(other.publicKey) : .init(leafKey.publicKey),
      from: flaws.leafFrom, to: flaws.leafTo, issuer: intermediateName,
      subject: try Self.name("\(name) Leaf"), signedBy: .init(intermediateKey),
      extensions: flaws.leafIsAuthority
        ? Self.authority(pathLength: nil, mark: flaws.leafMark)
        : Self.end(mark: flaws.leafMark, strange: flaws.leafHasUnknownCriticalExtension))
  }

  /// A day in the middle of a year.
  static func date(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double(year - 1970) * 365.2425 * 86_400)
  }

  /// Its chain, leaf first, as a header carries it.
  var chain: [[UInt8]] { [leaf, intermediate, root] }

  /// Signs a payload.
  func sign(_ payload: String, header: String? = nil) throws -> [UInt8] {
    let header = header ?? Self.header(chain)
    let text = Self.base64URL(Array(header.utf8)) + "." + Self.base64URL(Array(payload.utf8))
    let signature = try leafKey.signature(for: Data(text.utf8)).rawRepresentation
    return Array((text + "." + Self.base64URL(Array(signature))).utf8)
  }

  static func header(_ chain: [[UInt8]], algorithm: String = "ES256") -> String {
    let list = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
    return "{\"alg\":\"\(algorithm)\",\"x5c\":[\(list)]}"
  }

  static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  private static func name(_ common: String) throws -> DistinguishedName {
    try DistinguishedName { CommonName(common) }
  }

  private static func certificate(
    key: Certificate.PublicKey, from: Date = date(2020), to: Date, issuer: DistinguishedName,
    subject: DistinguishedName, signedBy: Certificate.PrivateKey,
    extensions: Certificate.Extensions
  ) throws -> [UInt8] {
    let certificate = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: key, notValidBefore: from, notValidAfter: to,
      issuer: issuer, subject: subject, extensions: extensions, issuerPrivateKey: signedBy)
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }

  private static func authority(
    pathLength: Int?, signs: Bool = true, mark: ASN1ObjectIdentifier? = nil
  ) throws -> Certificate.Extensions {
    var extensions = try Certificate.Extensions {
      Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
      Critical(KeyUsage(digitalSignature: !signs, keyCertSign: signs, cRLSign: true))
    }
    try add(mark, to: &extensions)
    return extensions
  }

  private static func end(
    mark: ASN1ObjectIdentifier?, strange: Bool = false
  ) throws -> Certificate.Extensions {
    var extensions = try Certificate.Extensions {
      Critical(BasicConstraints.notCertificateAuthority)
      Critical(KeyUsage(digitalSignature: true))
    }
    try add(mark, to: &extensions)
    if strange { try add([1, 2, 3, 4], critical: true, to: &extensions) }
    return extensions
  }

  private static func add(
    _ mark: ASN1ObjectIdentifier?, critical: Bool = false,
    to extensions: inout Certificate.Extensions
  ) throws {
    guard let mark else { return }
    try extensions.append(.init(oid: mark, critical: critical, value: [0x05, 0x00]))
  }
}

/// The payload of a purchase, member by member as JSON text.
struct Payload {
  var members: [String: String] = [
    "transactionId": "\"2000000001\"", "originalTransactionId": "\"2000000001\"",
    "bundleId": "\"com.atrest.fasting\"", "productId": "\"com.atrest.annual\"",
    "type": "\"Auto-Renewable Subscription\"", "environment": "\"Production\"",
    "inAppOwnershipType": "\"PURCHASED\"", "purchaseDate": "\(Payload.signed)",
    "expiresDate": "\(Payload.signed + Payload.year)", "signedDate": "\(Payload.signed)",
    "quantity": "1", "price": "29990", "currency": "\"USD\"",
  ]

  /// June 2026, in milliseconds.
  static let signed: Int64 = 1_781_000_000_000
  static let year: Int64 = 365 * 86_400_000

  /// One that differs in some members; nil takes one out.
  init(_ changes: [String: String?] = [:]) {
    for (name, value) in changes { members[name] = value }
  }

  /// The payload of renewal information.
  static func renewal(_ changes: [String: String?] = [:]) -> Payload {
    var payload = Payload()
    payload.members = [
      "originalTransactionId": "\"2000000001\"", "productId": "\"com.atrest.annual\"",
      "autoRenewProductId": "\"com.atrest.annual\"", "autoRenewStatus": "1",
      "environment": "\"Production\"", "signedDate": "\(signed)",
      "gracePeriodExpiresDate": "\(signed + year + 16 * 86_400_000)",
    ]
    for (name, value) in changes { payload.members[name] = value }
    return payload
  }

  var text: String {
    let list = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return "{" + list.joined(separator: ",") + "}"
  }
}

/// An authority, a verifier that trusts it, and shorthands.
struct Bench {
  let authority: TestAuthority
  var policy: VerificationPolicy
  var now = WallTime(milliseconds: Payload.signed + 1000)
  var claim = AccountClaim(appAccountToken: nil)

  init(flaws: TestAuthority.Flaws = .init()) throws {
    authority = try TestAuthority(flaws: flaws)
    policy = VerificationPolicy(
      anchors: try TrustAnchors(certificatesDER: [authority.root]),
      bundleID: "com.atrest.fasting", appAppleID: 6_700_000_001)
  }

  func verify(
    _ jws: [UInt8], revocation: RevocationAnswer = .notAsked
  ) throws(EntitlementRejection) -> TransactionFact {
    try TransactionVerifier(policy: policy).verify(
      transaction: jws, for: claim, now: now, revocation: { _ in revocation })
  }

  /// What refuses a statement; nil if nothing does.
  func refusal(
    of jws: [UInt8], revocation: RevocationAnswer = .notAsked
  ) -> EntitlementRejection? {
    do {
      _ = try verify(jws, revocation: revocation)
      return nil
    } catch {
      return error
    }
  }

  /// What refuses a purchase that differs in some claims; nil if nothing does.
  func refusal(
    changing changes: [String: String?], revocation: RevocationAnswer = .notAsked
  ) throws -> EntitlementRejection? {
    refusal(of: try authority.sign(Payload(changes).text), revocation: revocation)
  }

  /// What refuses renewal information about known purchases; nil if nothing does.
  func refusal(
    renewal payload: Payload, of facts: EntitlementFacts
  ) throws -> EntitlementRejection? {
    let jws = try authority.sign(payload.text)
    do {
      _ = try TransactionVerifier(policy: policy).verify(
        renewal: jws, of: facts, for: claim, now: now)
      return nil
    } catch {
      return error
    }
  }
}
