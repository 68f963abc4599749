// SPDX-License-Identifier: Apache-2.0
// The options that define the policy for verifying purchases.

import ArgumentParser
import AtrestCommandLine
import AtrestEntitlements
import AtrestFiles
import Foundation

/// Without a bundle ID there is no policy, and the server verifies nothing.
struct PurchaseOptions: ParsableArguments {
  @Option(
    name: .customLong("bundle-id"),
    help: ArgumentHelp(
      "Verify purchases of this app. Without it purchases are stored as they come, and granted by nobody.",
      valueName: "id"))
  var bundleID: String?

  @Option(
    name: .customLong("app-id"),
    help: ArgumentHelp("The app's number in the App Store.", valueName: "number"))
  var appID: Int64?

  @Option(
    name: .customLong("apple-root"),
    help: ArgumentHelp(
      "A root certificate in DER, instead of Apple Root CA - G3. May be given several times.",
      valueName: "file"))
  var roots: [String] = []

  @Option(help: "production, or sandbox on a server for tests.")
  var environment: Environment = .production

  enum Environment: String, ExpressibleByArgument, CaseIterable {
    case production, sandbox
  }

  /// Maximum size of a certificate file in bytes.
  private static let certificateBytes = 64 * 1024

  /// The policy. Nil if no app is named.
  func policy() throws -> VerificationPolicy? {
    guard let bundleID else {
      guard roots.isEmpty, appID == nil else {
        throw CommandFailure("Which app's purchases? Name it with --bundle-id.", .usage)
      }
      return nil
    }
    guard !bundleID.isEmpty else { throw CommandFailure("A bundle id is not empty.", .usage) }
    return VerificationPolicy(
      anchors: try anchors(), bundleID: bundleID, appAppleID: appID,
      environment: environment == .sandbox ? .sandbox : .production)
  }

  private func anchors() throws -> TrustAnchors {
    guard !roots.isEmpty else { return .appleRootG3 }
    let certificates = try roots.map { path in
      guard let bytes = try? SmallFile.read(path, limitBytes: Self.certificateBytes) else {
        throw CommandFailure(
          "The certificate \(path) cannot be read. Check that it is there, and a file.", .data)
      }
      return bytes
    }
    do throws(PolicyProblem) {
      return try TrustAnchors(certificatesDER: certificates)
    } catch {
      throw CommandFailure(error.userMessage, .data)
    }
  }
}
