// SPDX-License-Identifier: Apache-2.0
// A certificate authority for tests, shaped like Apple's, and what it signs.

import AtrestEntitlements
import AtrestReplication
import Crypto
import Foundation
import SwiftASN1
import X509

/// Root, intermediate and leaf with Apple's marker extensions. A test can corrupt each.
public struct TestAuthority: Sendable {
  /// Possible faults of a chain.
  public struct Flaws {
    /// Creates a flawless chain.
    public init() {}

    public var intermediateMark: ASN1ObjectIdentifier? = [1, 2, 840, 113_635, 100, 6, 2, 1]
    public var leafMark: ASN1ObjectIdentifier? = [1, 2, 840, 113_635, 100, 6, 11, 1]
    public var leafFrom = TestAuthority.date(2025)
    public var leafTo = TestAuthority.date(2027)
    public var intermediateTo = TestAuthority.date(2035)
    public var rootTo = TestAuthority.date(2039)
    public var intermediateIsAuthority = true
    public var intermediateMaySignCertificates = true
    public var leafIsAuthority = false
    public var leafHasUnknownCriticalExtension = false
    public var leafKeyIsP384 = false
    /// Sets the root's path length to zero, so that no intermediate CA is permitted.
    public var rootAllowsNoIntermediate = false
  }

  let rootKey = P384.Signing.PrivateKey()
  let intermediateKey = P384.Signing.PrivateKey()
  let leafKey = P256.Signing.PrivateKey()
  /// In DER, like the two below.
  public let root: [UInt8]
  public let intermediate: [UInt8]
  public let leaf: [UInt8]

  public init(name: String = "Test", flaws: Flaws = Flaws()) throws {
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
        ? Self.authority(pathLength: nil, signs: false, mark: flaws.leafMark)
        : Self.end(mark: flaws.leafMark, strange: flaws.leafHasUnknownCriticalExtension))
  }

  /// A day in the middle of a year.
  public static func date(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double(year - 1970) * 365.2425 * 86_400)
  }

  /// The chain as a header carries it, leaf first.
  public var chain: [[UInt8]] { [leaf, intermediate, root] }

  /// Signs a payload.
  public func sign(_ payload: String, header: String? = nil) throws -> [UInt8] {
    let header = header ?? Self.header(chain)
    let text = Self.base64URL(Array(header.utf8)) + "." + Self.base64URL(Array(payload.utf8))
    let signature = try leafKey.signature(for: Data(text.utf8)).rawRepresentation
    return Array((text + "." + Self.base64URL(Array(signature))).utf8)
  }

  /// The header of a statement.
  public static func header(_ chain: [[UInt8]], algorithm: String = "ES256") -> String {
    let list = chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
    return "{\"alg\":\"\(algorithm)\",\"x5c\":[\(list)]}"
  }

  /// Base64url without padding.
  public static func base64URL(_ bytes: [UInt8]) -> String {
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

/// The payload of a purchase, with each member as JSON text.
public struct Payload {
  /// Member name to JSON text.
  public var members: [String: String] = [
    "transactionId": "\"2000000001\"", "originalTransactionId": "\"2000000001\"",
    "bundleId": "\"com.atrest.fasting\"", "productId": "\"com.atrest.annual\"",
    "type": "\"Auto-Renewable Subscription\"", "environment": "\"Production\"",
    "inAppOwnershipType": "\"PURCHASED\"", "purchaseDate": "\(Payload.signed)",
    "expiresDate": "\(Payload.signed + Payload.year)", "signedDate": "\(Payload.signed)",
    "quantity": "1", "price": "29990", "currency": "\"USD\"",
  ]

  /// June 2026, in milliseconds.
  public static let signed: Int64 = 1_781_000_000_000
  /// A year in milliseconds.
  public static let year: Int64 = 365 * 86_400_000

  /// Creates a payload with some members changed. Nil removes a member.
  public init(_ changes: [String: String?] = [:]) {
    for (name, value) in changes { members[name] = value }
  }

  /// The payload of renewal information.
  public static func renewal(_ changes: [String: String?] = [:]) -> Payload {
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

  /// The payload as JSON.
  public var text: String {
    let list = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return "{" + list.joined(separator: ",") + "}"
  }
}
