// SPDX-License-Identifier: Apache-2.0
// Verifies the hash chains of a whole audit log.

import AtrestCrypto

/// How events are chained.
package enum EventScope: Sendable {
  /// One chain over all accounts, with numbers 1, 2, 3 …
  case store
  /// A chain for each account, and one for events without an account. Numbers are unique and ascend
  /// in each chain. A store with several writers cannot have one chain: each event would wait for
  /// the commit of the one before.
  case account
}

/// All chains of a log, as they are verified from the first event on.
package struct EventChains: Sendable {
  private let scope: EventScope
  private var chains: [AccountID: EventChain] = [:]
  /// The number of the last entry.
  package private(set) var number: UInt64 = 0
  /// How many entries were verified.
  package private(set) var count: UInt64 = 0

  /// Empty chains.
  package init(_ scope: EventScope) {
    self.scope = scope
  }

  /// Verifies the next entry of the log and moves on to it.
  ///
  /// - Returns: False if it does not follow in its chain, or was changed; nothing happens then.
  package mutating func follows(_ entry: EventEntry) -> Bool {
    let isDense = scope == .store
    let account = isDense ? AccountID.server : entry.event.account ?? .server
    guard entry.number > number,
      chains[account, default: EventChain()].follows(entry, isDense: isDense)
    else { return false }
    number = entry.number
    count += 1
    return true
  }

  /// The hash over all entries: that of the only chain, or of all chains' hashes by account. Empty
  /// before the first entry. O(chains).
  package var hash: [UInt8] {
    guard count > 0 else { return [] }
    if scope == .store { return chains[.server]?.hash ?? [] }
    var digest = SHA256()
    for (account, chain) in chains.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      digest.update(bigEndian: UInt64(bitPattern: account.rawValue))
      digest.update(chain.hash)
    }
    return digest.finalized()
  }
}
