// SPDX-License-Identifier: Apache-2.0
// What a verifier is told from outside: whom to trust, and which app's purchases count.

import AtrestReplication
import Crypto
import SwiftASN1
import X509

/// The App Store's two worlds. Purchases of one never count in the other.
public enum StoreEnvironment: String, Hashable, Comparable, Sendable, CaseIterable {
  /// Real purchases.
  case production = "Production"
  /// Test purchases: TestFlight, App Review, sandbox accounts.
  case sandbox = "Sandbox"

  /// By name; any total order does.
  public static func < (a: StoreEnvironment, b: StoreEnvironment) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// What sort of product something is.
public enum ProductType: String, Hashable, Sendable, CaseIterable {
  /// Grants until it expires.
  case subscription = "Auto-Renewable Subscription"
  /// Grants for good.
  case lifetime = "Non-Consumable"
}

/// The roots that a chain may end at. They come from configuration, never from a statement.
public struct TrustAnchors: Sendable {
  /// Certificates that are trusted as they are.
  let certificates: [Certificate]
  /// SHA-256 fingerprints of certificates that are trusted when a statement brings them along.
  let pins: Set<[UInt8]>

  /// Roots, several where one is being replaced by the next.
  ///
  /// - Parameters:
  ///   - certificatesDER: Root certificates in DER.
  ///   - pins: SHA-256 of root certificates in DER, 32 bytes each.
  /// - Throws: `PolicyProblem`.
  public init(certificatesDER: [[UInt8]] = [], pins: [[UInt8]] = []) throws(PolicyProblem) {
    guard !certificatesDER.isEmpty || !pins.isEmpty else { throw .noRoot }
    guard pins.allSatisfy({ $0.count == SHA256.byteCount }) else { throw .fingerprintLength }
    certificates = try certificatesDER.map { der throws(PolicyProblem) in
      do { return try Certificate(derEncoded: der) } catch { throw .notACertificate }
    }
    self.pins = Set(pins)
  }

  private init(pinned pins: Set<[UInt8]>) {
    certificates = []
    self.pins = pins
  }

  /// Apple Root CA - G3, by its fingerprint, as <https://www.apple.com/certificateauthority/>
  /// publishes it.
  public static let appleRootG3 = TrustAnchors(pinned: [
    [
      0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03, 0xEB, 0xB5, 0x7E, 0x9B, 0x3F, 0x5F, 0xA7,
      0xBE, 0x7C, 0x4F, 0x5C, 0x75, 0x6F, 0x30, 0x17, 0xB3, 0xA8, 0xC4, 0x88, 0xC3, 0x65, 0x3E,
      0x91, 0x79,
    ]
  ])
}

/// Why a policy cannot be made from what was configured.
public enum PolicyProblem: Error, Hashable, Sendable {
  /// Neither a certificate nor a fingerprint.
  case noRoot
  /// Bytes that are no X.509 certificate in DER.
  case notACertificate
  /// A fingerprint that is not 32 bytes.
  case fingerprintLength

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .noRoot:
      "No root certificate is configured. Name the file of Apple's root certificate."
    case .notACertificate:
      "The root certificate's file is not a certificate in DER. Take AppleRootCA-G3.cer from Apple as it is."
    case .fingerprintLength:
      "A root certificate's fingerprint is 64 hexadecimal digits. Copy the SHA-256 one."
    }
  }
}

/// Whom a verifier trusts, and what counts.
public struct VerificationPolicy: Sendable {
  /// Where chains end.
  public var anchors: TrustAnchors
  /// The app whose purchases count.
  public var bundleID: String
  /// The app's number in the App Store. Compared where a statement carries one; transactions do
  /// not.
  public var appAppleID: Int64?
  /// Whose purchases count: production's, or, on a server for tests, sandbox's.
  public var environment: StoreEnvironment
  /// What is sold, and as what.
  public var products: [String: ProductType]
  /// Whether a chain counts only after its issuer said that no certificate of it was withdrawn.
  /// Skipping that is a stated trade-off: whoever steals an intermediate's key could then sign
  /// purchases until the root is changed.
  public var requiresRevocationAnswer: Bool
  /// How far a signature may lie ahead of now.
  public var clockToleranceMilliseconds: Int64 = 5 * 60 * 1000
  /// How old the statement that proves a transfer may be.
  public var transferFreshnessMilliseconds: Int64 = 60 * 60 * 1000
  /// How long a purchase stays with an account before it may move again.
  public var transferCooldownMilliseconds: Int64 = 24 * 60 * 60 * 1000
  /// Facts of one account, at most. A yearly subscription makes one a year; refunds replace their
  /// purchase.
  public var factsPerAccount: Int = 256

  /// The products of the app, and what they are.
  public static let atrestProducts: [String: ProductType] = [
    "com.atrest.annual": .subscription,
    "com.atrest.lifetime": .lifetime,
  ]

  /// A policy. What is not named keeps its default, and can be changed afterwards.
  public init(
    anchors: TrustAnchors, bundleID: String, appAppleID: Int64? = nil,
    environment: StoreEnvironment = .production,
    products: [String: ProductType] = atrestProducts, requiresRevocationAnswer: Bool = false
  ) {
    self.anchors = anchors
    self.bundleID = bundleID
    self.appAppleID = appAppleID
    self.environment = environment
    self.products = products
    self.requiresRevocationAnswer = requiresRevocationAnswer
  }
}

/// What is known about withdrawn certificates of one chain.
public enum RevocationAnswer: Hashable, Sendable {
  /// Nobody asked.
  case notAsked
  /// The issuer says that none was withdrawn.
  case good
  /// The issuer says that one was.
  case revoked
  /// Asked, and no answer came that could be trusted.
  case unavailable
}
