// SPDX-License-Identifier: Apache-2.0
// A certificate authority for tests, shaped like Apple's, and what it signs.

import AtrestEntitlements
import AtrestReplication
import Foundation

/// Root, intermediate and leaf with Apple's marker extensions. A test can corrupt each.
public struct TestAuthority: Sendable {
  /// Possible faults of a chain.
  public struct Flaws {
    /// Creates a flawless chain.
    public init() {}

    public var intermediateMark: [Int]? = [1, 2, 840, 113_635, 100, 6, 2, 1]
    public var leafMark: [Int]? = [1, 2, 840, 113_635, 100, 6, 11, 1]
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
    /// Spoils whatever else, before the certificate is signed.
    public var changeRoot: (inout CertificateForm) throws -> Void = { _ in }
    public var changeIntermediate: (inout CertificateForm) throws -> Void = { _ in }
    public var changeLeaf: (inout CertificateForm) throws -> Void = { _ in }
  }

  let leafKey: SigningKey
  /// In DER, like the two below.
  public let root: [UInt8]
  public let intermediate: [UInt8]
  public let leaf: [UInt8]

  public init(name: String = "Test", flaws: Flaws = Flaws()) throws {
    let rootKey = try SigningKey(curve: "P-384")
    let intermediateKey = try SigningKey(curve: "P-384")
    leafKey = try SigningKey(curve: "P-256")
    var form = CertificateForm(
      issuer: "\(name) Root", subject: "\(name) Root", key: rootKey.publicKeyInfo,
      extensions: Self.authority(pathLength: flaws.rootAllowsNoIntermediate ? 0 : nil))
    form.notAfter = Self.time(flaws.rootTo)
    try flaws.changeRoot(&form)
    root = try form.signed(by: rootKey)

    form = CertificateForm(
      issuer: "\(name) Root", subject: "\(name) Intermediate", key: intermediateKey.publicKeyInfo,
      extensions: flaws.intermediateIsAuthority
        ? Self.authority(
          pathLength: 0, signs: flaws.intermediateMaySignCertificates,
          mark: flaws.intermediateMark)
        : Self.end(mark: flaws.intermediateMark))
    form.notAfter = Self.time(flaws.intermediateTo)
    try flaws.changeIntermediate(&form)
    intermediate = try form.signed(by: rootKey)

    let key = flaws.leafKeyIsP384 ? try SigningKey(curve: "P-384") : leafKey
    form = CertificateForm(
      issuer: "\(name) Intermediate", subject: "\(name) Leaf", key: key.publicKeyInfo,
      extensions: flaws.leafIsAuthority
        ? Self.authority(pathLength: nil, signs: false, mark: flaws.leafMark)
        : Self.end(mark: flaws.leafMark, strange: flaws.leafHasUnknownCriticalExtension))
    (form.notBefore, form.notAfter) = (Self.time(flaws.leafFrom), Self.time(flaws.leafTo))
    try flaws.changeLeaf(&form)
    leaf = try form.signed(by: intermediateKey)
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
    let signature = try leafKey.signRaw(Array(text.utf8), hash: 256, byteCount: 32)
    return Array((text + "." + Self.base64URL(signature)).utf8)
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

  /// A date as certificates write it, to the second.
  private static func time(_ date: Date) -> [UInt8] {
    let style = Date.VerbatimFormatStyle(
      format: """
        \(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)\
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\
        \(minute: .twoDigits)\(second: .twoDigits)
        """, timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    return DER.time(String(date.formatted(style).dropFirst(2)) + "Z")
  }

  private static func authority(
    pathLength: UInt8?, signs: Bool = true, mark: [Int]? = nil
  ) -> [[UInt8]] {
    // Signs certificates and lists of revoked ones, or data and such lists.
    [
      CertificateForm.authority(pathLength: pathLength),
      CertificateForm.usage(signs ? 0x06 : 0x82),
    ] + entries(mark)
  }

  private static func end(mark: [Int]?, strange: Bool = false) -> [[UInt8]] {
    [CertificateForm.endEntity, CertificateForm.usage(0x80)] + entries(mark)
      + (strange ? [CertificateForm.entry([1, 2, 3, 4], isCritical: true, [0x05, 0x00])] : [])
  }

  private static func entries(_ mark: [Int]?) -> [[UInt8]] {
    mark.map { [CertificateForm.entry($0, [0x05, 0x00])] } ?? []
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
