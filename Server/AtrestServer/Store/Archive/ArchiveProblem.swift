// SPDX-License-Identifier: Apache-2.0
// What may be wrong with a store, in words for its owner.

import AtrestReplication

/// Something in a store that should not be. Names places, never values.
package struct ArchiveProblem: Hashable, Sendable {
  /// What is wrong.
  package enum Kind: Hashable, Sendable {
    /// There are rows of an account that does not exist.
    case noAccount
    /// The head of the account is not its last commit, or has another name.
    case head
    /// There are records with sequences that no commit gave.
    case beyondHead
    /// A counter does not agree with the rows.
    case counter(String)
    /// The record's bytes cannot be decoded.
    case unreadable(sequence: UInt64)
    /// The record stands under another record's key.
    case misplaced(sequence: UInt64)
    /// The device's token or its refusals cannot be read.
    case device(ReplicaID)
    /// The event does not follow the one before it in its chain.
    case event(number: UInt64)
  }

  package let account: AccountID
  /// Nil: the account does not exist, or no account is concerned.
  package let accountName: String?
  package let kind: Kind

  /// One line. The name of the account is as it was given.
  package var sentence: String {
    let place =
      accountName.map { "account \($0)" }
      ?? (account == .server ? "the server's own events" : "account number \(account.rawValue)")
    return switch kind {
    case .noAccount: "\(place): there are rows of it, but no such account"
    case .head: "\(place): its head is not its last commit, or has another name"
    case .beyondHead: "\(place): it has records that no commit gave"
    case .counter(let what): "\(place): the number of its \(what) is not what it holds"
    case .unreadable(let sequence): "\(place): record \(sequence) cannot be read"
    case .misplaced(let sequence): "\(place): record \(sequence) stands under another key"
    case .device(let replica):
      "\(place): device \(Hexadecimal.encoded(replica.rawValue)) cannot be read"
    case .event(let number): "\(place): event \(number) does not follow the ones before it"
    }
  }
}
