// SPDX-License-Identifier: Apache-2.0
// Persists the last known entitlement.

import AtrestClient
import AtrestDomain
import AtrestFiles
import Foundation

/// A file beside the replica. It grants nothing: without it the entitlement is unknown, which locks
/// nothing either.
struct RememberedEntitlement: Codable, Equatable {
  /// The account it belongs to; a different account starts anew.
  var account: String?
  /// The last known entitlement.
  var entitlement: String

  static let fileName = "entitlement-known.json"

  /// The entitlement to act on. If verification or the policy fails, the result is the last known
  /// one, never `free`.
  static func current(of replica: Replica, _ status: ReplicaStatus) -> Entitlement {
    let file = replica.directory.appendingPathComponent(fileName)
    let known = evaluate(replica)
    let note = (try? SmallFile.read(file.path, limitBytes: 4096)).flatMap {
      try? JSONDecoder().decode(RememberedEntitlement.self, from: Data($0))
    }
    let last = note.flatMap { $0.account == status.account ? $0 : nil }
    if let known = known.toRemember {
      let fresh = RememberedEntitlement(account: status.account, entitlement: known.rawValue)
      // Failing to write it is harmless: it is derived again.
      if fresh != note, let data = try? JSONEncoder().encode(fresh) {
        try? SmallFile.replace(file.path, with: Array(data))
      }
    }
    return known.settled(lastKnown: last.flatMap { Entitlement(rawValue: $0.entitlement) })
  }

  private static func evaluate(_ replica: Replica) -> Entitlement {
    let file = replica.directory.appendingPathComponent(EntitlementSettings.fileName)
    guard let policy = try? EntitlementSettings.policy(at: file),
      let report = try? replica.entitlements(
        policy: policy, appAccountToken: try? replica.knownAppAccountToken())
    else { return .unknown }
    return Entitlement(rawValue: report.state.rawValue) ?? .unknown
  }
}
