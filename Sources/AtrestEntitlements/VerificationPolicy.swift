// SPDX-License-Identifier: Apache-2.0
// A verifier's configuration: trusted roots, and the app whose purchases count.

import AtrestCrypto
import AtrestReplication

/// The App Store's two environments. Purchases of one never count in the other.
public enum StoreEnvironment: String, Hashable, Comparable, Sendable, CaseIterable {
  /// Real purchases.
  case production = "Production"
  /// Test purchases: TestFlight, App Review, sandbox accounts.
  case sandbox = "Sandbox"

  /// Orders by name; any total order would do.
  public static func < (a: StoreEnvironment, b: StoreEnvironment) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// How long a product grants. Raw values are the App Store's.
public enum ProductType: String, Hashable, Sendable, CaseIterable {
  /// A subscription, which grants until it expires.
  case subscription = "Auto-Renewable Subscription"
  /// A one-time purchase, which grants for ever.
  case lifetime = "Non-Consumable"
}

/// The trusted roots. They come from configuration, never from a statement.
public struct TrustAnchors: Sendable {
  /// Trusted root certificates.
  let certificates: [X509Certificate]
  /// SHA-256 fingerprints of roots that are trusted if a statement includes them.
  let pins: Set<[UInt8]>

  /// Creates anchors; several while one root replaces another.
  ///
  /// - Parameters:
  ///   - certificatesDER: Root certificates in DER.
  ///   - pins: SHA-256 fingerprints of root certificates in DER, 32 bytes each.
  /// - Throws: `PolicyProblem`.
  public init(certificatesDER: [[UInt8]] = [], pins: [[UInt8]] = []) throws(PolicyProblem) {
    guard !certificatesDER.isEmpty || !pins.isEmpty else { throw .noRoot }
    guard pins.allSatisfy({ $0.count == SHA256.byteCount }) else { throw .fingerprintLength }
    certificates = try certificatesDER.map { der throws(PolicyProblem) in
      guard let certificate = try? X509Certificate(der: der), certificate.key != nil else {
        throw .notACertificate  // One whose key cannot be used would trust nothing, silently.
      }
      return certificate
    }
    self.pins = Set(pins)
  }

  private init(pinned pins: Set<[UInt8]>) {
    certificates = []
    self.pins = pins
  }

  /// Apple Root CA - G3, pinned by the fingerprint published at
  /// <https://www.apple.com/certificateauthority/>.
  public static let appleRootG3 = TrustAnchors(pinned: [
    [
      0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03, 0xEB, 0xB5, 0x7E, 0x9B, 0x3F, 0x5F, 0xA7,
      0xBE, 0x7C, 0x4F, 0x5C, 0x75, 0x6F, 0x30, 0x17, 0xB3, 0xA8, 0xC4, 0x88, 0xC3, 0x65, 0x3E,
      0x91, 0x79,
    ]
  ])
}

/// Why the configuration gives no policy.
public enum PolicyProblem: Error, Hashable, Sendable {
  /// Neither a certificate nor a fingerprint.
  case noRoot
  /// Bytes that are not an X.509 certificate in DER.
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

/// The policy of a verifier: trusted roots and the rules for what counts.
public struct VerificationPolicy: Sendable {
  /// The trusted roots.
  public var anchors: TrustAnchors
  /// The app whose purchases count.
  public var bundleID: String
  /// The app's numeric App Store identifier. Compared if a statement has one; transactions do not.
  public var appAppleID: Int64?
  /// The environment whose purchases count: production, or sandbox on a test server.
  public var environment: StoreEnvironment
  /// The products on sale and their types.
  public var products: [String: ProductType]
  /// Whether a path counts only after its issuer answered that no certificate of it is revoked.
  /// Skipping this is a stated trade-off: a thief of an intermediate's key could sign purchases
  /// until the root is replaced.
  public var requiresRevocationAnswer: Bool
  /// How far a signature may lie in the future, in milliseconds.
  public var clockToleranceMilliseconds: Int64 = 5 * 60 * 1000
  /// The greatest age of a statement that proves a transfer, in milliseconds.
  public var transferFreshnessMilliseconds: Int64 = 60 * 60 * 1000
  /// How long a purchase must stay with an account before it may move again, in milliseconds.
  public var transferCooldownMilliseconds: Int64 = 24 * 60 * 60 * 1000
  /// The most facts of one account. A yearly subscription adds one a year; refunds replace their
  /// purchase.
  public var factsPerAccount: Int = 256

  /// The app's products and their types.
  public static let atrestProducts: [String: ProductType] = [
    "com.atrest.annual": .subscription,
    "com.atrest.lifetime": .lifetime,
  ]

  /// Creates a policy. The other properties keep their defaults and can be changed afterwards.
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

/// The revocation status of a path.
public enum RevocationAnswer: Hashable, Sendable {
  /// No query was made.
  case notAsked
  /// The issuer says that none is revoked.
  case good
  /// The issuer says that one is revoked.
  case revoked
  /// A query was made and returned no trustworthy answer.
  case unavailable
}
