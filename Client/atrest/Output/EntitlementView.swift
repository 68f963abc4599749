// SPDX-License-Identifier: Apache-2.0
// Output of purchases: the entitlement, and why a purchase does not count.

import AtrestClient
import AtrestCommandLine
import AtrestEntitlements
import AtrestReplication
import Foundation

/// A device's view of the account's purchases, for `--json`.
struct EntitlementRow: Encodable, Equatable {
  /// A purchase that counts or has counted.
  struct Purchase: Encodable, Equatable {
    var transaction: String
    var product: String
    var expires: WallTime?
    var revoked: WallTime?
  }

  /// A rejected statement.
  struct Rejection: Encodable, Equatable {
    var transaction: String
    var code: String
    var check: Int
  }

  var state: String
  var verified: Bool
  var completedFasts: Int
  var purchases: [Purchase]
  var rejected: [Rejection]

  init(_ report: EntitlementReport?) {
    state = (report?.state ?? .unknown).rawValue
    verified = report?.isVerified ?? false
    completedFasts = report?.completedFasts ?? 0
    let facts = (report?.facts.transactions ?? [:]).values.sorted { $0.id < $1.id }
    purchases = facts.map {
      Purchase(
        transaction: $0.id.transactionID, product: $0.productID,
        expires: $0.expires, revoked: $0.revoked)
    }
    rejected = (report?.rejections ?? [:]).sorted { $0.key < $1.key }.map {
      Rejection(transaction: $0.key, code: $0.value.rawValue, check: $0.value.check)
    }
  }
}

/// Texts about purchases.
enum EntitlementWords {
  /// Shown if there is no replica.
  static let nothing = "Nothing was written on this device yet, so nothing is known of purchases."

  /// The report as text.
  static func report(_ report: EntitlementReport) -> String {
    var lines = [sentence(report)]
    for (name, rejection) in report.rejections.sorted(by: { $0.key < $1.key }) {
      lines.append("\(name.escapedForTerminal): \(rejection.userMessage)")
    }
    return lines.joined(separator: "\n")
  }

  private static func sentence(_ report: EntitlementReport) -> String {
    switch report.state {
    case .premium: return "A purchase covers this account."
    case .trial: return "The first \(EntitlementEvidence.trialFasts) fasts come with everything."
    case .free: return "No purchase covers this account."
    case .unknown:
      guard report.isVerified else {
        return
          "It is not known what the purchases come to: this device has no policy to verify them by. "
          + "Put \(EntitlementSettings.fileName) into the replica's folder, or name one with --policy."
      }
      return
        "It is not known yet whether a purchase covers this account. Sync once, then look again."
    }
  }
}
