// SPDX-License-Identifier: Apache-2.0
// Whose purchases this device counts: a file that its owner, or the app's maker, puts beside the
// replica.

import AtrestEntitlements
import AtrestFiles
import Foundation

/// What a policy is made of, as `entitlements.json` holds it.
///
/// A server's word for a purchase proves nothing: who runs it may be who cheats. So every device
/// has a policy of its own, and verifies again.
public struct EntitlementSettings: Hashable, Sendable, Codable {
  /// The app whose purchases count.
  public var bundleID: String
  /// The app's number in the App Store.
  public var appID: Int64?
  /// `production`, which is the default, or `sandbox`.
  public var environment: String?
  /// Files with root certificates in DER, beside the settings or by full path; without any, Apple
  /// Root CA - G3 counts.
  public var roots: [String]?

  /// Its name in the replica's folder.
  public static let fileName = "entitlements.json"
  /// Bytes of the longest file that is read: settings, or a certificate.
  public static let limitBytes = 64 * 1024

  enum CodingKeys: String, CodingKey {
    case bundleID = "bundle_id"
    case appID = "app_id"
    case environment, roots
  }

  /// Settings.
  public init(
    bundleID: String, appID: Int64? = nil, environment: String? = nil, roots: [String]? = nil
  ) {
    self.bundleID = bundleID
    self.appID = appID
    self.environment = environment
    self.roots = roots
  }

  /// Reads a policy.
  ///
  /// - Returns: Nil if there is no such file.
  /// - Throws: `ReplicaError.invalid` if it is there and cannot be used: that is not the same as no
  ///   policy.
  public static func policy(at file: URL) throws(ReplicaError) -> VerificationPolicy? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let settings: EntitlementSettings
    do {
      settings = try JSONDecoder().decode(EntitlementSettings.self, from: read(file))
    } catch let error as ReplicaError {
      throw error
    } catch {
      throw .invalid("\(file.lastPathComponent) cannot be understood. It is JSON with a bundle_id.")
    }
    let folder = file.deletingLastPathComponent()
    return try settings.policy { name throws(ReplicaError) in
      try [UInt8](read(URL(fileURLWithPath: name, relativeTo: folder)))
    }
  }

  /// The policy they stand for.
  ///
  /// - Parameter certificate: Reads a root certificate's file.
  public func policy(
    certificate: (String) throws(ReplicaError) -> [UInt8]
  ) throws(ReplicaError) -> VerificationPolicy {
    guard let world = Self.environments[environment ?? "production"] else {
      throw .invalid("The environment of purchases is production or sandbox. Correct the settings.")
    }
    guard !bundleID.isEmpty else { throw .invalid("A bundle_id is not empty. Name the app.") }
    var anchors = TrustAnchors.appleRootG3
    if let roots, !roots.isEmpty {
      let certificates = try roots.map { name throws(ReplicaError) in try certificate(name) }
      do throws(PolicyProblem) {
        anchors = try TrustAnchors(certificatesDER: certificates)
      } catch {
        throw .invalid(error.userMessage)
      }
    }
    return VerificationPolicy(
      anchors: anchors, bundleID: bundleID, appAppleID: appID, environment: world)
  }

  private static let environments: [String: StoreEnvironment] = [
    "production": .production, "sandbox": .sandbox,
  ]

  private static func read(_ file: URL) throws(ReplicaError) -> Data {
    guard let bytes = try? SmallFile.read(file.path, limitBytes: limitBytes) else {
      throw .invalid("\(file.lastPathComponent) cannot be read. Check that it is there and small.")
    }
    return Data(bytes)
  }
}
