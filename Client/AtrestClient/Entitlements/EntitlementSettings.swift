// SPDX-License-Identifier: Apache-2.0
// Reads the purchase policy: a file beside the replica, written by the device's owner or the app's
// developer.

import AtrestEntitlements
import AtrestFiles
import AtrestSync
import Foundation

/// The contents of `entitlements.json`, from which a policy is made.
///
/// A server's claim about a purchase proves nothing, because its operator may be the one who
/// cheats. So every device has its own policy and verifies again.
public struct EntitlementSettings: Hashable, Sendable, Codable {
  /// The bundle identifier of the app whose purchases count.
  public var bundleID: String
  /// The app's numeric App Store identifier.
  public var appID: Int64?
  /// `production` (the default) or `sandbox`.
  public var environment: String?
  /// DER files with root certificates: absolute paths, or relative to the settings. Defaults to
  /// Apple Root CA - G3.
  public var roots: [String]?

  /// The file's name in the replica's directory.
  public static let fileName = "entitlements.json"
  /// The largest settings or certificate file that is read, in bytes.
  public static let limitBytes = 64 * 1024

  enum CodingKeys: String, CodingKey {
    case bundleID = "bundle_id"
    case appID = "app_id"
    case environment, roots
  }

  /// Creates settings; nil selects the default of each field.
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
  /// - Returns: nil if the file does not exist.
  /// - Throws: `ReplicaError.invalid` if the file exists and cannot be used. A broken policy is not
  ///   the same as none.
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

  /// The policy that these settings describe.
  ///
  /// - Parameter certificate: Reads the file of a root certificate.
  /// - Throws: `ReplicaError.invalid` if a setting is invalid, and what `certificate` throws.
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
