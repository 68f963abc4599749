// SPDX-License-Identifier: Apache-2.0
// Remembers for a moment which tokens the store has refused. Pure.

import AtrestHTTP2
import AtrestReplication

/// Tokens that were refused a moment ago: a device whose access has ended, and that goes on asking,
/// costs the store a read every two seconds.
///
/// A device has its token only after the commit that made it valid. So none is asked for before.
struct RefusedTokens: Sendable {
  private struct Key: Hashable {
    let replica: ReplicaID
    let secretHash: [UInt8]
  }

  /// How long a refusal holds.
  static let lifetime: Duration = .seconds(2)
  /// Tokens that are remembered. Beyond it all are forgotten: random ones never come again.
  static let limit = 4096

  private var ends: [Key: Instant] = [:]

  init() {}

  mutating func note(_ token: Token, at now: Instant) {
    if ends.count >= Self.limit { ends = [:] }
    ends[Self.key(token)] = now.advanced(by: Self.lifetime)
  }

  func contains(_ token: Token, at now: Instant) -> Bool {
    guard !ends.isEmpty else { return false }
    return ends[Self.key(token)].map { now < $0 } ?? false
  }

  private static func key(_ token: Token) -> Key {
    Key(replica: token.replica, secretHash: Secret.hash(token.secret))
  }
}
