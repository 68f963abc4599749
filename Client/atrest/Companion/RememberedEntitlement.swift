// SPDX-License-Identifier: Apache-2.0
// What the account may use, and what it was when that was last known.

import AtrestClient
import AtrestDomain
import AtrestFiles
import Foundation

/// A note beside the replica. It grants nothing: where nothing is known, nothing is closed either.
struct RememberedEntitlement: Codable, Equatable {
  /// Whose: another account starts anew.
  var account: String?
  /// What was known last.
  var entitlement: String

  static let fileName = "entitlement-known.json"

  /// What to act on now. Not to be able to verify, or to read the policy, is not to know, and never
  /// `free`.
  static func current(of replica: Replica, _ status: ReplicaStatus) -> Entitlement {
    let file = replica.directory.appendingPathComponent(fileName)
    let known = evaluate(replica)
    let note = (try? SmallFile.read(file.path, limitBytes: 4096)).flatMap {
      try? JSONDecoder().decode(RememberedEntitlement.self, from: Data($0))
    }
    let last = note.flatMap { $0.account == status.account ? $0 : nil }
    if let known = known.toRemember {
      let fresh = RememberedEntitlement(account: status.account, entitlement: known.rawValue)
      // Not to be able to note it is no failure: it is found out again.
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
